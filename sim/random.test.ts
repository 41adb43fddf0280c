import { describe, expect, it } from 'vitest';
import { hashText, pickWeighted, seededRandom } from './random.ts';

describe('seeded chance', () => {
  it('X-1: the same seed gives the same numbers, another seed others, all in [0, 1)', () => {
    const draw = (seed: number) => {
      const random = seededRandom(seed);
      return Array.from({ length: 1000 }, () => random());
    };
    expect(draw(7)).toEqual(draw(7));
    expect(draw(7)).not.toEqual(draw(8));
    expect(draw(7).every((n) => n >= 0 && n < 1)).toBe(true);
    const mean = draw(7).reduce((sum, n) => sum + n, 0) / 1000;
    expect(mean).toBeGreaterThan(0.45);
    expect(mean).toBeLessThan(0.55);
  });

  it('X-1: a weighted draw follows the weights and never falls off the end', () => {
    const random = seededRandom(3);
    const counts = { a: 0, b: 0 };
    for (let i = 0; i < 10_000; i += 1) counts[pickWeighted({ a: 3, b: 1 }, random) as 'a' | 'b'] += 1;
    expect(counts.a).toBeGreaterThan(7200);
    expect(counts.a).toBeLessThan(7800);
    expect(pickWeighted({ a: 0.1, b: 0.2 }, () => 0.999_999_999_999)).toBe('b');
    expect(pickWeighted({ only: 1 }, () => 1)).toBe('only');
  });

  it('X-1: a hash depends on text and seed', () => {
    expect(hashText('a', 1)).not.toBe(hashText('a', 2));
    expect(hashText('a', 1)).not.toBe(hashText('b', 1));
    expect(hashText('', 1)).toBe(hashText('', 1));
  });
});
