/** The event that tells why a message ends, and its counts: clients read members of it without looking whether they are there. */
import { isScanError, member, scanObject, valueByte } from '../bytes/body-view.ts';
import { type Edit, edit } from '../bytes/edit.ts';
import { OPEN_BRACE } from '../bytes/json-grammar.ts';
import { utf8 } from '../bytes/text.ts';

const NO_USAGE = utf8('{"output_tokens":0}');
const NO_REASON = utf8('{"stop_reason":null,"stop_sequence":null}');

/** The event with all its clients read (dialects §14.9). */
export function completed(json: Uint8Array): Uint8Array {
  const view = scanObject(json);
  if (isScanError(view)) return json;
  const edits: Edit[] = [];
  if (valueByte(view, 'delta') !== OPEN_BRACE) edits.push({ op: 'set', key: 'delta', value: NO_REASON });
  if (valueByte(view, 'usage') !== OPEN_BRACE) edits.push({ op: 'set', key: 'usage', value: NO_USAGE });
  return edit(view, edits);
}

/** Its counts, as they stand; null = it has none. */
export function usageIn(json: Uint8Array): Uint8Array | null {
  const view = scanObject(json);
  const usage = isScanError(view) ? null : member(view, 'usage');
  if (usage === null || json[usage.valueStart] !== OPEN_BRACE) return null;
  return json.subarray(usage.valueStart, usage.valueEnd);
}
