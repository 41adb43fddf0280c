import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { addPairs, addToBucket, type Buckets, bucketOf, countOf, pairsOf, quantileOf } from './latency-buckets.ts';

/** The nearest-rank percentile of the latencies themselves. */
function exact(latencies: readonly number[], q: number): number {
  const sorted = [...latencies].sort((a, b) => a - b);
  return sorted[Math.max(1, Math.ceil(q * sorted.length)) - 1]!;
}

const addLatency = (buckets: Buckets, ms: number): void => addToBucket(buckets, bucketOf(ms));

describe('latency buckets', () => {
  it('O-5: a percentile is off by less than a tenth, from a millisecond to two days', () => {
    const latency = fc.double({ min: 1, max: 172_800_000, noNaN: true });
    fc.assert(
      fc.property(fc.array(latency, { minLength: 1, maxLength: 200 }), fc.constantFrom(0.5, 0.99), (latencies, q) => {
        const buckets: Buckets = [];
        for (const ms of latencies) addLatency(buckets, ms);
        const [read, real] = [quantileOf(buckets, q)!, exact(latencies, q)];
        expect(Math.abs(read - real) / real).toBeLessThan(0.1);
      }),
    );
  });

  it('O-5: sums of parts are the whole', () => {
    const [first, second, whole]: Buckets[] = [[], [], []];
    for (let n = 1; n <= 1000; n += 1) {
      addLatency(n % 3 === 0 ? first! : second!, n * 7);
      addLatency(whole!, n * 7);
    }
    addPairs(first!, pairsOf(second!));
    expect(pairsOf(first!)).toEqual(pairsOf(whole!));
    expect(countOf(first!)).toBe(1000);
  });

  it('O-5: nothing has no percentile, and a clock that jumped makes no list of a million', () => {
    expect(quantileOf([], 0.5)).toBeNull();
    const buckets: Buckets = [];
    for (const ms of [-5, 0, Number.NaN, 1e300]) addLatency(buckets, ms);
    expect(buckets.length).toBeLessThan(300);
    expect(countOf(buckets)).toBe(4);
  });
});
