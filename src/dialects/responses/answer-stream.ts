/**
 * F-5: a whole answer to a request that wanted a stream, turned into one. Items pass as slices: what the gateway does not
 * understand comes out as it came, in one piece.
 */
import { type BodyView, isScanError, member, readJson, readString, scanObject, valueByte } from '../bytes/body-view.ts';
import { type Edit, edit, setJson } from '../bytes/edit.ts';
import { OPEN_BRACKET, QUOTE } from '../bytes/json-grammar.ts';
import { objectsIn } from '../bytes/nested.ts';
import { textOf, utf8 } from '../bytes/text.ts';
import type { Answer, AnswerWrite } from '../contract.ts';
import { EventWriter } from './event-writer.ts';
import { finishOf } from './finish.ts';

const EMPTY_LIST = utf8('[]');
const NULL = utf8('null');

export function answerToStream(answer: Answer, write: AnswerWrite): Uint8Array {
  const events = new EventWriter();
  const whole = edit(answer.view, [setJson('model', write.servedModel)]);
  const view = scanObject(whole);
  if (isScanError(view)) throw new Error('an answer can not be read');
  const opening = textOf(
    edit(view, [
      setJson('status', 'in_progress'),
      { op: 'set', key: 'output', value: EMPTY_LIST },
      { op: 'replace', key: 'usage', value: NULL },
      { op: 'replace', key: 'incomplete_details', value: NULL },
      { op: 'remove', key: 'completed_at' },
    ]),
  );
  events.write('response.created', `"response":${opening}`);
  events.write('response.in_progress', `"response":${opening}`);
  objectsIn(view, 'output').forEach((item, index) => {
    writeItem(events, item, index);
  });
  const report: Edit[] = write.report === null ? [] : [{ op: 'set', key: 'understudy', value: write.report }];
  events.write(`response.${lastWord(view)}`, `"response":${textOf(edit(view, report))}`);
  return events.take();
}

/** A promise to work in the background has no events of its own: it ends as it stands. */
function lastWord(view: BodyView): string {
  const finish = finishOf({ status: readJson(view, 'status') });
  return finish === 'incomplete' ? 'incomplete' : 'completed';
}

/** Where an item's content stands, and the events that tell it. */
const CALLS: Readonly<Record<string, { readonly member: string; readonly event: string }>> = {
  function_call: { member: 'arguments', event: 'function_call_arguments' },
  custom_tool_call: { member: 'input', event: 'custom_tool_call_input' },
  mcp_call: { member: 'arguments', event: 'mcp_call_arguments' },
};

function writeItem(events: EventWriter, item: BodyView, index: number): void {
  const type = readString(item, 'type') ?? '';
  const at = `"item_id":${JSON.stringify(readString(item, 'id') ?? '')},"output_index":${index}`;
  const added = (edits: readonly Edit[]): void => {
    const begun: Edit[] = [...edits, { op: 'replace', key: 'status', value: utf8('"in_progress"') }];
    events.write('response.output_item.added', `"output_index":${index},"item":${textOf(edit(item, begun))}`);
  };
  const call = Object.hasOwn(CALLS, type) ? CALLS[type] : undefined;
  if (type === 'message') {
    added([{ op: 'set', key: 'content', value: EMPTY_LIST }]);
    objectsIn(item, 'content').forEach((part, place) => {
      writePart(events, part, `${at},"content_index":${place}`);
    });
  } else if (type === 'reasoning') {
    added([
      { op: 'set', key: 'summary', value: EMPTY_LIST },
      { op: 'remove', key: 'content' },
      { op: 'remove', key: 'encrypted_content' },
    ]);
    writeThought(events, item, at);
  } else if (call !== undefined && valueByte(item, call.member) === QUOTE) {
    added([{ op: 'set', key: call.member, value: utf8('""') }]);
    const input = textAt(item, call.member);
    if (input !== '""') events.write(`response.${call.event}.delta`, `${at},"delta":${input}`);
    const name = type === 'function_call' ? `"name":${textAt(item, 'name')},` : '';
    events.write(`response.${call.event}.done`, `${at},${name}"${call.member}":${input}`);
  } else {
    added([]);
  }
  events.write('response.output_item.done', `"output_index":${index},"item":${textOf(edit(item, []))}`);
}

/** Texts and refusals come in pieces; other kinds of parts whole. */
function writePart(events: EventWriter, part: BodyView, at: string): void {
  const member = readString(part, 'type') === 'refusal' ? 'refusal' : 'text';
  const isSpoken = valueByte(part, member) === QUOTE;
  const empty: Edit[] = isSpoken ? [{ op: 'set', key: member, value: utf8('""') }] : [];
  for (const key of ['annotations', 'logprobs']) {
    if (valueByte(part, key) === OPEN_BRACKET) empty.push({ op: 'set', key, value: EMPTY_LIST });
  }
  events.write('response.content_part.added', `${at},"part":${textOf(edit(part, empty))}`);
  if (isSpoken) writeSpoken(events, part, member, at);
  objectsIn(part, 'annotations').forEach((annotation, place) => {
    const told = `"annotation_index":${place},"annotation":${textOf(edit(annotation, []))}`;
    events.write('response.output_text.annotation.added', `${at},${told}`);
  });
  events.write('response.content_part.done', `${at},"part":${textOf(edit(part, []))}`);
}

function writeSpoken(events: EventWriter, part: BodyView, member: 'refusal' | 'text', at: string): void {
  const event = member === 'refusal' ? 'refusal' : partEvent(part);
  const text = textAt(part, member);
  const logprobs = event === 'output_text' ? `,"logprobs":${textAt(part, 'logprobs', '[]')}` : '';
  if (text !== '""') events.write(`response.${event}.delta`, `${at},"delta":${text}${logprobs}`);
  events.write(`response.${event}.done`, `${at},"${member}":${text}${logprobs}`);
}

function partEvent(part: BodyView): string {
  return readString(part, 'type') === 'reasoning_text' ? 'reasoning_text' : 'output_text';
}

function writeThought(events: EventWriter, item: BodyView, at: string): void {
  objectsIn(item, 'summary').forEach((part, place) => {
    const here = `${at},"summary_index":${place}`;
    const text = textAt(part, 'text', '""');
    const empty = textOf(edit(part, [{ op: 'set', key: 'text', value: utf8('""') }]));
    events.write('response.reasoning_summary_part.added', `${here},"part":${empty}`);
    if (text !== '""') events.write('response.reasoning_summary_text.delta', `${here},"delta":${text}`);
    events.write('response.reasoning_summary_text.done', `${here},"text":${text}`);
    events.write('response.reasoning_summary_part.done', `${here},"part":${textOf(edit(part, []))}`);
  });
  objectsIn(item, 'content').forEach((part, place) => {
    writePart(events, part, `${at},"content_index":${place}`);
  });
}

/** A member's value as it stands; `otherwise` where it is absent. */
function textAt(view: BodyView, key: string, otherwise = 'null'): string {
  const found = member(view, key);
  return found === null ? otherwise : textOf(view.bytes, found.valueStart, found.valueEnd);
}
