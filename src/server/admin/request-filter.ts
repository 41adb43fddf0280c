/** The filters of the request log as query parameters (O-5). */
import { OUTCOMES } from '../../core/outcome.ts';
import type { RequestFilter } from '../../ports/record-store.ts';
import { badParameter } from './bad-parameter.ts';
import { queryParameter } from './openapi-parts.ts';
import type { QueryParameters } from './query-parameters.ts';

/** What requests can be filtered by, documented. */
export const REQUEST_FILTERS = [
  queryParameter('from', { type: 'string', format: 'date-time' }, 'Requests from this instant on.'),
  queryParameter('to', { type: 'string', format: 'date-time' }, 'Requests before this instant.'),
  queryParameter('workspace', { type: 'string' }, 'Name of the workspace.'),
  queryParameter('key', { type: 'string' }, 'Name of the client key.'),
  queryParameter('model', { type: 'string' }, 'Model as requested, by its own name or a virtual one’s, or as served.'),
  queryParameter('status', { type: 'integer', minimum: 100, maximum: 599 }, 'HTTP status the client got.'),
  queryParameter('outcome', { type: 'string', enum: OUTCOMES }, 'Unified outcome.'),
  queryParameter('failover', { type: 'boolean' }, 'Whether more than one model was attempted.'),
  queryParameter('degraded', { type: 'boolean' }, 'Whether the answer was degraded.'),
  queryParameter('idempotency', { type: 'string' }, 'Hash of an idempotency key, or `any`, or `none`.'),
];

/** Throws `ClientError` 400 naming the parameter that can't be read. */
export function readRequestFilter(parameters: QueryParameters): Omit<RequestFilter, 'limit' | 'cursor'> {
  const filter = {
    from: parameters.instant('from'),
    to: parameters.instant('to'),
    workspace: parameters.text('workspace'),
    key: parameters.text('key'),
    model: parameters.text('model'),
    status: parameters.whole('status', 100, 599),
    outcome: parameters.oneOf('outcome', OUTCOMES),
    failover: parameters.flag('failover'),
    degraded: parameters.flag('degraded'),
    idempotency: parameters.text('idempotency'),
  };
  if (filter.from !== undefined && filter.to !== undefined && filter.from > filter.to) {
    throw badParameter('from', 'is later than `to`');
  }
  const given = Object.entries(filter).filter(([, value]) => value !== undefined);
  return Object.fromEntries(given) as Omit<RequestFilter, 'limit' | 'cursor'>;
}

/**
 * The filter as far as the caller may see, its `scope` the one workspace it may (null = all). Null = nothing: another workspace
 * than one's own has nothing to show, and that it exists is nobody's business.
 */
export function withinScope<T extends { readonly workspace?: string }>(filter: T, scope: string | null): T | null {
  if (scope === null) return filter;
  return (filter.workspace ?? scope) === scope ? { ...filter, workspace: scope } : null;
}
