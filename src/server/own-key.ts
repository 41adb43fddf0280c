/** `GET /v1/key`: what the caller's own key may, has used and has left (G-11). */
import type { FastifyInstance } from 'fastify';
import type { KeyEntry, WorkspaceEntry } from '../config/snapshot.ts';
import type { Limits } from '../core/limits/limits.ts';
import type { LimitUsage, PeriodUsage } from '../core/limits/scope-usage.ts';
import { recognise } from '../runtime/authenticate.ts';
import type { Gateway } from '../runtime/gateway.ts';
import { requestIdOf, sendError } from './error-reply.ts';
import { shownLimits, usd, usdOrNull } from './money-form.ts';

export function registerOwnKey(app: FastifyInstance, gateway: Gateway): void {
  app.get('/v1/key', async (request, reply) => {
    requestIdOf(gateway, reply);
    reply.header('cache-control', 'no-store');
    const { principal, snapshot } = await recognise(gateway, request.raw);
    if (!principal.ok) return sendError(gateway, reply, principal.error);
    const { key } = principal.value;
    return reply.send(shownKey(gateway, key, snapshot.workspaces.get(key.workspace)));
  });
}

function shownKey(gateway: Gateway, key: KeyEntry, workspace: WorkspaceEntry | undefined): object {
  const now = gateway.clock.now();
  const wall = gateway.clock.wall();
  const usage = gateway.limits.usage({ kind: 'key', id: key.name }, now, wall);
  const ofWorkspace = gateway.limits.usage({ kind: 'workspace', id: key.workspace }, now, wall);
  const rest = gateway.keyBreaker.rest(key.name, now, wall);
  return {
    name: key.name,
    workspace: key.workspace,
    state: rest?.state ?? 'ok',
    suspended_until: rest?.state === 'suspended' ? new Date(rest.until).toISOString() : null,
    expires_at: key.expiresAt === null ? null : new Date(key.expiresAt).toISOString(),
    models: key.models,
    limits: shownLimits(key.limits),
    usage: { in_flight: usage.inFlight, day: shownPeriod(usage.day), month: shownPeriod(usage.month) },
    remaining: remaining(key.limits, usage),
    workspace_limits: shownLimits(workspace?.limits ?? null),
    workspace_remaining: remaining(workspace?.limits ?? null, ofWorkspace),
    balance: {
      prepaid: gateway.accounts.isPrepaid(key.workspace),
      balance_usd: usdOrNull(gateway.accounts.balance(key.workspace)),
      available_usd: usdOrNull(gateway.accounts.available(key.workspace)),
    },
  };
}

/** Of the running UTC day or month: what is settled. */
function shownPeriod({ start, end, requests, tokens, spend }: PeriodUsage): object {
  const [from, to] = [new Date(start).toISOString(), new Date(end).toISOString()];
  return { from, to, requests, tokens, spend_usd: usd(spend) };
}

/** What is left of each limit there is, what running requests may use taken off; never below 0. Null = no limits. */
function remaining(limits: Limits | null, usage: LimitUsage): Readonly<Record<string, number>> | null {
  if (limits === null) return null;
  const { minute, day, month, heldTokens, heldSpend } = usage;
  const left = (limit: number | null, used: number): number | null =>
    limit === null ? null : Math.max(0, limit - used);
  const money = (limit: bigint | null, used: bigint): number | null =>
    limit === null ? null : usd(limit > used ? limit - used : 0n);
  const all: Readonly<Record<string, number | null>> = {
    rpm: left(limits.requestsPerMinute, minute.requests),
    tpm: left(limits.tokensPerMinute, minute.tokens),
    rpd: left(limits.requestsPerDay, day.requests),
    concurrent: left(limits.concurrent, usage.inFlight),
    tokens_per_day: left(limits.tokensPerDay, day.tokens + heldTokens),
    tokens_per_month: left(limits.tokensPerMonth, month.tokens + heldTokens),
    usd_per_day: money(limits.spendPerDay, day.spend + heldSpend),
    usd_per_month: money(limits.spendPerMonth, month.spend + heldSpend),
  };
  return Object.fromEntries(Object.entries(all).filter((entry): entry is [string, number] => entry[1] !== null));
}
