/**
 * What main thread and SQL thread say to each other. The thread knows SQL and nothing of records: statements come as
 * text with flat parameters, so that handing a batch over copies bytes and walks no objects.
 */

import type { SqlFault } from '../store-sql/fault.ts';
import type { SqlScalar, SqlStep } from '../store-sql/sql-step.ts';

export type { SqlFault } from '../store-sql/fault.ts';
export type { SqlScalar, SqlStep } from '../store-sql/sql-step.ts';

/** What a thread can be asked. */
export type SqlOrder =
  /** Opens the file and brings its schema up to date; other orders do so by themselves. */
  | { readonly op: 'open' }
  /** All steps in one transaction, durable when answered. */
  | { readonly op: 'write'; readonly steps: readonly SqlStep[] }
  /** Statements outside a transaction, results thrown away. */
  | { readonly op: 'exec'; readonly sql: string }
  /** Rows as arrays. */
  | { readonly op: 'read'; readonly sql: string; readonly params: readonly SqlScalar[] }
  /** Closes the file and ends the thread. */
  | { readonly op: 'close' };

/** The reply carries the same id. */
export type SqlRequest = SqlOrder & { readonly id: number };

/** What an order gave. */
export interface SqlResult {
  /** Rows changed by `write`. */
  readonly changes: number;
  readonly rows: readonly (readonly SqlScalar[])[];
  /** Grows whenever the thread had to open the file again: what was registered before may be gone. */
  readonly opened: number;
}

/**
 * One to each request. A fault's code is SQLite's, e.g. `SQLITE_FULL`; `SCHEMA_TOO_NEW`, `FILE_GONE`, `UNMET`, `THREAD_GONE`,
 * `UNCLONEABLE` and `INTERNAL` are ours.
 */
export type SqlReply =
  | { readonly id: number; readonly ok: true; readonly result: SqlResult }
  | { readonly id: number; readonly ok: false; readonly fault: SqlFault };

/** What a thread is started with. */
export interface SqlThreadSettings {
  readonly path: string;
  /**
   * The writer creates the file and migrates it; a reader does neither. The keeper migrates, never creates, and refuses
   * another file that took the first one's name (`FILE_GONE`): what it keeps must not be lost unnoticed.
   */
  readonly mode: 'writer' | 'reader' | 'keeper';
  /** Run on every fresh connection. */
  readonly setup: readonly string[];
  /** Forward only: entry i takes `user_version` from i to i + 1. */
  readonly migrations: readonly string[];
}

/** Faults that waiting or an operator heals: the same rows are tried again later. */
const PASSING = [
  'SQLITE_FULL',
  'SQLITE_IOERR',
  'SQLITE_BUSY',
  'SQLITE_LOCKED',
  'SQLITE_READONLY',
  'SQLITE_CANTOPEN',
  'SQLITE_NOTADB',
  'SQLITE_CORRUPT',
  'SQLITE_NOMEM',
  'SQLITE_PERM',
  'SQLITE_AUTH',
  'SQLITE_PROTOCOL',
  'SQLITE_SCHEMA',
  'SQLITE_INTERRUPT',
  'SCHEMA_TOO_NEW',
  'FILE_GONE',
  'THREAD_GONE',
];

/** False: the rows themselves are at fault and will never be accepted. */
export function isPassing(fault: SqlFault): boolean {
  // An error of the file system (`ENOSPC`, `EACCES`, …) came before SQLite was asked.
  if (/^E[A-Z]+$/.test(fault.code)) return true;
  return PASSING.some((code) => fault.code === code || fault.code.startsWith(`${code}_`));
}

/** A fault in plain words, for logs and `problem`. */
export function faultInWords(fault: SqlFault): string {
  const known: readonly (readonly [RegExp, string])[] = [
    [/^(SQLITE_FULL|ENOSPC|EDQUOT)/, 'the disk is full, or the file has reached its size limit'],
    [/^(SQLITE_READONLY|EROFS)/, 'the file is read-only'],
    [/^(SQLITE_CANTOPEN|SQLITE_PERM|EACCES|EPERM|EISDIR|ENOENT|ENOTDIR)/, 'the file cannot be opened'],
    [/^SQLITE_(BUSY|LOCKED)/, 'another process holds the file'],
    [/^(SQLITE_IOERR|EIO)/, 'the disk reported an error'],
    [/^SQLITE_(NOTADB|CORRUPT)/, 'the file is damaged, or no SQLite file'],
  ];
  const words = known.find(([pattern]) => pattern.test(fault.code))?.[1];
  return words === undefined ? fault.message : `${words} (${fault.code}: ${fault.message})`;
}
