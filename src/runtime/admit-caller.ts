/** G-11: a caller's own limits, before anything is planned: room is taken for the whole request and given back at its end. */
import type { KeyEntry } from '../config/snapshot.ts';
import type { GatewayError } from '../core/errors/gateway-error.ts';
import { type LimitAdmission, type LimitLease, LOW_PRIORITY_SHARE } from '../core/limits/limit-board.ts';
import { limitError } from '../core/limits/limit-error.ts';
import type { Expected, LimitScope } from '../core/limits/limits.ts';
import { rateLimitHeaders } from '../core/limits/rate-limit-headers.ts';
import { priorityOf } from '../core/request/priority.ts';
import { good, type Read } from '../core/request/read.ts';
import type { ClientRequest } from '../dialects/contract.ts';
import { requestBill, tokensOf } from './attempt-bill.ts';
import { type CallerScopes, callerScopes } from './caller-scopes.ts';
import { expectedUse } from './expected-use.ts';
import type { Gateway } from './gateway.ts';
import { tellCrossed } from './limit-alerts.ts';
import { preparedFor } from './prepared.ts';
import type { Principal } from './principal.ts';
import type { Arrival, Reception } from './reception.ts';

const NOT_MEASURED: Expected = { tokens: 0, cost: null };

/**
 * Takes room under key and workspace, or says which of their limits refuses and until when. Later only where replicas have
 * to be asked (H-4).
 */
export function admitCaller(
  gateway: Gateway,
  reception: Reception,
  { key }: Principal,
  request: ClientRequest,
): Read<LimitLease> | Promise<Read<LimitLease>> {
  const scopes = callerScopes(reception.snapshot, key);
  const { expected, share } = roomAsked(reception, key, scopes, request);
  const now = gateway.clock.now();
  const wall = gateway.clock.wall();
  const answer = gateway.limits.admit(scopes.all, expected, now, wall, share);
  if (!(answer instanceof Promise)) return toldOf(gateway, reception, scopes, answer, now, wall);
  const { clock } = gateway;
  return answer.then((late) => toldOf(gateway, reception, scopes, late, clock.now(), clock.wall()));
}

function toldOf(
  gateway: Gateway,
  { identity }: Reception,
  { limited }: CallerScopes,
  answer: LimitAdmission,
  now: number,
  wall: number,
): Read<LimitLease> {
  if (limited.length > 0) identity.rateLimit = limitHeaders(gateway, limited, now, wall);
  if (answer.ok) return good(answer.lease);
  return { ok: false, error: limitError(answer.scope, answer.reached, wall) };
}

/** What `admitCaller` would refuse the request with right now; null = nothing. Takes no room. */
export function callerRefusal(
  gateway: Gateway,
  arrival: Arrival,
  { key }: Principal,
  request: ClientRequest,
): GatewayError | null {
  const scopes = callerScopes(arrival.snapshot, key);
  if (scopes.limited.length === 0) return null;
  const { expected, share } = roomAsked(arrival, key, scopes, request);
  const wall = gateway.clock.wall();
  const refused = gateway.limits.refusal(scopes.all, expected, gateway.clock.now(), wall, share);
  return refused === null ? null : limitError(refused.scope, refused.reached, wall);
}

/** How much room, and of which part of the limits. */
function roomAsked(
  { snapshot, route, http }: Arrival,
  key: KeyEntry,
  { limited, measured }: CallerScopes,
  request: ClientRequest,
): { readonly expected: Expected; readonly share: number } {
  const expected = measured ? expectedUse(snapshot, route.codec, request) : NOT_MEASURED;
  const isLow = limited.length > 0 && priorityOf(request, http.headers, preparedFor(snapshot).rulesOf(key)) === 'low';
  return { expected, share: isLow ? LOW_PRIORITY_SHARE : 1 };
}

/** The request is over, however it ended: its caller is charged for what was delivered, and for no attempt else. */
export function leaveCaller(gateway: Gateway, { live, identity }: Reception, lease: LimitLease): void {
  const bill = requestBill(live.running?.run.traces ?? []);
  const used = { tokens: tokensOf(bill.usage) ?? 0, cost: bill.cost };
  const crossed = gateway.limits.settle(lease, used, gateway.clock.now(), gateway.clock.wall());
  tellCrossed(gateway, crossed, identity.requestId);
}

function limitHeaders(gateway: Gateway, limited: readonly LimitScope[], now: number, wall: number): string[] {
  const standings = limited.map((scope) => ({ scope, usage: gateway.limits.usage(scope, now, wall) }));
  return rateLimitHeaders(standings, wall);
}
