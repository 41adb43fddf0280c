/** F-5: a whole message to a request that wanted a stream, turned into one. Values are copied as slices. */
import { type BodyView, member, readString, valueByte } from '../bytes/body-view.ts';
import { ByteWriter } from '../bytes/byte-writer.ts';
import { type Edit, edit, setJson } from '../bytes/edit.ts';
import { OPEN_BRACE, QUOTE } from '../bytes/json-grammar.ts';
import { objectsIn } from '../bytes/nested.ts';
import { textOf, utf8 } from '../bytes/text.ts';
import type { Answer, AnswerWrite } from '../contract.ts';
import { elementsAt, jsonTextAt } from '../cross/json-text.ts';
import { onOneLine, writeEvent } from './event-bytes.ts';
import { MESSAGE_STOP } from './stream-tail.ts';

const NULL = utf8('null');
const EMPTY_TEXT = utf8('""');
const EMPTY_OBJECT = utf8('{}');
const EMPTY_LIST = utf8('[]');
/** What a stream tells at its end. */
const ENDING = ['stop_reason', 'stop_sequence', 'stop_details', 'container'];
const NO_USAGE = '{"output_tokens":0}';

/** The opening, each block with all it says in one step, why it ended, and the terminator. */
export function answerToStream(answer: Answer, write: AnswerWrite): Uint8Array {
  const { view } = answer;
  const out = new ByteWriter();
  const opening: Edit[] = [setJson('model', write.servedModel), { op: 'set', key: 'content', value: EMPTY_LIST }];
  for (const key of ENDING) opening.push({ op: 'replace', key, value: NULL });
  opening.push({ op: 'remove', key: 'understudy' });
  event(out, 'message_start', `"message":${textOf(edit(view, opening))}`);
  objectsIn(view, 'content').forEach((block, index) => {
    writeBlock(out, block, index);
  });
  const told = ENDING.flatMap((key) => {
    const value = jsonTextAt(view, key);
    return value === null ? [] : [`"${key}":${value}`];
  });
  const usage = valueByte(view, 'usage') === OPEN_BRACE ? jsonTextAt(view, 'usage') : NO_USAGE;
  const report = write.report === null ? '' : `,"understudy":${textOf(write.report)}`;
  event(out, 'message_delta', `"delta":{${told.join(',')}},"usage":${usage}${report}`);
  out.write(MESSAGE_STOP);
  return out.take();
}

/** A block opens empty; its text, thought or arguments follow. Other kinds have all at their start. */
function writeBlock(out: ByteWriter, block: BodyView, index: number): void {
  const steps: string[] = [];
  const emptied: Edit[] = [];
  const step = (key: string, type: string, empty: Uint8Array): void => {
    const value = jsonTextAt(block, key);
    if (value === null || valueByte(block, key) !== QUOTE) return;
    emptied.push({ op: 'set', key, value: empty });
    if (value !== '""') steps.push(`{"type":"${type}","${key}":${value}}`);
  };
  switch (readString(block, 'type')) {
    case 'text':
      step('text', 'text_delta', EMPTY_TEXT);
      for (const citation of elementsAt(block, 'citations') ?? []) {
        steps.push(`{"type":"citations_delta","citation":${citation}}`);
      }
      if (member(block, 'citations') !== null) emptied.push({ op: 'remove', key: 'citations' });
      break;
    case 'thinking':
      step('thinking', 'thinking_delta', EMPTY_TEXT);
      step('signature', 'signature_delta', EMPTY_TEXT);
      break;
    case 'tool_use':
    case 'server_tool_use':
    case 'mcp_tool_use': {
      const input = jsonTextAt(block, 'input') ?? '{}';
      emptied.push({ op: 'set', key: 'input', value: EMPTY_OBJECT });
      steps.push(`{"type":"input_json_delta","partial_json":${JSON.stringify(input)}}`);
      break;
    }
  }
  event(out, 'content_block_start', `"index":${index},"content_block":${textOf(edit(block, emptied))}`);
  for (const delta of steps) event(out, 'content_block_delta', `"index":${index},"delta":${delta}`);
  event(out, 'content_block_stop', `"index":${index}`);
}

function event(out: ByteWriter, type: string, fields: string): void {
  writeEvent(out, type, onOneLine(utf8(`{"type":"${type}",${fields}}`)));
}
