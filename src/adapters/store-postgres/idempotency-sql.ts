/**
 * Statements of the idempotency ledger in PostgreSQL. Rows are taken in the order of their keys, so that processes that
 * change the same ones do not wait for each other in a ring.
 */
import type { IdempotencySql } from '../store-sql/statements.ts';
import { isGone } from './replicas-sql.ts';

const COLUMNS = 'k.key_hash, k.scope, k.version, k.expires_at, k.row, k.attempts';
/** Of a key that nobody holds. */
const FREE = `k.state NOT IN ('accepted', 'running')`;

/** The rows of `insertKey` and `updateKey`. */
const ROWS = `(SELECT r ->> 0 = '1' AS pending, (r ->> 1)::bigint AS expires_at, r ->> 2 AS row, r ->> 3 AS attempts,
    r ->> 4 AS key_hash, r ->> 5 AS scope, (r ->> 6)::int AS version
  FROM json_array_elements($1) r ORDER BY 5, 6) r`;

/** Of rows that begin with a key. */
const OF_ROW = 'k.key_hash = r ->> 0 AND k.scope = r ->> 1';
const EXPIRED_OF_ROW = `${OF_ROW} AND k.expires_at <= (r ->> 2)::bigint AND ${FREE}`;

export const IDEMPOTENCY_SQL: IdempotencySql = {
  // A lease that is over is seen where somebody has judged its holder; of a member named twice the last one is read.
  load: `SELECT k.key_hash, k.scope, k.version, k.expires_at,
      CASE WHEN k.pending AND ${isGone('k.holder')} THEN left(k.row, -1) || ',"leaseUntil":0}' ELSE k.row END, k.attempts
    FROM json_array_elements($1::json) r JOIN idempotency_keys k ON ${OF_ROW}`,
  insertKey: `INSERT INTO idempotency_keys (pending, holder, state, expires_at, row, attempts, key_hash, scope, version)
    SELECT r.pending, r.row::json ->> 'holder', r.row::json ->> 'state', r.expires_at, r.row, r.attempts, r.key_hash, r.scope, r.version
    FROM ${ROWS} ON CONFLICT (key_hash, scope) DO NOTHING`,
  updateKey: `UPDATE idempotency_keys k SET pending = r.pending, holder = r.row::json ->> 'holder', state = r.row::json ->> 'state',
      expires_at = r.expires_at, row = r.row, attempts = r.attempts, version = k.version + 1
    FROM ${ROWS} WHERE k.key_hash = r.key_hash AND k.scope = r.scope AND k.version = r.version`,
  putAnswer: `INSERT INTO idempotency_answers (ix, seal_key, sealed)
    SELECT k.ix, r ->> 2, us_bytes($2, r -> 3) FROM json_array_elements($1) r JOIN idempotency_keys k ON ${OF_ROW}
    ON CONFLICT (ix) DO UPDATE SET seal_key = excluded.seal_key, sealed = excluded.sealed`,
  wipeAnswer: `DELETE FROM idempotency_answers a USING json_array_elements($1) r, idempotency_keys k
    WHERE ${OF_ROW} AND a.ix = k.ix`,
  getAnswer: `SELECT k.row::json ->> 'requestId', a.sealed FROM idempotency_keys k JOIN idempotency_answers a USING (ix)
    WHERE k.key_hash = $1 AND k.scope = $2 AND k.state = 'succeeded'`,
  orphans: `SELECT k.key_hash, k.scope FROM idempotency_keys k
    WHERE k.pending AND k.holder <> $3 AND ($1::int = 0 OR ${isGone('k.holder')}) AND $2::bigint IS NOT NULL LIMIT $4`,
  expired: `SELECT k.key_hash, k.scope FROM idempotency_keys k WHERE k.expires_at <= $1 AND ${FREE} LIMIT $2`,
  forgetAnswer: `DELETE FROM idempotency_answers a USING json_array_elements($1) r, idempotency_keys k
    WHERE ${EXPIRED_OF_ROW} AND a.ix = k.ix`,
  forget: `DELETE FROM idempotency_keys k USING json_array_elements($1) r WHERE ${EXPIRED_OF_ROW}`,
  sealKeys: 'SELECT DISTINCT seal_key FROM idempotency_answers',
  count: 'SELECT count(*) FROM idempotency_keys',
  ofHash: `SELECT ${COLUMNS} FROM idempotency_keys k WHERE k.key_hash = $1 ORDER BY k.scope`,
  page: `SELECT ${COLUMNS}, length(b.sealed), CASE WHEN length(b.sealed) <= $4::bigint THEN b.sealed END
    FROM idempotency_keys k LEFT JOIN idempotency_answers b USING (ix)
    WHERE (k.key_hash, k.scope) > ($1, $2) ORDER BY k.key_hash, k.scope LIMIT $3`,
};
