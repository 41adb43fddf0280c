/** What was used, summed up from the request log (O-1). */
import { USAGE_GROUPS, type UsageGroup, type UsageQuery } from '../../ports/record-store.ts';
import type { AdminDeps } from './admin-deps.ts';
import type { AdminCall, AdminRoute } from './admin-route.ts';
import { badParameter } from './bad-parameter.ts';
import { listOf, object, queryParameter, TEXT, TEXT_OR_NULL, WHOLE } from './openapi-parts.ts';
import { pageOf, pageParameters, readPage } from './paging.ts';
import type { QueryParameters } from './query-parameters.ts';

const DEFAULT_LIMIT = 100;
const MAX_LIMIT = 1000;
/** Without `from`. */
const DEFAULT_SPAN_MS = 30 * 86_400_000;

const PARAMETERS = [
  queryParameter('by', { type: 'string', enum: USAGE_GROUPS, default: 'key' }, 'What to sum up by.'),
  queryParameter('from', { type: 'string', format: 'date-time' }, 'From this instant on; default 30 days before `to`.'),
  queryParameter('to', { type: 'string', format: 'date-time' }, 'Before this instant; default now.'),
  queryParameter('workspace', TEXT, 'Only this workspace.'),
  ...pageParameters(DEFAULT_LIMIT, MAX_LIMIT),
];

export const USAGE_SCHEMAS: Readonly<Record<string, object>> = {
  UsageSum: object({
    name: { ...TEXT_OR_NULL, description: 'Of the key, workspace or model; null = none was known.' },
    requests: WHOLE,
    failed: WHOLE,
    input_tokens: WHOLE,
    output_tokens: WHOLE,
    cost_nano_usd: WHOLE,
    waste_nano_usd: WHOLE,
    unpriced: { ...WHOLE, description: 'Successes whose cost nobody knows; they are not in `cost_nano_usd`.' },
    upstream_calls: { ...WHOLE, description: 'Upstream calls that these requests made.' },
    client_retries: { ...WHOLE, description: 'Requests that were a client’s own repeat of one that failed (D-7).' },
  }),
};

export function usageRoutes(deps: AdminDeps): AdminRoute[] {
  return [
    {
      method: 'GET',
      path: '/v1/usage',
      summary: 'Requests, tokens, cost and waste by key, workspace or model, from the records that are kept.',
      needs: 'usage.read',
      parameters: PARAMETERS,
      answer: listOf('UsageSum'),
      handle: (call) => showUsage(deps, call),
    },
  ];
}

async function showUsage(deps: AdminDeps, { query, scope }: AdminCall): Promise<object> {
  const page = readPage(query, DEFAULT_LIMIT, MAX_LIMIT);
  const workspace = query.text('workspace') ?? scope ?? undefined;
  const asked: UsageQuery = {
    by: (query.oneOf('by', USAGE_GROUPS) ?? 'key') as UsageGroup,
    ...spanOf(deps, query),
    ...(workspace === undefined ? {} : { workspace }),
  };
  // Another workspace than one's own has nothing to show; that it exists is nobody's business.
  if (scope !== null && workspace !== scope) return { data: [], next_cursor: null };
  return pageOf(await deps.gateway.records.usage(asked), ({ name }) => name ?? '', page);
}

function spanOf({ gateway }: AdminDeps, parameters: QueryParameters): Pick<UsageQuery, 'from' | 'to'> {
  const to = parameters.instant('to') ?? gateway.clock.wall() + 1;
  const from = parameters.instant('from') ?? to - DEFAULT_SPAN_MS;
  if (from > to) throw badParameter('from', 'is later than `to`');
  return { from, to };
}
