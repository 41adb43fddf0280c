/** Money and limits as the API shows them: dollars, in the words of the configuration file. */
import type { PriceEntry } from '../config/snapshot.ts';
import type { Limits, PeriodLimits } from '../core/limits/limits.ts';
import type { NanoUsd } from '../core/usage/usage.ts';

/** Nano-dollars as dollars. */
export function usd(nano: NanoUsd): number {
  return Number(nano) / 1e9;
}

export function usdOrNull(nano: NanoUsd | null): number | null {
  return nano === null ? null : usd(nano);
}

export interface ShownPrice {
  readonly input: number | null;
  readonly output: number | null;
  readonly cached_input: number | null;
  readonly cache_write: number | null;
  readonly audio_in: number | null;
  readonly audio_out: number | null;
  /** Of requests with more input tokens than `above`; absent = the price is one for all. */
  readonly tiers?: readonly (ShownPrice & { readonly above: number })[];
}

/** Dollars per million tokens; parts that nobody knows are null, which is not 0. */
export function shownPrice(price: PriceEntry): ShownPrice {
  const { tiers } = price;
  return {
    input: usdOrNull(price.input),
    output: usdOrNull(price.output),
    cached_input: usdOrNull(price.cachedInput),
    cache_write: usdOrNull(price.cacheWrite ?? null),
    audio_in: usdOrNull(price.audioIn ?? null),
    audio_out: usdOrNull(price.audioOut ?? null),
    ...(tiers === undefined ? {} : { tiers: tiers.map((tier) => ({ above: tier.above, ...shownPrice(tier) })) }),
  };
}

type ShownLimits = Readonly<Record<string, number | Readonly<Record<string, number>>>>;

/** What is limited, by the file's names; null = nothing is. */
export function shownLimits(limits: Limits | null): ShownLimits | null {
  if (limits === null) return null;
  const soft = limits.soft === null ? {} : { soft: stated(periods(limits.soft)) };
  return {
    ...stated({
      rpm: limits.requestsPerMinute,
      tpm: limits.tokensPerMinute,
      rpd: limits.requestsPerDay,
      concurrent: limits.concurrent,
      ...periods(limits),
    }),
    ...soft,
  };
}

function periods(limits: PeriodLimits): Readonly<Record<string, number | null>> {
  return {
    tokens_per_day: limits.tokensPerDay,
    tokens_per_month: limits.tokensPerMonth,
    usd_per_day: usdOrNull(limits.spendPerDay),
    usd_per_month: usdOrNull(limits.spendPerMonth),
  };
}

function stated(values: Readonly<Record<string, number | null>>): Readonly<Record<string, number>> {
  const there = Object.entries(values).filter((entry): entry is [string, number] => entry[1] !== null);
  return Object.fromEntries(there);
}

/** Dollars as written, in whole nano-dollars; by their decimal digits, so that 0.1 is exactly 100 000 000. */
export function nanoFromUsd(dollars: number): NanoUsd {
  const text = String(Math.abs(dollars));
  const digits = text.includes('e') ? Math.abs(dollars).toFixed(10) : text;
  const [whole = '0', part = ''] = digits.split('.');
  const nano = BigInt(whole) * 1_000_000_000n + BigInt(part.slice(0, 9).padEnd(9, '0'));
  const rounded = nano + (part.charAt(9) >= '5' ? 1n : 0n);
  return dollars < 0 ? -rounded : rounded;
}
