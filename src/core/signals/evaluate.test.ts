import { describe, expect, it } from 'vitest';
import { evaluate, type References, type SignalThresholds } from './evaluate.ts';
import { ALL, closedTally, latencyBucket, openTally, type Tally } from './tallies.ts';

const BUILT_IN: SignalThresholds = {
  minRequests: 100,
  retryRate: 0.05,
  retrySuccess: 0.5,
  meanRetriesRatio: 1.5,
  fallbackRate: 0.01,
  p99Ratio: 1.5,
};
const NONE: References = { day: null, yesterday: null };

const tally = (change: Partial<Tally>): Tally => ({ ...closedTally(openTally(ALL)), ...change });
const names = (change: Partial<Tally>, refs: Partial<References> = {}, thresholds = BUILT_IN): string[] =>
  evaluate([tally({ requests: 1000, ...change })], { ...NONE, ...refs }, thresholds).map(({ name }) => name);
const timed = (ms: number, count = 1000): Tally['latencies'] => [[latencyBucket(ms), count]];

describe('O-4: each threshold on both of its sides', () => {
  const rows: [string, Partial<Tally>, Partial<References>, string[]][] = [
    ['nothing is wrong', {}, {}, []],
    ['retry rate 5 %: at it', { repeats: 50 }, {}, []],
    ['retry rate 5 %: over it', { repeats: 51 }, {}, ['retry_rate']],
    ['retry success 50 %: at it', { retried: 10, saved: 5 }, {}, []],
    ['retry success 50 %: under it', { retried: 11, saved: 5 }, {}, ['retry_success']],
    ['retry success of four cases is chance', { retried: 4, saved: 0 }, {}, []],
    ['retry success of five is not', { retried: 5, saved: 0 }, {}, ['retry_success']],
    ['fallback rate 1 %: at it', { fallbacks: 10 }, {}, []],
    ['fallback rate 1 %: over it', { fallbacks: 11 }, {}, ['fallback_rate']],
    [
      'mean retries 1.5 × the mean of a day: under it',
      { failed: 100, failedRepeats: 149 },
      { day: tally({ requests: 5000, failed: 50, failedRepeats: 50 }) },
      [],
    ],
    [
      'mean retries 1.5 × the mean of a day: at it',
      { failed: 100, failedRepeats: 150 },
      { day: tally({ requests: 5000, failed: 50, failedRepeats: 50 }) },
      ['mean_retries'],
    ],
    [
      'mean retries: any at all where there were none',
      { failed: 100, failedRepeats: 1 },
      { day: tally({ requests: 5000, failed: 50, failedRepeats: 0 }) },
      ['mean_retries'],
    ],
    [
      'mean retries: none are never more',
      { failed: 100, failedRepeats: 0 },
      { day: tally({ requests: 5000, failed: 50, failedRepeats: 0 }) },
      [],
    ],
    ['mean retries: nothing to compare with', { failed: 100, failedRepeats: 900 }, {}, []],
    [
      'mean retries: too little to compare with',
      { failed: 100, failedRepeats: 900 },
      { day: tally({ requests: 99, failed: 50, failedRepeats: 0 }) },
      [],
    ],
    [
      'P99 1.5 × yesterday’s: under it',
      { latencies: timed(1400) },
      { yesterday: tally({ requests: 5000, latencies: timed(1000) }) },
      [],
    ],
    [
      'P99 1.5 × yesterday’s: over it',
      { latencies: timed(2000) },
      { yesterday: tally({ requests: 5000, latencies: timed(1000) }) },
      ['p99'],
    ],
    ['P99: nothing to compare with', { latencies: timed(60_000) }, {}, []],
    [
      'all of them at once, in the order of the rule',
      { repeats: 500, retried: 300, saved: 1, failed: 400, failedRepeats: 500, fallbacks: 99, latencies: timed(9000) },
      {
        day: tally({ requests: 5000, failed: 50, failedRepeats: 5 }),
        yesterday: tally({ requests: 5000, latencies: timed(1000) }),
      },
      ['retry_rate', 'retry_success', 'mean_retries', 'fallback_rate', 'p99'],
    ],
  ];
  it.each(rows)('%s', (_title, window, refs, expected) => {
    expect(names(window, refs)).toEqual(expected);
  });
});

it('O-4: a window of 99 requests raises nothing, one of 100 does', () => {
  const bad = { repeats: 90, fallbacks: 90, retried: 90 };
  expect(names({ ...bad, requests: 99 })).toEqual([]);
  expect(names({ ...bad, requests: 100 })).toEqual(['retry_rate', 'retry_success', 'fallback_rate']);
  expect(evaluate([], NONE, BUILT_IN)).toEqual([]);
});

it('O-4: every threshold is the configuration’s', () => {
  const lax = {
    minRequests: 10,
    retryRate: 0.5,
    retrySuccess: 0.1,
    meanRetriesRatio: 9,
    fallbackRate: 0.5,
    p99Ratio: 9,
  };
  const window = { requests: 50, repeats: 20, retried: 10, saved: 2, fallbacks: 20 };
  expect(names(window, {}, lax)).toEqual([]);
  expect(names(window, {}, { ...lax, retryRate: 0.3, retrySuccess: 0.3, fallbackRate: 0.3 })).toEqual([
    'retry_rate',
    'retry_success',
    'fallback_rate',
  ]);
});

it('O-4: a finding says the figure and the one it passed', () => {
  const day = tally({ requests: 500, failed: 100, failedRepeats: 100 });
  const window = tally({ requests: 100, repeats: 20, failed: 10, failedRepeats: 20 });
  expect(evaluate([window], { day, yesterday: null }, BUILT_IN)).toEqual([
    { name: 'retry_rate', subject: null, value: 0.2, threshold: 0.05 },
    { name: 'mean_retries', subject: null, value: 2, threshold: 1.5 },
  ]);
});
