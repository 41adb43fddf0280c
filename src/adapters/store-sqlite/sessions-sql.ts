/** Sessions of the console, in `state.db` (G-8). */
import type { SessionsSql } from '../store-sql/sessions.ts';

export const SESSIONS_TABLE = `CREATE TABLE sessions (
     id_hash TEXT PRIMARY KEY,
     person TEXT NOT NULL,
     token_hash TEXT NOT NULL,
     csrf_token TEXT NOT NULL,
     opened_at INTEGER NOT NULL,
     used_at INTEGER NOT NULL,
     expires_at INTEGER NOT NULL
   ) WITHOUT ROWID;
   CREATE INDEX sessions_by_person ON sessions (person, opened_at);
   CREATE INDEX sessions_expiry ON sessions (expires_at)`;

const COLUMNS = 'id_hash, person, token_hash, csrf_token, opened_at, used_at, expires_at';

export const SESSIONS_SQL: SessionsSql = {
  open: `INSERT INTO sessions (${COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?)`,
  trim: `DELETE FROM sessions WHERE id_hash IN
    (SELECT id_hash FROM sessions WHERE person = ? ORDER BY opened_at DESC, id_hash LIMIT -1 OFFSET ?)`,
  find: `SELECT ${COLUMNS} FROM sessions WHERE id_hash = ? AND expires_at > ?`,
  touch: 'UPDATE sessions SET used_at = ?, expires_at = ? WHERE id_hash = ? AND used_at < ?',
  end: 'DELETE FROM sessions WHERE id_hash = ?',
  prune: 'DELETE FROM sessions WHERE expires_at <= ?',
};
