import { describe, expect, it } from 'vitest';
import { VirtualClock } from '../../sim/virtual/virtual-clock.ts';
import { Retention } from './retention.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

function rig() {
  const clock = new VirtualClock();
  const start = clock.wall();
  const pruned: [number, string, number][] = [];
  const deleted: [string, number][] = [];
  const failing: [number, string, string][] = [];
  const state = { keep: 30 * DAY, isMine: true, fault: null as Error | null, before: async () => undefined as unknown };
  const kept = ['requests', 'audit'].map((what) => ({
    what,
    keepMs: () => state.keep,
    async prune(before: number) {
      await state.before();
      if (state.fault !== null && what === 'requests') throw state.fault;
      pruned.push([clock.now(), what, start + clock.now() - before]);
      return 3;
    },
  }));
  const retention = new Retention({
    kept,
    clock,
    isMine: () => state.isMine,
    onDeleted: (what, count) => deleted.push([what, count]),
    onFailing: (what, why) => failing.push([clock.now(), what, why]),
  });
  retention.start();
  const pass = async (ms: number): Promise<void> => {
    let over = false;
    clock.after(ms, () => {
      over = true;
    });
    while (!over) {
      clock.step();
      for (let turn = 0; turn < 6; turn += 1) await new Promise((done) => setImmediate(done));
    }
  };
  return { clock, pruned, deleted, failing, state, retention, pass };
}

describe('retention', () => {
  it('O-1: a minute after the start and then every hour, one kind after the other', async () => {
    const { pruned, deleted, pass } = rig();
    await pass(2 * HOUR + 90_000);
    expect(pruned).toEqual(
      [60_000, 60_000 + HOUR, 60_000 + 2 * HOUR].flatMap((at) => [
        [at, 'requests', 30 * DAY],
        [at, 'audit', 30 * DAY],
      ]),
    );
    expect(deleted.slice(0, 2)).toEqual([
      ['requests', 3],
      ['audit', 3],
    ]);
  });

  it('O-1: another length after a reload holds from the next time on', async () => {
    const { pruned, state, pass } = rig();
    await pass(HOUR);
    state.keep = DAY;
    await pass(HOUR);
    expect(pruned.filter(([, what]) => what === 'audit').map(([, , length]) => length)).toEqual([30 * DAY, DAY]);
  });

  it('O-1: only where it is this process’s turn', async () => {
    const { pruned, state, pass } = rig();
    state.isMine = false;
    await pass(2 * HOUR);
    expect(pruned).toEqual([]);
    state.isMine = true;
    await pass(HOUR);
    expect(pruned).toHaveLength(2);
  });

  it('O-1: what fails keeps nothing else from being done, and is told after a day, once a day', async () => {
    const { pruned, failing, state, pass } = rig();
    state.fault = new Error('the disk is full');
    await pass(20 * HOUR);
    expect(failing).toEqual([]);
    expect(pruned.filter(([, what]) => what === 'audit').length).toBeGreaterThan(18);
    await pass(50 * HOUR);
    expect(failing).toEqual([
      [DAY + 60_000, 'requests', 'the disk is full'],
      [2 * DAY + 60_000, 'requests', 'the disk is full'],
    ]);
  });

  it('O-1: a success in between begins the day anew', async () => {
    const { failing, state, pass } = rig();
    state.fault = new Error('away');
    await pass(20 * HOUR);
    state.fault = null;
    await pass(2 * HOUR);
    state.fault = new Error('away');
    await pass(20 * HOUR);
    expect(failing).toEqual([]);
  });

  it('O-1: the end waits for the step under way, and nothing is begun after it', async () => {
    const { pruned, retention, state, clock } = rig();
    let release: (value?: unknown) => void = () => undefined;
    state.before = () =>
      new Promise((resolve) => {
        release = resolve;
      });
    clock.step();
    const closed = retention.close();
    release();
    await closed;
    expect(pruned.map(([, what]) => what)).toEqual(['requests']);
    expect(clock.step()).toBe(false);
  });

  it('O-1: years of records keep no process from ending', async () => {
    const { retention, state, clock } = rig();
    state.before = () => new Promise(() => undefined);
    clock.step();
    const closed = retention.close();
    clock.step();
    await closed;
    expect(clock.now()).toBe(62_000);
  });
});
