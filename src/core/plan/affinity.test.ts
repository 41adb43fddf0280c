import { expect, it } from 'vitest';
import { Affinity, KEPT_MS } from './affinity.ts';

it('P-2: a caller is kept for ten minutes from the first time, however often it asks', () => {
  const affinity = new Affinity();
  expect(affinity.channelOf('c', 0)).toBeNull();
  affinity.keep('c', 'm#a', 0);
  affinity.keep('c', 'm#a', KEPT_MS - 1);
  expect(affinity.channelOf('c', KEPT_MS - 1)).toBe('m#a');
  expect(affinity.channelOf('c', KEPT_MS)).toBeNull();
});

it('P-2: another channel starts the time anew', () => {
  const affinity = new Affinity();
  affinity.keep('c', 'm#a', 0);
  affinity.keep('c', 'm#b', 1000);
  expect(affinity.channelOf('c', KEPT_MS + 999)).toBe('m#b');
  expect(affinity.channelOf('c', KEPT_MS + 1000)).toBeNull();
});

it('P-2: of too many callers the ones not seen for longest are chosen anew', () => {
  const affinity = new Affinity();
  affinity.keep('often', 'm#a', 0);
  for (let i = 0; i < 25_000; i += 1) {
    affinity.keep(`once-${i}`, 'm#b', i / 1000);
    expect(affinity.channelOf('often', i / 1000)).toBe('m#a');
  }
  expect(affinity.channelOf('once-0', 30)).toBeNull();
  expect(affinity.channelOf('once-24999', 30)).toBe('m#b');
});

it('P-2: a dry run sees what is known and leaves nothing behind', () => {
  const affinity = new Affinity();
  affinity.keep('c', 'm#a', 0);
  const dry = affinity.standing();
  dry.keep('other', 'm#b', 0);
  expect([dry.channelOf('c', 1), dry.channelOf('other', 1), dry.channelOf('c', KEPT_MS)]).toEqual(['m#a', null, null]);
  expect(affinity.channelOf('other', 1)).toBeNull();
});
