/** Sessions of the console, in PostgreSQL (G-8). */
import type { SessionsSql } from '../store-sql/sessions.ts';

export const SESSIONS_TABLE = `
  CREATE TABLE sessions (
    id_hash text PRIMARY KEY,
    person text NOT NULL,
    token_hash text NOT NULL,
    csrf_token text NOT NULL,
    opened_at bigint NOT NULL,
    used_at bigint NOT NULL,
    expires_at bigint NOT NULL
  ) WITH (fillfactor = 50);
  CREATE INDEX sessions_by_person ON sessions (person, opened_at);
  CREATE INDEX sessions_expiry ON sessions (expires_at);`;

const COLUMNS = 'id_hash, person, token_hash, csrf_token, opened_at, used_at, expires_at';

export const SESSIONS_SQL: SessionsSql = {
  open: `INSERT INTO sessions (${COLUMNS})
    SELECT r ->> 0, r ->> 1, r ->> 2, r ->> 3, (r ->> 4)::bigint, (r ->> 5)::bigint, (r ->> 6)::bigint
    FROM json_array_elements($1) r`,
  trim: `DELETE FROM sessions s USING json_array_elements($1) r WHERE s.person = r ->> 0 AND s.id_hash NOT IN
    (SELECT o.id_hash FROM sessions o WHERE o.person = r ->> 0 ORDER BY o.opened_at DESC, o.id_hash LIMIT (r ->> 1)::int)`,
  find: `SELECT ${COLUMNS} FROM sessions WHERE id_hash = $1 AND expires_at > $2`,
  touch: `UPDATE sessions s SET used_at = (r ->> 0)::bigint, expires_at = (r ->> 1)::bigint
    FROM json_array_elements($1) r WHERE s.id_hash = r ->> 2 AND s.used_at < (r ->> 3)::bigint`,
  end: 'DELETE FROM sessions s USING json_array_elements($1) r WHERE s.id_hash = r ->> 0',
  prune: 'DELETE FROM sessions s USING json_array_elements($1) r WHERE s.expires_at <= (r ->> 0)::bigint',
};
