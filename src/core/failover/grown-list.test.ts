import { expect, it } from 'vitest';
import { GrownList } from './grown-list.ts';

it('a longer list has what the shorter one has, which stays as it was', () => {
  const lists = [GrownList.none<number>()];
  for (let n = 0; n < 200; n += 1) lists.push(lists[n]!.with(n));
  for (const [length, list] of lists.entries()) {
    expect([...list]).toEqual(Array.from({ length }, (_entry, n) => n));
    expect(list.find((n) => n >= 100)).toBe(length <= 100 ? undefined : 100);
    expect(list.last).toBe(length === 0 ? undefined : length - 1);
    expect(list.every((n) => n < 150)).toBe(length <= 150);
  }
});

it('two of them with the same content are equal, and others are not', () => {
  const one = GrownList.none<string>().with('a').with('b');
  expect(GrownList.none<string>().with('a').with('b')).toEqual(one);
  expect(GrownList.none<string>().with('a').with('c')).not.toEqual(one);
});
