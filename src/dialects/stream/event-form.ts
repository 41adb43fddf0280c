/** How a stream's events are framed: where they come from and how they go to the client. */
import type { ByteWriter } from '../bytes/byte-writer.ts';
import { SseSplitter } from '../bytes/sse.ts';
import { utf8 } from '../bytes/text.ts';

/** Splits input into events; its members mean what they mean in `SseSplitter`. */
export type EventFeed = Pick<
  SseSplitter,
  'kind' | 'data' | 'start' | 'end' | 'joined' | 'name' | 'reason' | 'pendingBytes' | 'push' | 'finish' | 'next'
>;

export interface EventForm {
  readonly source: EventFeed;
  /** Appends one whole event whose JSON lies in `data` from `start` to `end`. */
  write(out: ByteWriter, name: string | null, data: Uint8Array, start: number, end: number): void;
}

export const DATA_PREFIX: Uint8Array = utf8('data: ');
export const EVENT_END: Uint8Array = utf8('\n\n');

/** Server-sent events that keep their names. */
export class NamedEvents implements EventForm {
  readonly source: SseSplitter;
  /** The name written last, as bytes: events of one name mostly come in rows. */
  #name: string | null = null;
  #nameLine: Uint8Array = EVENT_END;

  constructor(maxEventBytes: number) {
    this.source = new SseSplitter(maxEventBytes);
  }

  write(out: ByteWriter, name: string | null, data: Uint8Array, start: number, end: number): void {
    if (name !== null) {
      if (name !== this.#name) {
        this.#name = name;
        this.#nameLine = utf8(`event: ${name}\n`);
      }
      out.write(this.#nameLine);
    }
    out.write(DATA_PREFIX);
    out.write(data, start, end);
    out.write(EVENT_END);
  }
}
