import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { REAL_CLOCK } from '../../test/support/real-clock.ts';
import { LimitBoard } from '../core/limits/limit-board.ts';
import { UNLIMITED } from '../core/limits/unlimited.ts';
import { StateStoreUnavailable } from '../ports/object-store.ts';
import { PeriodCounters } from './period-counters.ts';
import { SqlPeriodStore } from './store-sql/period-store.ts';
import type { StateDb } from './store-sql/state-db.ts';
import { openStateDb } from './store-sqlite/open-state-db.ts';
import { PERIODS_SQL } from './store-sqlite/periods-sql.ts';

const NOON = Date.UTC(2026, 10, 29, 12);
const KEY = { kind: 'key', id: 'dev', limits: UNLIMITED } as const;

let folder: string;
let db: StateDb;
beforeEach(async () => {
  folder = mkdtempSync(path.join(tmpdir(), 'understudy-periods-'));
  db = await openStateDb({ path: path.join(folder, 'state.db'), clock: REAL_CLOCK });
});
afterEach(async () => {
  await db.close();
  rmSync(folder, { recursive: true, force: true });
});

/** One process's counters; timers run when they are told to. */
function life(at: number, file: Pick<StateDb, 'read' | 'write'> = db) {
  const store = new SqlPeriodStore({ db: file, sql: PERIODS_SQL });
  const board = new LimitBoard();
  const problems: (string | null)[] = [];
  const timers: (() => void)[] = [];
  const clock = {
    wall: () => at,
    now: () => 0,
    after: (_ms: number, callback: () => void) => {
      timers.push(callback);
      return () => void timers.splice(timers.indexOf(callback), 1);
    },
  };
  const counters = new PeriodCounters({ store, board, clock, onProblem: (problem) => problems.push(problem) });
  const use = (tokens: number, cost: bigint) => {
    const answer = board.admit([KEY], { tokens: 0, cost: null }, 0, at);
    if (answer.ok) board.settle(answer.lease, { tokens, cost }, 0, at);
  };
  const used = () => {
    const { day, month } = board.usage(KEY, 0, at);
    return [day.requests, day.tokens, day.spend, month.requests, month.tokens, month.spend];
  };
  return { board, counters, problems, timers, use, used };
}

describe('period counters in the state', () => {
  it('G-11: what was used counts on after a restart, to the nano-dollar', async () => {
    const first = life(NOON);
    await first.counters.start();
    first.use(7, 9_007_199_254_740_993n);
    await first.counters.close();
    const second = life(NOON + 1000);
    await second.counters.start();
    expect(second.used()).toEqual([1, 7, 9_007_199_254_740_993n, 1, 7, 9_007_199_254_740_993n]);
    second.use(1, 1n);
    await second.counters.close();
    const nextDay = life(NOON + 86_400_000);
    await nextDay.counters.start();
    expect(nextDay.used()).toEqual([0, 0, 0n, 2, 8, 9_007_199_254_740_994n]);
  });

  it('is written once a second, and only what has changed', async () => {
    const { counters, timers, use } = life(NOON);
    await counters.start();
    expect(timers).toHaveLength(1);
    use(5, 0n);
    timers.shift()!();
    await counters.flush();
    expect(await db.read('SELECT period, tokens FROM period_counters ORDER BY period', [])).toEqual([
      ['day', 5],
      ['month', 5],
    ]);
    await db.write([{ sql: 'DELETE FROM period_counters', rows: [[]] }]);
    await counters.flush();
    expect(await db.read('SELECT * FROM period_counters', [])).toEqual([]);
    await counters.close();
  });

  it('months that are over are taken out', async () => {
    const first = life(NOON);
    await first.counters.start();
    first.use(5, 0n);
    await first.counters.close();
    const later = life(NOON + 3 * 86_400_000);
    await later.counters.start();
    expect(later.used()).toEqual([0, 0, 0n, 0, 0, 0n]);
    expect(await db.read('SELECT * FROM period_counters', [])).toEqual([]);
    await later.counters.close();
  });

  it('P-4, H-5: a store out of order refuses nobody, is told once, and nothing counted is lost', async () => {
    const before = life(NOON);
    await before.counters.start();
    before.use(100, 0n);
    await before.counters.close();

    let broken = true;
    const guard = <T>(work: () => Promise<T>): Promise<T> =>
      broken ? Promise.reject(new StateStoreUnavailable('gone')) : work();
    const { counters, problems, use, used } = life(NOON, {
      read: (sql, params) => guard(() => db.read(sql, params)),
      write: (steps) => guard(() => db.write(steps)),
    });
    await counters.start();
    use(1, 0n);
    await counters.flush();
    expect(problems).toEqual(['gone']);
    expect(used()[1]).toBe(1);
    broken = false;
    await counters.flush();
    expect(problems).toEqual(['gone', null]);
    // What an earlier process had counted was not overwritten.
    expect(used()[1]).toBe(101);
    await counters.close();
    const next = life(NOON);
    await next.counters.start();
    expect(next.used()[1]).toBe(101);
  });
});
