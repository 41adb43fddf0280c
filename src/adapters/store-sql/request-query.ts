/**
 * Filters to SQL (O-5). Values are parameters, always; only literals of this file are part of the text. A list is read along
 * one index, newest first, and what the index does not know is looked at row by row: in steps of so many rows, so that a
 * search for what nearly no request has keeps nobody else waiting.
 */
import { ClientError, gatewayError } from '../../core/errors/catalogue.ts';
import type { RequestFilter } from '../../ports/record-store.ts';
import type { SqlScalar } from './sql-step.ts';
import type { RequestIndex, RequestsSql } from './statements.ts';

/** A statement and its values. */
export interface Query {
  readonly sql: string;
  readonly params: readonly SqlScalar[];
}

/** Where a page ends: the next one starts behind it. Newest first by (at, id). */
export interface PagePosition {
  readonly at: number;
  readonly id: string;
}

/** As `readCursor` takes it. */
export function writeCursor(position: PagePosition): string {
  return Buffer.from(`${position.at} ${position.id}`, 'utf8').toString('base64url');
}

/** Throws `ClientError` 400 naming `cursor` when it is none of ours. */
export function readCursor(cursor: string): PagePosition {
  const match = /^(-?\d{1,16}) ([\x21-\x7e]{1,256})$/.exec(Buffer.from(cursor, 'base64url').toString('utf8'));
  const [, at, id] = match ?? [];
  if (at === undefined || id === undefined) {
    const message = '`cursor` is not one that a list returned; take `next_cursor` of the page before, unchanged.';
    throw new ClientError(gatewayError('invalid_parameter', message, { param: 'cursor' }));
  }
  return { at: Number(at), id };
}

type ListSql = Pick<RequestsSql, 'flag' | 'isNot' | 'along'>;

/** Rows along one index, in its order: those that its condition lets through. */
interface Walk {
  readonly index: RequestIndex;
  readonly where: readonly Query[];
}

/** A way through the log: walks that share no row. */
export interface Way {
  readonly walks: readonly Walk[];
  /** What the walks' conditions leave to be looked at in each row. */
  readonly rest: readonly Query[];
}

interface Condition {
  /** On each row. */
  readonly row: Query;
  /** Along the index that knows it, and what is then left to look at; null = there is none. */
  readonly along: { readonly walks: readonly Walk[]; readonly left: Query | null } | null;
}

const query = (sql: string, ...params: SqlScalar[]): Query => ({ sql, params });
const UNSUCCESSFUL = query("outcome <> 'success'");

function onRow(sql: string, ...params: SqlScalar[]): Condition {
  return { row: query(sql, ...params), along: null };
}

function indexed(index: RequestIndex, row: Query, left: Query | null = null): Condition {
  const where = left === null ? row : UNSUCCESSFUL;
  return { row, along: { walks: [{ index, where: [where] }], left } };
}

/** A model matches as requested, as served or as the virtual model that was asked for. */
function ofModel(sql: ListSql, model: string): Condition {
  const notRequested = query(sql.isNot('requested_model'), model);
  // Each leaves out what those before it find.
  const walks: Walk[] = [
    { index: 'requests_by_requested', where: [query('requested_model = ?', model)] },
    { index: 'requests_by_served', where: [query('served_model = ?', model), notRequested] },
    {
      index: 'requests_by_virtual',
      where: [query('virtual_model = ?', model), notRequested, query(sql.isNot('served_model'), model)],
    },
  ];
  const row = query('(requested_model = ? OR served_model = ? OR virtual_model = ?)', model, model, model);
  return { row, along: { walks, left: null } };
}

/** In the order in which they are tried: what few requests have comes first. */
function conditionsOf(sql: ListSql, filter: RequestFilter): Condition[] {
  const { idempotency, degraded, failover, model, key, workspace } = filter;
  const found: Condition[] = [];
  if (idempotency === 'any') found.push(onRow('idempotency IS NOT NULL'));
  else if (idempotency === 'none') found.push(onRow('idempotency IS NULL'));
  else if (idempotency !== undefined)
    found.push(indexed('requests_by_idempotency', query('idempotency = ?', idempotency)));
  if (degraded !== undefined) {
    const is = query(sql.flag('degraded', degraded));
    found.push(degraded ? indexed('requests_degraded', is) : { row: is, along: null });
  }
  if (failover !== undefined) {
    const is = query(sql.flag('failover', failover));
    found.push(failover ? indexed('requests_failed_over', is) : { row: is, along: null });
  }
  found.push(...conditionsOnEnd(filter));
  if (key !== undefined) found.push(indexed('requests_by_key', query('key = ?', key)));
  if (model !== undefined) found.push(ofModel(sql, model));
  if (workspace !== undefined) found.push(indexed('requests_by_workspace', query('workspace = ?', workspace)));
  return found;
}

/** How it ended. What went well needs no index, being nearly everything; an error status never has the outcome success (O-1). */
function conditionsOnEnd({ status, outcome }: RequestFilter): Condition[] {
  const found: Condition[] = [];
  if (status !== undefined) {
    const is = query('status = ?', status);
    found.push(status >= 400 ? indexed('requests_unsuccessful', is, is) : { row: is, along: null });
  }
  if (outcome !== undefined) {
    const is = query('outcome = ?', outcome);
    found.push(outcome === 'success' ? { row: is, along: null } : indexed('requests_unsuccessful', is, is));
  }
  return found;
}

/** The ways to what a filter finds, the likeliest to be short first; at least the one through all requests by time. */
export function waysOf(sql: ListSql, filter: RequestFilter): readonly Way[] {
  const conditions = conditionsOf(sql, filter);
  const ways = conditions.flatMap(({ along }, own): Way[] => {
    if (along === null) return [];
    const others = conditions.filter((_, ix) => ix !== own).map(({ row }) => row);
    return [{ walks: along.walks, rest: along.left === null ? others : [along.left, ...others] }];
  });
  const byTime = { walks: [{ index: 'requests_by_time', where: [] }] as const, rest: conditions.map(({ row }) => row) };
  return [...ways, byTime];
}

/** A stretch of time and places in it: what is older than `after` and not older than `end`; null = no such bound. */
export interface Stretch {
  readonly filter: Pick<RequestFilter, 'from' | 'to'>;
  readonly after: PagePosition | null;
  readonly end: PagePosition | null;
}

function within({ filter: { from, to }, after, end }: Stretch): Query[] {
  return [
    ...(from === undefined ? [] : [query('at >= ?', from)]),
    ...(to === undefined ? [] : [query('at < ?', to)]),
    // Twice: by the instant alone whole days are left out where days lie apart.
    ...(after === null ? [] : [query('at <= ? AND (at, id) < (?, ?)', after.at, after.at, after.id)]),
    ...(end === null ? [] : [query('at >= ? AND (at, id) >= (?, ?)', end.at, end.at, end.id)]),
  ];
}

const NEWEST_FIRST = 'ORDER BY at DESC, id DESC';

function select(sql: ListSql, columns: string, { index }: Walk, conditions: readonly Query[], tail: Query): Query {
  const where = conditions.length === 0 ? '' : `WHERE ${conditions.map((one) => one.sql).join(' AND ')}`;
  return {
    sql: `SELECT ${columns} FROM ${sql.along(index)} ${where} ${tail.sql}`,
    params: [...conditions.flatMap(({ params }) => params), ...tail.params],
  };
}

function union(all: readonly Query[]): Query {
  return {
    sql: all.map(({ sql }, ix) => `SELECT * FROM (${sql}) w${ix}`).join(' UNION ALL '),
    params: all.flatMap(({ params }) => params),
  };
}

/** Rows (at, id, summary) of a stretch of a way, newest first, at most so many. */
export function rowsOf(sql: ListSql, { walks, rest }: Way, stretch: Stretch, limit: number): Query {
  const tail = query(`${NEWEST_FIRST} LIMIT ?`, limit);
  const all = walks.map((walk) =>
    select(sql, 'at, id, summary', walk, [...walk.where, ...within(stretch), ...rest], tail),
  );
  const [only] = all;
  if (all.length === 1 && only !== undefined) return only;
  const found = union(all);
  return { sql: `SELECT at, id, summary FROM (${found.sql}) w ${tail.sql}`, params: [...found.params, ...tail.params] };
}

/** Where a step of so many rows along each walk ends, as (at, id) per walk that is longer; its newest is where all may stop. */
export function stepEndsOf(sql: ListSql, { walks }: Way, stretch: Stretch, rows: number): Query {
  const tail = query(`${NEWEST_FIRST} LIMIT 1 OFFSET ?`, rows - 1);
  // Along the first condition alone: the others of a walk would be looked at in each row.
  return union(walks.map((walk) => select(sql, 'at, id', walk, [...walk.where.slice(0, 1), ...within(stretch)], tail)));
}

/** How many rows a way has, counted up to `most` along each of its walks. */
export function lengthOf(sql: ListSql, { walks }: Way, stretch: Stretch, most: number): Query {
  const all = walks.map((walk) =>
    select(sql, '1 AS one', walk, [...walk.where.slice(0, 1), ...within(stretch)], query('LIMIT ?', most)),
  );
  const found = union(all);
  return { sql: `SELECT count(*) FROM (${found.sql}) w`, params: found.params };
}
