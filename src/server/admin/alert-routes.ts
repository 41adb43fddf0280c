/** What an operator should know now, and what was told of late (O-4). */
import type { ActiveAlert } from '../../core/signals/active-alerts.ts';
import { raisedWords } from '../../core/signals/alert-words.ts';
import type { AlertGroup } from '../../ports/alerts.ts';
import type { AdminDeps } from './admin-deps.ts';
import type { AdminCall, AdminRoute } from './admin-route.ts';
import { instant } from './managed.ts';
import { INSTANT, listOf, NUMBER_OR_NULL, object, queryParameter, TEXT, TEXT_OR_NULL, WHOLE } from './openapi-parts.ts';
import { pageOf, pageParameters, readPage } from './paging.ts';

const STATES = ['active', 'over', 'told'] as const;
type AlertState = (typeof STATES)[number];

/** A row, and where it stands in the list. */
interface Row {
  readonly order: string;
  readonly workspace: string | null;
  readonly shown: { readonly state: AlertState } & Readonly<Record<string, unknown>>;
}

const DEFAULT_LIMIT = 100;
const MAX_LIMIT = 500;

export const ALERT_SCHEMAS: Readonly<Record<string, object>> = {
  Alert: object({
    kind: { ...TEXT, description: '`alert.NAME` = built in (O-4).' },
    state: {
      enum: STATES,
      description: '`active` and `over`: a built-in alert that is on, or was. `told`: something that happened.',
    },
    subject: {
      ...TEXT_OR_NULL,
      description: 'Channel, credential or workspace; null = all requests, or named in the message.',
    },
    message: TEXT,
    value: { ...NUMBER_OR_NULL, description: 'The measured figure; milliseconds where it is a time.' },
    threshold: { ...NUMBER_OR_NULL, description: 'The one it has passed.' },
    first_at: INSTANT,
    last_at: INSTANT,
    count: { ...WHOLE, description: 'How often it was raised at this replica since its start.' },
    request_id: { ...TEXT_OR_NULL, description: 'Of the latest.' },
  }),
};

export function alertRoutes(deps: AdminDeps): AdminRoute[] {
  return [
    {
      method: 'GET',
      path: '/v1/alerts',
      summary: 'Built-in alerts that are on, of all replicas; then what this replica told of late, the latest first.',
      needs: 'alerts.read',
      parameters: [
        queryParameter('state', { type: 'string', enum: STATES }, 'Only these.'),
        ...pageParameters(DEFAULT_LIMIT, MAX_LIMIT),
      ],
      answer: listOf('Alert'),
      handle: (call) => listAlerts(deps, call),
    },
  ];
}

function listAlerts({ alerts }: AdminDeps, { query, scope }: AdminCall): object {
  const state = query.oneOf('state', STATES);
  const page = readPage(query, DEFAULT_LIMIT, MAX_LIMIT);
  const active = alerts.active();
  const on = new Set(active.map(({ name, subject }) => `alert.${name} ${subject}`));
  const told = alerts.recent().filter(({ kind, signal }) => signal === null || !on.has(`${kind} ${signal.subject}`));
  const rows = [...active.map(activeRow), ...told.map(toldRow)]
    .filter(({ workspace }) => scope === null || workspace === scope)
    .filter(({ shown }) => state === undefined || shown.state === state);
  const { data, next_cursor } = pageOf(rows, ({ order }) => order, page);
  return { data: data.map(({ shown }) => shown), next_cursor };
}

function activeRow(alert: ActiveAlert): Row {
  const { name, subject, workspace = null, value, threshold, since, lastSeen } = alert;
  return {
    order: `0 ${lateFirst(since)} ${name} ${subject}`,
    workspace,
    shown: {
      kind: `alert.${name}`,
      state: 'active',
      subject,
      message: raisedWords(alert),
      value,
      threshold,
      first_at: instant(since),
      last_at: instant(lastSeen),
      count: 1,
      request_id: null,
    },
  };
}

function toldRow({ kind, message, firstAt, lastAt, count, requestId, workspace, signal }: AlertGroup): Row {
  return {
    order: `1 ${lateFirst(lastAt)} ${kind} ${message}`,
    workspace,
    shown: {
      kind,
      state: signal === null ? 'told' : 'over',
      subject: signal?.subject ?? null,
      message,
      value: signal?.value ?? null,
      threshold: signal?.threshold ?? null,
      first_at: instant(firstAt),
      last_at: instant(lastAt),
      count,
      request_id: requestId,
    },
  };
}

/** Sorts as text, the latest first. */
function lateFirst(at: number): string {
  return String(Number.MAX_SAFE_INTEGER - Math.floor(at)).padStart(16, '0');
}
