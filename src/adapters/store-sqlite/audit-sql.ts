/** The audit log on SQLite. Append-only by triggers: retention alone takes away, and only what it names as too old. */
import type { AuditFilter } from '../../ports/audit.ts';
import type { AuditSql } from '../store-sql/audit.ts';
import type { SqlScalar } from '../store-sql/sql-step.ts';

/** `audit_retention`: one row; entries older than its `before` may be deleted. Zero outside a transaction of retention. */
export const AUDIT_TABLES = `CREATE TABLE audit (
     seq INTEGER PRIMARY KEY AUTOINCREMENT,
     at INTEGER NOT NULL,
     actor TEXT NOT NULL,
     action TEXT NOT NULL,
     object TEXT NOT NULL,
     workspace TEXT,
     request_id TEXT,
     before TEXT,
     after TEXT,
     ip TEXT
   );
   CREATE INDEX audit_by_time ON audit (at);
   CREATE INDEX audit_by_workspace ON audit (workspace, at);
   CREATE INDEX audit_by_object ON audit (object, at);
   CREATE TABLE audit_retention (before INTEGER NOT NULL);
   INSERT INTO audit_retention (before) VALUES (0);
   CREATE TRIGGER audit_never_changes BEFORE UPDATE ON audit BEGIN
     SELECT RAISE(ABORT, 'the audit log is append-only');
   END;
   CREATE TRIGGER audit_never_shrinks BEFORE DELETE ON audit
     WHEN OLD.at >= (SELECT before FROM audit_retention) BEGIN
     SELECT RAISE(ABORT, 'the audit log is append-only');
   END;
   CREATE TRIGGER audit_never_replaces BEFORE INSERT ON audit
     WHEN EXISTS (SELECT 1 FROM audit WHERE seq = NEW.seq) BEGIN
     SELECT RAISE(ABORT, 'the audit log is append-only');
   END`;

const COLUMNS = 'at, actor, action, object, workspace, request_id, before, after, ip';

/** Filter → its condition, with one place for its value. */
const CONDITIONS: readonly (readonly [keyof AuditFilter, string])[] = [
  ['from', 'at >= ?'],
  ['to', 'at < ?'],
  ['workspace', 'workspace = ?'],
  ['actor', 'actor = ?'],
  ['action', 'action = ?'],
  ['object', 'object = ?'],
  ['requestId', 'request_id = ?'],
];

export const AUDIT_SQL: AuditSql = {
  add: `INSERT INTO audit (${COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  list(filter, before, limit) {
    const values: Readonly<Record<string, SqlScalar | undefined>> = { ...filter };
    const asked = CONDITIONS.filter(([name]) => values[name] !== undefined);
    const where = ['(at, seq) < (?, ?)', ...asked.map(([, condition]) => condition)].join(' AND ');
    return {
      sql: `SELECT seq, ${COLUMNS} FROM audit WHERE ${where} ORDER BY at DESC, seq DESC LIMIT ?`,
      params: [before.at, before.seq, ...asked.map(([name]) => values[name] ?? null), limit],
    };
  },
  prune: (before, limit) => ({
    steps: [
      { sql: 'UPDATE audit_retention SET before = ?', rows: [[before]] },
      {
        sql: 'DELETE FROM audit WHERE seq IN (SELECT seq FROM audit WHERE at < ? ORDER BY at LIMIT ?)',
        rows: [[before, limit]],
      },
      { sql: 'UPDATE audit_retention SET before = 0', rows: [[]] },
    ],
    beside: 2,
  }),
};
