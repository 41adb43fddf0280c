import { describe, expect, it } from 'vitest';
import { makeFailure } from '../failure.ts';
import { backoffMs, hintedMs, repeatWait } from './backoff.ts';

const BUILT_IN = { baseMs: 500, capMs: 8000 };

describe('D-3: backoff', () => {
  it.each([
    [0, 0, 250],
    [0, 1, 500],
    [1, 0, 500],
    [1, 1, 1000],
    [3, 0.5, 3000],
    [4, 1, 8000],
    [5, 1, 8000],
    [60, 0, 4000],
  ])('repeat %i, chance %d: %d ms', (made, random, ms) => {
    expect(backoffMs(BUILT_IN, made, random)).toBe(ms);
  });

  it('takes the configured base and cap', () => {
    expect([0, 1, 5, 6, 7].map((made) => backoffMs({ baseMs: 1000, capMs: 60_000 }, made, 1))).toEqual([
      1000, 2000, 32_000, 60_000, 60_000,
    ]);
  });

  it('a stated wait is stretched by 0 to 20 %, never shortened, never beyond max_wait_ms', () => {
    expect([0, 0.5, 1].map((random) => hintedMs(2000, 5000, random))).toEqual([2000, 2200, 2400]);
    expect(hintedMs(4900, 5000, 1)).toBe(5000);
  });

  const limits = { maxWaitMs: 5000, repeatsMade: 0, random: 0 };
  const limited = (ms: number | null) =>
    makeFailure({ class: 'rate_limit', message: '', hint: ms === null ? null : { ms, source: 'header:retry-after' } });

  it.each([
    ['a wait that fits wins', 1000, 1000],
    ['a wait of exactly max_wait_ms fits', 5000, 5000],
    ['a longer one: the target is left', 5001, null],
    ['none: own backoff', null, 250],
    ['a wait of 0 says nothing: own backoff', 0, 250],
  ])('%s', (_name, hint, wait) => {
    expect(repeatWait(limited(hint), BUILT_IN, limits)).toBe(wait);
  });
});
