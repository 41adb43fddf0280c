/** The request log over HTTP (O-5). */
import type { RequestRecord } from '../../core/record.ts';
import { recordOf } from '../../runtime/elsewhere.ts';
import type { AdminDeps } from './admin-deps.ts';
import type { AdminCall, AdminRoute } from './admin-route.ts';
import { listOf, queryParameter, schemaRef } from './openapi-parts.ts';
import { noSuch } from './refusals.ts';
import { REQUEST_FILTERS, readRequestFilter, withinScope } from './request-filter.ts';

const DEFAULT_LIMIT = 50;
const MAX_LIMIT = 500;

const PARAMETERS = [
  ...REQUEST_FILTERS,
  queryParameter('limit', { type: 'integer', minimum: 1, maximum: MAX_LIMIT, default: DEFAULT_LIMIT }, 'Page size.'),
  queryParameter(
    'cursor',
    { type: 'string' },
    '`next_cursor` of the page before. A page with fewer rows than `limit`, or none, may have one: where few of very many requests match, the search goes on from there.',
  ),
];

export function requestRoutes(deps: AdminDeps): AdminRoute[] {
  return [
    {
      method: 'GET',
      path: '/v1/requests',
      summary: 'Requests, newest first, without stages, candidates and attempts.',
      needs: 'requests.read',
      parameters: PARAMETERS,
      answer: listOf('RequestSummary'),
      handle: ({ query, scope }) => {
        const limit = query.whole('limit', 1, MAX_LIMIT) ?? DEFAULT_LIMIT;
        const cursor = query.text('cursor');
        const filter = withinScope(readRequestFilter(query), scope);
        if (filter === null) return { data: [], next_cursor: null };
        return deps.gateway.records.list({ ...filter, limit, ...(cursor === undefined ? {} : { cursor }) });
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
