/** Statements of kept answers in `state.db`. A later row is a later answer. */
import type { KeptSql } from '../store-sql/statements.ts';

export const KEPT_SQL: KeptSql = {
  write: `INSERT OR REPLACE INTO kept_answers
    (scope, fingerprint, workspace, at, expires_at, size, seal_key, sealed) VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
  newest: `SELECT sealed FROM kept_answers
    WHERE scope = ? AND fingerprint = ? AND at >= ? AND expires_at > ?`,
  total: 'SELECT COALESCE(SUM(size), 0) FROM kept_answers WHERE workspace = ?',
  makeRoom: `DELETE FROM kept_answers WHERE ix IN (SELECT ix FROM (
    SELECT ix, SUM(size) OVER (ORDER BY ix DESC) AS total FROM kept_answers WHERE workspace = ?) WHERE total > ?)`,
  expire: 'DELETE FROM kept_answers WHERE expires_at <= ?',
  workspaces: 'SELECT DISTINCT workspace FROM kept_answers',
  forget: 'DELETE FROM kept_answers WHERE workspace = ?',
  sealKeys: 'SELECT DISTINCT seal_key FROM kept_answers',
};
