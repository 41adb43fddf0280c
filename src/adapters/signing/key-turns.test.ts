import { describe, expect, it } from 'vitest';
import { type KeyTurn, keyTurns, PUBLISHED_BEFORE_MS, turnsNow } from './key-turns.ts';
import type { KeyState, SigningKey } from './stored-key.ts';

const HOUR = 3_600_000;
const RULES = { ttlMs: 60_000, rotateEveryMs: 24 * HOUR };
const AT = 1000 * HOUR;

const key = (no: number, state: KeyState, age: number): SigningKey => ({
  no,
  version: 1,
  state,
  since: AT - age,
  kid: `k${no}`,
  x: '',
  sealed: '',
});

const told = (turn: KeyTurn): string =>
  turn.do === 'make' ? `make ${turn.state}` : `${turn.do} ${turn.key.no}${turn.do === 'move' ? ` ${turn.to}` : ''}`;
const due = (...keys: SigningKey[]): string[] => keyTurns(keys, RULES, AT).map(told);

describe('G-5: how signing keys follow each other', () => {
  it.each<[string, SigningKey[], string[]]>([
    ['the first ones', [], ['make current', 'make next']],
    ['nothing before its time', [key(1, 'current', 24 * HOUR - 1), key(2, 'next', 24 * HOUR - 1)], []],
    [
      'the next one signs, the one after it is published',
      [key(1, 'current', 24 * HOUR), key(2, 'next', 24 * HOUR)],
      ['move 1 retired', 'move 2 current', 'make next'],
    ],
    ['no key signs that was not published for an hour', [key(1, 'current', 48 * HOUR), key(2, 'next', HOUR - 1)], []],
    ['a next key that is missing is made', [key(1, 'current', 48 * HOUR)], ['make next']],
    ['without a current key the next one signs, however new', [key(2, 'next', 1)], ['move 2 current', 'make next']],
    [
      'a retired key stays published while a token of its may hold',
      [key(1, 'retired', HOUR + 60_000), key(2, 'current', HOUR), key(3, 'next', HOUR)],
      [],
    ],
    [
      'and goes after that',
      [key(1, 'retired', HOUR + 60_001), key(2, 'current', HOUR), key(3, 'next', HOUR)],
      ['remove 1'],
    ],
    ['a clock that went back turns nothing', [key(1, 'current', -HOUR), key(2, 'next', -HOUR)], []],
  ])('%s', (_what, keys, turns) => {
    expect(due(...keys)).toEqual(turns);
  });

  it('an operator turns at once; what was in wrong hands is published no more', () => {
    const keys = [key(1, 'retired', HOUR), key(2, 'current', HOUR), key(3, 'next', HOUR)];
    expect(turnsNow(keys, false).map(told)).toEqual(['move 2 retired', 'move 3 current', 'make next']);
    expect(turnsNow(keys, true).map(told)).toEqual(['remove 1', 'remove 2', 'move 3 current', 'make next']);
    expect([turnsNow([], false), turnsNow([], true), turnsNow(keys.slice(0, 2), true)]).toEqual([[], [], []]);
  });

  it('published before it signs: longer than any verifier keeps a set', () => {
    expect(PUBLISHED_BEFORE_MS).toBeGreaterThan(300_000);
  });
});
