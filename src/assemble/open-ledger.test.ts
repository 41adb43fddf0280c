import { describe, expect, it } from 'vitest';
import type { Clock } from '../ports/clock.ts';
import { StateStoreUnavailable } from '../ports/object-store.ts';
import { LedgerCare } from './open-ledger.ts';

function rig(results: readonly (number | null)[]) {
  const left = [...results];
  const calls: string[] = [];
  const waits: number[] = [];
  let next: (() => void) | null = null;
  const clock: Clock = {
    wall: () => 5,
    now: () => 0,
    after: (ms, callback) => {
      waits.push(ms);
      next = callback;
      return () => {
        next = null;
      };
    },
  };
  const notes: string[] = [];
  const store = {
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
  const care = new LedgerCare(store, clock, { warn: (text) => void notes.push(text) });
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
    expect(calls).toEqual(['recover', 'expire 5', 'expire 5']);
    expect(waits).toEqual([60_000, 60_000]);
    expect(notes).toEqual([expect.stringMatching(/^2 keyed requests were cut off/)]);
  });

  it('I-8, H-5: on a disk that can not be written it is tried again every second', async () => {
    const { care, calls, waits, tick } = rig([null, null, 0]);
    await care.look();
    await tick();
    await tick();
    expect(calls).toEqual(['recover', 'recover', 'recover', 'expire 5']);
    expect(waits).toEqual([1000, 1000, 60_000]);
    care.stop();
    await tick();
    expect(calls).toHaveLength(4);
  });
});
