/** What lives at upstream accounts, in PostgreSQL (P-8). */
import type { BoundSql } from '../store-sql/statements.ts';

export const BOUND_SQL: BoundSql = {
  note: `INSERT INTO bound_states (workspace, id, model, channel, credential, at, expires_at)
    SELECT DISTINCT ON (1, 2) r ->> 0, r ->> 1, r ->> 2, r ->> 3, r ->> 4, (r ->> 5)::bigint, (r ->> 6)::bigint
    FROM json_array_elements($1) WITH ORDINALITY AS rows (r, place) ORDER BY 1, 2, place DESC
    ON CONFLICT (workspace, id) DO UPDATE SET model = excluded.model, channel = excluded.channel,
      credential = excluded.credential, at = excluded.at, expires_at = excluded.expires_at`,
  find: 'SELECT model, channel, credential FROM bound_states WHERE workspace = $1 AND id = $2 AND expires_at > $3',
  forget: `DELETE FROM bound_states b USING json_array_elements($1) r WHERE b.workspace = r ->> 0 AND b.id = r ->> 1`,
  expire: 'DELETE FROM bound_states b USING json_array_elements($1) r WHERE b.expires_at <= (r ->> 0)::bigint',
};
