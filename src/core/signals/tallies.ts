/** What is counted of finished requests for the alerts (O-4): sums that add up over time and over replicas. */
import type { AttemptRecord, RecordDraft } from '../record.ts';

/** Tally of all requests together. */
export const ALL = '*';

/** Sums under one name: `*`, or a channel (`MODEL#ID`). Of a channel, only its own attempts count. */
export interface Tally {
  readonly name: string;
  /** Requests that called an upstream. */
  readonly requests: number;
  /** Attempts that repeated a failed one at its own target. */
  readonly repeats: number;
  /** Requests with such a repeat; and of them, those that a repeat answered. */
  readonly retried: number;
  readonly saved: number;
  /** Requests in which a call failed, whatever came of them; and the repeats they took. */
  readonly failed: number;
  readonly failedRepeats: number;
  /** Answered by another model than the one that was asked for. */
  readonly fallbacks: number;
  /** Whole time of the requests, all repeats included: counts by bucket of `latencyBucket`, pairs `[bucket, count]`. Of `*` only. */
  readonly latencies: readonly (readonly [number, number])[];
  /** Most calls in flight at one moment, at the replica that had most. Of channels only. */
  readonly peak: number;
}

/** A tally while it is added to. */
export type OpenTally = { -readonly [K in Exclude<keyof Tally, 'latencies'>]: Tally[K] } & {
  /** By bucket; holes are 0. */
  readonly buckets: number[];
};

export type OpenTallies = Map<string, OpenTally>;

export function openTally(name: string): OpenTally {
  return {
    name,
    requests: 0,
    repeats: 0,
    retried: 0,
    saved: 0,
    failed: 0,
    failedRepeats: 0,
    fallbacks: 0,
    buckets: [],
    peak: 0,
  };
}

/** The tally of this name, made where there is none. */
export function tallyIn(tallies: OpenTallies, name: string): OpenTally {
  const known = tallies.get(name);
  if (known !== undefined) return known;
  const made = openTally(name);
  tallies.set(name, made);
  return made;
}

/** Four buckets per doubling: neighbours are 19 % apart. */
const PER_DOUBLING = 4;
/** Beyond an hour everything is one bucket. */
const LAST_BUCKET = 88;

export function latencyBucket(ms: number): number {
  return ms <= 1 ? 0 : Math.min(LAST_BUCKET, Math.ceil(Math.log2(ms) * PER_DOUBLING));
}

/**
 * Counts one finished request.
 * @param primary the model it was meant for; null = none that is known
 */
export function countRequest(tallies: OpenTallies, draft: RecordDraft, primary: string | null): void {
  const calls = draft.attempts.some(isRehearsed) ? draft.attempts.filter((call) => !isRehearsed(call)) : draft.attempts;
  const [first] = calls;
  if (first === undefined) return;
  const all = tallyIn(tallies, ALL);
  // Nearly all requests are one call.
  if (calls.length === 1) {
    countCall(all, first);
    countCall(tallyIn(tallies, channelOf(first)), first);
  } else {
    const repeats = calls.map((_, i) => isRepeat(calls, i));
    countCalls(all, calls, repeats, () => true);
    for (const channel of new Set(calls.map(channelOf))) {
      countCalls(tallyIn(tallies, channel), calls, repeats, (call) => channelOf(call) === channel);
    }
  }
  if (draft.served_model !== null && primary !== null && draft.served_model !== primary) all.fallbacks += 1;
  if (!TIMED.has(draft.ending)) return;
  const bucket = latencyBucket(draft.latency_ms);
  all.buckets[bucket] = (all.buckets[bucket] ?? 0) + 1;
}

/** Ends that took as long as the gateway and its upstreams made them take. */
const TIMED: ReadonlySet<RecordDraft['ending']> = new Set(['served', 'failed', 'interrupted']);

function isRehearsed({ rehearsed }: AttemptRecord): boolean {
  return rehearsed === true;
}

function countCall(tally: OpenTally, call: AttemptRecord): void {
  tally.requests += 1;
  if (call.class !== null) tally.failed += 1;
}

function countCalls(
  tally: OpenTally,
  calls: readonly AttemptRecord[],
  repeats: readonly boolean[],
  counts: (call: AttemptRecord) => boolean,
): void {
  let again = 0;
  let saved = false;
  let failed = false;
  calls.forEach((call, i) => {
    if (!counts(call)) return;
    if (call.class !== null) failed = true;
    if (!repeats[i]) return;
    again += 1;
    if (call.result === 'served') saved = true;
  });
  tally.requests += 1;
  tally.repeats += again;
  if (again > 0) tally.retried += 1;
  if (saved) tally.saved += 1;
  if (!failed) return;
  tally.failed += 1;
  tally.failedRepeats += again;
}

/** Whether an earlier attempt failed at its own target, and was to be repeated there (D-3). */
export function isRepeat(calls: readonly AttemptRecord[], i: number): boolean {
  const call = calls[i]!;
  if (call.hedge) return false;
  const before = calls.slice(0, i).findLast((other) => channelOf(other) === channelOf(call));
  return before !== undefined && before.credential === call.credential && before.decision === 'retry';
}

/** `MODEL#ID`, as health and limits name a channel. */
export function channelOf({ model, channel }: Pick<AttemptRecord, 'model' | 'channel'>): string {
  return `${model}#${channel}`;
}

/** What can be written down and sent. */
export function closedTally({ buckets, ...sums }: OpenTally): Tally {
  const latencies = buckets.flatMap((count, bucket) => (count > 0 ? [[bucket, count] as const] : []));
  return { ...sums, latencies };
}

export function closedTallies(tallies: OpenTallies): Tally[] {
  return [...tallies.values()].map(closedTally);
}

/** Adds up under each name; peaks do not add up, the highest stays. */
export function addTallies(into: OpenTallies, tallies: Iterable<Tally>): void {
  for (const tally of tallies) {
    const sum = tallyIn(into, tally.name);
    sum.requests += tally.requests;
    sum.repeats += tally.repeats;
    sum.retried += tally.retried;
    sum.saved += tally.saved;
    sum.failed += tally.failed;
    sum.failedRepeats += tally.failedRepeats;
    sum.fallbacks += tally.fallbacks;
    sum.peak = Math.max(sum.peak, tally.peak);
    for (const [bucket, count] of tally.latencies) sum.buckets[bucket] = (sum.buckets[bucket] ?? 0) + count;
  }
}

export function sumTallies(parts: Iterable<Iterable<Tally>>): Tally[] {
  const sums: OpenTallies = new Map();
  for (const tallies of parts) addTallies(sums, tallies);
  return closedTallies(sums);
}

/** The latency that the share `q` of all requests stays within, ms; null where nothing was timed. */
export function latencyQuantile({ latencies }: Pick<Tally, 'latencies'>, q: number): number | null {
  const ordered = [...latencies].sort(([a], [b]) => a - b);
  const total = ordered.reduce((sum, [, count]) => sum + count, 0);
  if (total === 0) return null;
  const rank = Math.max(1, Math.ceil(q * total));
  let below = 0;
  for (const [bucket, count] of ordered) {
    if (below + count < rank) {
      below += count;
      continue;
    }
    // Within a bucket latencies are taken as evenly spread.
    const inside = (rank - below) / count;
    return 2 ** ((bucket - 1 + inside) / PER_DOUBLING);
  }
  return null;
}
