/** What a key used and whether it rests, beside its configuration (G-6, G-11). */
import { type ManagedObject, workspaceOf } from '../../config/objects/config-objects.ts';
import type { PeriodUsage } from '../../core/limits/scope-usage.ts';
import { liftKey } from '../../runtime/key-rests.ts';
import { usd } from '../money-form.ts';
import type { AdminDeps } from './admin-deps.ts';
import type { AdminRoute } from './admin-route.ts';
import type { JsonObject } from './json-body.ts';
import { findObject, instant } from './managed.ts';
import { FLAG, INSTANT_OR_NULL, NUMBER, object, TEXT, WHOLE } from './openapi-parts.ts';

const PERIOD = object({ requests: WHOLE, tokens: WHOLE, spend_usd: NUMBER });

export const KEY_USE: Readonly<Record<string, object>> = {
  usage: object({ day: PERIOD, month: PERIOD, in_flight: WHOLE }),
  breaker: object({
    state: { enum: ['ok', 'suspended', 'banned'] },
    since: INSTANT_OR_NULL,
    until: { ...INSTANT_OR_NULL, description: 'When a suspension ends; a ban ends when it is lifted.' },
  }),
};

export function keyUse({ gateway }: AdminDeps, { name }: ManagedObject): JsonObject {
  const now = gateway.clock.now();
  const wall = gateway.clock.wall();
  const usage = gateway.limits.usage({ kind: 'key', id: name }, now, wall);
  const rest = gateway.keyBreaker.rest(name, now, wall);
  return {
    usage: { day: shownPeriod(usage.day), month: shownPeriod(usage.month), in_flight: usage.inFlight },
    breaker: {
      state: rest?.state ?? 'ok',
      since: instant(rest?.state === 'banned' ? rest.since : null),
      until: instant(rest?.state === 'suspended' ? rest.until : null),
    },
  };
}

/** In the running UTC day or month. */
function shownPeriod({ requests, tokens, spend }: PeriodUsage): JsonObject {
  return { requests, tokens, spend_usd: usd(spend) };
}

export function liftRoutes(deps: AdminDeps): AdminRoute[] {
  return [
    {
      method: 'POST',
      path: '/v1/keys/{id}/lift',
      summary: 'Ends the suspension or the ban of a client key, and forgets what led to it.',
      needs: 'keys.lift',
      parameters: [],
      audit: ({ id }, answer) =>
        (answer as { readonly lifted: boolean }).lifted
          ? { action: 'key.lift', object: `key ${id}`, workspace: workspaceOf(findObject(deps, 'key', id, null)) }
          : null,
      answer: object({ name: TEXT, lifted: { ...FLAG, description: 'False: there was nothing to lift.' } }),
      handle: ({ id, scope }) => {
        const { name } = findObject(deps, 'key', id, scope);
        return { name, lifted: liftKey(deps.gateway, name) };
      },
    },
  ];
}
