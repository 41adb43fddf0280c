import fc from 'fast-check';
import { expect, it } from 'vitest';
import { isoTime } from './iso-time.ts';

it('O-1: instants are written as Date writes them, in whatever order', () => {
  const instant = fc.oneof(
    fc.integer({ min: -62_000_000_000_000, max: 250_000_000_000_000 }),
    fc.double({ min: 1_796_021_299_000, max: 1_796_021_302_000, noNaN: true }),
  );
  fc.assert(
    fc.property(fc.array(instant, { minLength: 1 }), (instants) => {
      for (const ms of instants) expect(isoTime(ms)).toBe(new Date(ms).toISOString());
    }),
  );
});
