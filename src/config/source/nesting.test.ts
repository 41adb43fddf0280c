import { describe, expect, it } from 'vitest';
import { readDocument } from './document.ts';
import { MOST_LEVELS, tooDeep } from './nesting.ts';

describe('X-5: nesting', () => {
  it.each([
    ['lists', '['.repeat(20_000)],
    ['mappings', '{a: '.repeat(20_000)],
    ['brackets over lines', '[\n'.repeat(20_000)],
    ['lists in a line', `a:\n${'- '.repeat(20_000)}x`],
    ['keys in a line', '? '.repeat(20_000)],
  ])('X-5: %s without end are refused before they are parsed', (_, text) => {
    expect(tooDeep(text)).not.toBe(null);
    const { root, problems } = readDocument(text, {});
    expect(root).toBe(null);
    expect(problems).toMatchObject([{ code: 'syntax', message: expect.stringContaining('nested') }]);
  });

  it('X-5: what opens and closes, however often, is no depth', () => {
    const text = `version: 1\nlist:\n${'  - { a: [1, 2] } # [x]\n'.repeat(5 * MOST_LEVELS)}`;
    expect(tooDeep(text)).toBe(null);
    expect(tooDeep(`a: ${'-'.repeat(5 * MOST_LEVELS)}`)).toBe(null);
  });
});
