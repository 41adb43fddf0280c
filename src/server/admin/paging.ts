/** Lists as pages: `{data, next_cursor}`, in the order of ids, so that what comes and goes moves no other entry. */
import { badParameter } from './bad-parameter.ts';
import { type QueryParameter, queryParameter } from './openapi-parts.ts';
import type { QueryParameters } from './query-parameters.ts';

export interface Page<T> {
  readonly data: readonly T[];
  readonly next_cursor: string | null;
}

export interface PageRequest {
  readonly limit: number;
  /** The last id of the page before; null = from the start. */
  readonly after: string | null;
}

/** `limit` and `cursor`, documented. */
export function pageParameters(fallback: number, max: number): QueryParameter[] {
  return [
    queryParameter('limit', { type: 'integer', minimum: 1, maximum: max, default: fallback }, 'Page size.'),
    queryParameter('cursor', { type: 'string' }, '`next_cursor` of the page before.'),
  ];
}

/** Throws `ClientError` 400 naming the parameter that can't be read. */
export function readPage(parameters: QueryParameters, fallback: number, max: number): PageRequest {
  const cursor = parameters.text('cursor');
  return {
    limit: parameters.whole('limit', 1, max) ?? fallback,
    after: cursor === undefined ? null : readCursor(cursor),
  };
}

/** @param idOf unique in the list */
export function pageOf<T>(items: readonly T[], idOf: (item: T) => string, { limit, after }: PageRequest): Page<T> {
  const sorted = items.map((item) => ({ id: idOf(item), item })).sort((a, b) => (a.id < b.id ? -1 : 1));
  const left = after === null ? sorted : sorted.filter(({ id }) => id > after);
  const page = left.slice(0, limit);
  const last = left.length > page.length ? page.at(-1) : undefined;
  return {
    data: page.map(({ item }) => item),
    next_cursor: last === undefined ? null : Buffer.from(`id ${last.id}`, 'utf8').toString('base64url'),
  };
}

function readCursor(cursor: string): string {
  const text = Buffer.from(cursor, 'base64url').toString('utf8');
  if (!text.startsWith('id ')) throw badParameter('cursor', 'is not one that a list returned');
  return text.slice('id '.length);
}
