import { describe, expect, it } from 'vitest';
import { checkRungs } from './check-rungs.ts';
import { readRungs, withTries } from './rungs.ts';

describe('E-4: reading a ladder', () => {
  it('E-4: every form of every rung, in order', () => {
    expect(readRungs([{ cache: { max_age_s: 60 } }, { default: 'sorry' }, 'queue', 'busy'])).toEqual([
      { kind: 'cache', maxAgeMs: 60_000 },
      { kind: 'default', name: 'sorry' },
      { kind: 'queue', tries: 3 },
      { kind: 'busy' },
    ]);
    for (const nothing of [null, true, {}]) {
      expect(readRungs([{ queue: nothing }, { busy: nothing }])).toEqual([
        { kind: 'queue', tries: 3 },
        { kind: 'busy' },
      ]);
    }
    expect(readRungs([])).toEqual([]);
  });

  it.each([
    'busy',
    {},
    [null],
    [5],
    [[]],
    [{}],
    ['cache'],
    ['later'],
    [{ busy: false }],
    [{ queue: { tries: 2 } }],
    [{ queue: [] }],
    [{ default: '' }],
    [{ default: 5 }],
    [{ default: 'a', busy: {} }],
    [{ cache: {} }],
    [{ cache: { max_age_s: 0 } }],
    [{ cache: { max_age_s: 86_401 } }],
    [{ cache: { max_age_s: 1.5 } }],
    [{ cache: { max_age_s: 60, more: 1 } }],
    [{ cache: null }],
    [{ __proto__: null, constructor: 'x' }],
    Array.from({ length: 11 }, () => 'busy'),
  ])('E-4, C-4: %j is no ladder', (value) => {
    expect(readRungs(value)).toBeNull();
  });

  it('D-9: retries is the number of tries, one at least and five at most', () => {
    const tries = (retries: number) => withTries([{ kind: 'queue', tries: 3 }, { kind: 'busy' }], retries);
    expect([0, 1, 4, 5, 9].map((retries) => tries(retries)[0])).toEqual(
      [1, 1, 4, 5, 5].map((n) => ({ kind: 'queue', tries: n })),
    );
    expect(tries(5)[1]).toEqual({ kind: 'busy' });
  });

  it('E-4: a default must be configured', () => {
    const rungs = readRungs(['busy', { default: 'sorry' }])!;
    expect(checkRungs(rungs, new Set(['sorry'])).ok).toBe(true);
    expect(checkRungs(rungs, new Set(['other']))).toMatchObject({
      error: { status: 400, code: 'invalid_redundancy', param: 'redundancy.on_exhausted' },
    });
  });
});
