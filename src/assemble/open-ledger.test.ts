import { describe, expect, it } from 'vitest';
import type { Clock } from '../ports/clock.ts';
import { StateStoreUnavailable } from '../ports/object-store.ts';
import { LedgerCare } from './open-ledger.ts';

function rig(results: readonly (number | null)[], kind: 'sqlite' | 'postgres' = 'sqlite') {
  const left = [...results];
  const calls: string[] = [];
  const waits: number[] = [];
  let next: (() => void) | null = null;
  let now = 0;
  const clock: Clock = {
    wall: () => 5,
    now: () => now,
    after: (ms, callback) => {
      waits.push(ms);
      next = () => {
        now += ms;
        callback();
      };
      return () => {
        next = null;
      };
    },
  };
  const notes: string[] = [];
  const idempotency = {
    recover: async () => {
      calls.push('recover');
      const closed = left.shift() ?? null;
      if (closed === null) throw new StateStoreUnavailable('full');
      return { closed };
    },
    expire: async (wall: number) => {
      calls.push(`expire ${wall}`);
      return 0;
    },
  };
  const ledger = {
    release: async () => {
      calls.push('release');
      return 0;
    },
  };
  const store = { idempotency, ledger, clock, kind };
  const care = new LedgerCare(store, { warn: (text) => void notes.push(text) });
  const tick = async () => {
    next?.();
    for (let n = 0; n < 20; n++) await Promise.resolve();
  };
  return { care, calls, waits, notes, tick };
}

describe('care for the ledger', () => {
  it('I-8: rounds of the process before are closed at start, once, and told', async () => {
    const { care, calls, waits, notes, tick } = rig([2]);
    await care.look();
    await tick();
    expect(calls).toEqual(['recover', 'release', 'expire 5', 'expire 5']);
    expect(waits).toEqual([60_000, 60_000]);
    expect(notes).toEqual([expect.stringMatching(/^2 keyed requests were cut off/)]);
  });

  it('I-8, H-5: on a disk that can not be written it is tried again every second', async () => {
    const { care, calls, waits, tick } = rig([null, null, 0]);
    await care.look();
    await tick();
    await tick();
    expect(calls).toEqual(['recover', 'recover', 'recover', 'release', 'expire 5']);
    expect(waits).toEqual([1000, 1000, 60_000]);
    care.stop();
    await tick();
    expect(calls).toHaveLength(5);
  });

  it('I-8, G-4: where others may die it looks every five seconds, for keys and for money; what expires goes every minute', async () => {
    const { care, calls, waits, tick } = rig([0, 1, null, 0, ...Array.from({ length: 20 }, () => 0)], 'postgres');
    await care.look();
    for (let n = 0; n < 14; n++) await tick();
    expect(waits.slice(0, 5)).toEqual([5000, 5000, 1000, 5000, 5000]);
    expect(calls.slice(0, 6)).toEqual(['recover', 'release', 'expire 5', 'recover', 'release', 'recover']);
    expect(calls.filter((call) => call === 'expire 5')).toHaveLength(2);
  });
});
