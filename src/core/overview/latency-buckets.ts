/** Latencies as counts by bucket, so that sums over minutes and replicas still have percentiles. Pure. */

/** Counts by bucket; holes are 0. */
export type Buckets = number[];

/** Eight buckets per doubling: neighbours are 9.1 % apart, so a percentile read from them is off by less than that. */
const PER_DOUBLING = 8;
/** Two days. Longer ones are counted here: a clock that jumped must not make a list of a million holes. */
const LAST_BUCKET = 220;

/** The bucket of a latency: bucket `n` holds what is longer than 2^((n − 1)/8) ms, and no longer than 2^(n/8) ms. */
export function bucketOf(ms: number): number {
  return ms > 1 ? Math.min(LAST_BUCKET, Math.ceil(Math.log2(ms) * PER_DOUBLING)) : 0;
}

/** Adds one latency of this bucket. */
export function addToBucket(buckets: Buckets, bucket: number): void {
  buckets[bucket] = (buckets[bucket] ?? 0) + 1;
}

/** Pairs `[bucket, count]` of what is there. */
export function pairsOf(buckets: Buckets): [number, number][] {
  return buckets.flatMap((count, bucket) => (count > 0 ? [[bucket, count] as [number, number]] : []));
}

/** Adds pairs of `pairsOf`. */
export function addPairs(buckets: Buckets, pairs: readonly (readonly [number, number])[]): void {
  for (const [bucket, count] of pairs) buckets[bucket] = (buckets[bucket] ?? 0) + count;
}

/** How many latencies are counted. */
export function countOf(buckets: Buckets): number {
  return buckets.reduce((sum, count) => sum + count, 0);
}

/** The latency that the share `q` of all stays within, ms, off by less than a tenth; null where there is none. */
export function quantileOf(buckets: Buckets, q: number): number | null {
  const rank = Math.max(1, Math.ceil(q * countOf(buckets)));
  let below = 0;
  for (const [bucket, count] of pairsOf(buckets)) {
    if (below + count < rank) {
      below += count;
      continue;
    }
    // Within a bucket latencies are taken as evenly spread.
    return 2 ** ((bucket - 1 + (rank - below) / count) / PER_DOUBLING);
  }
  return null;
}
