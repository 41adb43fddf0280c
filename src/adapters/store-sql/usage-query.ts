/**
 * Usage as sums over the log. In steps of so many rows along an index, so that the reading thread is free in between:
 * a sum over a year must not keep an operator from looking at one request.
 */
import type { UsageGroup, UsageQuery, UsageRow } from '../../ports/record-store.ts';
import type { PagePosition, Query } from './request-query.ts';
import type { SqlScalar } from './sql-step.ts';
import type { RequestsSql } from './statements.ts';

/** Rows per step: well under a tenth of a second, and under a second where the disk or the machine is slow; longer reads are ended. */
export const STEP_ROWS = 5000;

const GROUPED_BY: Readonly<Record<UsageGroup, string>> = {
  key: 'key',
  workspace: 'workspace',
  model: 'coalesce(served_model, requested_model)',
};

interface Where {
  readonly sql: string;
  readonly params: readonly SqlScalar[];
}

function from(query: UsageQuery, start: PagePosition | null): Where {
  const time = start === null ? 'at >= ?' : '(at, id) >= (?, ?)';
  const position = start === null ? [query.from] : [start.at, start.id];
  if (query.workspace === undefined) return { sql: `${time} AND at < ?`, params: [...position, query.to] };
  return { sql: `workspace = ? AND ${time} AND at < ?`, params: [query.workspace, ...position, query.to] };
}

/** Where the step after the one from `start` begins, as (at, id); no row when the one from `start` is the last. */
export function stepEnd(query: UsageQuery, start: PagePosition | null): Query {
  const { sql, params } = from(query, start);
  return { sql: `SELECT at, id FROM requests WHERE ${sql} ORDER BY at, id LIMIT 1 OFFSET ${STEP_ROWS}`, params };
}

/** Sums by name over the rows from `start` on and before `end`; null = from the first on, to the last. */
export function stepSums(
  { sums }: Pick<RequestsSql, 'sums'>,
  query: UsageQuery,
  start: PagePosition | null,
  end: PagePosition | null,
): Query {
  const { sql, params } = from(query, start);
  const until = end === null ? '' : ' AND (at, id) < (?, ?)';
  return {
    sql: `SELECT ${GROUPED_BY[query.by]} AS name, ${sums.join(', ')} FROM requests WHERE ${sql}${until} GROUP BY name`,
    params: end === null ? params : [...params, end.at, end.id],
  };
}

/** Adds a step's rows to what the steps before it gave. */
export function addSums(total: Map<string | null, UsageRow>, rows: readonly (readonly SqlScalar[])[]): void {
  for (const [first, ...sums] of rows) {
    const name = first === null || first === undefined ? null : String(first);
    const before = total.get(name);
    const [requests = 0, failed = 0, input = 0, output = 0, cost = 0, waste = 0, unpriced = 0, ...more] =
      sums.map(Number);
    const [calls = 0, retries = 0] = more;
    total.set(name, {
      name,
      requests: requests + (before?.requests ?? 0),
      failed: failed + (before?.failed ?? 0),
      input_tokens: input + (before?.input_tokens ?? 0),
      output_tokens: output + (before?.output_tokens ?? 0),
      cost_nano_usd: cost + (before?.cost_nano_usd ?? 0),
      waste_nano_usd: waste + (before?.waste_nano_usd ?? 0),
      unpriced: unpriced + (before?.unpriced ?? 0),
      upstream_calls: calls + (before?.upstream_calls ?? 0),
      client_retries: retries + (before?.client_retries ?? 0),
    });
  }
}
