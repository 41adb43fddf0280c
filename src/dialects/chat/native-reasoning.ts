/**
 * R-5 where client and upstream both speak this dialect: what another vendor made was wrapped for the client and goes no
 * further. The dialect has no state of its own; what its upstreams let clients send back passes as it came.
 */
import { type BodyView, isScanError, member, scanObject } from '../bytes/body-view.ts';
import { type Edit, edit } from '../bytes/edit.ts';
import { OPEN_BRACKET, skipValue, walkArray } from '../bytes/json-grammar.ts';
import { textOf, utf8 } from '../bytes/text.ts';
import { elementsAt } from '../cross/json-text.ts';
import { indexOfMark, REASONING_DROPPED } from '../cross/opaque-marks.ts';

export interface ReasoningEdits {
  readonly edits: readonly Edit[];
  readonly changes: readonly string[];
}

const NOTHING: ReasoningEdits = { edits: [], changes: [] };
const DETAILS = 'reasoning_details';

/** Takes wrapped state out of the messages. One search of the machine's own where there is none. */
export function reasoningEdits(view: BodyView): ReasoningEdits {
  const first = indexOfMark(view.bytes);
  const messages = first === -1 ? null : member(view, 'messages');
  if (messages === null || view.bytes[messages.valueStart] !== OPEN_BRACKET) return NOTHING;
  const kept: string[] = [];
  let dropped = false;
  walkArray(view.bytes, messages.valueStart, messages.valueEnd, 1, (at) => {
    const behind = skipValue(view.bytes, at, messages.valueEnd, 2);
    if (behind < 0) return behind;
    const message = scanObject(view.bytes, { start: at, end: behind });
    const change = isScanError(message) ? null : changeOf(message);
    dropped ||= change !== null;
    kept.push(textOf(change === null ? view.bytes.subarray(at, behind) : edit(message as BodyView, [change])));
    return behind;
  });
  if (!dropped) return NOTHING;
  return { edits: [{ op: 'set', key: 'messages', value: utf8(`[${kept.join(',')}]`) }], changes: [REASONING_DROPPED] };
}

/** Null = the message holds nothing foreign. */
function changeOf(message: BodyView): Edit | null {
  const details = elementsAt(message, DETAILS);
  if (details === null) return null;
  const own = details.filter((detail) => indexOfMark(utf8(detail)) === -1);
  if (own.length === details.length) return null;
  if (own.length === 0) return { op: 'remove', key: DETAILS };
  return { op: 'set', key: DETAILS, value: utf8(`[${own.join(',')}]`) };
}
