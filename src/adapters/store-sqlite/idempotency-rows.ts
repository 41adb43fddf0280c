/** Idempotency keys as rows of `state.db` and back. */
import { isHeld, type KeyRef, type KeyRow, type KeyState, type StoredFailure } from '../../core/idempotency/key-row.ts';
import type { SqlScalar } from './sql-protocol.ts';

export type Row = readonly SqlScalar[];

/** After `key_hash`, `scope` and `version`. */
const FIELDS = [
  'pending',
  'state',
  'fingerprint',
  'released',
  'life',
  'round',
  'attempts',
  'open_attempts',
  'maybe_executed',
  'max_attempts',
  'request_id',
  'holder',
  'lease_until',
  'began_at',
  'expires_at',
  'failure',
  'digest',
  'answer_stored',
  'delivered',
] as const;

/** Without `pending`, which is made of the others. */
const READ_FIELDS = FIELDS.slice(1).map((field) => `k.${field}`);
const OF_KEY = 'key_hash = ? AND scope = ?';

export const SQL = {
  /** Parameter: JSON list of [hash, scope]. The last column: ids of open attempts, JSON. */
  load: `SELECT k.key_hash, k.scope, k.version, ${READ_FIELDS.join(', ')},
      CASE WHEN k.open_attempts > 0 THEN (SELECT json_group_array(a.attempt_id) FROM idempotency_attempts a
        WHERE a.key_hash = k.key_hash AND a.scope = k.scope AND a.ended_at IS NULL) END
    FROM json_each(?) j JOIN idempotency_keys k ON k.key_hash = j.value ->> 0 AND k.scope = j.value ->> 1`,
  insertKey: `INSERT INTO idempotency_keys (key_hash, scope, version, ${FIELDS.join(', ')})
    VALUES (?, ?, ?, ${FIELDS.map(() => '?').join(', ')}) ON CONFLICT DO NOTHING`,
  /** The key and the version that was read come last. */
  updateKey: `UPDATE idempotency_keys SET version = ?, ${FIELDS.map((field) => `${field} = ?`).join(', ')}
    WHERE ${OF_KEY} AND version = ?`,
  startAttempt: `INSERT INTO idempotency_attempts
    (key_hash, scope, attempt_id, round, no, target, started_at, maybe_executed) VALUES (?, ?, ?, ?, ?, ?, ?, 0)
    ON CONFLICT DO NOTHING`,
  /** What is known first about its end stays, except that it succeeded late. */
  endAttempt: `UPDATE idempotency_attempts SET ended_at = coalesce(ended_at, ?), result = ?,
      maybe_executed = max(maybe_executed, ?) WHERE ${OF_KEY} AND attempt_id = ?`,
  dropAttempt: `DELETE FROM idempotency_attempts WHERE ${OF_KEY} AND attempt_id = ?`,
  putAnswer: 'INSERT OR REPLACE INTO idempotency_answers (key_hash, scope, seal_key, sealed) VALUES (?, ?, ?, ?)',
  getAnswer: `SELECT k.request_id, a.sealed FROM idempotency_keys k
    JOIN idempotency_answers a ON a.key_hash = k.key_hash AND a.scope = k.scope
    WHERE k.key_hash = ? AND k.scope = ? AND k.state = 'succeeded'`,
  wipeAttempts: `DELETE FROM idempotency_attempts WHERE ${OF_KEY}`,
  wipeAnswer: `DELETE FROM idempotency_answers WHERE ${OF_KEY}`,
  /** Parameters: 1 = only expired leases, wall ms, the holder that asks, at most so many. */
  orphans: `SELECT key_hash, scope FROM idempotency_keys
    WHERE pending = 1 AND holder <> ?3 AND (?1 = 0 OR lease_until <= ?2) LIMIT ?4`,
  expired: `SELECT key_hash, scope FROM idempotency_keys
    WHERE expires_at <= ? AND state NOT IN ('accepted', 'running') LIMIT ?`,
  forget: `DELETE FROM idempotency_keys WHERE ${OF_KEY} AND expires_at <= ? AND state NOT IN ('accepted', 'running')`,
  forgetAttempts: `DELETE FROM idempotency_attempts WHERE ${OF_KEY}
    AND NOT EXISTS (SELECT 1 FROM idempotency_keys k WHERE k.key_hash = ?1 AND k.scope = ?2)`,
  forgetAnswer: `DELETE FROM idempotency_answers WHERE ${OF_KEY}
    AND NOT EXISTS (SELECT 1 FROM idempotency_keys k WHERE k.key_hash = ?1 AND k.scope = ?2)`,
  sealKeys: 'SELECT DISTINCT seal_key FROM idempotency_answers',
  count: 'SELECT count(*) FROM idempotency_keys',
  ofHash: `SELECT k.key_hash, k.scope, k.version, ${READ_FIELDS.join(', ')} FROM idempotency_keys k WHERE k.key_hash = ?`,
  /** A page in order, after one key. Attempts as JSON; bytes up to the last parameter's size, longer ones as null. */
  page: `SELECT k.key_hash, k.scope, k.version, ${READ_FIELDS.join(', ')},
      (SELECT json_group_array(json_array(a.attempt_id, a.round, a.no, a.target, a.started_at, a.ended_at, a.result,
         a.maybe_executed)) FROM idempotency_attempts a WHERE a.key_hash = k.key_hash AND a.scope = k.scope),
      length(b.sealed), CASE WHEN length(b.sealed) <= ?4 THEN b.sealed END
    FROM idempotency_keys k LEFT JOIN idempotency_answers b ON b.key_hash = k.key_hash AND b.scope = k.scope
    WHERE (k.key_hash, k.scope) > (?1, ?2) ORDER BY k.key_hash, k.scope LIMIT ?3`,
} as const;

/** How many columns a key's row has where it is read: key, version and the fields. */
export const ROW_COLUMNS = 3 + READ_FIELDS.length;

/** The values of `FIELDS`. `open`: how many of its attempts are open, in this life or before. */
export function fieldsOf(row: KeyRow, open: number): SqlScalar[] {
  return [
    isHeld(row.state) || open > 0 ? 1 : 0,
    row.state,
    row.fingerprint,
    flag(row.released),
    row.life,
    row.round,
    row.attempts,
    row.openAttempts,
    flag(row.maybeExecuted),
    row.maxAttempts,
    row.requestId,
    row.holder,
    row.leaseUntil,
    row.beganAt,
    row.expiresAt,
    row.failure === null ? null : JSON.stringify(row.failure),
    row.digest,
    flag(row.answerStored),
    flag(row.delivered),
  ];
}

function flag(value: boolean): number {
  return value ? 1 : 0;
}

/** @param columns those that `load` and `page` read first */
export function readKey(columns: Row): { readonly ref: KeyRef; readonly version: number; readonly row: KeyRow } {
  const at = (index: number): SqlScalar => columns[index] ?? null;
  const failure = at(17);
  const lease = at(14);
  const digest = at(18);
  return {
    ref: { keyHash: String(at(0)), scope: String(at(1)) },
    version: Number(at(2)),
    row: {
      state: String(at(3)) as KeyState,
      fingerprint: String(at(4)),
      released: at(5) === 1,
      life: Number(at(6)),
      round: Number(at(7)),
      attempts: Number(at(8)),
      openAttempts: Number(at(9)),
      maybeExecuted: at(10) === 1,
      maxAttempts: Number(at(11)),
      requestId: String(at(12)),
      holder: String(at(13)),
      leaseUntil: lease === null ? null : Number(lease),
      beganAt: Number(at(15)),
      expiresAt: Number(at(16)),
      failure: failure === null ? null : (JSON.parse(String(failure)) as StoredFailure),
      digest: digest === null ? null : String(digest),
      answerStored: at(19) === 1,
      delivered: at(20) === 1,
    },
  };
}
