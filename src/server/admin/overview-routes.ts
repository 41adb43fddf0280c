/** What an operator looks at first: what is served, what fails, what covers for it and what it costs (O-5). */
import { OUTCOMES } from '../../core/outcome.ts';
import { OverviewMaker } from '../../core/overview/overview.ts';
import { windowOf } from '../../core/overview/window.ts';
import type { OverviewQuery } from '../../ports/record-store.ts';
import type { AdminDeps } from './admin-deps.ts';
import type { AdminCall, AdminRoute } from './admin-route.ts';
import { badParameter } from './bad-parameter.ts';
import {
  arrayOf,
  INSTANT,
  INSTANT_OR_NULL,
  NUMBER_OR_NULL,
  object,
  queryParameter,
  schemaRef,
  TEXT,
  TEXT_OR_NULL,
  WHOLE,
} from './openapi-parts.ts';
import type { QueryParameters } from './query-parameters.ts';
import { withinScope } from './request-filter.ts';

const HOUR_MS = 3_600_000;
/** Longer windows would read a year of sums for a chart of days; usage has them. */
const MAX_SPAN_MS = 31 * 24 * HOUR_MS;
/** The last instant that a date can show. */
const LATEST_MS = 8.64e15 - MAX_SPAN_MS;

const PARAMETERS = [
  queryParameter(
    'from',
    { type: 'string', format: 'date-time' },
    'Requests that began from this instant on; default an hour before `to`.',
  ),
  queryParameter(
    'to',
    { type: 'string', format: 'date-time' },
    'And before this one; default now. At most 31 days after `from`.',
  ),
  queryParameter('workspace', TEXT, 'Only this workspace.'),
];

const COUNTS = { type: 'object', additionalProperties: WHOLE } as const;
const SUMS = {
  requests: WHOLE,
  outcomes: object(Object.fromEntries(OUTCOMES.map((outcome) => [outcome, WHOLE]))),
  retried: { ...WHOLE, description: 'Requests with an attempt that repeated a failed one at its own target.' },
  fallback: { ...WHOLE, description: 'Requests that another model answered than the one asked for.' },
  degraded: WHOLE,
  interrupted: WHOLE,
  upstream_calls: WHOLE,
  primary: schemaRef('ServedTimes'),
  fallback_latency: schemaRef('ServedTimes'),
  cost_nano_usd: WHOLE,
  waste_nano_usd: WHOLE,
};

export const OVERVIEW_SCHEMAS: Readonly<Record<string, object>> = {
  Overview: object({
    from: {
      ...INSTANT,
      description:
        'A whole minute; of windows longer than two hours a quarter of an hour, of those longer than two days two hours.',
    },
    to: INSTANT,
    step_ms: WHOLE,
    since: {
      ...INSTANT_OR_NULL,
      description:
        'Requests that began before are in no figures: an older version served them. Null = all are counted.',
    },
    totals: schemaRef('OverviewSums'),
    before: { ...schemaRef('OverviewSums'), description: 'Of the equally long time before.' },
    series: arrayOf('OverviewStep'),
    covering: arrayOf('Covering'),
    failing: arrayOf('Failing'),
  }),
  OverviewSums: object(SUMS),
  OverviewStep: object({ at: INSTANT, ...SUMS }),
  ServedTimes: object({
    served: WHOLE,
    p50_ms: { ...NUMBER_OR_NULL, description: 'Of whole times, off by less than a tenth.' },
    p99_ms: NUMBER_OR_NULL,
  }),
  Covering: object({
    requested_model: TEXT,
    served_model: TEXT,
    requests: WHOLE,
    first_at: INSTANT,
    last_at: INSTANT,
    last_request_id: TEXT,
    classes: { ...COUNTS, description: 'Requests by the class that a call of theirs failed with.' },
    skipped: {
      ...COUNTS,
      description:
        'Where no call failed: requests by the reason for which targets of the requested model were left out.',
    },
  }),
  Failing: object({
    model: TEXT,
    channel: TEXT,
    credential: TEXT_OR_NULL,
    class: TEXT,
    attempts: WHOLE,
    last_at: INSTANT,
    last_request_id: TEXT,
    provider_message: TEXT_OR_NULL,
  }),
};

export function overviewRoutes(deps: AdminDeps): AdminRoute[] {
  return [
    {
      method: 'GET',
      path: '/v1/overview',
      summary:
        'Traffic, outcomes, retries, fallbacks, latencies and cost of a window in steps, beside the time before; what covers for what, and which targets fail.',
      needs: 'usage.read',
      parameters: PARAMETERS,
      answer: schemaRef('Overview'),
      handle: (call) => showOverview(deps, call),
    },
  ];
}

async function showOverview({ gateway }: AdminDeps, { query, scope }: AdminCall): Promise<object> {
  const workspace = query.text('workspace');
  const asked: OverviewQuery = {
    ...spanOf(query, gateway.clock.wall()),
    ...(workspace === undefined ? {} : { workspace }),
  };
  const within = withinScope(asked, scope);
  if (within === null) return new OverviewMaker(windowOf(asked.from, asked.to)).overview(null);
  return gateway.records.overview(within);
}

function spanOf(query: QueryParameters, wall: number): Pick<OverviewQuery, 'from' | 'to'> {
  const to = query.instant('to') ?? wall + 1;
  if (to > LATEST_MS) throw badParameter('to', 'is later than any request');
  const from = query.instant('from') ?? to - HOUR_MS;
  if (from >= to) throw badParameter('from', 'must be earlier than `to`, which is now where it is not given');
  if (to - from > MAX_SPAN_MS) throw badParameter('from', 'is more than 31 days before `to`');
  return { from, to };
}
