/** The request log over HTTP (O-5). */
import { OUTCOMES } from '../../core/outcome.ts';
import type { RequestRecord } from '../../core/record.ts';
import type { RequestFilter } from '../../ports/record-store.ts';
import { recordOf } from '../../runtime/elsewhere.ts';
import type { AdminDeps } from './admin-deps.ts';
import type { AdminCall, AdminRoute } from './admin-route.ts';
import { badParameter } from './bad-parameter.ts';
import { listOf, queryParameter, schemaRef } from './openapi-parts.ts';
import type { QueryParameters } from './query-parameters.ts';
import { noSuch } from './refusals.ts';

const DEFAULT_LIMIT = 50;
const MAX_LIMIT = 500;

const FILTERS = [
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
  queryParameter('limit', { type: 'integer', minimum: 1, maximum: MAX_LIMIT, default: DEFAULT_LIMIT }, 'Page size.'),
  queryParameter('cursor', { type: 'string' }, '`next_cursor` of the page before.'),
];

/** Throws `ClientError` 400 naming the parameter that can't be read. */
function readFilter(parameters: QueryParameters): RequestFilter {
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
    limit: parameters.whole('limit', 1, MAX_LIMIT) ?? DEFAULT_LIMIT,
    cursor: parameters.text('cursor'),
  };
  if (filter.from !== undefined && filter.to !== undefined && filter.from > filter.to) {
    throw badParameter('from', 'is later than `to`');
  }
  const given = Object.entries(filter).filter(([, value]) => value !== undefined);
  return Object.fromEntries(given) as unknown as RequestFilter;
}

export function requestRoutes(deps: AdminDeps): AdminRoute[] {
  return [
    {
      method: 'GET',
      path: '/v1/requests',
      summary: 'Requests, newest first, without stages, candidates and attempts.',
      needs: 'requests.read',
      parameters: FILTERS,
      answer: listOf('RequestSummary'),
      handle: ({ query, scope }) => {
        const filter = readFilter(query);
        // Another workspace than one's own has nothing to show; that it exists is nobody's business.
        if (scope !== null && (filter.workspace ?? scope) !== scope) return { data: [], next_cursor: null };
        return deps.gateway.records.list(scope === null ? filter : { ...filter, workspace: scope });
      },
    },
    {
      method: 'GET',
      path: '/v1/requests/{id}',
      summary: 'One request with its routing trace.',
      needs: 'requests.read',
      parameters: [
        queryParameter(
          'include',
          { type: 'string', enum: ['events'] },
          '`events`: also the recorded events and the setup they started from: with them every decision can be made again.',
        ),
      ],
      answer: schemaRef('RequestRecord'),
      handle: (call) => showRequest(deps, call),
    },
  ];
}

async function showRequest({ gateway }: AdminDeps, { id, query, scope }: AdminCall): Promise<RequestRecord> {
  const include = query.oneOf('include', ['events']);
  const record = await recordOf(gateway, id);
  if (record === null || (scope !== null && record.workspace !== scope)) {
    throw noSuch('request', id, '/v1/requests');
  }
  if (include === 'events') return record;
  const { events: _events, setup: _setup, ...shown } = record;
  return shown;
}
