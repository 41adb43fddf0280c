import { describe, expect, it } from 'vitest';
import { KeyBreaker, type KeyEvent } from './key-breaker.ts';
import type { KeyResult } from './key-result.ts';

const WALL = 1_800_000_000_000;
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

function rig() {
  const breaker = new KeyBreaker();
  const rig = {
    breaker,
    now: 5000,
    wall: () => WALL + rig.now,
    /** Feeds results one after the other; the events they cause. */
    feed(results: readonly KeyResult[], key = 'k', everyMs = 1): KeyEvent[] {
      const events: KeyEvent[] = [];
      for (const result of results) {
        rig.now += everyMs;
        const event = breaker.observe(key, result, rig.now, rig.wall());
        if (event !== null) events.push(event);
      }
      return events;
    },
    rest: (key = 'k') => breaker.rest(key, rig.now, rig.wall()),
  };
  return rig;
}

const times = (n: number, result: KeyResult): KeyResult[] => Array.from({ length: n }, () => result);
const WRONG = 'caller_fault';
const DOWN = 'upstream_fault';
const GOOD = 'success';

describe("the breaker's numbers", () => {
  it('G-6: 99 failures do nothing, the 100th suspends for 60 s', () => {
    const r = rig();
    expect(r.feed(times(99, WRONG))).toEqual([]);
    expect(r.rest()).toBeNull();
    expect(r.feed([WRONG])).toEqual([{ type: 'suspended', key: 'k', until: r.wall() + MINUTE, madeBy: 'caller' }]);
    r.now += MINUTE - 1;
    expect(r.rest()).toEqual({ state: 'suspended', until: r.wall() + 1 });
    r.now += 1;
    expect(r.rest()).toBeNull();
  });

  it('G-6: 90 of 100 are enough, 89 are not', () => {
    expect(rig().feed([...times(10, GOOD), ...times(90, WRONG)])).toHaveLength(1);
    const close = rig();
    expect(close.feed([...times(11, GOOD), ...times(89, WRONG)])).toEqual([]);
    // 99 of 110.
    expect(close.feed(times(10, WRONG))).toHaveLength(1);
  });

  it('G-6: only the last 60 s count', () => {
    const r = rig();
    expect(r.feed(times(99, WRONG))).toEqual([]);
    r.now += MINUTE;
    expect(r.feed(times(99, WRONG))).toEqual([]);
    const slow = rig();
    expect(slow.feed(times(500, WRONG), 'k', 700)).toEqual([]);
    const fast = rig();
    expect(fast.feed(times(100, WRONG), 'k', 580)).toHaveLength(1);
  });

  it('G-6: keys are judged apart', () => {
    const r = rig();
    r.feed(times(60, WRONG), 'one');
    expect(r.feed(times(60, WRONG), 'two')).toEqual([]);
    expect(r.feed(times(40, WRONG), 'one')).toHaveLength(1);
    expect(r.rest('two')).toBeNull();
  });

  it('G-6: what ends while the key rests is not counted', () => {
    const r = rig();
    r.feed(times(100, WRONG));
    expect(r.feed(times(500, WRONG))).toEqual([]);
    r.now += MINUTE;
    expect(r.feed(times(99, WRONG))).toEqual([]);
  });
});

describe('escalation', () => {
  it('G-6: suspensions by caller faults double; after 5 in 24 h the next is a ban until it is lifted', () => {
    const r = rig();
    const lengths: number[] = [];
    for (let i = 0; i < 5; i += 1) {
      const [event] = r.feed(times(100, WRONG));
      if (event?.type !== 'suspended') throw new Error('not suspended');
      lengths.push((event.until - r.wall()) / 1000);
      r.now += event.until - r.wall();
    }
    expect(lengths).toEqual([60, 120, 240, 480, 960]);
    expect(r.feed(times(100, WRONG))).toEqual([{ type: 'banned', key: 'k', since: r.wall() }]);
    r.now += 1000 * HOUR;
    expect(r.rest()).toMatchObject({ state: 'banned' });
    expect(r.breaker.list(r.now, r.wall())).toMatchObject([{ key: 'k', rest: { state: 'banned' } }]);
    expect(r.breaker.lift('k', r.now, r.wall())).toBe(true);
    expect(r.rest()).toBeNull();
    expect(r.breaker.list(r.now, r.wall())).toEqual([]);
    // Lifted is forgotten: it begins with 60 s.
    expect(r.feed(times(100, WRONG))).toMatchObject([{ until: r.wall() + MINUTE }]);
  });

  it('G-6: suspensions older than 24 h no longer count', () => {
    const r = rig();
    for (let i = 0; i < 20; i += 1) {
      const [event] = r.feed(times(100, WRONG));
      expect(event).toMatchObject({ type: 'suspended', until: r.wall() + MINUTE });
      r.now += 24 * HOUR;
    }
  });

  it('G-6: those by upstream faults stay at 60 s and never ban', () => {
    const r = rig();
    for (let i = 0; i < 20; i += 1) {
      expect(r.feed(times(100, DOWN))).toEqual([
        { type: 'suspended', key: 'k', until: r.wall() + MINUTE, madeBy: 'upstream' },
      ]);
      r.now += MINUTE;
    }
    expect(r.feed(times(100, WRONG))).toMatchObject([{ type: 'suspended', until: r.wall() + MINUTE }]);
  });

  it('G-6: the greater part of the failures says whose they are', () => {
    const half = rig();
    expect(half.feed([...times(50, WRONG), ...times(50, DOWN)])).toMatchObject([{ madeBy: 'upstream' }]);
    const most = rig();
    expect(most.feed([...times(51, WRONG), ...times(49, DOWN)])).toMatchObject([{ madeBy: 'caller' }]);
  });
});

describe('memory', () => {
  it('G-6: bans of an earlier process hold', () => {
    const r = rig();
    r.breaker.restore([{ key: 'k', since: 42 }]);
    expect(r.rest()).toEqual({ state: 'banned', since: 42 });
  });

  it('lifting what does not rest is no lift', () => {
    const r = rig();
    expect(r.breaker.lift('k', r.now, r.wall())).toBe(false);
    r.feed(times(5, WRONG));
    expect(r.breaker.lift('k', r.now, r.wall())).toBe(false);
  });

  it('keys without a past are forgotten, others never', () => {
    const r = rig();
    r.breaker.restore([{ key: 'banned', since: 1 }]);
    r.feed(times(100, WRONG), 'suspended');
    for (let i = 0; i < 40_000; i += 1) r.feed([GOOD], `key-${i}`, 20);
    expect(r.breaker.size).toBeLessThan(20_000);
    expect(r.rest('banned')).not.toBeNull();
    expect(r.feed(times(100, WRONG), 'suspended')).toMatchObject([{ until: r.wall() + 2 * MINUTE }]);
  });
});
