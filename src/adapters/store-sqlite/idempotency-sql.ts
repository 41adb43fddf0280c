/** Statements of the idempotency ledger in `state.db`. */
import type { IdempotencySql } from '../store-sql/statements.ts';

const OF_KEY = 'key_hash = ? AND scope = ?';
const IX_OF_KEY = `(SELECT ix FROM idempotency_keys WHERE ${OF_KEY})`;
const COLUMNS = 'k.key_hash, k.scope, k.version, k.expires_at, k.row, k.attempts';
/** Of a key that somebody holds. */
const HELD = `row ->> 'state' IN ('accepted', 'running')`;

export const IDEMPOTENCY_SQL: IdempotencySql = {
  load: `SELECT ${COLUMNS} FROM json_each(?) j
    JOIN idempotency_keys k ON k.key_hash = j.value ->> 0 AND k.scope = j.value ->> 1`,
  insertKey: `INSERT INTO idempotency_keys (pending, expires_at, row, attempts, key_hash, scope, version)
    VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`,
  updateKey: `UPDATE idempotency_keys SET pending = ?, expires_at = ?, row = ?, attempts = ?, version = version + 1
    WHERE ${OF_KEY} AND version = ?`,
  putAnswer: `INSERT OR REPLACE INTO idempotency_answers (ix, seal_key, sealed) VALUES (${IX_OF_KEY}, ?, ?)`,
  wipeAnswer: `DELETE FROM idempotency_answers WHERE ix = ${IX_OF_KEY}`,
  getAnswer: `SELECT k.row ->> 'requestId', a.sealed FROM idempotency_keys k JOIN idempotency_answers a USING (ix)
    WHERE k.key_hash = ? AND k.scope = ? AND k.row ->> 'state' = 'succeeded'`,
  orphans: `SELECT key_hash, scope FROM idempotency_keys
    WHERE pending = 1 AND row ->> 'holder' <> ?3 AND (?1 = 0 OR row ->> 'leaseUntil' <= ?2) LIMIT ?4`,
  expired: `SELECT key_hash, scope FROM idempotency_keys WHERE expires_at <= ? AND NOT ${HELD} LIMIT ?`,
  forgetAnswer: `DELETE FROM idempotency_answers
    WHERE ix IN (SELECT ix FROM idempotency_keys WHERE ${OF_KEY} AND expires_at <= ? AND NOT ${HELD})`,
  forget: `DELETE FROM idempotency_keys WHERE ${OF_KEY} AND expires_at <= ? AND NOT ${HELD}`,
  sealKeys: 'SELECT DISTINCT seal_key FROM idempotency_answers',
  count: 'SELECT count(*) FROM idempotency_keys',
  ofHash: `SELECT ${COLUMNS} FROM idempotency_keys k WHERE k.key_hash = ?`,
  page: `SELECT ${COLUMNS}, length(b.sealed), CASE WHEN length(b.sealed) <= ?4 THEN b.sealed END
    FROM idempotency_keys k LEFT JOIN idempotency_answers b USING (ix)
    WHERE (k.key_hash, k.scope) > (?1, ?2) ORDER BY k.key_hash, k.scope LIMIT ?3`,
};
