import { expect, it } from 'vitest';
import { SpentRanks } from './spent-ranks.ts';

it('P-7: each rank keeps its latest reason, and what was before stays as it was', () => {
  const first = SpentRanks.none.with([3, 1], 'limit');
  const second = first.with([3], 'tried').with([5], 'balance');
  expect([...first]).toEqual([
    [1, 'limit'],
    [3, 'limit'],
  ]);
  expect([...second]).toEqual([
    [1, 'limit'],
    [3, 'tried'],
    [5, 'balance'],
  ]);
  expect([0, 1, 2, 3, 4, 5, 6].map((rank) => second.has(rank))).toEqual([false, true, false, true, false, true, false]);
  expect([second.get(3), second.get(4)]).toEqual(['tried', undefined]);
  expect([...SpentRanks.none]).toEqual([]);
});

it('two of them with the same content are equal, and others are not', () => {
  const one = SpentRanks.none.with([2], 'limit');
  expect(SpentRanks.none.with([2], 'limit')).toEqual(one);
  expect(SpentRanks.none.with([2], 'tried')).not.toEqual(one);
});
