import { expect, it } from 'vitest';
import { RecentMap } from './recent-map.ts';

it('P-2: keeps at least its size of what was asked for last, and not much more', () => {
  const map = new RecentMap<number>(100);
  map.set('used', -1);
  for (let i = 0; i < 10_000; i += 1) {
    map.set(`${i}`, i);
    expect(map.get('used')).toBe(-1);
  }
  for (let i = 9_901; i < 10_000; i += 1) expect(map.peek(`${i}`)).toBe(i);
  const kept = Array.from({ length: 10_000 }, (_, i) => map.peek(`${i}`)).filter((value) => value !== undefined);
  expect(kept.length).toBeLessThanOrEqual(200);
});

it('P-2: a value changes in place, is deleted in every generation, and a peek is no use', () => {
  const map = new RecentMap<number>(2);
  map.set('a', 1);
  map.set('b', 2);
  map.set('a', 3);
  expect([map.peek('a'), map.peek('b')]).toEqual([3, 2]);
  map.delete('a');
  expect(map.get('a')).toBeUndefined();
  for (const key of ['c', 'd', 'e', 'f']) {
    map.peek('b');
    map.set(key, 0);
  }
  expect(map.peek('b')).toBeUndefined();
});

it('P-2: what must stay stays, unused', () => {
  const map = new RecentMap<number>(4, (value) => value === 7);
  map.set('stays', 7);
  for (let i = 0; i < 100; i += 1) map.set(`${i}`, i % 7);
  expect(map.get('stays')).toBe(7);
  expect(map.peek('0')).toBeUndefined();
});

it('O-4: all entries of both generations, each once', () => {
  const map = new RecentMap<number>(3);
  for (const [i, key] of ['a', 'b', 'c', 'd'].entries()) map.set(key, i);
  map.set('a', 9);
  expect([...map.entries()].sort()).toEqual([
    ['a', 9],
    ['b', 1],
    ['c', 2],
    ['d', 3],
  ]);
});
