/** Whole answers: read, and written to the client (F-5, R-2, R-3). */
import type { BodyView, Member } from '../bytes/body-view.ts';
import { type Edit, edit, setJson } from '../bytes/edit.ts';
import { bomLength } from '../bytes/text.ts';
import type { Answer, AnswerWrite, ContentKind } from '../contract.ts';
import { ANSWER, CONTENT } from '../stream/grammar.ts';
import { blockReason, CandidatesReading } from './candidates.ts';
import { ChunkScan } from './chunk-scan.ts';
import { FILTER_FINISH } from './finish-words.ts';
import { readUsage } from './usage.ts';

// As for streams: no API gives so many, and each one costs.
export const MAX_CANDIDATES = 1024;
/** Where the report stands in answers and chunks, and the model. */
export const REPORT_KEY = 'understudy';
export const MODEL_KEY = 'modelVersion';

/**
 * Null = not a usable answer: no JSON object, an error, neither a candidate nor a reason why there is none, or a call that
 * is not whole. A finish reason that says failure is left to the caller, who sees it among `finishReasons` (F-6).
 */
export function readAnswer(bytes: Uint8Array): Answer | null {
  const members: Member[] = [];
  const scan = new ChunkScan(members);
  if (scan.scan(bytes, bomLength(bytes), bytes.length) < 0 || scan.failed) return null;
  const reading = new CandidatesReading();
  const readable = !scan.candidates.present || reading.read(JSON.parse(scan.candidates.text(bytes)));
  if (!readable || reading.count > MAX_CANDIDATES) return null;
  const finishReasons = reading.finishes.slice(0, reading.count).filter((reason) => reason !== null);
  const blocked = scan.feedback.present && blockReason(JSON.parse(scan.feedback.text(bytes))) !== null;
  if (reading.hasBrokenCall) return null;
  // Where one candidate says how it ended, one that does not was cut.
  const isCut = finishReasons.length === 0 ? reading.content === 0 : finishReasons.length < reading.count;
  if (!blocked && isCut) return null;
  const view: BodyView = { bytes, start: scan.objectStart, end: scan.objectEnd, members };
  const usage = scan.usage.present ? readUsage(bytes.subarray(scan.usage.start, scan.usage.end)) : null;
  const content = answerKind(reading.content, finishReasons, blocked);
  return { view, content, contentBytes: reading.contentBytes, usage, finishReasons };
}

/**
 * F-5: thoughts alone are no answer. `filtered` = filtered without any answer; a filter that left an answer is like a
 * refusal: served, unless `on` names content_policy.
 */
export function answerKind(content: number, finishReasons: readonly string[], blocked: boolean): ContentKind {
  const filtered = blocked || finishReasons.some((reason) => FILTER_FINISH.has(reason));
  const answer = content & ANSWER;
  if (answer === 0) return filtered ? 'filtered' : 'empty';
  return filtered || answer === CONTENT.refusal ? 'refusal' : 'content';
}

/** The answer with the served model's name and the report; everything else byte for byte. */
export function writeAnswer(answer: Answer, write: Pick<AnswerWrite, 'servedModel' | 'report'>): Uint8Array {
  const edits: Edit[] = [setJson(MODEL_KEY, write.servedModel)];
  if (write.report !== null) edits.push({ op: 'set', key: REPORT_KEY, value: write.report });
  return edit(answer.view, edits);
}
