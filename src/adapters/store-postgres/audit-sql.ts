/** The audit log on PostgreSQL. Append-only by triggers: retention alone takes away, and only what it names as too old. */
import type { AuditFilter } from '../../ports/audit.ts';
import type { AuditSql } from '../store-sql/audit.ts';
import type { SqlScalar } from '../store-sql/sql-step.ts';

/** `audit_retention`: one row; entries older than its `before` may be deleted. Zero outside a transaction of retention. */
export const AUDIT_TABLES = `
  CREATE TABLE audit (
    seq bigserial PRIMARY KEY,
    at bigint NOT NULL,
    actor text NOT NULL,
    action text NOT NULL,
    object text NOT NULL,
    workspace text,
    request_id text,
    before text,
    after text,
    ip text
  );
  CREATE INDEX audit_by_time ON audit (at);
  CREATE INDEX audit_by_workspace ON audit (workspace, at);
  CREATE INDEX audit_by_object ON audit (object, at);
  CREATE TABLE audit_retention (before bigint NOT NULL);
  INSERT INTO audit_retention (before) VALUES (0);
  CREATE FUNCTION us_append_only() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      IF TG_OP = 'DELETE' AND OLD.at < (SELECT before FROM audit_retention) THEN
        RETURN OLD;
      END IF;
      RAISE EXCEPTION 'the audit log is append-only';
    END $$;
  CREATE TRIGGER audit_never_changes BEFORE UPDATE OR DELETE ON audit FOR EACH ROW EXECUTE FUNCTION us_append_only();
  CREATE TRIGGER audit_never_empties BEFORE TRUNCATE ON audit EXECUTE FUNCTION us_append_only();`;

const COLUMNS = 'at, actor, action, object, workspace, request_id, before, after, ip';

/** Filter → its column and comparison. */
const CONDITIONS: readonly (readonly [keyof AuditFilter, string])[] = [
  ['from', 'at >='],
  ['to', 'at <'],
  ['workspace', 'workspace ='],
  ['actor', 'actor ='],
  ['action', 'action ='],
  ['object', 'object ='],
  ['requestId', 'request_id ='],
];

export const AUDIT_SQL: AuditSql = {
  add: `INSERT INTO audit (${COLUMNS})
    SELECT (r ->> 0)::bigint, r ->> 1, r ->> 2, r ->> 3, r ->> 4, r ->> 5, r ->> 6, r ->> 7, r ->> 8 FROM json_array_elements($1) r`,
  list(filter, before, limit) {
    const values: Readonly<Record<string, SqlScalar | undefined>> = { ...filter };
    const asked = CONDITIONS.filter(([name]) => values[name] !== undefined);
    const more = asked.map(([, condition], index) => ` AND ${condition} $${index + 4}`).join('');
    return {
      sql: `SELECT seq, ${COLUMNS} FROM audit WHERE (at, seq) < ($1, $2)${more} ORDER BY at DESC, seq DESC LIMIT $3`,
      params: [before.at, before.seq, limit, ...asked.map(([name]) => values[name] ?? null)],
    };
  },
  prune: (before, limit) => ({
    steps: [
      { sql: 'UPDATE audit_retention SET before = (r ->> 0)::bigint FROM json_array_elements($1) r', rows: [[before]] },
      {
        sql: `DELETE FROM audit WHERE seq IN (SELECT seq FROM audit WHERE at < ($1 -> 0 ->> 0)::bigint ORDER BY at
          LIMIT ($1 -> 0 ->> 1)::int)`,
        rows: [[before, limit]],
      },
      { sql: 'UPDATE audit_retention SET before = 0 FROM json_array_elements($1)', rows: [[]] },
    ],
    beside: 2,
  }),
};
