/** Whole answers of this dialect: read, and written to the client (F-5, R-2, R-3). */
import { type BodyView, isScanError, readJson, scanObject, valueByte } from '../bytes/body-view.ts';
import { type Edit, edit, setJson } from '../bytes/edit.ts';
import { OPEN_BRACKET } from '../bytes/json-grammar.ts';
import type { Answer, AnswerWrite } from '../contract.ts';
import { objectOf } from '../failure/answer-faults.ts';
import { areCallsWhole } from './calls-seen.ts';
import { answerKind, failedFinish, finishOf } from './finish.ts';
import { idsOfItem, outputContent } from './output-content.ts';
import { readUsage } from './usage.ts';

/** Where an answer stands that is worked on in the background. */
const PROMISED: ReadonlySet<string> = new Set(['queued', 'in_progress']);

/** Null = not a usable answer: no JSON object, an error, one that failed, none at all, or a call that is not whole. */
export function readAnswer(bytes: Uint8Array): Answer | null {
  const view = scanObject(bytes);
  if (isScanError(view) || valueByte(view, 'output') !== OPEN_BRACKET) return null;
  const error = readJson(view, 'error');
  if (error !== undefined && error !== null) return null;
  const finish = finishOf({
    status: readJson(view, 'status'),
    incomplete_details: readJson(view, 'incomplete_details'),
  });
  if (failedFinish(finish) !== null) return null;
  const isPromise = PROMISED.has(finish);
  if (isPromise && readJson(view, 'background') !== true) return null;
  const items = readJson(view, 'output') as unknown[];
  if (finish === 'completed' && !areCallsWhole(items)) return null;
  const { content, contentBytes } = outputContent(items);
  return {
    view,
    content: isPromise ? 'content' : answerKind(content, finish),
    contentBytes,
    usage: readUsage(readJson(view, 'usage')),
    finishReasons: [finish],
    stateIds: stateIds(view, items),
  };
}

function stateIds(view: BodyView, items: readonly unknown[]): string[] {
  const isStored = readJson(view, 'store') !== false;
  const id = readJson(view, 'id');
  const own = isStored && typeof id === 'string' && id !== '' ? [id] : [];
  return [...own, ...items.flatMap((item) => idsOfItem(objectOf(item), isStored))];
}

/** The answer with the served model's name and the report; everything else byte for byte. */
export function writeAnswer(answer: Answer, write: AnswerWrite): Uint8Array {
  const edits: Edit[] = [setJson('model', write.servedModel)];
  if (write.report !== null) edits.push({ op: 'set', key: 'understudy', value: write.report });
  return edit(answer.view, edits);
}
