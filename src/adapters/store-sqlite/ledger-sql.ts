/** Statements of the money ledger in `state.db`. */
import { BY_CONFIGURATION } from '../../ports/ledger.ts';
import type { LedgerSql } from '../store-sql/statements.ts';

export const LEDGER_SQL: LedgerSql = {
  alone: true,
  begin: null,
  abandon: 'DELETE FROM reservations',
  sums: `SELECT workspace, CAST(SUM(amount) AS TEXT),
      CAST(SUM(CASE WHEN made_by = '${BY_CONFIGURATION}' THEN amount ELSE 0 END) AS TEXT), '0'
    FROM ledger_entries GROUP BY workspace`,
  reserve: 'INSERT OR IGNORE INTO reservations (attempt_id, workspace, amount, at) VALUES (?, ?, ?, ?)',
  charge: `INSERT OR IGNORE INTO ledger_entries (id, workspace, kind, amount, at, attempt_id, note, made_by)
    VALUES (?, ?, 'charge', ?, ?, ?, NULL, 'gateway')`,
  release: 'DELETE FROM reservations WHERE attempt_id = ?',
  add: `INSERT INTO ledger_entries (id, workspace, kind, amount, at, attempt_id, note, made_by)
    VALUES (?, ?, ?, ?, ?, NULL, ?, ?)`,
  grant: null,
  undo: 'DELETE FROM ledger_entries WHERE id = ?',
  entries: `SELECT ix, id, workspace, kind, CAST(amount AS TEXT), at, attempt_id, note, made_by FROM ledger_entries
    WHERE workspace = ? AND ix < ? ORDER BY ix DESC LIMIT ?`,
};
