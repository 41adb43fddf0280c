/**
 * Collects JSON that an upstream wrote into an event stream without `data:`, usually its last words: an error, often
 * pretty-printed over several lines. Every event parser drops such lines silently (dialects §1.2).
 */

import { ByteWriter } from './byte-writer.ts';
import { BACKSLASH, CLOSE_BRACE, CLOSE_BRACKET, OPEN_BRACE, OPEN_BRACKET, QUOTE, skipSpace } from './json-grammar.ts';

// An error says what it has to say in less; a stray document without end must not fill the memory.
const MAX_STRAY_BYTES = 64 * 1024;
const NEWLINE = new Uint8Array([0x0a]);

export class StrayJson {
  readonly #text = new ByteWriter();
  #depth = 0;
  #inString = false;
  #escaped = false;

  /** A piece has begun and not closed. */
  get open(): boolean {
    return this.#text.length > 0;
  }

  get length(): number {
    return this.#text.length;
  }

  /** Adds a line. Lines that do not begin a bracket are ignored while nothing is open: unknown fields are legal. */
  add(bytes: Uint8Array, start: number, end: number): 'ignored' | 'open' | 'closed' | 'too_large' {
    if (!this.open) {
      const first = bytes[skipSpace(bytes, start, end)];
      if (first !== OPEN_BRACE && first !== OPEN_BRACKET) return 'ignored';
    }
    if (this.#text.length + (end - start) > MAX_STRAY_BYTES) return 'too_large';
    for (let i = start; i < end; i++) this.#track(bytes[i]!);
    this.#text.write(bytes, start, end);
    this.#text.write(NEWLINE);
    // No JSON string goes over a line's end.
    this.#inString = this.#escaped = false;
    return this.#depth <= 0 ? 'closed' : 'open';
  }

  /** The piece, and starts anew. */
  take(): Uint8Array {
    this.#depth = 0;
    return this.#text.take();
  }

  #track(byte: number): void {
    if (this.#escaped) this.#escaped = false;
    else if (byte === QUOTE) this.#inString = !this.#inString;
    else if (this.#inString) this.#escaped = byte === BACKSLASH;
    else if (byte === OPEN_BRACE || byte === OPEN_BRACKET) this.#depth++;
    else if (byte === CLOSE_BRACE || byte === CLOSE_BRACKET) this.#depth--;
  }
}
