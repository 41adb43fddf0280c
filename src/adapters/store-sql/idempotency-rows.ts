/** Idempotency keys as rows of a table and back. */
import { isHeld, type KeyRef, type KeyRow } from '../../core/idempotency/key-row.ts';
import type { StoredAttempt } from '../../core/idempotency/stored-key.ts';
import type { SqlRow, SqlScalar } from './sql-step.ts';

/** What the table holds of a key beside its answer. */
export interface KeyInFile {
  readonly ref: KeyRef;
  /** Grows with every change; whoever writes names the one it read. */
  readonly version: number;
  readonly row: KeyRow;
  readonly attempts: readonly StoredAttempt[];
}

/** How many columns `readKey` takes; others follow. */
export const KEY_COLUMNS = 6;

/** The first columns of `insertKey` and `updateKey`. */
export function fieldsOf({ expiresAt, ...row }: KeyRow, attempts: readonly StoredAttempt[]): SqlScalar[] {
  const pending = isHeld(row.state) || attempts.some(isOpen);
  return [pending ? 1 : 0, expiresAt, JSON.stringify(row), JSON.stringify(attempts)];
}

export function isOpen({ endedAt }: StoredAttempt): boolean {
  return endedAt === null;
}

/** @param columns those that `load`, `page` and `ofHash` read first */
export function readKey([keyHash, scope, version, expiresAt, row, attempts]: SqlRow): KeyInFile {
  return {
    ref: { keyHash: String(keyHash), scope: String(scope) },
    version: Number(version),
    row: { ...(JSON.parse(String(row)) as Omit<KeyRow, 'expiresAt'>), expiresAt: Number(expiresAt) },
    attempts: JSON.parse(String(attempts)) as StoredAttempt[],
  };
}
