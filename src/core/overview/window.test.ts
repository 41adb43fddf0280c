import { describe, expect, it } from 'vitest';
import { windowOf } from './window.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const T0 = Date.UTC(2026, 10, 29, 10, 7, 31);

describe('windows of the overview', () => {
  it.each([
    1,
    MINUTE,
    37 * MINUTE,
    HOUR,
    2 * HOUR,
    2 * HOUR + 1,
    DAY,
    30 * HOUR,
    2 * DAY,
    2 * DAY + 1,
    7 * DAY,
    30 * DAY,
    31 * DAY,
  ])('O-5: %i ms are covered by at most 120 steps of whole stretches', (length) => {
    for (const from of [T0, T0 + 17, Math.floor(T0 / DAY) * DAY]) {
      const window = windowOf(from, from + length);
      expect((window.to - window.from) / window.stepMs).toBeLessThanOrEqual(120);
      expect(window.from).toBeLessThanOrEqual(from);
      expect(window.to).toBeGreaterThanOrEqual(from + length);
      expect(window.to - window.from - length).toBeLessThan(2 * window.grainMs);
      expect([window.from, window.to, window.stepMs].map((ms) => ms % window.grainMs)).toEqual([0, 0, 0]);
    }
  });

  it('O-5: up to two hours are shown by minutes, two days by quarters of an hour, more by two hours at least', () => {
    expect(windowOf(T0, T0 + 7 * DAY)).toMatchObject({ grainMs: 2 * HOUR, stepMs: 2 * HOUR });
    expect(windowOf(T0, T0 + HOUR)).toMatchObject({ grainMs: MINUTE, stepMs: MINUTE });
    expect(windowOf(T0, T0 + DAY)).toMatchObject({ grainMs: 15 * MINUTE, stepMs: 15 * MINUTE });
  });
});
