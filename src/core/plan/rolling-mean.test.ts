import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { RollingMean, WINDOW_MS } from './rolling-mean.ts';

const SLOT_MS = WINDOW_MS / 10;

describe('RollingMean', () => {
  it('P-2: the mean of what was counted, weighted; null before and five minutes after', () => {
    const mean = new RollingMean();
    expect(mean.mean(0)).toBeNull();
    mean.add(1000, 10, 1);
    mean.add(2000, 20, 1);
    expect(mean.mean(2000)).toBe(15);
    mean.add(3000, 30, 4);
    expect(mean.mean(3000)).toBe(10);
    expect(mean.mean(3000 + WINDOW_MS - SLOT_MS)).toBe(10);
    expect(mean.mean(3000 + WINDOW_MS)).toBeNull();
  });

  it('P-2: equals a naive sum over the window’s slots, whatever the pauses', () => {
    const step = fc.record({ pause: fc.nat({ max: 2 * SLOT_MS }), sum: fc.nat({ max: 100 }) });
    fc.assert(
      fc.property(fc.array(step, { minLength: 1, maxLength: 60 }), fc.nat({ max: 12 * SLOT_MS }), (steps, later) => {
        const mean = new RollingMean();
        let now = 0;
        const samples = steps.map(({ pause, sum }) => {
          now += pause;
          mean.add(now, sum, 2);
          return { at: now, sum };
        });
        const end = now + later;
        const oldest = Math.floor(end / SLOT_MS) - 9;
        const kept = samples.filter(({ at }) => Math.floor(at / SLOT_MS) >= oldest);
        const expected = kept.length === 0 ? null : kept.reduce((all, { sum }) => all + sum, 0) / (2 * kept.length);
        expect(mean.mean(end)).toBe(expected);
      }),
    );
  });
});
