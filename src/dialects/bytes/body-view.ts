/**
 * One JSON object's raw bytes plus the spans of its top-level keys, from one scan (architecture: BodyView).
 * Values are read on demand; edits are written as slices, so unknown fields and big integers survive byte for byte.
 */
import { quotedName } from '../../core/quoted-name.ts';
import { BACKSLASH, MAX_DEPTH, OPEN_BRACE, skipSpace, skipValue, walkObject } from './json-grammar.ts';
import { bomLength, textOf } from './text.ts';

/** Byte span of one top-level member. */
export interface Member {
  readonly key: string;
  /** Offset of the key's opening quote. */
  readonly keyStart: number;
  /** Span of the value, without surrounding space. */
  readonly valueStart: number;
  readonly valueEnd: number;
}

export interface BodyView {
  readonly bytes: Uint8Array;
  /** Offsets of `{` and of the byte past `}`. */
  readonly start: number;
  readonly end: number;
  readonly members: readonly Member[];
}

/** Why the bytes are not one JSON object. */
export interface ScanError {
  /** Of the offending byte. */
  readonly offset: number;
  readonly message: string;
}

export interface ScanOptions {
  /** Range of the bytes to scan; the whole by default. A byte order mark is skipped only at offset 0. */
  readonly start?: number;
  readonly end?: number;
  /** A top-level key named twice is an error (C-4). Without it the last one counts, as for every JSON parser. */
  readonly uniqueKeys?: boolean;
}

// Up to here comparing each with each is cheaper than a set.
const PAIRWISE_KEYS = 16;

/** Validates one whole JSON object and notes its top-level members. One pass; nothing but the keys is decoded. */
export function scanObject(bytes: Uint8Array, options: ScanOptions = {}): BodyView | ScanError {
  const end = options.end ?? bytes.length;
  const from = options.start ?? 0;
  const start = skipSpace(bytes, from === 0 ? bomLength(bytes) : from, end);
  if (start >= end) return { offset: start, message: 'the body is empty' };
  if (bytes[start] !== OPEN_BRACE) return { offset: start, message: 'expected a JSON object' };
  const members: Member[] = [];
  const behind = walkObject(bytes, start, end, 0, (keyStart, keyEnd, valueStart) => {
    const valueEnd = skipValue(bytes, valueStart, end, 1);
    if (valueEnd >= 0) members.push({ key: decodeString(bytes, keyStart, keyEnd), keyStart, valueStart, valueEnd });
    return valueEnd;
  });
  if (behind < 0) return { offset: ~behind, message: explain(bytes, ~behind, end) };
  const rest = skipSpace(bytes, behind, end);
  if (rest < end) return { offset: rest, message: 'unexpected bytes after the JSON object' };
  const view: BodyView = { bytes, start, end: behind, members };
  const twice = options.uniqueKeys === true ? firstDuplicate(members) : null;
  if (twice !== null) return { offset: twice.keyStart, message: `the key ${quotedName(twice.key, 64)} appears twice` };
  return view;
}

export function isScanError(result: BodyView | ScanError): result is ScanError {
  return 'offset' in result;
}

/** A string as any JSON parser reads it: an escaped spelling is the same key. The span includes the quotes. */
export function decodeString(bytes: Uint8Array, start: number, end: number): string {
  for (let i = start + 1; i < end - 1; i++) {
    if (bytes[i] === BACKSLASH) return String(JSON.parse(textOf(bytes, start, end)));
  }
  return textOf(bytes, start + 1, end - 1);
}

function firstDuplicate(members: readonly Member[]): Member | null {
  if (members.length <= PAIRWISE_KEYS) {
    return members.find((one, at) => members.findIndex((other) => other.key === one.key) < at) ?? null;
  }
  const seen = new Set<string>();
  for (const one of members) {
    if (seen.has(one.key)) return one;
    seen.add(one.key);
  }
  return null;
}

function explain(bytes: Uint8Array, offset: number, end: number): string {
  if (offset >= end) return 'the JSON ends too early';
  const byte = bytes[offset]!;
  if (byte < 0x20) return 'a control character that is not escaped';
  if (byte === OPEN_BRACE || byte === 0x5b) return `an unexpected bracket, or more than ${MAX_DEPTH} levels`;
  return byte < 0x7f ? `unexpected ${JSON.stringify(String.fromCharCode(byte))}` : 'an unexpected byte';
}

/** The member that counts for a key: the last one. */
export function member(view: BodyView, key: string): Member | null {
  for (let i = view.members.length - 1; i >= 0; i--) {
    const candidate = view.members[i]!;
    if (candidate.key === key) return candidate;
  }
  return null;
}

/** The parsed value; undefined = absent. */
export function readJson(view: BodyView, key: string): unknown {
  const found = member(view, key);
  return found === null ? undefined : memberValue(view, found);
}

export function memberValue(view: BodyView, found: Member): unknown {
  return JSON.parse(textOf(view.bytes, found.valueStart, found.valueEnd));
}

/** First byte of a member's value: tells its type. 0 = absent. */
export function valueByte(view: BodyView, key: string): number {
  const found = member(view, key);
  return found === null ? 0 : view.bytes[found.valueStart]!;
}

/** Reading one typed value: `null` covers absent and JSON null, `undefined` a value of another type. */
type Typed<T> = T | null | undefined;

export function readString(view: BodyView, key: string): Typed<string> {
  const value = readJson(view, key) ?? null;
  return value === null || typeof value === 'string' ? value : undefined;
}

export function readBoolean(view: BodyView, key: string): Typed<boolean> {
  const value = readJson(view, key) ?? null;
  return value === null || typeof value === 'boolean' ? value : undefined;
}

export function readInteger(view: BodyView, key: string): Typed<number> {
  const value = readJson(view, key) ?? null;
  return value === null || Number.isSafeInteger(value) ? (value as number | null) : undefined;
}
