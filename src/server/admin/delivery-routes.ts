/** What became of messages to webhooks (G-7): the delivery log, and sending one again. */
import { DELIVERY_STATES, type DeliveryRecord } from '../../ports/events.ts';
import type { AdminDeps } from './admin-deps.ts';
import type { AdminCall, AdminRoute } from './admin-route.ts';
import { badParameter } from './bad-parameter.ts';
import { findObject, instant } from './managed.ts';
import {
  INSTANT,
  INSTANT_OR_NULL,
  listOf,
  object,
  queryParameter,
  schemaRef,
  TEXT,
  TEXT_OR_NULL,
  TEXTS,
  WHOLE,
  WHOLE_OR_NULL,
} from './openapi-parts.ts';
import { pageParameters } from './paging.ts';
import { conflict, noSuch } from './refusals.ts';
import { fromStore } from './store-trouble.ts';

const DEFAULT_LIMIT = 50;
const MAX_LIMIT = 500;
/** The place of a delivery: a whole number, as the outbox gave it. */
const CURSOR = /^[1-9]\d{0,14}$/;

export const DELIVERY_SCHEMAS: Readonly<Record<string, object>> = {
  Delivery: object({
    id: { ...TEXT, description: '`webhook-id` of the message, the same in every try.' },
    webhook: TEXT,
    events: { ...TEXTS, description: 'Ids of the events it tells of.' },
    types: TEXTS,
    state: { enum: DELIVERY_STATES },
    tries: WHOLE,
    at: INSTANT,
    next_at: { ...INSTANT_OR_NULL, description: 'When it is tried next.' },
    done_at: { ...INSTANT_OR_NULL, description: 'When it was delivered or given up.' },
    status: { ...WHOLE_OR_NULL, description: 'Of the last try; null = there was no answer.' },
    answer: { ...TEXT_OR_NULL, description: 'The beginning of what was answered, or why nothing was.' },
    took_ms: WHOLE_OR_NULL,
  }),
};

export function deliveryRoutes(deps: AdminDeps): AdminRoute[] {
  return [
    {
      method: 'GET',
      path: '/v1/webhooks/{id}/deliveries',
      summary: 'Messages to a webhook and what became of them, the newest first.',
      needs: 'webhooks.read',
      parameters: [
        queryParameter('state', { type: 'string', enum: DELIVERY_STATES }, 'Only these.'),
        ...pageParameters(DEFAULT_LIMIT, MAX_LIMIT),
      ],
      answer: listOf('Delivery'),
      handle: (call) => listDeliveries(deps, call),
    },
    {
      method: 'POST',
      path: '/v1/deliveries/{id}/replay',
      summary: 'Sends a message again, at once, whatever became of it; its tries are counted anew.',
      needs: 'webhooks.change',
      parameters: [],
      answer: schemaRef('Delivery'),
      audit: ({ id }, answer) => {
        const { webhook } = answer as { readonly webhook: string };
        const workspace = deps.gateway.snapshot().webhooks.get(webhook)?.workspace ?? null;
        return { action: 'delivery.replay', object: `webhook ${webhook}`, workspace, after: { delivery: id } };
      },
      handle: (call) => replay(deps, call),
    },
  ];
}

async function listDeliveries({ webhooks, ...deps }: AdminDeps, { id, query, scope }: AdminCall): Promise<object> {
  const { name } = findObject({ webhooks, ...deps }, 'webhook', id, scope);
  const cursor = query.text('cursor');
  if (cursor !== undefined && !CURSOR.test(cursor)) throw badParameter('cursor', 'is not one that a list returned');
  const state = DELIVERY_STATES.find((one) => one === query.oneOf('state', DELIVERY_STATES));
  const page = await fromStore(() =>
    webhooks.deliveries({
      hook: name,
      limit: query.whole('limit', 1, MAX_LIMIT) ?? DEFAULT_LIMIT,
      ...(scope === null ? {} : { workspace: scope }),
      ...(state === undefined ? {} : { state }),
      ...(cursor === undefined ? {} : { cursor }),
    }),
  );
  return { data: page.data.map(shown), next_cursor: page.next_cursor };
}

async function replay(deps: AdminDeps, { id, scope }: AdminCall): Promise<object> {
  const { webhooks, gateway } = deps;
  const known = await fromStore(() => webhooks.delivery(id));
  if (known === null || (scope !== null && known.workspace !== scope)) {
    throw noSuch('delivery', id, '/v1/webhooks/{id}/deliveries');
  }
  const hook = gateway.snapshot().webhooks.get(known.hook);
  if (hook?.workspace !== known.workspace) throw conflict(`The webhook \`${known.hook}\` it was for is gone.`);
  if (!hook.enabled) throw conflict(`The webhook \`${known.hook}\` is switched off: switch it on first.`);
  const done = await fromStore(() => webhooks.replay(id));
  if (done === 'gone') throw conflict('Its events are not kept any more (`retention.events`).');
  if (done === 'under_way') throw conflict('It is being sent at this moment.');
  return shown((await fromStore(() => webhooks.delivery(id))) ?? known);
}

function shown(one: DeliveryRecord): object {
  return {
    id: one.id,
    webhook: one.hook,
    events: one.eventIds,
    types: one.types,
    state: one.state,
    tries: one.tries,
    at: instant(one.at),
    next_at: instant(one.nextAt),
    done_at: instant(one.doneAt),
    status: one.status,
    answer: one.answer,
    took_ms: one.tookMs,
  };
}
