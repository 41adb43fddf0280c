/** What lives at upstream accounts, in `state.db` (P-8). */
import type { BoundSql } from '../store-sql/statements.ts';

export const BOUND_STATE_TABLE = `CREATE TABLE bound_states (
     workspace TEXT NOT NULL,
     id TEXT NOT NULL,
     model TEXT NOT NULL,
     channel TEXT NOT NULL,
     credential TEXT,
     at INTEGER NOT NULL,
     expires_at INTEGER NOT NULL,
     PRIMARY KEY (workspace, id)
   ) WITHOUT ROWID;
   CREATE INDEX bound_states_expiry ON bound_states (expires_at)`;

export const BOUND_SQL: BoundSql = {
  note: `INSERT OR REPLACE INTO bound_states (workspace, id, model, channel, credential, at, expires_at)
    VALUES (?, ?, ?, ?, ?, ?, ?)`,
  find: 'SELECT model, channel, credential FROM bound_states WHERE workspace = ? AND id = ? AND expires_at > ?',
  forget: 'DELETE FROM bound_states WHERE workspace = ? AND id = ?',
  expire: 'DELETE FROM bound_states WHERE expires_at <= ?',
};
