/** All that is counted of one scope, and its limits read against it. */
import type { LimitReached, Limits } from './limits.ts';
import { PeriodCounter } from './period-counter.ts';
import type { SlidingWindow } from './sliding-window.ts';

/** Figures of one scope as others show them. Instants in wall ms. */
export interface LimitUsage {
  readonly inFlight: number;
  /** What running requests are expected to use. */
  readonly heldTokens: number;
  readonly heldSpend: bigint;
  /** Of the last 60 s, expectations of running requests included. */
  readonly minute: {
    readonly requests: number;
    readonly tokens: number;
    /** When all of them have left the window; null = there are none. */
    readonly requestsResetAt: number | null;
    readonly tokensResetAt: number | null;
  };
  readonly day: PeriodUsage;
  readonly month: PeriodUsage;
}

/** Settled amounts; what running requests are expected to use is in `LimitUsage.held…`. */
export interface PeriodUsage {
  readonly start: number;
  readonly end: number;
  readonly requests: number;
  readonly tokens: number;
  readonly spend: bigint;
}

/** Of one credential, channel, key or workspace. */
export class ScopeUsage {
  readonly kind: string;
  readonly id: string;
  inFlight = 0;
  /** What running requests are expected to use: counts against the periods' limits until it is settled. */
  heldTokens = 0;
  heldSpend = 0n;
  /** What running requests at other replicas are expected to use (H-4). */
  heldTokensElsewhere = 0;
  heldSpendElsewhere = 0n;
  /** Changed since it was last written down. */
  changed = false;
  readonly day = new PeriodCounter('day');
  readonly month = new PeriodCounter('month');
  /** Made when a limit first asks for it. */
  minute: SlidingWindow | null = null;

  constructor(kind: string, id: string) {
    this.kind = kind;
    this.id = id;
  }

  /** Brings windows and periods to this moment. */
  advance(now: number, wall: number): void {
    this.minute?.advance(now);
    this.day.roll(wall);
    this.month.roll(wall);
  }

  /** Nothing would be lost by forgetting it. */
  isIdle(now: number, wall: number): boolean {
    this.minute?.advance(now);
    const quiet = this.minute === null || this.minute.segments === 0;
    return this.inFlight === 0 && quiet && this.day.isEmpty(wall) && this.month.isEmpty(wall);
  }
}

/** What is asked of a scope: `share` is the part of its concurrency and minute limits the caller may use. */
export interface Ask {
  /** Tokens a minute must have room for; 0 = only whether there is any. */
  readonly tokens: number;
  readonly share: number;
  /** Monotonic ms. */
  readonly now: number;
  /** Wall ms. */
  readonly wall: number;
}

/**
 * The limit that stands in the way the longest; null = the scope takes one more call. `usage` is at `ask.now` already.
 * A call larger than the whole of `tpm` waits until the window is empty: expectations are estimates, and refusing it
 * for ever for one would be worse than one minute over. A period's budget is open until it is used up; while only running
 * calls hold the rest of it, nobody knows when there is room.
 */
export function limitReached(usage: ScopeUsage, limits: Limits, ask: Ask): LimitReached | null {
  let worst: LimitReached | null = null;
  if (limits.concurrent !== null && usage.inFlight >= part(limits.concurrent, ask.share)) {
    worst = { limit: 'concurrent', availableAt: null };
  }
  if (limits.requestsPerMinute !== null) {
    const free = requestsFreeAt(usage, part(limits.requestsPerMinute, ask.share));
    if (free !== null) worst = longer(worst, 'requests_per_minute', ask.wall + (free - ask.now));
  }
  if (limits.tokensPerMinute !== null) {
    const free = tokensFreeAt(usage, part(limits.tokensPerMinute, ask.share), ask.tokens);
    if (free !== null) worst = longer(worst, 'tokens_per_minute', ask.wall + (free - ask.now));
  }
  return periodReached(usage, limits, worst);
}

function periodReached(usage: ScopeUsage, limits: Limits, minute: LimitReached | null): LimitReached | null {
  const { day, month } = usage;
  const heldTokens = usage.heldTokens + usage.heldTokensElsewhere;
  const elsewhere = usage.heldSpendElsewhere;
  const heldSpend = elsewhere === 0n ? usage.heldSpend : usage.heldSpend + elsewhere;
  const { requestsPerDay, tokensPerDay, tokensPerMonth, spendPerDay, spendPerMonth } = limits;
  let worst = minute;
  if (requestsPerDay !== null && day.requests >= requestsPerDay) worst = longer(worst, 'requests_per_day', day.end);
  if (tokensPerDay !== null && day.tokens + heldTokens >= tokensPerDay) {
    worst = longer(worst, 'tokens_per_day', day.tokens >= tokensPerDay ? day.end : null);
  }
  if (tokensPerMonth !== null && month.tokens + heldTokens >= tokensPerMonth) {
    worst = longer(worst, 'tokens_per_month', month.tokens >= tokensPerMonth ? month.end : null);
  }
  if (spendPerDay !== null && day.spend + heldSpend >= spendPerDay) {
    worst = longer(worst, 'spend_per_day', day.spend >= spendPerDay ? day.end : null);
  }
  if (spendPerMonth !== null && month.spend + heldSpend >= spendPerMonth) {
    worst = longer(worst, 'spend_per_month', month.spend >= spendPerMonth ? month.end : null);
  }
  return worst;
}

function longer(worst: LimitReached | null, limit: LimitReached['limit'], availableAt: number | null): LimitReached {
  return worst === null || isLonger(availableAt, worst.availableAt) ? { limit, availableAt } : worst;
}

/** Whether the first of two waits is the longer; an unknown one yields to a known one. */
export function isLonger(one: number | null, other: number | null): boolean {
  return one !== null && (other === null || one > other);
}

/** At least one: a small limit's share must not shut out for ever. */
export function part(limit: number, share: number): number {
  return share === 1 ? limit : Math.min(limit, Math.max(1, Math.floor(limit * share)));
}

function requestsFreeAt({ minute }: ScopeUsage, limit: number): number | null {
  const over = (minute?.requests ?? 0) + 1 - limit;
  return minute === null || over <= 0 ? null : minute.leftAt('requests', over);
}

function tokensFreeAt({ minute }: ScopeUsage, limit: number, tokens: number): number | null {
  const over = (minute?.tokens ?? 0) + Math.min(Math.max(tokens, 1), limit) - limit;
  return minute === null || over <= 0 ? null : minute.leftAt('tokens', over);
}
