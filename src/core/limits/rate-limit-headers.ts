/** `x-ratelimit-*` of a caller with limits, in OpenAI's form (G-11): of its limits on requests, and on tokens, the tightest. */
import type { LimitScope } from './limits.ts';
import type { LimitUsage, PeriodUsage } from './scope-usage.ts';

/** One limit as it stands: how much is left, and when all of it is back (wall ms). */
interface Standing {
  readonly limit: number;
  readonly left: number;
  readonly resetAt: number;
}

/** A scope’s limits and what it has used of them. */
export interface ScopeStanding {
  readonly scope: LimitScope;
  readonly usage: LimitUsage;
}

/** Header names and values, flat; empty where nothing is limited. `wall` in wall ms. */
export function rateLimitHeaders(standings: readonly ScopeStanding[], wall: number): string[] {
  const list: string[] = [];
  append(list, 'requests', tightest(standings.flatMap((one) => requestLimits(one, wall))), wall);
  append(list, 'tokens', tightest(standings.flatMap((one) => tokenLimits(one, wall))), wall);
  return list;
}

function requestLimits({ scope: { limits }, usage }: ScopeStanding, wall: number): Standing[] {
  const { minute, day } = usage;
  return [
    ...standing(limits.requestsPerMinute, minute.requests, minute.requestsResetAt ?? wall),
    ...standing(limits.requestsPerDay, day.requests, day.end),
  ];
}

function tokenLimits({ scope: { limits }, usage }: ScopeStanding, wall: number): Standing[] {
  const { minute, day, month, heldTokens } = usage;
  const ofPeriod = (limit: number | null, period: PeriodUsage) =>
    standing(limit, period.tokens + heldTokens, period.end);
  return [
    ...standing(limits.tokensPerMinute, minute.tokens, minute.tokensResetAt ?? wall),
    ...ofPeriod(limits.tokensPerDay, day),
    ...ofPeriod(limits.tokensPerMonth, month),
  ];
}

function standing(limit: number | null, used: number, resetAt: number): Standing[] {
  return limit === null ? [] : [{ limit, left: Math.max(0, limit - used), resetAt }];
}

function tightest(standings: readonly Standing[]): Standing | null {
  let found: Standing | null = null;
  for (const one of standings) {
    if (found === null || one.left < found.left || (one.left === found.left && one.resetAt > found.resetAt))
      found = one;
  }
  return found;
}

function append(list: string[], what: 'requests' | 'tokens', found: Standing | null, wall: number): void {
  if (found === null) return;
  list.push(`x-ratelimit-limit-${what}`, String(found.limit));
  list.push(`x-ratelimit-remaining-${what}`, String(found.left));
  list.push(`x-ratelimit-reset-${what}`, durationText(found.resetAt - wall));
}

/** A length as OpenAI writes it: `17ms`, `1.25s`, `6m0s`, `13h59m12s`. */
export function durationText(ms: number): string {
  const whole = Math.max(0, Math.ceil(ms));
  if (whole > 0 && whole < 1000) return `${whole}ms`;
  const hours = Math.floor(whole / 3_600_000);
  const minutes = Math.floor((whole % 3_600_000) / 60_000);
  const seconds = `${(whole % 60_000) / 1000}s`;
  if (hours > 0) return `${hours}h${minutes}m${seconds}`;
  return minutes > 0 ? `${minutes}m${seconds}` : seconds;
}
