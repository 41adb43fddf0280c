import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { mayCall, modelMatcher } from './allowed-models.ts';

describe('G-11: patterns of allowed models', () => {
  it.each([
    ['*', 'anything/at:all', true],
    ['openai/*', 'openai/gpt-5-nano', true],
    ['openai/*', 'openai/', true],
    ['openai/*', 'azure/openai/x', false],
    ['*/gpt-5', 'openai/gpt-5', true],
    ['*/gpt-5', 'openai/gpt-5-nano', false],
    ['*gpt*nano', 'openai/gpt-5-nano', true],
    ['a*a', 'a', false],
    ['ab*ba', 'aba', false],
    ['**', 'x', true],
    ['a.c', 'abc', false],
    ['a.c', 'a.c', true],
    ['', 'a', false],
  ])('G-11: %s and %s: %s', (pattern, id, expected) => {
    expect(mayCall([pattern], id)).toBe(expected);
  });

  it('G-11: an empty list allows nothing, several patterns add up', () => {
    expect(mayCall([], 'a')).toBe(false);
    const matcher = modelMatcher(['a', 'b/*']);
    expect(['a', 'b/c', 'c'].map(matcher)).toEqual([true, true, false]);
  });

  it('G-11: matches exactly what a regular expression would', () => {
    const letters = fc.string({ unit: fc.constantFrom('a', 'b', '/', '.'), maxLength: 10 });
    const patterns = fc.string({ unit: fc.constantFrom('a', 'b', '/', '.', '*'), maxLength: 8 });
    fc.assert(
      fc.property(patterns, letters, (pattern, id) => {
        const source = pattern.split('*').map((piece) => piece.replaceAll('.', '\\.').replaceAll('/', '\\/'));
        expect(mayCall([pattern], id)).toBe(new RegExp(`^${source.join('.*')}$`, 's').test(id));
      }),
      { numRuns: 3000 },
    );
  });

  it('G-11: many stars cost no more than the length', () => {
    expect(mayCall([`${'*a'.repeat(40)}*b`], 'a'.repeat(100_000))).toBe(false);
  });
});
