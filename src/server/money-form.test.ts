import { describe, expect, it } from 'vitest';
import { shownPrice } from './money-form.ts';

const NOTHING = { input: null, output: null, cached_input: null, cache_write: null, audio_in: null, audio_out: null };

describe('G-4: a price as it is shown', () => {
  it('in dollars; what nobody knows is null', () => {
    const price = { input: 50_000_000n, output: 400_000_000n, cachedInput: null };
    expect(shownPrice(price)).toEqual({ ...NOTHING, input: 0.05, output: 0.4 });
  });

  it('with its steps for long requests', () => {
    const price = { input: 1_000_000_000n, output: null, cachedInput: null };
    const tiers = [{ above: 200_000, input: 2_000_000_000n, output: null, cachedInput: 500_000_000n }];
    expect(shownPrice({ ...price, tiers })).toEqual({
      ...NOTHING,
      input: 1,
      tiers: [{ ...NOTHING, above: 200_000, input: 2, cached_input: 0.5 }],
    });
  });
});
