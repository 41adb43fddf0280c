/**
 * Whether JSON that comes in pieces is whole so far: the grammar of `json-grammar.ts` one character at a time. Nothing of
 * the text is kept but the brackets that are open, so that memory stays small however long it is (T-7).
 */
import {
  BACKSLASH,
  CLOSE_BRACE,
  CLOSE_BRACKET,
  COLON,
  COMMA,
  MAX_DEPTH,
  OPEN_BRACE,
  OPEN_BRACKET,
  QUOTE,
} from './json-grammar.ts';

/** What may come next. */
const AT = {
  value: 0,
  /** Behind `[`. */
  valueOrClose: 1,
  /** Behind `{`. */
  keyOrClose: 2,
  key: 3,
  colon: 4,
  /** Behind a value. */
  behind: 5,
  string: 6,
  escape: 7,
  hex: 8,
  word: 9,
  minus: 10,
  zero: 11,
  digits: 12,
  point: 13,
  fraction: 14,
  exponent: 15,
  sign: 16,
  power: 17,
  /** No JSON, whatever comes. */
  broken: 18,
} as const;

const ZERO = 0x30;
const U = 0x75;

export class JsonProgress {
  /** Nothing came yet, not even white space. */
  isEmpty = true;
  #at: number = AT.value;
  /** A value began. */
  #begun = false;
  /** The string at hand is a key. */
  #inKey = false;
  /** Letters still to come of the word at hand, hexadecimal digits of the escape. */
  #word = '';
  #left = 0;
  readonly #brackets: number[] = [];

  /** One JSON value and nothing else, or nothing at all. */
  get isWhole(): boolean {
    if (!this.#begun) return this.#at === AT.value;
    return this.#brackets.length === 0 && (this.#at === AT.behind || isNumberEnd(this.#at));
  }

  /** The next piece, as text. */
  add(text: string): void {
    if (text !== '') this.isEmpty = false;
    for (let i = 0; i < text.length; i++) {
      const code = text.charCodeAt(i);
      if (this.#at !== AT.string || code < 0x20 || code === QUOTE || code === BACKSLASH) this.#step(code);
    }
  }

  /** The next piece, as its bytes stand. */
  addBytes(bytes: Uint8Array, start: number, end: number): void {
    if (start < end) this.isEmpty = false;
    for (let i = start; i < end; i++) this.#step(bytes[i]!);
  }

  /** The next piece, as the inside of a valid JSON string: without its quotes, escapes and all. */
  addEscaped(bytes: Uint8Array, start: number, end: number): void {
    if (start < end) this.isEmpty = false;
    for (let i = start; i < end; i++) {
      // Inside of a string only what is escaped means anything.
      if (this.#at === AT.string) {
        while (i < end && bytes[i] !== BACKSLASH) i++;
        if (i === end) return;
      }
      const byte = bytes[i]!;
      if (byte !== BACKSLASH) {
        this.#step(byte);
        continue;
      }
      const escaped = bytes[++i]!;
      if (escaped === U) {
        this.#step(unitAt(bytes, i + 1));
        i += 4;
      } else this.#step(ESCAPED[escaped]!);
    }
  }

  #step(code: number): void {
    switch (this.#at) {
      case AT.string:
        if (code === QUOTE) this.#at = this.#inKey ? AT.colon : AT.behind;
        else if (code === BACKSLASH) this.#at = AT.escape;
        else if (code < 0x20) this.#at = AT.broken;
        return;
      case AT.escape:
        this.#escape(code);
        return;
      case AT.hex:
        if (!isHexDigit(code)) this.#at = AT.broken;
        else if (--this.#left === 0) this.#at = AT.string;
        return;
      case AT.word:
        if (code !== this.#word.charCodeAt(this.#word.length - this.#left)) this.#at = AT.broken;
        else if (--this.#left === 0) this.#at = AT.behind;
        return;
      case AT.broken:
        return;
      default:
        if (this.#at >= AT.minus) this.#number(code);
        else if (!isSpace(code)) this.#token(code);
    }
  }

  #escape(code: number): void {
    if (code === U) {
      this.#at = AT.hex;
      this.#left = 4;
    } else this.#at = code < 128 && ESCAPED[code] !== 0 ? AT.string : AT.broken;
  }

  /** No white space, and outside of strings, words and numbers. */
  #token(code: number): void {
    switch (this.#at) {
      case AT.colon:
        this.#at = code === COLON ? AT.value : AT.broken;
        return;
      case AT.behind:
        this.#separator(code);
        return;
      case AT.key:
      case AT.keyOrClose:
        if (code === QUOTE) this.#string(true);
        else if (code === CLOSE_BRACE && this.#at === AT.keyOrClose) this.#close();
        else this.#at = AT.broken;
        return;
      default:
        if (code === CLOSE_BRACKET && this.#at === AT.valueOrClose) this.#close();
        else this.#value(code);
    }
  }

  #value(code: number): void {
    this.#begun = true;
    if (code === QUOTE) this.#string(false);
    else if (code === OPEN_BRACE || code === OPEN_BRACKET) {
      if (this.#brackets.push(code) > MAX_DEPTH) this.#at = AT.broken;
      else this.#at = code === OPEN_BRACE ? AT.keyOrClose : AT.valueOrClose;
    } else if (code === 0x2d) this.#at = AT.minus;
    else if (code === ZERO) this.#at = AT.zero;
    else if (isDigit(code)) this.#at = AT.digits;
    else {
      this.#word = code === 0x74 ? 'true' : code === 0x66 ? 'false' : code === 0x6e ? 'null' : '';
      this.#left = this.#word.length - 1;
      this.#at = this.#word === '' ? AT.broken : AT.word;
    }
  }

  #string(isKey: boolean): void {
    this.#inKey = isKey;
    this.#at = AT.string;
  }

  #close(): void {
    this.#brackets.pop();
    this.#at = AT.behind;
  }

  #separator(code: number): void {
    const open = this.#brackets.at(-1);
    if (open === undefined) this.#at = AT.broken;
    else if (code === (open === OPEN_BRACE ? CLOSE_BRACE : CLOSE_BRACKET)) this.#close();
    else if (code === COMMA) this.#at = open === OPEN_BRACE ? AT.key : AT.value;
    else this.#at = AT.broken;
  }

  #number(code: number): void {
    const at = this.#at;
    if (isDigit(code)) {
      this.#at = at === AT.minus && code === ZERO ? AT.zero : BEHIND_DIGIT[at]!;
    } else if (code === 0x2e && (at === AT.zero || at === AT.digits)) this.#at = AT.point;
    else if ((code === 0x65 || code === 0x45) && isNumberEnd(at) && at !== AT.power) this.#at = AT.exponent;
    else if ((code === 0x2b || code === 0x2d) && at === AT.exponent) this.#at = AT.sign;
    else if (isNumberEnd(at)) {
      this.#at = AT.behind;
      if (!isSpace(code)) this.#separator(code);
    } else this.#at = AT.broken;
  }
}

/** One JSON value and nothing else, or nothing at all. */
export function isWholeText(text: string): boolean {
  const progress = new JsonProgress();
  progress.add(text);
  return progress.isWhole;
}

/** Where a digit leads to, by place. */
const BEHIND_DIGIT: readonly number[] = Object.values(AT).map((at) => {
  if (at === AT.minus || at === AT.digits) return AT.digits;
  if (at === AT.point || at === AT.fraction) return AT.fraction;
  return at === AT.exponent || at === AT.sign || at === AT.power ? AT.power : AT.broken;
});

/** What a backslash and this character stand for; 0 = nothing. */
const ESCAPED: Uint8Array = Uint8Array.from({ length: 128 }, (_, code) => {
  const at = '"\\/bfnrt'.indexOf(String.fromCharCode(code));
  return at === -1 ? 0 : '"\\/\b\f\n\r\t'.charCodeAt(at);
});

function isNumberEnd(at: number): boolean {
  return at === AT.zero || at === AT.digits || at === AT.fraction || at === AT.power;
}

function isSpace(code: number): boolean {
  return code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09;
}

function isDigit(code: number): boolean {
  return code >= ZERO && code <= 0x39;
}

function isHexDigit(code: number): boolean {
  return isDigit(code) || (code >= 0x41 && code <= 0x46) || (code >= 0x61 && code <= 0x66);
}

/** The code unit of four hexadecimal digits. */
function unitAt(bytes: Uint8Array, at: number): number {
  let unit = 0;
  for (let i = at; i < at + 4; i++) unit = unit * 16 + hexValue(bytes[i]!);
  return unit;
}

function hexValue(code: number): number {
  return isDigit(code) ? code - ZERO : (code | 0x20) - 0x57;
}
