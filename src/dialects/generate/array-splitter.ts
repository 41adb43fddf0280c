/**
 * Splits a stream that is one JSON array into its elements, on bytes: any cut of the input gives the same elements, half
 * of one never comes out. An element comes out on one line. White space between elements is a keep-alive.
 */
import { ByteWriter } from '../bytes/byte-writer.ts';
import {
  BACKSLASH,
  CLOSE_BRACE,
  CLOSE_BRACKET,
  COMMA,
  OPEN_BRACE,
  OPEN_BRACKET,
  QUOTE,
} from '../bytes/json-grammar.ts';
import type { SseKind } from '../bytes/sse.ts';
import type { EventFeed } from '../stream/event-form.ts';

const EMPTY = new Uint8Array();
const SPACE = 0x20;

export class ArraySplitter implements EventFeed {
  kind: SseKind = 'event';
  data: Uint8Array = EMPTY;
  start = 0;
  end = 0;
  readonly joined = false;
  readonly name = null;
  reason = '';
  readonly #maxEventBytes: number;
  readonly #element = new ByteWriter();
  #chunk: Uint8Array = EMPTY;
  #at = 0;
  /** Before `[`; before an element (`first`: or the end); in one; behind one; behind `]`. */
  #state: 'open' | 'first' | 'next' | 'element' | 'behind' | 'closed' = 'open';
  #depth = 0;
  #inString = false;
  #escaped = false;
  #ended = false;
  #over = false;

  constructor(maxEventBytes: number) {
    this.#maxEventBytes = maxEventBytes;
  }

  get pendingBytes(): number {
    return this.#element.length;
  }

  /** Call only after `next()` returned false. */
  push(chunk: Uint8Array): void {
    this.#chunk = chunk;
    this.#at = 0;
  }

  finish(): void {
    this.#ended = true;
  }

  next(): boolean {
    if (this.#over) return false;
    while (this.#at < this.#chunk.length) {
      const found = this.#state === 'element' ? this.#inElement() : this.#between(this.#chunk[this.#at]!);
      if (found) return true;
    }
    this.#chunk = EMPTY;
    this.#at = 0;
    if (!this.#ended) return false;
    if (this.#state !== 'closed') return this.#stop('cut', 'the array never closes');
    this.#over = true;
    return false;
  }

  #between(byte: number): boolean {
    if (byte === SPACE || byte === 0x0a || byte === 0x0d || byte === 0x09) {
      this.#at++;
      return false;
    }
    if (byte === OPEN_BRACE && (this.#state === 'first' || this.#state === 'next')) {
      this.#state = 'element';
      return false;
    }
    const follows = this.#behind(byte);
    if (follows === null) return this.#stop('broken', 'the array cannot be read');
    this.#state = follows;
    this.#at++;
    return false;
  }

  #behind(byte: number): 'first' | 'next' | 'closed' | null {
    if (this.#state === 'open') return byte === OPEN_BRACKET ? 'first' : null;
    if (byte === COMMA) return this.#state === 'behind' ? 'next' : null;
    return byte === CLOSE_BRACKET && (this.#state === 'behind' || this.#state === 'first') ? 'closed' : null;
  }

  /** Reads on in an element; true = it is whole, or something is wrong. */
  #inElement(): boolean {
    const chunk = this.#chunk;
    const from = this.#at;
    let at = from;
    while (at < chunk.length) {
      const byte = chunk[at++]!;
      if (this.#inString) {
        if (this.#escaped) this.#escaped = false;
        else if (byte === BACKSLASH) this.#escaped = true;
        else if (byte === QUOTE) this.#inString = false;
        else if (byte < SPACE) return this.#stop('broken', 'a control character that is not escaped');
      } else if (byte === QUOTE) {
        this.#inString = true;
      } else if (byte === OPEN_BRACE || byte === OPEN_BRACKET) {
        this.#depth++;
      } else if (byte === CLOSE_BRACE || byte === CLOSE_BRACKET) {
        if (--this.#depth === 0) return this.#whole(from, at);
      }
    }
    this.#element.write(chunk, from, at);
    this.#at = at;
    if (this.#element.length > this.#maxEventBytes) return this.#tooLarge();
    return false;
  }

  #whole(from: number, behind: number): boolean {
    this.#element.write(this.#chunk, from, behind);
    this.#at = behind;
    this.#state = 'behind';
    if (this.#element.length > this.#maxEventBytes) return this.#tooLarge();
    const data = this.#element.take();
    // No string holds a line's end, so each is white space between tokens.
    for (let i = 0; i < data.length; i++) if (data[i] === 0x0a || data[i] === 0x0d) data[i] = SPACE;
    this.kind = 'event';
    this.data = data;
    this.start = 0;
    this.end = data.length;
    return true;
  }

  #tooLarge(): boolean {
    return this.#stop('broken', `an event is larger than ${this.#maxEventBytes} bytes`);
  }

  #stop(kind: 'broken' | 'cut', reason: string): boolean {
    this.kind = kind;
    this.reason = reason;
    this.data = EMPTY;
    this.start = this.end = 0;
    this.#over = true;
    this.#element.clear();
    return true;
  }
}
