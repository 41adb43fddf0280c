import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { FAULT_CASES } from './fault-case.ts';
import { OUT_OF_SCOPE, PARTLY_OUT_OF_SCOPE } from './out-of-scope.ts';

const folder = new URL('./', import.meta.url);
const sources = readdirSync(folder)
  .filter((name) => name.endsWith('.test.ts') && name !== 'coverage.test.ts')
  .map((name) => readFileSync(new URL(name, folder), 'utf8'));

/** Case ids in the titles of tests: `it('T-4 mid-x: …`. */
const tested = sources.flatMap((text) =>
  [...text.matchAll(/\bit\(\s*['"`](?:[A-Z]-\d+,? )+([a-z0-9-]+):/g)].map((match) => match[1]),
);

describe('fault cases', () => {
  it('F-1: every case is tested by name, or out of scope with a reason, never both', () => {
    const known = FAULT_CASES.map(({ id }) => id).sort();
    const excused = OUT_OF_SCOPE.map(({ id }) => id);
    expect([...new Set([...tested, ...excused])].sort()).toEqual(known);
    expect(tested.filter((id) => id !== undefined && excused.includes(id))).toEqual([]);
    expect(PARTLY_OUT_OF_SCOPE.filter(({ id }) => !tested.includes(id))).toEqual([]);
  });
});
