/** What a request needs of its model, in the catalogue's words (P-6). */
import type { Needs } from '../../core/request/capabilities.ts';
import type { Degrade } from '../../core/request/redundancy-types.ts';
import { type BodyView, member, readJson, valueByte } from '../bytes/body-view.ts';
import { OPEN_BRACE, OPEN_BRACKET, skipSpace } from '../bytes/json-grammar.ts';
import { inputParts, mayHoldParts, PART_INPUTS } from './content-parts.ts';
import { fieldsToDrop } from './degrade.ts';

const NULL = 0x6e;
const FALSE = 0x66;

/**
 * What `degrade` drops is not needed. Read when it is asked for: nothing of the body is parsed for inputs whose names
 * it does not hold.
 */
export function requestNeeds(view: BodyView, degrade: Degrade | null): Needs {
  let inputs: string[] | null = null;
  let features: string[] | null = null;
  return {
    input(missing) {
      if (inputs === null && !mayHoldParts(view, PART_INPUTS.filter(missing))) return undefined;
      inputs ??= inputParts(view);
      return inputs.find(missing);
    },
    feature(missing) {
      features ??= featuresOf(degrade === null ? view : withoutDropped(view, degrade));
      return features.find(missing);
    },
  };
}

function withoutDropped(view: BodyView, degrade: Degrade): BodyView {
  const dropped = new Set(fieldsToDrop(degrade));
  if (dropped.size === 0) return view;
  return { ...view, members: view.members.filter(({ key }) => !dropped.has(key)) };
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
