/** Statements of configuration objects in `state.db`. */
import type { ObjectsSql } from '../store-sql/statements.ts';

const COLUMNS = 'kind, name, body, version, created_at, updated_at, updated_by';

export const OBJECTS_SQL: ObjectsSql = {
  load: `SELECT ${COLUMNS} FROM objects ORDER BY ix`,
  createdAt: 'SELECT created_at FROM objects WHERE kind = ? AND name = ?',
  insert: `INSERT INTO objects (${COLUMNS}) VALUES (?1, ?2, ?3, 1, ?4, ?4, ?5) ON CONFLICT (kind, name) DO NOTHING`,
  update: `UPDATE objects SET body = ?4, version = version + 1, updated_at = ?5, updated_by = ?6
    WHERE kind = ?1 AND name = ?2 AND version = ?3`,
  delete: 'DELETE FROM objects WHERE kind = ? AND name = ? AND version = ?',
  revision: null,
};
