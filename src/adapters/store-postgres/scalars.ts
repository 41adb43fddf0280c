/** Values on their way to the server and back. */
import type { SqlRow, SqlScalar } from '../store-sql/sql-step.ts';

/** The server's numbers of types. */
export const OID = {
  bool: 16,
  bytea: 17,
  int8: 20,
  int2: 21,
  int4: 23,
  text: 25,
  json: 114,
  float4: 700,
  float8: 701,
  numeric: 1700,
} as const;

const NUMBERS: readonly number[] = [OID.int8, OID.int2, OID.int4, OID.float4, OID.float8, OID.numeric];

const asText = (text: string): SqlScalar => text;
const asBytes = (text: string): SqlScalar => Buffer.from(text.slice(2), 'hex');
/** As SQLite has them. */
const asFlag = (text: string): SqlScalar => (text === 't' ? 1 : 0);

/** Makes a scalar of the text form of a type. Whole numbers beyond 2^53 are asked for as text (money is). */
export function scalarReader(type: number): (text: string) => SqlScalar {
  if (NUMBERS.includes(type)) return Number;
  if (type === OID.bytea) return asBytes;
  return type === OID.bool ? asFlag : asText;
}

/** A step's rows: a JSON list of lists, and all their bytes in one piece; a byte column is its [from, length] there. */
export interface EncodedRows {
  readonly json: string;
  readonly bytes: Buffer | null;
}

export function encodeRows(rows: readonly SqlRow[]): EncodedRows {
  const pieces: Uint8Array[] = [];
  let length = 0;
  const plain = (value: SqlScalar): unknown => {
    if (!(value instanceof Uint8Array)) return value;
    const place = [length, value.length];
    pieces.push(value);
    length += value.length;
    return place;
  };
  const holdsBytes = rows.some((row) => row.some((value) => value instanceof Uint8Array));
  const flat = holdsBytes ? rows.map((row) => row.map(plain)) : rows;
  return { json: acceptable(flat), bytes: holdsBytes ? Buffer.concat(pieces, length) : null };
}

/** What the server refuses in text: NUL, and halves of a character. Escaped so by `JSON.stringify`, nothing else is. */
const REFUSED = /\\u(?:0000|d[89ab][0-9a-f]{2}|d[c-f][0-9a-f]{2})/;

function acceptable(rows: unknown): string {
  const text = JSON.stringify(rows);
  if (!REFUSED.test(text)) return text;
  return JSON.stringify(rows, (_key, value: unknown) => (typeof value === 'string' ? storable(value) : value));
}

/** Text as the server takes it: a NUL and half a character become U+FFFD. */
export function storable(text: string): string {
  return text
    .replaceAll('\u0000', '\ufffd')
    .replace(/[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g, '\ufffd');
}

/** A parameter of a single statement. */
export function encodeParam(value: SqlScalar): string | Buffer | null {
  if (value === null) return null;
  if (value instanceof Uint8Array) return Buffer.from(value.buffer, value.byteOffset, value.byteLength);
  return typeof value === 'number' ? String(value) : storable(value);
}
