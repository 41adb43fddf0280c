/** Failed requests to SQL, newest first: steps of so many rows along the index of time, and pages of the failed ones inside them. */
import type { FailedQuery } from '../../ports/record-store.ts';
import type { PagePosition, Query } from './request-query.ts';
import type { SqlScalar } from './sql-step.ts';
import type { RequestsSql } from './statements.ts';

/** Records read at once: with their details some hundred KiB. */
export const PAGE_ROWS = 100;

/** `after`: rows before this position, newest first; null = from the newest on. */
function older(query: FailedQuery, after: PagePosition | null): Query {
  const span = query.workspace === undefined ? '' : 'workspace = ? AND ';
  const params: SqlScalar[] = query.workspace === undefined ? [] : [query.workspace];
  params.push(query.from, query.to);
  if (after === null) return { sql: `${span}at >= ? AND at < ?`, params };
  return { sql: `${span}at >= ? AND at < ? AND (at, id) < (?, ?)`, params: [...params, after.at, after.id] };
}

const NEWEST_FIRST = 'ORDER BY at DESC, id DESC';

/** The last row of the step after `start`, as (at, id); no row when it is the last step. */
export function stepEnd(query: FailedQuery, start: PagePosition | null, rows: number): Query {
  const { sql, params } = older(query, start);
  return { sql: `SELECT at, id FROM requests WHERE ${sql} ${NEWEST_FIRST} LIMIT 1 OFFSET ${rows - 1}`, params };
}

/** (at, id, summary, detail) of the failed ones after `start` and up to `end`, that included; null = to the oldest. */
export function pageOf(
  { someFailed }: Pick<RequestsSql, 'someFailed'>,
  query: FailedQuery,
  start: PagePosition | null,
  end: PagePosition | null,
): Query {
  const { sql, params } = older(query, start);
  const until = end === null ? '' : ' AND (at, id) >= (?, ?)';
  return {
    sql: `SELECT at, id, summary, detail FROM requests WHERE ${sql}${until} AND ${someFailed} ${NEWEST_FIRST} LIMIT ${PAGE_ROWS}`,
    params: end === null ? params : [...params, end.at, end.id],
  };
}
