/** `price` (P-2): channels compared by what a typical request costs. */
import type { CallableChannel } from './callable.ts';
import type { SourcePrice } from './plan-source.ts';

/** A typical request reads three times as many tokens as it writes. */
const INPUT_SHARE = 3n;
const OUTPUT_SHARE = 1n;

/** Of four million tokens in that mix, in nano-dollars; null where one of the two prices is unknown (G-4). */
export function typicalPrice(price: SourcePrice | null): bigint | null {
  if (price === null || price.input === null || price.output === null) return null;
  return price.input * INPUT_SHARE + price.output * OUTPUT_SHARE;
}

/** Cheapest first, unknown last; equals keep their order. */
export function byPrice(channels: readonly CallableChannel[]): readonly CallableChannel[] {
  if (channels.length < 2) return channels;
  return [...channels].sort(({ price: a }, { price: b }) => {
    if (a === null || b === null) return a === b ? 0 : a === null ? 1 : -1;
    return a < b ? -1 : a > b ? 1 : 0;
  });
}
