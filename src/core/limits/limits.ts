/** What a credential, channel, key or workspace may use (P-4, G-4, G-11). Null = unbounded. */
import type { NanoUsd } from '../usage/usage.ts';

/** Amounts per calendar period (UTC day, UTC month). */
export interface PeriodLimits {
  readonly tokensPerDay: number | null;
  readonly tokensPerMonth: number | null;
  readonly spendPerDay: NanoUsd | null;
  readonly spendPerMonth: NanoUsd | null;
}

/** All limits of one scope. */
export interface Limits extends PeriodLimits {
  /** Requests per minute, sliding. */
  readonly requestsPerMinute: number | null;
  /** Tokens per minute, sliding: input and output together. */
  readonly tokensPerMinute: number | null;
  /** Requests per UTC day. */
  readonly requestsPerDay: number | null;
  /** Requests at the same time. */
  readonly concurrent: number | null;
  /** Passed without a refusal, but with an alert (G-4's soft limits). */
  readonly soft: PeriodLimits | null;
}

/** Who is counted. `id` is stable over reloads: a credential's or key's name, a channel's `MODEL#ID`, a workspace's name. */
export interface LimitScope {
  readonly kind: 'credential' | 'channel' | 'key' | 'workspace';
  readonly id: string;
  readonly limits: Limits;
}

/** Which limit is reached, and when it lets the next one through: wall ms, null when nobody knows (`concurrent`, or running calls hold the rest). */
export interface LimitReached {
  readonly limit:
    | 'requests_per_minute'
    | 'tokens_per_minute'
    | 'requests_per_day'
    | 'concurrent'
    | 'tokens_per_day'
    | 'tokens_per_month'
    | 'spend_per_day'
    | 'spend_per_month';
  readonly availableAt: number | null;
}

/** What one call is expected to use, known before it starts. */
export interface Expected {
  /** Held until the call is settled. */
  readonly tokens: number;
  /** How many of them are certain: a minute's limit must have room for these. Absent = all. */
  readonly certain?: number;
  /** Null = its price is unknown. */
  readonly cost: NanoUsd | null;
}

/** What planning asks of the limits: O(1), changes nothing. */
export interface LimitReader {
  /** Null = the scope can take one more call now. `now` monotonic, `wall` wall ms. */
  reached(scope: LimitScope, now: number, wall: number): LimitReached | null;
}
