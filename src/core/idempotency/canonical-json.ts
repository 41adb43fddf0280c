/**
 * One JSON object as text in a form that is the same for all its spellings: members in order of their names, no white
 * space, characters instead of escapes, numbers by value. Of a name given twice the last member counts, as for every
 * JSON parser. The text is for comparing alone; it is no JSON: whatever is long inside stands there as its digest, so that
 * no level of nesting copies all that is below it.
 */
import { hash } from 'node:crypto';
import { exactNumber } from './exact-number.ts';

const SPACE = /[ \t\n\r]*/y;
const SCALAR = /[^\s,\]}]+/y;

/** @param text one valid JSON object; what follows it is not looked at. @param without top-level names left out, as JSON strings */
export function canonicalObject(text: string, without: ReadonlySet<string>): string {
  return new CanonicalReader(text).object(without);
}

const BACKSLASH = 0x5c;

/** What is open around the place being read. A stack of these, not of calls: JSON may nest deeper than calls may. */
type Open =
  /** Members by name as it is written canonically; `name` is the next one's. */
  { readonly members: Map<string, string>; name: string } | { readonly members: null; readonly elements: string[] };

class CanonicalReader {
  readonly #text: string;
  #at: number;

  constructor(text: string) {
    this.#text = text;
    this.#at = text.charCodeAt(0) === 0xfeff ? 1 : 0;
  }

  object(without: ReadonlySet<string>): string {
    const around: Open[] = [];
    let open: Open = this.#begin(this.#sign());
    for (let sign = this.#sign(); ; sign = this.#sign()) {
      let value: string;
      if (sign === ',') {
        this.#at += 1;
        continue;
      }
      if (sign === '}' || sign === ']' || sign === undefined) {
        this.#at += 1;
        value = written(open, around.length === 0 ? without : null);
        const outer = around.pop();
        if (outer === undefined) return value;
        open = outer;
      } else {
        if (open.members !== null) this.#name(open);
        const first = this.#sign();
        if (first === '{' || first === '[') {
          around.push(open);
          open = this.#begin(first);
          continue;
        }
        value = first === '"' ? this.#string() : this.#scalar();
      }
      if (open.members === null) open.elements.push(value);
      else open.members.set(open.name, value);
    }
  }

  /** At `{` or `[`. */
  #begin(sign: string | undefined): Open {
    this.#at += 1;
    return sign === '{' ? { members: new Map(), name: '' } : { members: null, elements: [] };
  }

  /** At a member's name; behind its colon afterwards. */
  #name(open: { name: string }): void {
    open.name = this.#string();
    this.#sign();
    this.#at += 1;
  }

  #scalar(): string {
    const scalar = this.#match(SCALAR);
    return /^[tfn]/.test(scalar) ? scalar : exactNumber(scalar);
  }

  /** At the opening quote; the string as JSON writes it with the fewest escapes. */
  #string(): string {
    const start = this.#at;
    // Searched, not matched: a pattern keeps every position of a long string on its stack.
    let quote = this.#text.indexOf('"', start + 1);
    while (this.#isEscaped(quote)) quote = this.#text.indexOf('"', quote + 1);
    this.#at = quote + 1;
    const spelled = this.#text.slice(start, this.#at);
    return spelled.includes('\\') ? JSON.stringify(JSON.parse(spelled)) : spelled;
  }

  /** An odd number of backslashes stands before it. */
  #isEscaped(quote: number): boolean {
    let at = quote;
    while (this.#text.charCodeAt(at - 1) === BACKSLASH) at -= 1;
    return (quote - at) % 2 === 1;
  }

  /** The next character that is no white space; undefined at the end. */
  #sign(): string | undefined {
    // Most of JSON is written without any.
    if (this.#text.charCodeAt(this.#at) <= 0x20) this.#match(SPACE);
    return this.#text[this.#at];
  }

  #match(pattern: RegExp): string {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#text)?.[0] ?? '';
    this.#at += found.length;
    return found;
  }
}

/** Longer texts of objects and arrays are replaced by their digests. */
const LONGEST_TEXT = 512;

/** What has been read whole. No value begins as a digest does. */
function written(open: Open, without: ReadonlySet<string> | null): string {
  const text = open.members === null ? `[${open.elements.join(',')}]` : membersOf(open.members, without);
  return text.length > LONGEST_TEXT ? `#${hash('sha256', text, 'hex')}` : text;
}

function membersOf(members: ReadonlyMap<string, string>, without: ReadonlySet<string> | null): string {
  const names = [...members.keys()].sort();
  const kept = without === null ? names : names.filter((name) => !without.has(name));
  return `{${kept.map((name) => `${name}:${members.get(name)}`).join(',')}}`;
}
