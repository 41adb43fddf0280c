/** How events of this dialect are framed: every one needs its name, clients pass over those without (dialects §1.3). */
import { isScanError, readString, scanObject } from '../bytes/body-view.ts';
import type { ByteWriter } from '../bytes/byte-writer.ts';
import { utf8 } from '../bytes/text.ts';
import { DATA_PREFIX, EVENT_END, NamedEvents } from '../stream/event-form.ts';

/** Events that keep their names; one without gets the one its data tells. */
export class TypedEvents extends NamedEvents {
  override write(out: ByteWriter, name: string | null, data: Uint8Array, start: number, end: number): void {
    super.write(out, name ?? typeIn(data, start, end), data, start, end);
  }
}

function typeIn(data: Uint8Array, start: number, end: number): string | null {
  const view = scanObject(data, { start, end });
  const type = isScanError(view) ? null : readString(view, 'type');
  return typeof type === 'string' && /^[\w.]+$/.test(type) ? type : null;
}

/** Appends one event. The JSON lies on one line. */
export function writeEvent(out: ByteWriter, type: string, json: Uint8Array | string): void {
  out.write(utf8(`event: ${type}\n`));
  out.write(DATA_PREFIX);
  out.write(typeof json === 'string' ? utf8(json) : json);
  out.write(EVENT_END);
}

/** JSON keeps its own line breaks; on one `data:` line they become spaces. No JSON string holds a raw one. */
export function onOneLine(json: Uint8Array): Uint8Array {
  const line = Buffer.from(json);
  for (let i = 0; i < line.length; i++) if (line[i] === 0x0a || line[i] === 0x0d) line[i] = 0x20;
  return line;
}
