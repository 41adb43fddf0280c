/**
 * Fewer calls to a channel whose calls have to be repeated too often (O-4): its concurrency is halved step by step while
 * the retry rate is over its threshold, and given back the same way.
 */

import { retryRate } from './evaluate.ts';
import type { Tally } from './tallies.ts';

/** How far one channel is slowed down. */
export interface Slowdown {
  /** `MODEL#ID`. */
  readonly channel: string;
  /** Halvings: 1 or more. */
  readonly halvings: number;
  /** What is halved: the calls in flight that the busiest replica had when it began. */
  readonly peak: number;
  /** Wall ms. */
  readonly since: number;
  readonly changedAt: number;
  /** Since when its rate is under the threshold; null = it is not. */
  readonly betterSince: number | null;
}

export interface ThrottleRule {
  readonly minRequests: number;
  readonly retryRate: number;
}

/** A step's effect must be seen before the next one. */
const DOWN_EVERY_MS = 30_000;
/** So long it has to do well for one step back. */
const UP_AFTER_MS = 60_000;

/**
 * The slowdowns after one more look. A channel is over where its window is and its last half minute is, too: else a fault
 * that has passed would slow it down for as long as the window remembers it.
 */
export function nextSlowdowns(
  before: readonly Slowdown[],
  window: readonly Tally[],
  recent: readonly Tally[],
  rule: ThrottleRule,
  now: number,
): Slowdown[] {
  const known = new Map(before.map((one) => [one.channel, one]));
  const latest = new Map(recent.map((tally) => [tally.name, tally]));
  const isOver = (tally: Tally): boolean => {
    const last = latest.get(tally.name);
    // One that is slowed down has fewer requests by that alone.
    const isJudged = tally.requests >= rule.minRequests || known.has(tally.name);
    return isJudged && last !== undefined && [tally, last].every((one) => retryRate(one) > rule.retryRate);
  };
  const over = new Map(window.filter((tally) => tally.peak > 0 && isOver(tally)).map((tally) => [tally.name, tally]));
  const begun = [...over.values()].filter(({ name }) => !known.has(name)).map((tally) => begin(tally, now));
  const kept = before.map((one) => (over.has(one.channel) ? further(one, now) : back(one, now)));
  return [...kept.filter(({ halvings }) => halvings > 0), ...begun];
}

/** Calls that a replica may have in flight at the channel. */
export function capOfSlowdown({ peak, halvings }: Pick<Slowdown, 'peak' | 'halvings'>): number {
  return Math.max(1, Math.floor(peak / 2 ** halvings));
}

function begin({ name, peak }: Tally, now: number): Slowdown {
  return { channel: name, halvings: 1, peak, since: now, changedAt: now, betterSince: null };
}

function further(before: Slowdown, now: number): Slowdown {
  const worse = { ...before, betterSince: null };
  if (now - before.changedAt < DOWN_EVERY_MS || capOfSlowdown(before) === 1) return worse;
  return { ...worse, halvings: before.halvings + 1, changedAt: now };
}

function back(before: Slowdown, now: number): Slowdown {
  const betterSince = before.betterSince ?? now;
  if (now - Math.max(betterSince, before.changedAt) < UP_AFTER_MS) return { ...before, betterSince };
  return { ...before, halvings: before.halvings - 1, changedAt: now, betterSince };
}
