/** How the health board is grouped and filtered (H-3). */
import { describe, expect, it } from 'vitest';
import {
  countsOf,
  firstOf,
  groupsOf,
  type State,
  sharingWith,
  type Target,
} from '../../console/src/pages/targets/board.ts';

function target(name: string, state: State = 'ok'): Target {
  const [model = '', channel = '', credential] = name.split(' ');
  return {
    id: name,
    model,
    channel,
    credential: credential ?? null,
    state,
    class: null,
    since: null,
    until: null,
    probe_at: null,
    level: 0,
    calls: 0,
    failures: 0,
  };
}

describe('the board', () => {
  const all = [
    target('m10 a k'),
    target('m2 a k', 'drained'),
    target('m2 b'),
    target('m3 a k', 'cooling'),
    target('m3 a j'),
    target('m4 a k', 'open'),
  ];

  it('H-3: models with the worst target first, then by name as people count', () => {
    const groups = groupsOf(all, 'all', '');
    expect(groups.map(({ model, all, well }) => [model, all, well])).toEqual([
      ['m4', 1, 0],
      ['m3', 2, 1],
      ['m2', 2, 1],
      ['m10', 1, 1],
    ]);
    expect(groups[1]?.targets.map(({ id }) => id)).toEqual(['m3 a j', 'm3 a k']);
  });

  it('H-3: a filter shows what has all its words and the state; what is drained on purpose is no trouble', () => {
    const ids = (...filter: Parameters<typeof groupsOf> extends [unknown, ...infer Rest] ? Rest : never) =>
      groupsOf(all, ...filter).flatMap(({ targets }) => targets.map(({ id }) => id));
    expect(ids('trouble', '')).toEqual(['m4 a k', 'm3 a k']);
    expect(ids('ok', '')).toEqual(['m2 b', 'm3 a j', 'm10 a k']);
    expect(ids('all', 'M3#A k')).toEqual(['m3 a k']);
    expect(groupsOf(all, 'ok', 'm3')[0], 'of all its targets, not of those shown').toMatchObject({ all: 2, well: 1 });
    expect(Object.fromEntries(countsOf(all, 'k'))).toEqual({
      all: 4,
      trouble: 2,
      open: 1,
      half_open: 0,
      cooling: 1,
      drained: 1,
      ok: 1,
    });
  });

  it('H-3: a portion has no more rows than it may, whatever its models have', () => {
    const groups = groupsOf(all, 'all', '');
    for (const limit of [1, 2, 4, 100]) {
      const shown = firstOf(groups, limit).flatMap(({ targets }) => targets);
      expect(shown).toEqual(groups.flatMap(({ targets }) => targets).slice(0, limit));
    }
  });

  it('H-1: a reset concerns whoever shares the channel or the credential', () => {
    const ids = (one: string) => sharingWith(target(one), all).map(({ id }) => id);
    expect(ids('m3 a j')).toEqual(['m3 a k']);
    expect(ids('m3 a k')).toEqual(['m10 a k', 'm2 a k', 'm3 a j', 'm4 a k']);
    expect(ids('m2 b')).toEqual([]);
  });
});
