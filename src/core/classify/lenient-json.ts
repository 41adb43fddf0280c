/**
 * Reads the first value of a text that means to be JSON: cut off anywhere, followed by other text, or written with
 * single quotes and True / None as some servers print their dictionaries. Total: any text gives a result.
 */

export interface LenientValue {
  /** Undefined = no value could be read at all. */
  readonly value: unknown;
  /** The text ended inside the value. */
  readonly cut: boolean;
  /** Index after the value. */
  readonly end: number;
}

// Deeper nesting than this is no error message; it bounds the recursion.
const MAX_DEPTH = 64;

const WORDS: ReadonlyMap<string, unknown> = new Map<string, unknown>([
  ['true', true],
  ['True', true],
  ['false', false],
  ['False', false],
  ['null', null],
  ['None', null],
  ['undefined', null],
  ['NaN', null],
]);

const ESCAPES: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t', b: '\b', f: '\f' };

class Reader {
  readonly #text: string;
  at: number;
  cut = false;

  constructor(text: string, at: number) {
    this.#text = text;
    this.at = at;
  }

  value(depth: number): unknown {
    this.#space();
    const first = this.#text[this.at];
    if (first === undefined) {
      this.cut = true;
      return undefined;
    }
    if (depth > MAX_DEPTH) return undefined;
    if (first === '{') return this.#object(depth);
    if (first === '[') return this.#array(depth);
    if (first === '"' || first === "'") return this.#string(first);
    return this.#word();
  }

  #space(): void {
    while (/[\s\uFEFF]/.test(this.#text[this.at] ?? '')) this.at++;
  }

  /** Next sign after space: undefined at the end, which marks the value as cut. */
  #sign(): string | undefined {
    this.#space();
    const sign = this.#text[this.at];
    if (sign === undefined) this.cut = true;
    return sign;
  }

  #object(depth: number): Record<string, unknown> {
    const out: Record<string, unknown> = Object.create(null) as Record<string, unknown>;
    this.#members('}', (sign) => {
      const key = sign === '"' || sign === "'" ? this.#string(sign) : this.#word();
      if (this.#sign() !== ':') return;
      this.at++;
      const value = this.value(depth + 1);
      if (value !== undefined) out[String(key)] = value;
    });
    return out;
  }

  #array(depth: number): unknown[] {
    const out: unknown[] = [];
    this.#members(']', () => {
      const value = this.value(depth + 1);
      if (value !== undefined) out.push(value);
    });
    return out;
  }

  /** What stands between brackets, one `member` after the other, each from its first sign on; what is none is passed over. */
  #members(close: string, member: (sign: string) => void): void {
    this.at++;
    for (;;) {
      const sign = this.#sign();
      if (sign === undefined) return;
      const before = this.at;
      if (sign !== close && sign !== ',') member(sign);
      if (this.at === before) this.at++;
      if (sign === close) return;
    }
  }

  #string(quote: string): string {
    let out = '';
    this.at++;
    for (;;) {
      const char = this.#text[this.at++];
      if (char === undefined) {
        this.cut = true;
        return out;
      }
      if (char === quote) return out;
      out += char === '\\' ? this.#escape() : char;
    }
  }

  #escape(): string {
    const kind = this.#text[this.at++];
    if (kind === undefined) return '';
    if (kind !== 'u') return ESCAPES[kind] ?? kind;
    const hex = this.#text.slice(this.at, this.at + 4);
    if (!/^[0-9A-Fa-f]{4}$/.test(hex)) return '';
    this.at += 4;
    return String.fromCharCode(Number.parseInt(hex, 16));
  }

  /** A bare word or number. */
  #word(): unknown {
    const start = this.at;
    while (/[^\s,:[\]{}"']/.test(this.#text[this.at] ?? ' ')) this.at++;
    const word = this.#text.slice(start, this.at);
    if (this.at >= this.#text.length) this.cut = true;
    if (word === '') return undefined;
    if (WORDS.has(word)) return WORDS.get(word);
    return /^-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?$/.test(word) ? Number(word) : word;
  }
}

/** Reads the value that starts at `from`. */
export function readLenient(text: string, from = 0): LenientValue {
  const reader = new Reader(text, from);
  const value = reader.value(0);
  return { value, cut: reader.cut, end: reader.at };
}
