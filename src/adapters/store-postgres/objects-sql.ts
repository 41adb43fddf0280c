/** Statements of configuration objects in PostgreSQL. Every change counts up one number, which others look at. */
import type { ObjectsSql } from '../store-sql/statements.ts';

const COLUMNS = 'kind, name, body, version, created_at, updated_at, updated_by';
/** Of rows that begin with kind, name and the version that was read. */
const OF_ROW = 'o.kind = r ->> 0 AND o.name = r ->> 1 AND o.version = (r ->> 2)::int';

export const OBJECTS_SQL: ObjectsSql = {
  load: `SELECT ${COLUMNS} FROM objects ORDER BY ix`,
  createdAt: 'SELECT created_at FROM objects WHERE kind = $1 AND name = $2',
  insert: `INSERT INTO objects (${COLUMNS})
    SELECT r ->> 0, r ->> 1, r ->> 2, 1, (r ->> 3)::bigint, (r ->> 3)::bigint, r ->> 4 FROM json_array_elements($1) r
    ON CONFLICT (kind, name) DO NOTHING`,
  update: `UPDATE objects o SET body = r ->> 3, version = o.version + 1, updated_at = (r ->> 4)::bigint, updated_by = r ->> 5
    FROM json_array_elements($1) r WHERE ${OF_ROW}`,
  delete: `DELETE FROM objects o USING json_array_elements($1) r WHERE ${OF_ROW}`,
  revision: {
    read: `SELECT value FROM revisions WHERE name = 'objects'`,
    next: `UPDATE revisions v SET value = v.value + 1 FROM json_array_elements($1) r WHERE v.name = 'objects'`,
  },
};
