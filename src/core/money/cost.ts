/**
 * What an answer costs (G-4): tokens times prices, in whole nano-dollars. A price nobody knows makes the cost unknown,
 * never 0.
 */
import type { NanoUsd, Usage } from '../usage/usage.ts';

/** Nano-dollars per million tokens; null = unknown. */
export interface TokenPrices {
  readonly input: NanoUsd | null;
  readonly output: NanoUsd | null;
  /** Input read from the provider's cache; unknown = as other input, which is never less. */
  readonly cachedInput: NanoUsd | null;
  /** Input written to it; unknown = as other input: most providers charge no extra for it. */
  readonly cacheWrite?: NanoUsd | null;
  /** Sound costs many times what text does, so that an unknown price of it stays unknown. */
  readonly audioIn?: NanoUsd | null;
  readonly audioOut?: NanoUsd | null;
  /** Other prices, for all tokens of a request with more input than `above`; by `above`, the last that holds counts. */
  readonly tiers?: readonly (Omit<TokenPrices, 'tiers'> & { readonly above: number })[];
}

/** Tokens of one answer by price; the parts don't overlap. */
interface Parts {
  readonly input: number;
  readonly cached: number;
  readonly written: number;
  readonly audioIn: number;
  readonly output: number;
  readonly audioOut: number;
}

const MILLION = 1_000_000n;

/**
 * The cost of an answer, rounded once, half up. Null = a price it needs, or a count, is unknown. Parts that are said to be larger
 * than their whole are cut to it, so that nothing is charged twice.
 */
export function costOf(usage: Usage, stated: TokenPrices): NanoUsd | null {
  const parts = partsOf(usage);
  if (parts === null) return null;
  const prices = stated.tiers?.findLast(({ above }) => (usage.input ?? 0) > above) ?? stated;
  const amounts = [
    amountOf(parts.input, prices.input),
    amountOf(parts.cached, prices.cachedInput ?? prices.input),
    amountOf(parts.written, prices.cacheWrite ?? prices.input),
    amountOf(parts.audioIn, prices.audioIn ?? null),
    amountOf(parts.output, prices.output),
    amountOf(parts.audioOut, prices.audioOut ?? null),
  ];
  let sum = 0n;
  for (const amount of amounts) {
    if (amount === null) return null;
    sum += amount;
  }
  return nearest(sum);
}

function partsOf(usage: Usage): Parts | null {
  const { input, output } = usage;
  if (input === null || output === null) return null;
  const cached = Math.min(usage.cacheRead ?? 0, input);
  const written = Math.min(usage.cacheWrite ?? 0, input - cached);
  const audioIn = Math.min(usage.audioInput ?? 0, input - cached - written);
  const audioOut = Math.min(usage.audioOutput ?? 0, output);
  return {
    input: input - cached - written - audioIn,
    cached,
    written,
    audioIn,
    output: output - audioOut,
    audioOut,
  };
}

/** In millionths of a nano-dollar. No tokens cost nothing, whatever their price. */
function amountOf(tokens: number, price: NanoUsd | null): bigint | null {
  if (tokens === 0) return 0n;
  return price === null ? null : BigInt(tokens) * price;
}

/** From millionths to the nearest whole, half up. */
function nearest(millionths: bigint): NanoUsd {
  return (millionths + MILLION / 2n) / MILLION;
}

/** What one call may come to at most. */
export interface Worst {
  readonly inputTokens: number;
  /** Over all answers asked for. */
  readonly maxOutputTokens: number;
  /** The request holds sound, or asks for it. */
  readonly audioIn?: boolean;
  readonly audioOut?: boolean;
  readonly prices: TokenPrices;
}

/**
 * The cost if every token had the highest price it can have, rounded up. Null = a price it needs is unknown. The input
 * was guessed high, so that of the tiers it may end in the dearest counts.
 */
export function worstCost(worst: Worst): NanoUsd | null {
  const { prices, inputTokens } = worst;
  let dearest = worstAt(worst, prices);
  for (const tier of prices.tiers ?? []) {
    if (inputTokens <= tier.above || dearest === null) break;
    const cost = worstAt(worst, tier);
    dearest = cost === null || cost > dearest ? cost : dearest;
  }
  return dearest;
}

function worstAt({ inputTokens, maxOutputTokens, audioIn, audioOut }: Worst, prices: TokenPrices): NanoUsd | null {
  const input = highest([prices.input, prices.cacheWrite ?? prices.input], audioIn === true, prices.audioIn ?? null);
  const output = highest([prices.output], audioOut === true, prices.audioOut ?? null);
  const forInput = amountOf(inputTokens, input);
  const forOutput = amountOf(maxOutputTokens, output);
  return forInput === null || forOutput === null ? null : (forInput + forOutput + MILLION - 1n) / MILLION;
}

/** Null = one of them is unknown. */
function highest(prices: readonly (NanoUsd | null)[], sound: boolean, soundPrice: NanoUsd | null): NanoUsd | null {
  let found = 0n;
  for (const price of sound ? [...prices, soundPrice] : prices) {
    if (price === null) return null;
    if (price > found) found = price;
  }
  return found;
}
