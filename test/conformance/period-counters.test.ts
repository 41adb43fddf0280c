/** Period counters of the limits over every engine (G-11). */
import { beforeEach, describe, expect, it } from 'vitest';
import { PeriodCounters } from '../../src/adapters/period-counters.ts';
import { SqlPeriodStore } from '../../src/adapters/store-sql/period-store.ts';
import { LimitBoard } from '../../src/core/limits/limit-board.ts';
import { UNLIMITED } from '../../src/core/limits/unlimited.ts';
import { type Db, ENGINES, fateful, useEngine } from './engines.ts';

const NOON = Date.UTC(2026, 10, 29, 12);
const KEY = { kind: 'key', id: 'dev', limits: UNLIMITED } as const;

describe.each(ENGINES)('period counters on $name', (engine) => {
  const bench = useEngine(engine);
  let db: Db;
  beforeEach(async () => {
    db = (await bench.process('p1')).db;
  });

  /** One process's counters; timers run when they are told to. */
  function life(at: number, file: Db = db) {
    const store = new SqlPeriodStore({ db: file, sql: bench.sql.periods });
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
    let batches = 0;
    const counted: Db = {
      read: (sql, params) => db.read(sql, params),
      write(steps) {
        batches += 1;
        return db.write(steps);
      },
    };
    const { counters, timers, use } = life(NOON, counted);
    await counters.start();
    expect(timers).toHaveLength(1);
    use(5, 0n);
    timers.shift()!();
    await counters.flush();
    const written = await db.read('SELECT period, tokens FROM period_counters ORDER BY period', []);
    expect(written.map(([period, tokens]) => [period, Number(tokens)])).toEqual([
      ['day', 5],
      ['month', 5],
    ]);
    const before = batches;
    await counters.flush();
    expect(batches).toBe(before);
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
    const { counters, problems, use, used } = life(
      NOON,
      fateful(db, () => (broken ? 'lost' : 'done')),
    );
    await counters.start();
    use(1, 0n);
    await counters.flush();
    expect(problems).toEqual(['lost']);
    expect(used()[1]).toBe(1);
    broken = false;
    await counters.flush();
    expect(problems).toEqual(['lost', null]);
    // What an earlier process had counted was not overwritten.
    expect(used()[1]).toBe(101);
    await counters.close();
    const next = life(NOON);
    await next.counters.start();
    expect(next.used()[1]).toBe(101);
  });

  it('G-11: what several processes count adds up; a scope that begins anew takes back its own', async () => {
    const [one, two] = [life(NOON), life(NOON)];
    await one.counters.start();
    await two.counters.start();
    one.use(5, 1n);
    two.use(7, 2n);
    await one.counters.flush();
    await two.counters.flush();
    one.use(1, 0n);
    one.board.forget(KEY, 0, NOON);
    await one.counters.close();
    await two.counters.close();
    const next = life(NOON);
    await next.counters.start();
    expect(next.used().slice(0, 3)).toEqual([1, 7, 2n]);
    await next.counters.close();
  });

  it('G-11: a period that has begun takes the place of the one before, never the other way round', async () => {
    const late = life(NOON + 86_400_000);
    const early = life(NOON);
    await early.counters.start();
    await late.counters.start();
    late.use(3, 0n);
    await late.counters.flush();
    early.use(100, 0n);
    await early.counters.close();
    await late.counters.close();
    const next = life(NOON + 86_400_000);
    await next.counters.start();
    expect(next.used()[1]).toBe(3);
    await next.counters.close();
  });

  it.runIf(engine.isShared)('G-11: what is added is answered with what all have counted', async () => {
    const row = {
      kind: 'key',
      id: 'k',
      period: 'day',
      start: NOON,
      requests: 1,
      tokens: 2,
      spend: 3n,
      told: 1,
    } as const;
    const store = async (id: string) =>
      new SqlPeriodStore({ db: (await bench.process(id)).db, sql: bench.sql.periods });
    await (await store('p1')).add([row]);
    const sums = await (await store('p2')).add([
      { ...row, told: 4 },
      { ...row, id: 'other' },
    ]);
    expect(sums).toEqual([
      { ...row, requests: 2, tokens: 4, spend: 6n, told: 5 },
      { ...row, id: 'other' },
    ]);
  });
});
