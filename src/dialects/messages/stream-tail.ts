/** The end of a stream: what was held from the stop reason on, the report in it, and `message_stop`. */
import { isScanError, readString, scanObject } from '../bytes/body-view.ts';
import { ByteWriter } from '../bytes/byte-writer.ts';
import { type Edit, edit } from '../bytes/edit.ts';
import { utf8 } from '../bytes/text.ts';
import { writeEvent } from './event-bytes.ts';

export const MESSAGE_STOP: Uint8Array = utf8('event: message_stop\ndata: {"type":"message_stop"}\n\n');

/** What is put into the event that tells the reason; null = nothing. */
export interface EndingParts {
  readonly report: Uint8Array | null;
  /** Counts that came behind it. */
  readonly usage: Uint8Array | null;
}

/**
 * `held`: that event first, and what joined it. `ending`: the same, repeated where none is held any more; clients take the
 * last.
 */
export function writeTail(held: readonly Uint8Array[], ending: Uint8Array | null, parts: EndingParts): Uint8Array {
  const out = new ByteWriter();
  const edits: Edit[] = [];
  if (parts.usage !== null) edits.push({ op: 'set', key: 'usage', value: parts.usage });
  if (parts.report !== null) edits.push({ op: 'set', key: 'understudy', value: parts.report });
  const isRepeated = held.length === 0 && ending !== null && edits.length > 0;
  const events = isRepeated ? [ending] : held;
  events.forEach((json, at) => {
    writeHeld(out, json, at === 0 ? edits : []);
  });
  out.write(MESSAGE_STOP);
  return out.take();
}

function writeHeld(out: ByteWriter, json: Uint8Array, edits: readonly Edit[]): void {
  const view = scanObject(json);
  if (isScanError(view)) throw new Error(`a held event can not be read: ${view.message}`);
  writeEvent(out, readString(view, 'type') ?? 'message', edits.length === 0 ? json : edit(view, edits));
}
