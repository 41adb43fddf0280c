/** The end of a stream: what was held from the stop reason on, the report in it, and `message_stop`. */
import { isScanError, readJson, readString, scanObject, valueByte } from '../bytes/body-view.ts';
import { ByteWriter } from '../bytes/byte-writer.ts';
import { type Edit, edit } from '../bytes/edit.ts';
import { OPEN_BRACE } from '../bytes/json-grammar.ts';
import { utf8 } from '../bytes/text.ts';
import { writeEvent } from './event-bytes.ts';

export const MESSAGE_STOP: Uint8Array = utf8('event: message_stop\ndata: {"type":"message_stop"}\n\n');

const NO_USAGE = utf8('{"output_tokens":0}');

/** `ending`: the last event that told the reason, repeated where none is held any more; clients take the last. */
export function writeTail(
  held: readonly Uint8Array[],
  ending: Uint8Array | null,
  report: Uint8Array | null,
): Uint8Array {
  const out = new ByteWriter();
  const events = held.length === 0 && ending !== null && report !== null ? [ending] : held;
  let last = events.length - 1;
  while (last > 0 && !isEnding(events[last]!)) last--;
  events.forEach((json, at) => {
    const edits: Edit[] = at === last && report !== null ? [{ op: 'set', key: 'understudy', value: report }] : [];
    writeEvent(out, typeOf(json), withUsage(json, edits));
  });
  out.write(MESSAGE_STOP);
  return out.take();
}

function isEnding(json: Uint8Array): boolean {
  return typeOf(json) === 'message_delta' && reasonOf(json) !== null;
}

function reasonOf(json: Uint8Array): unknown {
  const view = scanObject(json);
  const delta = isScanError(view) ? null : readJson(view, 'delta');
  return typeof delta === 'object' && delta !== null
    ? ((delta as { stop_reason?: unknown }).stop_reason ?? null)
    : null;
}

/** Clients read `usage.output_tokens` of every such event without looking whether it is there. */
function withUsage(json: Uint8Array, edits: Edit[]): Uint8Array {
  const view = scanObject(json);
  if (isScanError(view)) return json;
  if (readString(view, 'type') === 'message_delta' && valueByte(view, 'usage') !== OPEN_BRACE) {
    edits.push({ op: 'set', key: 'usage', value: NO_USAGE });
  }
  return edits.length === 0 ? json : edit(view, edits);
}

function typeOf(json: Uint8Array): string {
  const view = scanObject(json);
  return isScanError(view) ? 'message' : (readString(view, 'type') ?? 'message');
}
