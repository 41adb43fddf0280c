/**
 * JSON's grammar on bytes, strictly and without building anything. Every function takes the offset where its value
 * starts and returns the offset behind it; an error is `~offset` of the offending byte, so always negative.
 */

// Deeper than any real request or answer; bounds the recursion, so that a hostile body can not exhaust the stack.
export const MAX_DEPTH = 256;

export const QUOTE = 0x22;
export const COMMA = 0x2c;
export const COLON = 0x3a;
export const OPEN_BRACKET = 0x5b;
export const BACKSLASH = 0x5c;
export const CLOSE_BRACKET = 0x5d;
export const OPEN_BRACE = 0x7b;
export const CLOSE_BRACE = 0x7d;

const TRUE = [0x74, 0x72, 0x75, 0x65];
const FALSE = [0x66, 0x61, 0x6c, 0x73, 0x65];
const NULL = [0x6e, 0x75, 0x6c, 0x6c];

/** First offset from `at` that is no JSON white space. */
export function skipSpace(bytes: Uint8Array, at: number, end: number): number {
  let i = at;
  while (i < end) {
    const byte = bytes[i]!;
    if (byte > 0x20 || (byte !== 0x20 && byte !== 0x0a && byte !== 0x0d && byte !== 0x09)) break;
    i++;
  }
  return i;
}

/** 1 for the bytes that end a plain run inside a string: quote, backslash and what must be escaped. */
const STOPS = Uint8Array.from({ length: 256 }, (_, byte) =>
  byte < 0x20 || byte === QUOTE || byte === BACKSLASH ? 1 : 0,
);

/** `at` is the opening quote. Four bytes at a step: most of any body lies inside strings. */
export function skipString(bytes: Uint8Array, at: number, end: number): number {
  const last = end - 4;
  let i = at + 1;
  for (;;) {
    while (
      i <= last &&
      (STOPS[bytes[i]!]! | STOPS[bytes[i + 1]!]! | STOPS[bytes[i + 2]!]! | STOPS[bytes[i + 3]!]!) === 0
    ) {
      i += 4;
    }
    while (i < end && STOPS[bytes[i]!] === 0) i++;
    if (i >= end) return ~end;
    const byte = bytes[i]!;
    if (byte === QUOTE) return i + 1;
    if (byte !== BACKSLASH) return ~i;
    i = skipEscape(bytes, i, end);
    if (i < 0) return i;
  }
}

function skipEscape(bytes: Uint8Array, at: number, end: number): number {
  if (at + 1 >= end) return ~end;
  switch (bytes[at + 1]) {
    case QUOTE:
    case BACKSLASH:
    case 0x2f: // /
    case 0x62: // b
    case 0x66: // f
    case 0x6e: // n
    case 0x72: // r
    case 0x74: // t
      return at + 2;
    case 0x75: // u
      for (let i = at + 2; i < at + 6; i++) {
        if (i >= end) return ~end;
        if (!isHexDigit(bytes[i]!)) return ~i;
      }
      return at + 6;
    default:
      return ~(at + 1);
  }
}

function isHexDigit(byte: number): boolean {
  return (byte >= 0x30 && byte <= 0x39) || (byte >= 0x41 && byte <= 0x46) || (byte >= 0x61 && byte <= 0x66);
}

function skipDigits(bytes: Uint8Array, at: number, end: number): number {
  let i = at;
  while (i < end && bytes[i]! >= 0x30 && bytes[i]! <= 0x39) i++;
  return i === at ? ~at : i;
}

function skipNumber(bytes: Uint8Array, at: number, end: number): number {
  let i = bytes[at] === 0x2d ? at + 1 : at;
  if (i < end && bytes[i] === 0x30) i++;
  else {
    i = skipDigits(bytes, i, end);
    if (i < 0) return i;
  }
  if (i < end && bytes[i] === 0x2e) {
    i = skipDigits(bytes, i + 1, end);
    if (i < 0) return i;
  }
  if (i < end && (bytes[i] === 0x65 || bytes[i] === 0x45)) {
    i++;
    if (i < end && (bytes[i] === 0x2b || bytes[i] === 0x2d)) i++;
    i = skipDigits(bytes, i, end);
  }
  return i;
}

function skipWord(bytes: Uint8Array, at: number, end: number, word: readonly number[]): number {
  for (let i = 0; i < word.length; i++) {
    if (at + i >= end || bytes[at + i] !== word[i]) return ~(at + i);
  }
  return at + word.length;
}

/** Any value. `depth` counts the brackets around it. */
export function skipValue(bytes: Uint8Array, at: number, end: number, depth: number): number {
  if (at >= end) return ~end;
  switch (bytes[at]) {
    case QUOTE:
      return skipString(bytes, at, end);
    case OPEN_BRACE:
      return depth >= MAX_DEPTH ? ~at : walkObject(bytes, at, end, depth, null);
    case OPEN_BRACKET:
      return depth >= MAX_DEPTH ? ~at : walkArray(bytes, at, end, depth, null);
    case 0x74:
      return skipWord(bytes, at, end, TRUE);
    case 0x66:
      return skipWord(bytes, at, end, FALSE);
    case 0x6e:
      return skipWord(bytes, at, end, NULL);
    default:
      return skipNumber(bytes, at, end);
  }
}

/**
 * Told of each member: the key's span with its quotes and where the value starts. Returns the offset behind the
 * value, or a negative error.
 */
export type MemberVisitor = (keyStart: number, keyEnd: number, value: number) => number;

/** Walks one object's members; `at` is `{`, `depth` counts the brackets around it. Without visitor it only validates. */
export function walkObject(
  bytes: Uint8Array,
  at: number,
  end: number,
  depth: number,
  visit: MemberVisitor | null,
): number {
  const first = skipSpace(bytes, at + 1, end);
  if (first < end && bytes[first] === CLOSE_BRACE) return first + 1;
  const behind = walkMember(bytes, first, end, depth, visit);
  return behind < 0 ? behind : walkRest(bytes, behind, end, depth, visit);
}

/** Walks the rest of an object; `at` is behind one of its values. */
export function walkRest(
  bytes: Uint8Array,
  at: number,
  end: number,
  depth: number,
  visit: MemberVisitor | null,
): number {
  let i = at;
  for (;;) {
    i = skipSpace(bytes, i, end);
    if (i >= end) return ~end;
    if (bytes[i] === CLOSE_BRACE) return i + 1;
    if (bytes[i] !== COMMA) return ~i;
    i = walkMember(bytes, skipSpace(bytes, i + 1, end), end, depth, visit);
    if (i < 0) return i;
  }
}

function walkMember(bytes: Uint8Array, at: number, end: number, depth: number, visit: MemberVisitor | null): number {
  if (at >= end || bytes[at] !== QUOTE) return ~at;
  const keyEnd = skipString(bytes, at, end);
  if (keyEnd < 0) return keyEnd;
  let i = skipSpace(bytes, keyEnd, end);
  if (i >= end || bytes[i] !== COLON) return ~i;
  i = skipSpace(bytes, i + 1, end);
  return visit === null ? skipValue(bytes, i, end, depth + 1) : visit(at, keyEnd, i);
}

/** Gets where an element starts and returns the offset behind it, or a negative error. */
export type ElementVisitor = (value: number) => number;

/** Walks one array's elements; `at` is `[`, the rest as for objects. */
export function walkArray(
  bytes: Uint8Array,
  at: number,
  end: number,
  depth: number,
  visit: ElementVisitor | null,
): number {
  let i = skipSpace(bytes, at + 1, end);
  if (i < end && bytes[i] === CLOSE_BRACKET) return i + 1;
  for (;;) {
    i = visit === null ? skipValue(bytes, i, end, depth + 1) : visit(i);
    if (i < 0) return i;
    i = skipSpace(bytes, i, end);
    if (i >= end) return ~end;
    if (bytes[i] === CLOSE_BRACKET) return i + 1;
    if (bytes[i] !== COMMA) return ~i;
    i = skipSpace(bytes, i + 1, end);
  }
}

/** The range holds exactly one JSON value with nothing but white space around it. */
export function isWholeJson(bytes: Uint8Array, start: number, end: number): boolean {
  const behind = skipValue(bytes, skipSpace(bytes, start, end), end, 0);
  return behind >= 0 && skipSpace(bytes, behind, end) === end;
}
