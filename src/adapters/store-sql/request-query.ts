/** Filters to SQL (O-5). Values are parameters, always; only literals of this file are part of the text. */
import { ClientError, gatewayError } from '../../core/errors/catalogue.ts';
import type { RequestFilter } from '../../ports/record-store.ts';
import type { SqlScalar } from './sql-step.ts';
import type { RequestsSql } from './statements.ts';

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

interface Condition {
  readonly sql: string;
  readonly params: readonly SqlScalar[];
}

function conditionsOf(sql: RequestsSql, filter: RequestFilter): Condition[] {
  const found: Condition[] = [];
  const add = (text: string, ...params: SqlScalar[]) => found.push({ sql: text, params });
  if (filter.from !== undefined) add('at >= ?', filter.from);
  if (filter.to !== undefined) add('at < ?', filter.to);
  if (filter.workspace !== undefined) add('workspace = ?', filter.workspace);
  if (filter.key !== undefined) add('key = ?', filter.key);
  // Literals, so that the partial indexes apply: what went well needs none, being nearly everything. An error status
  // never has the outcome success (O-1).
  if (filter.status !== undefined) add(`status = ?${filter.status >= 400 ? UNSUCCESSFUL : ''}`, filter.status);
  if (filter.outcome !== undefined)
    add(`outcome = ?${filter.outcome === 'success' ? '' : UNSUCCESSFUL}`, filter.outcome);
  if (filter.failover !== undefined) add(sql.flag('failover', filter.failover));
  if (filter.degraded !== undefined) add(sql.flag('degraded', filter.degraded));
  if (filter.idempotency === 'any') add('idempotency IS NOT NULL');
  else if (filter.idempotency === 'none') add('idempotency IS NULL');
  else if (filter.idempotency !== undefined) add('idempotency = ?', filter.idempotency);
  if (filter.cursor !== undefined) {
    const { at, id } = readCursor(filter.cursor);
    add('(at, id) < (?, ?)', at, id);
  }
  return found;
}

const UNSUCCESSFUL = " AND outcome <> 'success'";
const NEWEST_FIRST = 'ORDER BY at DESC, id DESC LIMIT ?';

function select(conditions: readonly Condition[], limit: number): Query {
  const where = conditions.length === 0 ? '' : `WHERE ${conditions.map(({ sql }) => sql).join(' AND ')}`;
  return {
    sql: `SELECT at, id, summary FROM requests ${where} ${NEWEST_FIRST}`,
    params: [...conditions.flatMap(({ params }) => params), limit],
  };
}

/**
 * The page as rows (at, id, summary), one more than `limit` when there is a next page. A model matches as requested, as
 * served or as the virtual model that was asked for: a walk each along an index of its own, as one OR would read every
 * row in between.
 */
export function listQuery(sql: RequestsSql, filter: RequestFilter): Query {
  const conditions = conditionsOf(sql, filter);
  const limit = filter.limit + 1;
  if (filter.model === undefined) return select(conditions, limit);
  const { model } = filter;
  const walk = (text: string, ...params: SqlScalar[]): Query => select([{ sql: text, params }, ...conditions], limit);
  const notRequested = sql.isNot('requested_model');
  // Each leaves out what those before it find.
  const walks = [
    walk('requested_model = ?', model),
    walk(`served_model = ? AND ${notRequested}`, model, model),
    walk(`virtual_model = ? AND ${notRequested} AND ${sql.isNot('served_model')}`, model, model, model),
  ];
  const found = walks.map((one, ix) => `SELECT * FROM (${one.sql}) w${ix}`).join(' UNION ALL ');
  return {
    sql: `SELECT at, id, summary FROM (${found}) w ${NEWEST_FIRST}`,
    params: [...walks.flatMap(({ params }) => params), limit],
  };
}
