/** Which of the built-in alerts a window calls for (O-4). A table of rates and comparisons, read in one place. */
import { ALL, latencyQuantile, type Tally } from './tallies.ts';

export interface SignalThresholds {
  /** Requests a window, and what it is compared with, must have to be judged. */
  readonly minRequests: number;
  /** Repeats of the same target ÷ requests: over it. */
  readonly retryRate: number;
  /** Requests saved by a repeat ÷ requests repeated: under it. */
  readonly retrySuccess: number;
  /** Mean repeats per failed request ÷ its mean of 24 h: at it or over it. */
  readonly meanRetriesRatio: number;
  /** Requests served by another model ÷ requests: over it. */
  readonly fallbackRate: number;
  /** P99 with all repeats ÷ yesterday's: at it or over it. */
  readonly p99Ratio: number;
}

export const SIGNAL_NAMES = [
  'retry_rate',
  'retry_success',
  'mean_retries',
  'fallback_rate',
  'p99',
  'channel_slowed',
  'credential_unhealthy',
  'balance_empty',
  'circuit_open',
  'shared_lost',
  'store_lost',
] as const;
export type SignalName = (typeof SIGNAL_NAMES)[number];

/** Something that is wrong now. */
export interface Finding {
  readonly name: SignalName;
  /** Channel, credential or workspace; null = all requests. */
  readonly subject: string | null;
  /** Whose it is; absent = the account's. */
  readonly workspace?: string;
  readonly value: number | null;
  readonly threshold: number | null;
}

/** What a window is compared with; null = not known (yet). */
export interface References {
  /** All requests of the last 24 whole hours. */
  readonly day: Tally | null;
  /** All requests of yesterday (UTC). */
  readonly yesterday: Tally | null;
}

/** A share of fewer cases is chance: one repeat that failed is not "0 % saved". */
const LEAST_CASES = 5;

/** The figures of all requests that are out of bounds. A window with too few requests has none. */
export function evaluate(window: readonly Tally[], { day, yesterday }: References, t: SignalThresholds): Finding[] {
  const all = window.find(({ name }) => name === ALL);
  if (all === undefined || all.requests < t.minRequests) return [];
  const known = (tally: Tally | null): Tally | null =>
    tally !== null && tally.requests >= t.minRequests ? tally : null;
  return [
    above('retry_rate', retryRate(all), t.retryRate),
    below('retry_success', share(all.saved, all.retried), t.retrySuccess),
    risen('mean_retries', meanRetries(all), meanRetries(known(day)), t.meanRetriesRatio),
    above('fallback_rate', all.fallbacks / all.requests, t.fallbackRate),
    risen('p99', p99(all), p99(known(yesterday)), t.p99Ratio),
  ].filter((finding) => finding !== null);
}

export function retryRate({ repeats, requests }: Pick<Tally, 'repeats' | 'requests'>): number {
  return requests === 0 ? 0 : repeats / requests;
}

function meanRetries(tally: Tally | null): number | null {
  return tally === null ? null : share(tally.failedRepeats, tally.failed);
}

function p99(tally: Tally | null): number | null {
  return tally === null ? null : latencyQuantile(tally, 0.99);
}

function share(part: number, whole: number): number | null {
  return whole < LEAST_CASES ? null : part / whole;
}

function above(name: SignalName, value: number, threshold: number): Finding | null {
  return value > threshold ? { name, subject: null, value, threshold } : null;
}

function below(name: SignalName, value: number | null, threshold: number): Finding | null {
  return value !== null && value < threshold ? { name, subject: null, value, threshold } : null;
}

/** Against what it was; a figure of 0 has not risen. */
function risen(name: SignalName, value: number | null, before: number | null, ratio: number): Finding | null {
  if (value === null || before === null || value === 0) return null;
  const threshold = before * ratio;
  return value >= threshold ? { name, subject: null, value, threshold } : null;
}
