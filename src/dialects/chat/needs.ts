/** What a request needs of its model, in the catalogue's words (P-6). */
import type { Needs } from '../../core/request/capabilities.ts';
import type { Degrade } from '../../core/request/redundancy-types.ts';
import { type BodyView, member, readJson, readString, valueByte } from '../bytes/body-view.ts';
import { OPEN_BRACE, OPEN_BRACKET, skipSpace } from '../bytes/json-grammar.ts';
import { objectsIn } from '../bytes/nested.ts';
import { fieldsToDrop } from './degrade.ts';

const NULL = 0x6e;
const FALSE = 0x66;

/** Kinds of content parts that are more than text. */
export const INPUT_OF_PART: ReadonlyMap<string, string> = new Map([
  ['image_url', 'image'],
  ['input_audio', 'audio'],
  ['video_url', 'video'],
  ['file', 'file'],
]);

/** What `degrade` drops is not needed. */
export function requestNeeds(view: BodyView, degrade: Degrade | null): Needs {
  const dropped = new Set(degrade === null ? [] : fieldsToDrop(degrade));
  const left: BodyView =
    dropped.size === 0 ? view : { ...view, members: view.members.filter(({ key }) => !dropped.has(key)) };
  return { inputs: inputsOf(view), features: featuresOf(left) };
}

function inputsOf(view: BodyView): string[] {
  const inputs = new Set<string>();
  for (const message of objectsIn(view, 'messages')) {
    for (const part of objectsIn(message, 'content')) {
      const input = INPUT_OF_PART.get(readString(part, 'type') ?? '');
      if (input !== undefined) inputs.add(input);
    }
  }
  return [...inputs];
}

function featuresOf(view: BodyView): string[] {
  const used: string[] = [];
  if (hasEntries(view, 'tools') || hasEntries(view, 'functions')) used.push('tools');
  const format = responseFormat(view);
  if (format === 'json_schema' || format === 'json_object') used.push(format);
  if (isSet(view, 'reasoning_effort') && readJson(view, 'reasoning_effort') !== 'none') used.push('reasoning');
  if (isSet(view, 'logprobs') || isSet(view, 'top_logprobs')) used.push('logprobs');
  return used;
}

/** Present, and neither null nor false. */
function isSet(view: BodyView, key: string): boolean {
  const first = valueByte(view, key);
  return first !== 0 && first !== NULL && first !== FALSE;
}

function hasEntries(view: BodyView, key: string): boolean {
  const found = member(view, key);
  if (found === null || view.bytes[found.valueStart] !== OPEN_BRACKET) return false;
  return skipSpace(view.bytes, found.valueStart + 1, found.valueEnd) !== found.valueEnd - 1;
}

function responseFormat(view: BodyView): unknown {
  if (valueByte(view, 'response_format') !== OPEN_BRACE) return null;
  return (readJson(view, 'response_format') as { type?: unknown }).type;
}
