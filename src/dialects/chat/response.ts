/** Whole Chat Completions answers: read, and written to the client (F-5, R-2, R-3). */

import type { BodyView, Member } from '../bytes/body-view.ts';
import { type Edit, edit, setJson } from '../bytes/edit.ts';
import { bomLength, utf8 } from '../bytes/text.ts';
import type { Answer, AnswerWrite, ContentKind } from '../contract.ts';
import { saysCallsAreWhole } from '../cross/call-check.ts';
import { ANSWER, CONTENT } from '../stream/grammar.ts';
import { FILTER_FINISH } from './answer-fault.ts';
import { isWholeIn } from './call-ledger.ts';
import { finishOf, saysCalls } from './canonical-finish.ts';
import { ChunkScan } from './chunk-scan.ts';
import { isMisplaced } from './misplaced-words.ts';
import { readUsage } from './usage.ts';

const TRUE = utf8('true');
// As for streams: no API gives so many, and each one costs.
const MAX_CHOICES = 1024;

/**
 * Null = not a usable answer: no JSON object, an error, no choice, nothing in any and not why, or a call that is not whole
 * (dialects §8). A finish reason that says failure is left to the caller, who sees it among `finishReasons` (F-6).
 */
export function readAnswer(bytes: Uint8Array): Answer | null {
  const members: Member[] = [];
  const scan = new ChunkScan('message', true, members);
  if (scan.scan(bytes, bomLength(bytes), bytes.length) < 0) return null;
  if (scan.failed || !scan.hasChoices || scan.choiceCount === 0 || scan.choiceCount > MAX_CHOICES) return null;
  const view: BodyView = { bytes, start: scan.objectStart, end: scan.objectEnd, members };
  if (scan.misplaced && isMisplaced(view)) return null;
  const finishReasons = scan.finishes.slice(0, scan.choiceCount).filter((reason) => reason !== null);
  // Where one choice says how it ended, one that does not was cut.
  if (finishReasons.length === 0 ? scan.content === 0 : finishReasons.length < scan.choiceCount) return null;
  if (!areCallsWhole(scan, bytes)) return null;
  // The calls it speaks of got lost.
  if ((scan.content & ANSWER) === 0 && finishReasons.some(saysCalls)) return null;
  const usage = scan.usageStart === -1 ? null : readUsage(bytes.subarray(scan.usageStart, scan.usageEnd));
  const content = answerKind(scan.content, finishReasons);
  return { view, content, contentBytes: scan.contentBytes, usage, finishReasons };
}

/** Behind a reason that says so; behind `length` the last may well be cut. */
function areCallsWhole({ calls, finishes }: ChunkScan, bytes: Uint8Array): boolean {
  for (let i = 0; i < calls.count; i++) {
    const reason = finishes[calls.places[i]!] ?? null;
    const finish = reason === null ? null : finishOf(reason);
    if (finish !== null && saysCallsAreWhole(finish) && !isWholeIn(calls, i, bytes)) return false;
  }
  return true;
}

/**
 * F-5: reasoning alone is no answer. `filtered` = filtered without any answer; a filter that left an answer is like a
 * refusal: served, unless `on` names content_policy.
 */
export function answerKind(content: number, finishReasons: readonly string[]): ContentKind {
  const filtered = finishReasons.some((reason) => FILTER_FINISH.has(reason));
  const answer = content & ANSWER;
  if (answer === 0) return filtered ? 'filtered' : 'empty';
  return filtered || answer === CONTENT.refusal ? 'refusal' : 'content';
}

/** The answer with the served model's name and the report; everything else byte for byte. */
export function writeAnswer(answer: Answer, write: AnswerWrite): Uint8Array {
  const edits: Edit[] = [setJson('model', write.servedModel)];
  if (write.classic) edits.push({ op: 'set', key: 'success', value: TRUE });
  if (write.report !== null) edits.push(reportEdit(write.report, write.classic));
  return edit(answer.view, edits);
}

/** where the report stands. */
export function reportEdit(report: Uint8Array, classic: boolean): Edit {
  return { op: 'set', key: classic ? 'metadata' : 'understudy', value: report };
}
