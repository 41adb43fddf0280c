/**
 * Statements of the money ledger in PostgreSQL. `accounts` holds the sums of what stands in `ledger_entries` and
 * `reservations`; whoever changes these changes it in the same statement. Transactions that change balances come one after
 * the other (`begin`): each touches several accounts, and several processes would wait for each other in a ring.
 */
import { BY_CONFIGURATION } from '../../ports/ledger.ts';
import type { LedgerSql } from '../store-sql/statements.ts';
import { isGone } from './replicas-sql.ts';

const GRANTED = `COALESCE(sum(amount) FILTER (WHERE made_by = '${BY_CONFIGURATION}'), 0)`;

/** What was added, as changes of accounts. */
const moved = (made: string): string => `INSERT INTO accounts AS c (workspace, balance, granted, held)
    SELECT workspace, sum(amount), ${GRANTED}, 0 FROM ${made} GROUP BY workspace ORDER BY workspace
    ON CONFLICT (workspace) DO UPDATE SET balance = c.balance + excluded.balance, granted = c.granted + excluded.granted`;

/** What is held no more. */
const freed = (gone: string): string => `UPDATE accounts c SET held = c.held - g.amount
    FROM (SELECT workspace, sum(amount) AS amount FROM ${gone} GROUP BY workspace) g WHERE c.workspace = g.workspace`;

export const LEDGER_SQL: LedgerSql = {
  alone: false,
  begin: `SELECT pg_advisory_xact_lock(hashtext(current_schema() || ' money')) FROM json_array_elements($1)`,
  abandon: `WITH gone AS (SELECT v.attempt_id, v.workspace, v.amount FROM reservations v, json_array_elements($1) r
      WHERE ${isGone('v.holder')} AND r ->> 0 IS NOT NULL),
    freed AS (${freed('gone')})
    DELETE FROM reservations v USING gone g WHERE v.attempt_id = g.attempt_id`,
  sums: 'SELECT workspace, balance::text, granted::text, held::text FROM accounts',
  // As long as something is left: the last one may take more than that.
  reserve: `WITH asked AS (SELECT r ->> 0 AS attempt_id, r ->> 1 AS workspace, (r ->> 2)::bigint AS amount, (r ->> 3)::bigint AS at,
        r ->> 4 AS holder, place FROM json_array_elements($1) WITH ORDINALITY AS rows (r, place)),
    known AS (SELECT attempt_id FROM asked JOIN reservations USING (attempt_id)),
    waiting AS (SELECT a.*, c.balance - c.held - COALESCE(sum(a.amount) OVER (PARTITION BY a.workspace ORDER BY a.place
        ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING), 0) AS left_before
      FROM asked a JOIN accounts c USING (workspace) WHERE a.attempt_id NOT IN (SELECT attempt_id FROM known)),
    made AS (INSERT INTO reservations (attempt_id, workspace, amount, at, holder)
      SELECT attempt_id, workspace, amount, at, holder FROM waiting WHERE left_before > 0
      RETURNING attempt_id, workspace, amount),
    held AS (UPDATE accounts c SET held = c.held + m.amount
      FROM (SELECT workspace, sum(amount) AS amount FROM made GROUP BY workspace) m WHERE c.workspace = m.workspace)
    SELECT attempt_id FROM made UNION ALL SELECT attempt_id FROM known`,
  charge: `WITH made AS (INSERT INTO ledger_entries (id, workspace, kind, amount, at, attempt_id, made_by)
      SELECT r ->> 0, r ->> 1, 'charge', (r ->> 2)::bigint, (r ->> 3)::bigint, r ->> 4, 'gateway' FROM json_array_elements($1) r
      ON CONFLICT DO NOTHING RETURNING workspace, amount, made_by)
    ${moved('made')}`,
  release: `WITH gone AS (DELETE FROM reservations v USING json_array_elements($1) r WHERE v.attempt_id = r ->> 0
      RETURNING v.workspace, v.amount)
    ${freed('gone')}`,
  add: `WITH made AS (INSERT INTO ledger_entries (id, workspace, kind, amount, at, note, made_by)
      SELECT r ->> 0, r ->> 1, r ->> 2, (r ->> 3)::bigint, (r ->> 4)::bigint, r ->> 5, r ->> 6 FROM json_array_elements($1) r
      RETURNING workspace, amount, made_by)
    ${moved('made')}`,
  grant: `WITH asked AS (SELECT DISTINCT ON (r ->> 1) r FROM json_array_elements($1) WITH ORDINALITY AS rows (r, place)
      ORDER BY r ->> 1, place),
    made AS (INSERT INTO ledger_entries (id, workspace, kind, amount, at, note, made_by)
      SELECT r ->> 0, r ->> 1, r ->> 2, (r ->> 3)::bigint, (r ->> 4)::bigint, r ->> 5, r ->> 6
      FROM asked LEFT JOIN accounts c ON c.workspace = r ->> 1 WHERE COALESCE(c.granted, 0) = (r ->> 7)::bigint
      RETURNING id, workspace, amount, made_by),
    moved AS (${moved('made')})
    SELECT id FROM made`,
  undo: `WITH gone AS (DELETE FROM ledger_entries e USING json_array_elements($1) r WHERE e.id = r ->> 0
      RETURNING e.workspace, e.amount, e.made_by)
    UPDATE accounts c SET balance = c.balance - g.amount, granted = c.granted - g.granted
    FROM (SELECT workspace, sum(amount) AS amount, ${GRANTED} AS granted FROM gone GROUP BY workspace) g
    WHERE c.workspace = g.workspace`,
  entries: `SELECT ix, id, workspace, kind, amount::text, at, attempt_id, note, made_by FROM ledger_entries
    WHERE workspace = $1 AND ix < $2 ORDER BY ix DESC LIMIT $3`,
};
