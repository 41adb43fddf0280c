import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Usage } from '../usage/usage.ts';
import { costOf, type TokenPrices, worstCost } from './cost.ts';

/** USD per million tokens as nano-dollars. */
const usd = (dollars: number): bigint => BigInt(Math.round(dollars * 1e9));

const NANO: TokenPrices = { input: usd(0.05), output: usd(0.4), cachedInput: usd(0.005) };

function used(input: number | null, output: number | null, more: Partial<Usage> = {}): Usage {
  return {
    input,
    output,
    cacheRead: null,
    cacheWrite: null,
    reasoning: null,
    audioInput: null,
    audioOutput: null,
    total: null,
    estimated: false,
    ...more,
  };
}

describe('G-4: what an answer costs', () => {
  it.each([
    // 10 × 50 + 5 × 400
    ['input and output', used(10, 5), NANO, 2500n],
    ['one million each', used(1_000_000, 1_000_000), NANO, 450_000_000n],
    // 70 × 50 + 30 × 5 + 5 × 400: cached tokens are part of the input
    ['cached input at its own price', used(100, 5, { cacheRead: 30 }), NANO, 5650n],
    [
      'cached input without a price costs what input does',
      used(100, 5, { cacheRead: 30 }),
      { ...NANO, cachedInput: null },
      7000n,
    ],
    [
      'written cache at its own price',
      used(100, 0, { cacheRead: 10, cacheWrite: 20 }),
      { ...NANO, cacheWrite: usd(0.0625) },
      70n * 50n + 50n + 1250n,
    ],
    ['written cache without a price costs what input does', used(100, 0, { cacheWrite: 20 }), NANO, 5000n],
    ['reasoning is part of the output', used(0, 10, { reasoning: 8 }), NANO, 4000n],
    [
      'sound at its own prices',
      used(100, 50, { audioInput: 60, audioOutput: 40 }),
      { ...NANO, audioIn: usd(40), audioOut: usd(80) },
      40n * 50n + 60n * 40_000n + 10n * 400n + 40n * 80_000n,
    ],
    ['a part larger than its whole is cut to it', used(10, 1, { cacheRead: 99, audioInput: 99 }), NANO, 50n + 400n],
    ['no tokens cost nothing', used(0, 0), NANO, 0n],
    ['counts beyond 32 bits', used(9_007_199_254_740_991, 0), NANO, 450_359_962_737_049_550n],
  ] as const)('%s', (_what, usage, prices, nanos) => {
    expect(costOf(usage, prices)).toBe(nanos);
  });

  it.each([
    ['just under half a nano-dollar', 499_999n, 0n],
    ['half a nano-dollar', 500_000n, 1n],
    ['one and a half', 1_500_000n, 2n],
    ['just under one and a half', 1_499_999n, 1n],
  ])('is rounded once, half up: %s', (_what, price, nanos) => {
    expect(costOf(used(1, 0), { input: price, output: 0n, cachedInput: null })).toBe(nanos);
  });

  it('is rounded once for all parts: halves add up before', () => {
    const half = { input: 300_000n, output: 300_000n, cachedInput: 300_000n };
    expect(costOf(used(2, 1, { cacheRead: 1 }), half)).toBe(1n);
  });

  it.each([
    ['input', used(1, 0), { ...NANO, input: null }],
    ['output', used(0, 1), { ...NANO, output: null }],
    ['sound heard', used(1, 0, { audioInput: 1 }), NANO],
    ['sound made', used(0, 1, { audioOutput: 1 }), NANO],
    ['the count of input', used(null, 1), NANO],
    ['the count of output', used(1, null), NANO],
  ])('is unknown, not 0, where the price or count is: %s', (_what, usage, prices) => {
    expect(costOf(usage, prices)).toBeNull();
  });

  it('an unknown price of what was not used does no harm', () => {
    expect(costOf(used(10, 0), { input: 1_000_000n, output: null, cachedInput: null })).toBe(10n);
  });
});

/** Dearer over 100 and over 1000 tokens of input. */
const STEPS: TokenPrices = {
  ...NANO,
  tiers: [
    { above: 100, input: usd(0.1), output: usd(0.8), cachedInput: null },
    { above: 1000, input: usd(1), output: usd(0.2), cachedInput: null },
  ],
};

describe('G-4: dearer for long requests', () => {
  it.each([
    ['up to the step as usual', used(100, 10), 100n * 50n + 10n * 400n],
    ['over it every token, cached ones as well', used(101, 10, { cacheRead: 1 }), 101n * 100n + 10n * 800n],
    ['over the last step', used(1001, 10), 1001n * 1000n + 10n * 200n],
    ['long answers are no long requests', used(1, 5000), 50n + 5000n * 400n],
  ] as const)('%s', (_what, usage, nanos) => {
    expect(costOf(usage, STEPS)).toBe(nanos);
  });

  it.each([
    ['as usual where it cannot get there', 100, 100n * 50n + 10n * 400n],
    ['the dearer one where it may', 101, 101n * 100n + 10n * 800n],
    ['of several, the dearest it may come to', 1001, 1001n * 1000n + 10n * 200n],
  ] as const)('D-4: at most: %s', (_what, inputTokens, nanos) => {
    expect(worstCost({ inputTokens, maxOutputTokens: 10, prices: STEPS })).toBe(nanos);
  });

  it('D-4: the input was guessed: a cheaper step that it may miss does not count', () => {
    expect(worstCost({ inputTokens: 1001, maxOutputTokens: 10_000, prices: STEPS })).toBe(
      1001n * 100n + 10_000n * 800n,
    );
  });

  it('G-4: a step whose price is unknown makes the whole unknown where it may be reached', () => {
    const prices = { ...NANO, tiers: [{ above: 10, input: null, output: usd(1), cachedInput: null }] };
    expect(worstCost({ inputTokens: 11, maxOutputTokens: 1, prices })).toBeNull();
    expect(worstCost({ inputTokens: 10, maxOutputTokens: 1, prices })).toBe(10n * 50n + 400n);
    expect(costOf(used(11, 1), prices)).toBeNull();
  });
});

describe('D-4: what a call costs at most', () => {
  it.each([
    ['tokens times prices', { inputTokens: 100, maxOutputTokens: 50, prices: NANO }, 100n * 50n + 50n * 400n],
    ['rounded up', { inputTokens: 1, maxOutputTokens: 0, prices: { ...NANO, input: 1n } }, 1n],
    [
      'the dearer of input and written cache',
      { inputTokens: 100, maxOutputTokens: 0, prices: { ...NANO, cacheWrite: usd(0.0625) } },
      6250n,
    ],
    [
      'sound where the request has any',
      {
        inputTokens: 1,
        maxOutputTokens: 1,
        audioIn: true,
        audioOut: true,
        prices: { ...NANO, audioIn: usd(40), audioOut: usd(80) },
      },
      120_000n,
    ],
  ])('%s', (_what, worst, nanos) => {
    expect(worstCost(worst)).toBe(nanos);
  });

  it.each([
    ['no input price', { inputTokens: 1, maxOutputTokens: 1, prices: { ...NANO, input: null } }],
    ['no output price', { inputTokens: 1, maxOutputTokens: 1, prices: { ...NANO, output: null } }],
    ['sound without a price', { inputTokens: 1, maxOutputTokens: 1, audioIn: true, prices: NANO }],
  ])('G-4: unknown with %s', (_what, worst) => {
    expect(worstCost(worst)).toBeNull();
  });

  it('is never less than what an answer within its bounds costs', () => {
    const price = fc.option(fc.bigInt({ min: 0n, max: 10n ** 12n }), { nil: null });
    const prices = fc.record({ input: price, output: price, cachedInput: price, cacheWrite: price });
    const tokens = fc.nat(1_000_000);
    fc.assert(
      fc.property(prices, tokens, tokens, tokens, tokens, (all, input, output, cacheRead, cacheWrite) => {
        // A provider whose cached input is dearer than input is not known.
        const sound = all.cachedInput !== null && all.input !== null && all.cachedInput > all.input;
        const known = sound ? { ...all, cachedInput: all.input } : all;
        const worst = worstCost({ inputTokens: input, maxOutputTokens: output, prices: known });
        const cost = costOf(used(input, output, { cacheRead, cacheWrite }), known);
        if (worst !== null) expect(cost !== null && cost <= worst).toBe(true);
      }),
    );
  });
});
