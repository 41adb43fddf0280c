/** Statements of the request log in its SQLite file. */
import { REQUEST_COLUMNS } from '../store-sql/record-row.ts';
import type { RequestsSql } from '../store-sql/statements.ts';
import { type SummaryField, summaryPath } from '../store-sql/stored-fields.ts';

const of = (field: SummaryField, index?: number): string => `json_extract(summary, '${summaryPath(field, index)}')`;
const sum = (value: string): string => `sum(coalesce(${value}, 0))`;

export const REQUESTS_SQL: RequestsSql = {
  // A batch is sent again when its answer got lost: the second writing changes nothing.
  insert: `INSERT INTO requests (${REQUEST_COLUMNS.join(', ')})
    VALUES (${REQUEST_COLUMNS.map(() => '?').join(', ')}) ON CONFLICT (id) DO NOTHING`,
  insertSnapshot: `INSERT INTO snapshots (id, names, registered_at) VALUES (?, ?, ?)
    ON CONFLICT (id) DO UPDATE SET retired_at = NULL`,
  retireOtherSnapshots: 'UPDATE snapshots SET retired_at = ? WHERE id <> ? AND retired_at IS NULL',
  insertSetupPart: `INSERT INTO setup_parts (id, content, used_at) VALUES (?, ?, ?)
    ON CONFLICT (id) DO UPDATE SET used_at = max(used_at, excluded.used_at)`,
  get: `SELECT summary, detail, names FROM requests LEFT JOIN snapshots ON snapshots.id = requests.snapshot
    WHERE requests.id = ?`,
  setupParts: 'SELECT id, content FROM setup_parts WHERE id IN (SELECT value FROM json_each(?))',
  flag: (column, is) => `${column} = ${is ? 1 : 0}`,
  // Without statistics it would take the index it likes, and look at every row of a workspace for one that was degraded.
  along: (index) => `requests INDEXED BY ${index}`,
  isNot: (column) => `${column} IS NOT ?`,
  someFailed: `(failover = 1 OR ${of('upstream_calls')} > 1 OR (outcome <> 'success' AND ${of('upstream_calls')} > 0))`,
  sums: [
    'count(*)',
    "sum(outcome <> 'success')",
    sum(of('usage', 0)),
    sum(of('usage', 1)),
    sum(of('cost_nano_usd')),
    sum(of('waste_nano_usd')),
    `sum(outcome = 'success' AND ${of('cost_nano_usd')} IS NULL)`,
    sum(of('upstream_calls')),
    `sum(json_extract(summary, '${summaryPath('client_retry')}.count') > 0)`,
  ],
  putFigures: `INSERT INTO figures (grain, scope, slot, part, body) VALUES (?, ?, ?, ?, ?)
    ON CONFLICT (grain, scope, slot, part) DO UPDATE SET body = excluded.body`,
  readFigures: `SELECT slot, part, body FROM figures
    WHERE grain = ? AND scope = ? AND slot >= ? AND slot < ? AND (slot, part) > (?, ?) ORDER BY slot, part LIMIT ?`,
  figuresSince: 'SELECT slot FROM figures WHERE grain = 0',
  countKeyed: 'SELECT count(*) FROM requests WHERE idempotency IS NOT NULL',
  nextKeyed: `SELECT idempotency, at, id, summary FROM requests
    WHERE idempotency IS NOT NULL AND (idempotency, at, id) > (?, ?, ?) ORDER BY idempotency, at, id LIMIT ?`,
};
