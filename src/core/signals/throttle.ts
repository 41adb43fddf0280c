/**
 * Fewer calls to a channel whose calls have to be repeated too often (O-4): its concurrency is halved step by step while
 * the retry rate is over its threshold, and given back the same way.
 */

import type { SignalCell } from './cells.ts';
import { retryRate } from './evaluate.ts';

/** How far one channel is slowed down. */
export interface ChannelStep {
  /** `MODEL#ID`. */
  readonly channel: string;
  /** Halvings: 1 or more. */
  readonly step: number;
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
 * The steps after one more look. A channel is over where its window is and its last half minute is, too: else a fault
 * that has passed would slow it down for as long as the window remembers it.
 */
export function nextSteps(
  before: readonly ChannelStep[],
  window: readonly SignalCell[],
  recent: readonly SignalCell[],
  rule: ThrottleRule,
  now: number,
): ChannelStep[] {
  const known = new Map(before.map((step) => [step.channel, step]));
  const latest = new Map(recent.map((cell) => [cell.name, cell]));
  const isOver = (cell: SignalCell): boolean => {
    const last = latest.get(cell.name);
    const rate = rule.retryRate;
    return cell.requests >= rule.minRequests && retryRate(cell) > rate && last !== undefined && retryRate(last) > rate;
  };
  const over = new Map(window.filter((cell) => cell.peak > 0 && isOver(cell)).map((cell) => [cell.name, cell]));
  const begun = [...over.values()].filter(({ name }) => !known.has(name)).map((cell) => begin(cell, now));
  const kept = before.map((step) => (over.has(step.channel) ? further(step, now) : back(step, now)));
  return [...kept.filter(({ step }) => step > 0), ...begun];
}

/** Calls that a replica may have in flight at the channel. */
export function capOfStep({ peak, step }: Pick<ChannelStep, 'peak' | 'step'>): number {
  return Math.max(1, Math.floor(peak / 2 ** step));
}

function begin({ name, peak }: SignalCell, now: number): ChannelStep {
  return { channel: name, step: 1, peak, since: now, changedAt: now, betterSince: null };
}

function further(step: ChannelStep, now: number): ChannelStep {
  const better = { ...step, betterSince: null };
  if (now - step.changedAt < DOWN_EVERY_MS || capOfStep(step) === 1) return better;
  return { ...better, step: step.step + 1, changedAt: now };
}

function back(step: ChannelStep, now: number): ChannelStep {
  const betterSince = step.betterSince ?? now;
  if (now - Math.max(betterSince, step.changedAt) < UP_AFTER_MS) return { ...step, betterSince };
  return { ...step, step: step.step - 1, changedAt: now, betterSince };
}
