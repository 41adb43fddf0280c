/** Statements of kept answers in PostgreSQL. A later row is a later answer. */
import type { KeptSql } from '../store-sql/statements.ts';

export const KEPT_SQL: KeptSql = {
  write: `INSERT INTO kept_answers AS k (scope, fingerprint, workspace, at, expires_at, size, seal_key, sealed)
    SELECT DISTINCT ON (1, 2) r ->> 0, r ->> 1, r ->> 2, (r ->> 3)::bigint, (r ->> 4)::bigint, (r ->> 5)::bigint, r ->> 6, us_bytes($2, r -> 7)
    FROM json_array_elements($1) WITH ORDINALITY AS rows (r, place) ORDER BY 1, 2, place DESC
    ON CONFLICT (scope, fingerprint) DO UPDATE SET ix = excluded.ix, workspace = excluded.workspace, at = excluded.at,
      expires_at = excluded.expires_at, size = excluded.size, seal_key = excluded.seal_key, sealed = excluded.sealed`,
  newest: 'SELECT sealed FROM kept_answers WHERE scope = $1 AND fingerprint = $2 AND at >= $3 AND expires_at > $4',
  total: 'SELECT COALESCE(sum(size), 0) FROM kept_answers WHERE workspace = $1',
  makeRoom: `DELETE FROM kept_answers k USING json_array_elements($1) r,
      (SELECT ix, sum(size) OVER (PARTITION BY workspace ORDER BY ix DESC) AS total FROM kept_answers
        WHERE workspace IN (SELECT w ->> 0 FROM json_array_elements($1) w)) t
    WHERE k.ix = t.ix AND k.workspace = r ->> 0 AND t.total > (r ->> 1)::bigint`,
  expire: 'DELETE FROM kept_answers k USING json_array_elements($1) r WHERE k.expires_at <= (r ->> 0)::bigint',
  workspaces: 'SELECT DISTINCT workspace FROM kept_answers',
  forget: 'DELETE FROM kept_answers k USING json_array_elements($1) r WHERE k.workspace = r ->> 0',
  sealKeys: 'SELECT DISTINCT seal_key FROM kept_answers',
};
