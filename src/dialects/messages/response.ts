/** Whole messages: read, and written to the client (F-5, R-2, R-3). */
import { type BodyView, isScanError, readJson, scanObject, valueByte } from '../bytes/body-view.ts';
import { type Edit, edit, setJson } from '../bytes/edit.ts';
import { OPEN_BRACE, OPEN_BRACKET } from '../bytes/json-grammar.ts';
import type { Answer, AnswerWrite, ContentKind } from '../contract.ts';
import { objectOf } from '../failure/answer-faults.ts';
import { ANSWER } from '../stream/grammar.ts';
import { REFUSAL, TOOL_USE } from './answer-fault.ts';
import { bytesOfBlock, contentOfBlock } from './content.ts';
import { areCallsReadable } from './event-order.ts';
import { readUsage } from './usage.ts';

/** Null = not a usable answer: no message, an error, none that says how it ended, as whole ones do, or an unreadable call. */
export function readAnswer(bytes: Uint8Array): Answer | null {
  const view = scanObject(bytes);
  if (isScanError(view) || valueByte(view, 'content') !== OPEN_BRACKET) return null;
  if (valueByte(view, 'error') === OPEN_BRACE || readJson(view, 'type') === 'error') return null;
  const blocks = blocksOf(view);
  const told = readJson(view, 'stop_reason');
  const reason = typeof told === 'string' && told !== '' ? told : null;
  if (reason === null || !areCallsReadable(blocks, reason)) return null;
  let content = 0;
  let contentBytes = 0;
  for (const block of blocks) {
    content |= contentOfBlock(block);
    contentBytes += bytesOfBlock(block);
  }
  // The calls it speaks of got lost.
  if (reason === TOOL_USE && (content & ANSWER) === 0) return null;
  const usage = readUsage(readJson(view, 'usage'));
  const container = objectOf(readJson(view, 'container'))?.['id'];
  const answer = { view, content: answerKind(content, reason), contentBytes, usage, finishReasons: [reason] };
  return typeof container === 'string' && container !== '' ? { ...answer, stateIds: [container] } : answer;
}

function blocksOf(view: BodyView): Readonly<Record<string, unknown>>[] {
  const blocks = readJson(view, 'content') as unknown[];
  return blocks.map(objectOf).filter((block) => block !== null);
}

/** F-5: a refusal is this dialect's normal answer, with or without words; reasoning alone is none. */
function answerKind(content: number, reason: unknown): ContentKind {
  if (reason === REFUSAL) return 'refusal';
  return (content & ANSWER) === 0 ? 'empty' : 'content';
}

/** The answer with the served model's name and the report; everything else byte for byte. */
export function writeAnswer(answer: Answer, write: AnswerWrite): Uint8Array {
  const edits: Edit[] = [setJson('model', write.servedModel)];
  if (write.report !== null) edits.push(reportEdit(write.report));
  return edit(answer.view, edits);
}

/** where the report stands. */
export function reportEdit(report: Uint8Array): Edit {
  return { op: 'set', key: 'understudy', value: report };
}
