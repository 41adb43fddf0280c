/** Figures as the text of a stored row, and back into sums. Pure. */
import { OUTCOMES } from '../outcome.ts';
import { addTo, coveringIn, type Figures, failingIn } from './figures.ts';
import { addPairs, pairsOf } from './latency-buckets.ts';

type Pairs<K> = readonly (readonly [K, number])[];

/** Values in a fixed order, as in the log's own rows. Fields are only ever added at the end of a list. */
interface Stored {
  /** requests, retried, fallback, degraded, interrupted, calls, cost, waste. */
  readonly n: readonly number[];
  readonly o: Readonly<Record<string, number>>;
  readonly p: Pairs<number>;
  readonly f: Pairs<number>;
  readonly c: readonly (readonly [string, string, number, number, number, string, Pairs<string>, Pairs<string>])[];
  readonly x: readonly (readonly [string, string, string | null, string, number, number, string, string | null])[];
}

/** Pairs of models and kinds of failure that one sum over many rows may have: the sum of a month must not fill memory. */
const KEPT_IN_SUMS = 2000;

/** As `addStored` takes it. */
export function storedFigures(figures: Figures): string {
  const { requests, retried, fallback, degraded, interrupted, upstreamCalls, costNanoUsd, wasteNanoUsd } = figures;
  const stored: Stored = {
    n: [requests, retried, fallback, degraded, interrupted, upstreamCalls, costNanoUsd, wasteNanoUsd],
    o: Object.fromEntries(Object.entries(figures.outcomes).filter(([, count]) => count > 0)),
    p: pairsOf(figures.primary),
    f: pairsOf(figures.other),
    c: [...figures.covering.values()].map((one) => [
      one.requested,
      one.served,
      one.requests,
      one.firstAt,
      one.lastAt,
      one.lastId,
      [...one.classes],
      [...one.skipped],
    ]),
    x: [...figures.failing.values()].map((one) => [
      one.model,
      one.channel,
      one.credential,
      one.class,
      one.attempts,
      one.lastAt,
      one.lastId,
      one.message,
    ]),
  };
  return JSON.stringify(stored);
}

/** Adds a stored row to sums. `lists`: its pairs of models and its failures, too. */
export function addStored(sums: Figures, text: string, lists: boolean): void {
  const stored = JSON.parse(text) as Stored;
  const [requests = 0, retried = 0, fallback = 0, degraded = 0, interrupted = 0, calls = 0, cost = 0, waste = 0] =
    stored.n;
  sums.requests += requests;
  sums.retried += retried;
  sums.fallback += fallback;
  sums.degraded += degraded;
  sums.interrupted += interrupted;
  sums.upstreamCalls += calls;
  sums.costNanoUsd += cost;
  sums.wasteNanoUsd += waste;
  for (const outcome of OUTCOMES) sums.outcomes[outcome] += stored.o[outcome] ?? 0;
  addPairs(sums.primary, stored.p);
  addPairs(sums.other, stored.f);
  if (lists) addLists(sums, stored);
}

function addLists(sums: Figures, stored: Stored): void {
  for (const [requested, served, requests, firstAt, lastAt, lastId, classes, skipped] of stored.c) {
    const covering = coveringIn(sums, requested, served, firstAt, KEPT_IN_SUMS);
    if (covering === null) continue;
    covering.requests += requests;
    covering.firstAt = Math.min(covering.firstAt, firstAt);
    if (lastAt >= covering.lastAt) Object.assign(covering, { lastAt, lastId });
    for (const [name, count] of classes) addTo(covering.classes, name, count);
    for (const [name, count] of skipped) addTo(covering.skipped, name, count);
  }
  for (const [model, channel, credential, failure, attempts, lastAt, lastId, message] of stored.x) {
    const failing = failingIn(sums, { model, channel, credential, class: failure }, lastAt, KEPT_IN_SUMS);
    if (failing === null) continue;
    failing.attempts += attempts;
    if (lastAt < failing.lastAt) continue;
    Object.assign(failing, { lastAt, lastId });
    if (message !== null) failing.message = message;
  }
}
