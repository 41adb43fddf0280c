/** Which features of the catalogue a request uses (P-6). */
import { type BodyView, member, readJson, valueByte } from '../bytes/body-view.ts';
import { skipSpace } from '../bytes/json-grammar.ts';

const NULL = 0x6e;
const FALSE = 0x66;

export function requestFeatures(view: BodyView): string[] {
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
  if (found === null || view.bytes[found.valueStart] !== 0x5b) return false;
  return skipSpace(view.bytes, found.valueStart + 1, found.valueEnd) !== found.valueEnd - 1;
}

function responseFormat(view: BodyView): unknown {
  if (valueByte(view, 'response_format') !== 0x7b) return null;
  return (readJson(view, 'response_format') as { type?: unknown }).type;
}
