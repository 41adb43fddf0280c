/** Webhooks over HTTP (G-7): made with a secret that is shown once, tried, renewed, and what became of their messages. */
import type { ManagedObject } from '../../config/objects/config-objects.ts';
import { newWebhookSecret } from '../../config/objects/new-secret.ts';
import { webhookSchema } from '../../config/schema/operations.ts';
import type { WebhookEntry } from '../../config/snapshot.ts';
import type { AdminDeps } from './admin-deps.ts';
import type { AdminCall, AdminRoute } from './admin-route.ts';
import { bodyJsonSchema, type JsonObject } from './json-body.ts';
import { changeObject, findObject, managedSchema, shownObject } from './managed.ts';
import { NAME } from './object-name.ts';
import { objectRoutes } from './object-routes.ts';
import { FLAG, object, schemaRef, TEXT, TEXT_OR_NULL, WHOLE, WHOLE_OR_NULL } from './openapi-parts.ts';
import { patchSchema } from './patch-schema.ts';
import { conflict, denied } from './refusals.ts';

const BODY = webhookSchema.omit({ secret: true, previous_secret: true });
const ONE = '/v1/webhooks/{id}';

export const WEBHOOK_SCHEMAS: Readonly<Record<string, object>> = {
  Webhook: managedSchema(bodyJsonSchema(BODY), {
    url: TEXT,
    renewing: { ...FLAG, description: 'Messages carry the signatures of two secrets.' },
  }),
  NewWebhook: object({
    secret: { ...TEXT, description: 'What messages are signed with. Shown this once: it is kept sealed.' },
    webhook: schemaRef('Webhook'),
  }),
  WebhookTest: object({
    id: { ...TEXT, description: '`webhook-id` of the message that was sent.' },
    delivered: FLAG,
    status: WHOLE_OR_NULL,
    answer: { ...TEXT_OR_NULL, description: 'The beginning of what was answered, or why nothing was.' },
    took_ms: WHOLE,
  }),
};

export function webhookRoutes(deps: AdminDeps): AdminRoute[] {
  return [
    ...objectRoutes(deps, {
      kind: 'webhook',
      shape: 'Webhook',
      whole: BODY,
      create: BODY.extend({ name: NAME }),
      patch: patchSchema(BODY),
      needs: { read: 'webhooks.read', make: 'webhooks.change', change: 'webhooks.change' },
      summaries: {
        list: 'Webhooks by name, without their secrets.',
        make: 'Makes a webhook. Its secret is in this answer and nowhere else.',
        show: 'One webhook, without its secret.',
        change: 'Changes fields of a webhook; null takes one away. Its secret stays.',
        remove: 'Removes a webhook; what waits for it is not sent any more.',
      },
      minted: { field: 'secret', mint: newWebhookSecret, shape: 'NewWebhook' },
      show: (found) => shown(deps, found),
      filledIn: (fields, scope) => ({ ...fields, workspace: fields['workspace'] ?? scope }),
      mayBecome: mustBeOwn,
      onRemoved: (name) => deps.webhooks.removed(name),
    }),
    {
      method: 'POST',
      path: `${ONE}/renew-secret`,
      summary:
        'Gives a webhook a new secret, shown this once. Messages carry both signatures until the one before is removed.',
      needs: 'webhooks.change',
      parameters: [],
      answer: schemaRef('NewWebhook'),
      audit: 'in_change',
      handle: (call) => renew(deps, call),
    },
    {
      method: 'DELETE',
      path: `${ONE}/previous-secret`,
      summary: 'Ends the renewal of a secret: messages carry the signature of the new one alone.',
      needs: 'webhooks.change',
      parameters: [],
      answer: schemaRef('Webhook'),
      audit: 'in_change',
      handle: async (call) => {
        const current = findObject(deps, 'webhook', call.id, call.scope);
        const change = { body: current.body, schema: BODY, renewal: 'end' } as const;
        return shown(deps, await changeObject(deps, call, current, change));
      },
    },
    {
      method: 'POST',
      path: `${ONE}/test`,
      summary: 'Sends the event `webhook.test` to a webhook, now and once, and tells what came of it.',
      needs: 'webhooks.change',
      parameters: [],
      answer: schemaRef('WebhookTest'),
      audit: 'nothing',
      handle: (call) => test(deps, call),
    },
  ];
}

function shown({ gateway }: AdminDeps, found: ManagedObject): JsonObject {
  const { secrets } = gateway.snapshot().webhooks.get(found.name) ?? { secrets: [] };
  return shownObject(found, { renewing: secrets.length > 1 });
}

async function renew(deps: AdminDeps, call: AdminCall): Promise<object> {
  const current = findObject(deps, 'webhook', call.id, call.scope);
  const secret = newWebhookSecret();
  const change = { body: current.body, schema: BODY, secret, renewal: 'begin' } as const;
  return { secret, webhook: shown(deps, await changeObject(deps, call, current, change)) };
}

async function test(deps: AdminDeps, { id, scope }: AdminCall): Promise<object> {
  const { name } = findObject(deps, 'webhook', id, scope);
  const told = await deps.webhooks.test(inForce(deps, name));
  const delivered = told.status !== null && told.status >= 200 && told.status <= 299;
  return { id: told.id, delivered, status: told.status, answer: told.answer, took_ms: told.tookMs };
}

function inForce({ gateway }: AdminDeps, name: string): WebhookEntry {
  const hook = gateway.snapshot().webhooks.get(name);
  if (hook !== undefined) return hook;
  throw conflict(`The webhook \`${name}\` takes no part at the moment; its \`problem\` says why.`);
}

/** G-8. In the same words for a workspace that exists and for one that does not. */
function mustBeOwn({ scope }: AdminCall, _current: unknown, body: JsonObject): void {
  if (scope !== null && body['workspace'] !== scope) {
    throw denied(`Your webhooks belong to your workspace \`${scope}\` and tell of nothing else.`);
  }
}
