/** Every string value inside a JSON value, with its place. For values known to be valid: brackets are trusted. */
import { decodeString } from './body-view.ts';
import {
  BACKSLASH,
  CLOSE_BRACE,
  CLOSE_BRACKET,
  COLON,
  COMMA,
  OPEN_BRACE,
  OPEN_BRACKET,
  QUOTE,
  skipSpace,
} from './json-grammar.ts';
import { bufferOf } from './text.ts';

/** Where a string stands, from outside in: level 0 is the value itself. The same object at every call: don't keep it. */
export class StringPlace {
  /** Brackets around the string. */
  depth = 0;
  readonly #bytes: Uint8Array;
  /** By level: −1 for an array, else where the key of an object's member starts and ends. */
  readonly #keyStarts: number[] = [];
  readonly #keyEnds: number[] = [];
  readonly #indexes: number[] = [];

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  /** Position in the array at this level; null where an object is. */
  index(level: number): number | null {
    return level < this.depth && this.#keyStarts[level] === -1 ? this.#indexes[level]! : null;
  }

  /** Name of the member in the object at this level; null where an array is. Decoded when asked: few are. */
  key(level: number): string | null {
    const start = level < this.depth ? this.#keyStarts[level]! : -1;
    return start === -1 ? null : decodeString(this.#bytes, start, this.#keyEnds[level]!);
  }

  /** Name of the innermost member around the string. */
  get innerKey(): string | null {
    for (let level = this.depth - 1; level >= 0; level--) {
      if (this.#keyStarts[level] !== -1) return this.key(level);
    }
    return null;
  }

  open(isArray: boolean): void {
    this.#keyStarts[this.depth] = isArray ? -1 : 0;
    this.#indexes[this.depth] = 0;
    this.depth++;
  }

  close(): void {
    this.depth--;
  }

  next(): void {
    this.#indexes[this.depth - 1]!++;
  }

  name(start: number, end: number): void {
    this.#keyStarts[this.depth - 1] = start;
    this.#keyEnds[this.depth - 1] = end;
  }
}

/** `start` to `end` is the string with its quotes. */
export type StringVisitor = (place: StringPlace, start: number, end: number) => void;

/** Calls `visit` for all string values, not for keys, between `start` and `end`. */
export function walkStrings(bytes: Uint8Array, start: number, end: number, visit: StringVisitor): void {
  const place = new StringPlace(bytes);
  for (let at = start; at < end; at++) {
    switch (bytes[at]) {
      case OPEN_BRACE:
        place.open(false);
        break;
      case OPEN_BRACKET:
        place.open(true);
        break;
      case CLOSE_BRACE:
      case CLOSE_BRACKET:
        place.close();
        break;
      case COMMA:
        if (place.depth > 0) place.next();
        break;
      case QUOTE: {
        const behind = stringEnd(bytes, at, end);
        if (bytes[skipSpace(bytes, behind, end)] === COLON) place.name(at, behind);
        else visit(place, at, behind);
        at = behind - 1;
        break;
      }
    }
  }
}

/** Most strings are keys and words: only longer ones are worth a call into the machine's own search. */
const BY_HAND = 48;

/** Behind the closing quote of the string that opens at `at`. */
function stringEnd(bytes: Uint8Array, at: number, end: number): number {
  const byHand = Math.min(end, at + BY_HAND);
  let i = at + 1;
  while (i < byHand) {
    const byte = bytes[i]!;
    if (byte === QUOTE) return i + 1;
    i += byte === BACKSLASH ? 2 : 1;
  }
  // `i` is not escaped. From here on a quote counts unless an odd number of backslashes stands before it.
  const text = bufferOf(bytes);
  for (let quote = text.indexOf(QUOTE, i); quote >= 0 && quote < end; quote = text.indexOf(QUOTE, quote + 1)) {
    let before = quote;
    while (before > i && bytes[before - 1] === BACKSLASH) before--;
    if ((quote - before) % 2 === 0) return quote + 1;
  }
  return end;
}
