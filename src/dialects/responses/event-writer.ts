/** Writes events of this dialect: one line of data each, numbered in a row (dialects §3). */
import { ByteWriter } from '../bytes/byte-writer.ts';
import { utf8 } from '../bytes/text.ts';

/** JSON keeps its own line breaks; on one line of data they become spaces. No JSON string holds a raw one. */
const LINE_BREAKS = /[\r\n]/g;

export class EventWriter {
  /** Number of the next event. */
  sequence = 0;
  readonly #out: ByteWriter | null;

  /** `out` null: events are counted and not written. */
  constructor(out: ByteWriter | null = new ByteWriter()) {
    this.#out = out;
  }

  /** `members`: what the event holds beside type and number, as the text inside of a JSON object's brackets. */
  write(type: string, members: string): void {
    const number = this.sequence++;
    if (this.#out === null) return;
    const line = members.includes('\n') || members.includes('\r') ? members.replace(LINE_BREAKS, ' ') : members;
    this.#out.write(utf8(`event: ${type}\ndata: {"type":"${type}",${line},"sequence_number":${number}}\n\n`));
  }

  take(): Uint8Array {
    return this.#out?.take() ?? NOTHING;
  }
}

const NOTHING = new Uint8Array(0);
