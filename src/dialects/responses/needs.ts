/** What a request needs of its model, in the catalogue's words (P-6). */
import type { Needs } from '../../core/request/capabilities.ts';
import type { Degrade } from '../../core/request/redundancy-types.ts';
import { type BodyView, member, readJson, readString, valueByte } from '../bytes/body-view.ts';
import { OPEN_BRACKET, skipSpace } from '../bytes/json-grammar.ts';
import { objectAt } from '../bytes/nested.ts';
import { fieldsToDrop } from './degrade.ts';
import { inputMedia, MEDIA_INPUTS, mayHoldMedia } from './input-media.ts';

const LOGPROBS = 'message.output_text.logprobs';

/** What `degrade` drops is not needed. Read when it is asked for. */
export function requestNeeds(view: BodyView, degrade: Degrade | null): Needs {
  let inputs: string[] | null = null;
  let features: string[] | null = null;
  return {
    input(missing) {
      if (inputs === null && !mayHoldMedia(view, MEDIA_INPUTS.filter(missing))) return undefined;
      inputs ??= inputMedia(view);
      return inputs.find(missing);
    },
    feature(missing) {
      features ??= featuresOf(view, degrade);
      return features.find(missing);
    },
  };
}

function featuresOf(view: BodyView, degrade: Degrade | null): string[] {
  const dropped = new Set(degrade === null ? [] : fieldsToDrop(degrade));
  const used: string[] = [];
  if (!dropped.has('tools') && hasEntries(view, 'tools')) used.push('tools');
  const text = dropped.has('text') || degrade?.drop_response_format === true ? null : objectAt(view, 'text');
  const format = text === null ? null : objectAt(text, 'format');
  const type = format === null ? null : readString(format, 'type');
  if (type === 'json_schema' || type === 'json_object') used.push(type);
  if (!dropped.has('reasoning') && reasons(view)) used.push('reasoning');
  if (!dropped.has('include') && asksLogprobs(view)) used.push('logprobs');
  return used;
}

function hasEntries(view: BodyView, key: string): boolean {
  const found = member(view, key);
  if (found === null || view.bytes[found.valueStart] !== OPEN_BRACKET) return false;
  return skipSpace(view.bytes, found.valueStart + 1, found.valueEnd) !== found.valueEnd - 1;
}

/** A wish to read thoughts alone changes nothing where there are none. */
function reasons(view: BodyView): boolean {
  const reasoning = objectAt(view, 'reasoning');
  const effort = reasoning === null ? null : readJson(reasoning, 'effort');
  return effort !== null && effort !== undefined && effort !== 'none';
}

/** Clients always get them where the number of alternatives is above 0, or where they are included by name. */
export function asksLogprobs(view: BodyView): boolean {
  if (valueByte(view, 'include') === OPEN_BRACKET && (readJson(view, 'include') as unknown[]).includes(LOGPROBS)) {
    return true;
  }
  const alternatives = readJson(view, 'top_logprobs');
  return typeof alternatives === 'number' && alternatives > 0;
}
