/**
 * A batch of rows as one text. A structured clone of many small values costs the main thread more than everything else
 * about a record; one string is a copy of bytes. The engine takes it apart (`rowsOf` in sql-worker.mjs), and turns digits
 * back into numbers where a column is one.
 */
import type { SqlScalar } from './sql-step.ts';

/** What a row written as text may hold. */
export type TextScalar = Exclude<SqlScalar, Uint8Array>;

/** Between fields, between rows, and for null. JSON text never holds them raw; other text is cleaned of them, and of NUL, which
 * not every engine can hold. */
const FIELD = '\u001f';
const ROW = '\u001e';
const NULL = '\u001d';
// What must not occur inside a field.
const RESERVED = /[\u0000\u001d\u001e\u001f]/;

/**
 * One row; a value that holds a reserved character has it replaced by U+FFFD. Joined, not concatenated: a string made
 * piece by piece stays a tree of its pieces, and the waiting ones would be walked by every garbage collection.
 */
export function rowText(row: readonly TextScalar[]): string {
  return row.map(field).join(FIELD);
}

function field(value: TextScalar): string {
  if (value === null) return NULL;
  return typeof value === 'string' ? clean(value) : String(value);
}

/** Rows of `rowText` as one text. */
export function batchText(rows: readonly string[]): string {
  return rows.join(ROW);
}

function clean(value: string): string {
  // Long texts are JSON of our own making, which escapes control characters.
  return value.length <= LONGEST_NAME && RESERVED.test(value)
    ? value.replace(new RegExp(RESERVED, 'g'), '\ufffd')
    : value;
}

const LONGEST_NAME = 1024;
