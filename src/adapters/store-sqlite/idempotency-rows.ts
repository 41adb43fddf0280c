/** Idempotency keys as rows of `state.db` and back. */
import { isHeld, type KeyRef, type KeyRow } from '../../core/idempotency/key-row.ts';
import type { StoredAttempt } from '../../core/idempotency/stored-key.ts';
import type { SqlScalar } from './sql-protocol.ts';

export type Row = readonly SqlScalar[];

const OF_KEY = 'key_hash = ? AND scope = ?';
const IX_OF_KEY = `(SELECT ix FROM idempotency_keys WHERE ${OF_KEY})`;
const COLUMNS = 'k.key_hash, k.scope, k.version, k.expires_at, k.row, k.attempts';
/** Of a key that somebody holds. */
const HELD = `row ->> 'state' IN ('accepted', 'running')`;

export const SQL = {
  /** Parameter: JSON list of [hash, scope]. */
  load: `SELECT ${COLUMNS} FROM json_each(?) j
    JOIN idempotency_keys k ON k.key_hash = j.value ->> 0 AND k.scope = j.value ->> 1`,
  insertKey: `INSERT INTO idempotency_keys (pending, expires_at, row, attempts, key_hash, scope, version)
    VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`,
  /** The key and the version that was read come last. */
  updateKey: `UPDATE idempotency_keys SET pending = ?, expires_at = ?, row = ?, attempts = ?, version = version + 1
    WHERE ${OF_KEY} AND version = ?`,
  putAnswer: `INSERT OR REPLACE INTO idempotency_answers (ix, seal_key, sealed) VALUES (${IX_OF_KEY}, ?, ?)`,
  wipeAnswer: `DELETE FROM idempotency_answers WHERE ix = ${IX_OF_KEY}`,
  getAnswer: `SELECT k.row ->> 'requestId', a.sealed FROM idempotency_keys k JOIN idempotency_answers a USING (ix)
    WHERE k.key_hash = ? AND k.scope = ? AND k.row ->> 'state' = 'succeeded'`,
  /** Parameters: 1 = only expired leases, wall ms, the holder that asks, at most so many. */
  orphans: `SELECT key_hash, scope FROM idempotency_keys
    WHERE pending = 1 AND row ->> 'holder' <> ?3 AND (?1 = 0 OR row ->> 'leaseUntil' <= ?2) LIMIT ?4`,
  expired: `SELECT key_hash, scope FROM idempotency_keys WHERE expires_at <= ? AND NOT ${HELD} LIMIT ?`,
  /** Before `forget`, while the key is still there. The key, then wall ms. */
  forgetAnswer: `DELETE FROM idempotency_answers
    WHERE ix IN (SELECT ix FROM idempotency_keys WHERE ${OF_KEY} AND expires_at <= ? AND NOT ${HELD})`,
  forget: `DELETE FROM idempotency_keys WHERE ${OF_KEY} AND expires_at <= ? AND NOT ${HELD}`,
  sealKeys: 'SELECT DISTINCT seal_key FROM idempotency_answers',
  count: 'SELECT count(*) FROM idempotency_keys',
  ofHash: `SELECT ${COLUMNS} FROM idempotency_keys k WHERE k.key_hash = ?`,
  /** A page in order, after one key. Bytes up to the last parameter's size, longer ones as null. */
  page: `SELECT ${COLUMNS}, length(b.sealed), CASE WHEN length(b.sealed) <= ?4 THEN b.sealed END
    FROM idempotency_keys k LEFT JOIN idempotency_answers b USING (ix)
    WHERE (k.key_hash, k.scope) > (?1, ?2) ORDER BY k.key_hash, k.scope LIMIT ?3`,
} as const;

/** What the file holds of a key beside its answer. */
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
export function readKey([keyHash, scope, version, expiresAt, row, attempts]: Row): KeyInFile {
  return {
    ref: { keyHash: String(keyHash), scope: String(scope) },
    version: Number(version),
    row: { ...(JSON.parse(String(row)) as Omit<KeyRow, 'expiresAt'>), expiresAt: Number(expiresAt) },
    attempts: JSON.parse(String(attempts)) as StoredAttempt[],
  };
}
