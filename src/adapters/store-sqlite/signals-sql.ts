/** Signals on SQLite (O-4). */
import type { SignalsSql } from '../store-sql/signals.ts';

export const SIGNALS_TABLE = `CREATE TABLE signals (
     kind TEXT NOT NULL,
     slot INTEGER NOT NULL,
     holder TEXT NOT NULL,
     told_at INTEGER NOT NULL,
     body TEXT NOT NULL,
     PRIMARY KEY (kind, slot, holder)
   ) WITHOUT ROWID`;

export const SIGNALS_SQL: SignalsSql = {
  put: `INSERT INTO signals (kind, slot, holder, told_at, body) VALUES (?, ?, ?, ?, ?)
    ON CONFLICT (kind, slot, holder) DO UPDATE SET told_at = excluded.told_at, body = excluded.body`,
  read: 'SELECT body FROM signals WHERE kind = ? AND slot >= ? AND slot < ? AND told_at >= ?',
  prune: 'DELETE FROM signals WHERE told_at < ?',
};
