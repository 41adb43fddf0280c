/**
 * One JSON object as text in a form that is the same for all its spellings: members in order of their names, no white
 * space, characters instead of escapes, numbers by value. Of a name given twice the last member counts, as for every
 * JSON parser. The text is for comparing alone; it is no JSON.
 */
import { exactNumber } from './exact-number.ts';

const SPACE = /[ \t\n\r]*/y;
const SCALAR = /[^\s,\]}]+/y;

/** @param text one valid JSON object; what follows it is not looked at. @param without top-level names left out, as JSON strings */
export function canonicalObject(text: string, without: ReadonlySet<string>): string {
  const reader = new CanonicalReader(text);
  reader.skipSpace();
  return reader.object(without);
}

const BACKSLASH = 0x5c;
const NOTHING: ReadonlySet<string> = new Set();

class CanonicalReader {
  readonly #text: string;
  #at: number;

  constructor(text: string) {
    this.#text = text;
    this.#at = text.charCodeAt(0) === 0xfeff ? 1 : 0;
  }

  skipSpace(): void {
    // Most of JSON is written without any.
    if (this.#text.charCodeAt(this.#at) <= 0x20) this.#match(SPACE);
  }

  /** At `{`. */
  object(without: ReadonlySet<string>): string {
    /** By name as it is written canonically. */
    const members = new Map<string, string>();
    this.#at += 1;
    for (let sign = this.#sign(); sign !== '}' && sign !== undefined; sign = this.#sign()) {
      if (sign === ',') {
        this.#at += 1;
        continue;
      }
      const name = this.#string();
      this.#sign();
      this.#at += 1;
      const value = this.#value();
      if (!without.has(name)) members.set(name, value);
    }
    this.#at += 1;
    const names = [...members.keys()].sort();
    return `{${names.map((name) => `${name}:${members.get(name)}`).join(',')}}`;
  }

  #value(): string {
    const sign = this.#sign();
    if (sign === '{') return this.object(NOTHING);
    if (sign === '[') return this.#array();
    if (sign === '"') return this.#string();
    const scalar = this.#match(SCALAR);
    return /^[tfn]/.test(scalar) ? scalar : exactNumber(scalar);
  }

  #array(): string {
    const elements: string[] = [];
    this.#at += 1;
    for (let sign = this.#sign(); sign !== ']' && sign !== undefined; sign = this.#sign()) {
      if (sign === ',') this.#at += 1;
      else elements.push(this.#value());
    }
    this.#at += 1;
    return `[${elements.join(',')}]`;
  }

  /** At the opening quote; the string as JSON writes it with the fewest escapes. */
  #string(): string {
    const start = this.#at;
    // Searched, not matched: a pattern keeps every position of a long string on its stack.
    let quote = this.#text.indexOf('"', start + 1);
    while (this.#isEscaped(quote)) quote = this.#text.indexOf('"', quote + 1);
    this.#at = quote + 1;
    const written = this.#text.slice(start, this.#at);
    return written.includes('\\') ? JSON.stringify(JSON.parse(written)) : written;
  }

  /** An odd number of backslashes stands before it. */
  #isEscaped(quote: number): boolean {
    let at = quote;
    while (this.#text.charCodeAt(at - 1) === BACKSLASH) at -= 1;
    return (quote - at) % 2 === 1;
  }

  /** The next character that is no white space; undefined at the end. */
  #sign(): string | undefined {
    this.skipSpace();
    return this.#text[this.#at];
  }

  #match(pattern: RegExp): string {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#text)?.[0] ?? '';
    this.#at += found.length;
    return found;
  }
}
