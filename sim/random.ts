/** Seeded chance. The simulator never asks the platform for randomness: the same seed gives the same faults. */

/** A generator of numbers in [0, 1). */
export type Random = () => number;

/** mulberry32: 32 bits of state, one multiplication chain per draw; good enough for choosing faults and words. */
export function seededRandom(seed: number): Random {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** FNV-1a over UTF-16 units, started from `seed`: turns names and texts into seeds. */
export function hashText(text: string, seed = 0): number {
  let hash = (0x811c9dc5 ^ seed) >>> 0;
  for (let i = 0; i < text.length; i += 1) {
    hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193) >>> 0;
  }
  return hash;
}

/** Draws one key with probability weight ÷ sum. The weights are positive; at least one is given. */
export function pickWeighted(weights: Readonly<Record<string, number>>, random: Random): string {
  const entries = Object.entries(weights);
  const total = entries.reduce((sum, [, weight]) => sum + weight, 0);
  let left = random() * total;
  for (const [name, weight] of entries) {
    left -= weight;
    if (left < 0) return name;
  }
  // Rounding can leave a hair over zero after the last weight.
  return entries[entries.length - 1]?.[0] ?? 'ok';
}
