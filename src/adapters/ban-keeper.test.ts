import { describe, expect, it } from 'vitest';
import { MemoryObjects } from '../../test/support/memory-objects.ts';
import type { Cancel, Clock } from '../ports/clock.ts';
import { StateStoreUnavailable } from '../ports/object-store.ts';
import { BanKeeper } from './ban-keeper.ts';

/** Timers run when they are told to. */
class ManualClock implements Clock {
  readonly timers: { ms: number; callback: () => void }[] = [];
  wall = () => 1000;
  now = () => 0;
  after(ms: number, callback: () => void): Cancel {
    const timer = { ms, callback };
    this.timers.push(timer);
    return () => {
      const at = this.timers.indexOf(timer);
      if (at >= 0) this.timers.splice(at, 1);
    };
  }
  fire(): number {
    const timer = this.timers.shift();
    if (timer === undefined) throw new Error('no timer');
    timer.callback();
    return timer.ms;
  }
}

const settled = () => new Promise((resolve) => setImmediate(resolve));

function rig(objects = new MemoryObjects()) {
  const clock = new ManualClock();
  const problems: (string | null)[] = [];
  const keeper = new BanKeeper({ objects, clock, onProblem: (problem) => problems.push(problem) });
  const stored = () => objects.all.map(({ kind, name, body }) => [kind, name, body]);
  return { objects, clock, problems, keeper, stored };
}

describe('bans in the store', () => {
  it('G-6: a ban is there for the next process, a lifted one is not', async () => {
    const { keeper, objects, stored } = rig();
    expect(await keeper.load()).toEqual([]);
    keeper.ban('a', 5);
    keeper.ban('b', 6);
    await settled();
    expect(stored()).toEqual([
      ['ban', 'a', { since: 5 }],
      ['ban', 'b', { since: 6 }],
    ]);
    const next = rig(objects);
    expect(await next.keeper.load()).toEqual([
      { key: 'a', since: 5 },
      { key: 'b', since: 6 },
    ]);
    next.keeper.lift('a');
    await settled();
    expect(next.stored()).toEqual([['ban', 'b', { since: 6 }]]);
  });

  it('G-6: a store out of order is told once and tried again with growing pauses, until it is written', async () => {
    const { keeper, objects, clock, problems, stored } = rig();
    objects.before = () => {
      throw new StateStoreUnavailable('the disk is full');
    };
    keeper.ban('a', 5);
    const pauses: number[] = [];
    for (let i = 0; i < 7; i += 1) {
      await settled();
      pauses.push(clock.fire());
    }
    await settled();
    expect(pauses).toEqual([1000, 2000, 4000, 8000, 16_000, 30_000, 30_000]);
    expect(problems).toEqual(['the disk is full']);
    objects.before = () => undefined;
    clock.fire();
    await settled();
    expect(stored()).toEqual([['ban', 'a', { since: 5 }]]);
    expect(problems).toEqual(['the disk is full', null]);
    expect(clock.timers).toEqual([]);
  });

  it('lifted while it is being written: the last word wins', async () => {
    const { keeper, objects, stored } = rig();
    objects.after = () => {
      objects.after = () => undefined;
      keeper.lift('a');
    };
    keeper.ban('a', 5);
    await settled();
    await settled();
    expect(stored()).toEqual([]);
  });

  it('an answer that got lost, or a change by somebody else, is read again', async () => {
    const { keeper, objects, clock, stored } = rig();
    await keeper.load();
    objects.after = () => {
      throw new StateStoreUnavailable('the thread ended');
    };
    keeper.ban('a', 5);
    await settled();
    objects.after = () => undefined;
    clock.fire();
    await settled();
    expect(stored()).toEqual([['ban', 'a', { since: 5 }]]);
    expect(clock.timers).toEqual([]);
  });

  it('closing tries once more', async () => {
    const { keeper, objects, stored, clock } = rig();
    objects.before = () => {
      throw new StateStoreUnavailable('busy');
    };
    keeper.ban('a', 5);
    await settled();
    objects.before = () => undefined;
    await keeper.close();
    expect(stored()).toEqual([['ban', 'a', { since: 5 }]]);
    expect(clock.timers).toEqual([]);
  });
});
