/**
 * The two forms of a stream of this dialect: events without names and without a last word, and one JSON array. Both are
 * read, told by the first byte; what is written is the form the client asked for. Its clients lose an event that has a
 * name or a comment in it, and break at `[DONE]` and at data over several lines (dialects §1.3).
 */
import type { ByteWriter } from '../bytes/byte-writer.ts';
import { OPEN_BRACKET, skipSpace } from '../bytes/json-grammar.ts';
import { type SseKind, SseSplitter } from '../bytes/sse.ts';
import { utf8 } from '../bytes/text.ts';
import type { ClientRequest } from '../contract.ts';
import { DATA_PREFIX, EVENT_END, type EventFeed, type EventForm } from '../stream/event-form.ts';
import { ArraySplitter } from './array-splitter.ts';

export const ARRAY_TYPE = 'application/json; charset=UTF-8';

/** In a block of its own; between elements of an array, and before it, a space says nothing. */
export const COMMENT: Uint8Array = utf8(': keep-alive\n\n');
export const BLANK: Uint8Array = utf8(' ');

const ARRAY_START = utf8('[');
const ARRAY_NEXT = utf8(',\n');
const ARRAY_END = utf8(']');
const ARRAY_NOTHING = utf8('[]');
const NOTHING = new Uint8Array();

export function isArrayForm(request: ClientRequest | undefined): boolean {
  return request?.place.form === 'array';
}

/** Writes events in one form. */
export class FormWriter {
  readonly array: boolean;
  #started = false;

  constructor(array: boolean) {
    this.array = array;
  }

  write(out: ByteWriter, data: Uint8Array, start: number, end: number): void {
    this.open(out);
    out.write(data, start, end);
    this.close(out);
  }

  /** What stands before an event's JSON, which is then written by others. */
  open(out: ByteWriter): void {
    if (this.array) out.write(this.#started ? ARRAY_NEXT : ARRAY_START);
    else out.write(DATA_PREFIX);
    this.#started = true;
  }

  close(out: ByteWriter): void {
    if (!this.array) out.write(EVENT_END);
  }

  /** What follows the last event. */
  get ending(): Uint8Array {
    if (!this.array) return NOTHING;
    return this.#started ? ARRAY_END : ARRAY_NOTHING;
  }
}

/** Reads either form and writes one. */
export class GenerateForm implements EventForm {
  source: EventFeed;
  readonly writer: FormWriter;

  /** `array`: how it is written. */
  constructor(maxEventBytes: number, array: boolean) {
    this.writer = new FormWriter(array);
    this.source = new FirstByte((first) => {
      this.source = first === OPEN_BRACKET ? new ArraySplitter(maxEventBytes) : new SseSplitter(maxEventBytes);
      return this.source;
    });
  }

  write(out: ByteWriter, _name: string | null, data: Uint8Array, start: number, end: number): void {
    this.writer.write(out, data, start, end);
  }
}

/** Waits for the first byte that is no space, which says what the rest is. */
class FirstByte implements EventFeed {
  readonly kind: SseKind = 'event';
  readonly data = NOTHING;
  readonly start = 0;
  readonly end = 0;
  readonly joined = false;
  readonly name = null;
  readonly reason = '';
  readonly pendingBytes = 0;
  readonly #choose: (first: number) => EventFeed;

  constructor(choose: (first: number) => EventFeed) {
    this.#choose = choose;
  }

  push(chunk: Uint8Array): void {
    const at = skipSpace(chunk, 0, chunk.length);
    if (at < chunk.length) this.#choose(chunk[at]!).push(chunk);
  }

  finish(): void {}

  next(): boolean {
    return false;
  }
}
