/** When figures are written beside the log's batches (O-2, O-5). */
import { describe, expect, it } from 'vitest';
import { HandClock } from '../../../test/support/hand-clock.ts';
import { plainDraft } from '../../../test/support/sample-draft.ts';
import { noFigures } from '../../core/overview/figures.ts';
import { addStored } from '../../core/overview/stored-figures.ts';
import { REQUESTS_SQL } from '../store-sqlite/requests-sql.ts';
import { SqlError } from './fault.ts';
import { ALL_SCOPES } from './figure-register.ts';
import { SqlRecordStore } from './record-store.ts';
import type { SqlRow, SqlStep } from './sql-step.ts';

/** A database that keeps the rows of figures, and writes what it is told to. */
function rig(queueLimit = 1000) {
  const clock = new HandClock();
  const rows = new Map<string, SqlRow>();
  const batches: number[] = [];
  const kept = { count: 0 };
  const state = { isAway: false, refusesFigures: false, connection: 'one' };
  const put = (step: SqlStep): number => {
    if (!('rows' in step) || step.sql !== REQUESTS_SQL.putFigures || 'text' in step) return 0;
    for (const row of step.rows) rows.set(row.slice(0, 4).join(' '), row);
    return step.rows.length;
  };
  const store = new SqlRecordStore({
    sql: REQUESTS_SQL,
    clock,
    writer: {
      async write(steps) {
        // Carried out, and not heard of.
        batches.push(steps.map(put).reduce((sum, count) => sum + count, 0));
        if (state.isAway) throw new SqlError({ code: 'SQLITE_BUSY', message: 'held' });
        if (state.refusesFigures && (batches.at(-1) ?? 0) > 0) throw new SqlError({ code: 'BAD', message: 'refused' });
        for (const step of steps) if ('text' in step) kept.count += step.rows;
        return { changes: 0, connection: state.connection };
      },
      faults: { isPassing: ({ code }) => code !== 'BAD', isCrash: () => false, inWords: ({ code }) => code },
    },
    read: async () => [],
    prune: async () => 0,
    closeDown: async () => undefined,
    queueLimit,
  });
  let made = 0;
  const append = (workspace = 'acme') => {
    made += 1;
    store.append(plainDraft(made, { workspace, at: new Date(clock.wall()).toISOString() }));
  };
  /** Requests that the stored rows of a grain and scope count. */
  const counted = (scope = ALL_SCOPES, grain = 60_000): number => {
    const sums = noFigures();
    for (const row of rows.values()) if (row[0] === grain && row[1] === scope) addStored(sums, String(row[4]), true);
    return sums.requests;
  };
  return { clock, store, rows, batches, kept, state, append, counted };
}

describe('figures beside the log', () => {
  it('O-2: are written every other second, however many batches there are, and soon after the last', async () => {
    const { clock, batches, append, counted } = rig();
    for (let n = 0; n < 40; n += 1) {
      append();
      await clock.pass(150);
    }
    // 40 batches in 6 s: with the first, then each 2 s.
    expect(batches.length).toBeGreaterThanOrEqual(40);
    expect(batches.filter((rows) => rows > 0).length).toBeLessThanOrEqual(5);
    await clock.pass(3000);
    expect(counted()).toBe(40);
    const after = batches.length;
    await clock.pass(60_000);
    expect(batches.length).toBe(after);
  });

  it('O-5: who waits for the log gets them at once', async () => {
    const { clock, store, append, counted } = rig();
    append();
    await clock.pass(150);
    append();
    append('other');
    await store.flush();
    expect([counted(), counted('acme'), counted('other'), counted(ALL_SCOPES, 900_000)]).toEqual([3, 2, 1, 3]);
  });

  it('O-2: who watches the list, or asks for one request, has none written', async () => {
    const { clock, store, batches, append, counted } = rig();
    append();
    await store.flush();
    const before = batches.length;
    for (let n = 0; n < 5; n += 1) {
      append();
      await Promise.all([store.list({ limit: 1 }), store.get('req_none')]);
    }
    expect([batches.length > before, counted()]).toEqual([true, 1]);
    expect(batches.slice(before)).toEqual(batches.slice(before).map(() => 0));
    await store.overview({ from: clock.wall() - 60_000, to: clock.wall() + 60_000 });
    expect(counted()).toBe(6);
  });

  it('O-5: a batch that is sent again counts nothing twice', async () => {
    const { clock, store, state, append, counted } = rig();
    state.isAway = true;
    append();
    await clock.pass(5000);
    append();
    state.isAway = false;
    await clock.pass(10_000);
    await store.flush();
    expect(counted()).toBe(2);
  });

  it('O-2: figures that the database refuses for good cost no record, and are tried at the pace of retries', async () => {
    const { clock, store, batches, kept, state, append } = rig();
    state.refusesFigures = true;
    for (let n = 0; n < 10; n += 1) append();
    const waiting = store.flush();
    await clock.pass(1000);
    append();
    await clock.pass(20_000);
    await waiting;
    expect([kept.count, store.dropped]).toEqual([11, 0]);
    expect(store.problem).toMatch(/refused|BAD/);
    expect(batches.length).toBeLessThan(60);
    state.refusesFigures = false;
    await clock.pass(10_000);
    expect(store.problem).toBeNull();
  });

  it('O-5: another file than before gets what is still held', async () => {
    const { clock, store, rows, state, append, counted } = rig();
    append();
    await store.flush();
    rows.clear();
    state.connection = 'two';
    append();
    await clock.pass(5000);
    expect(counted()).toBe(2);
  });

  it('O-2: more workspaces than are held are counted all the same, in rows of their own', async () => {
    const { store, rows, append, counted } = rig();
    for (const round of [1, 2]) {
      for (let n = 0; n < 3000; n += 1) {
        append(`w${n}`);
        if (n % 500 === 499) await store.flush();
      }
      expect([counted(), counted('w0'), counted('w2999')]).toEqual([3000 * round, round, round]);
    }
    expect(rows.size).toBeGreaterThan(2 * 3000 * 2);
  });

  it('O-2: while the disk is away they fill no memory', async () => {
    const { clock, store, rows, state, append, counted } = rig(20_000);
    append();
    await store.flush();
    state.isAway = true;
    for (let n = 0; n < 10_000; n += 1) append(`w${n}`);
    state.isAway = false;
    await clock.pass(10_000);
    await store.flush();
    expect(counted()).toBe(10_001);
    expect(rows.size).toBeLessThanOrEqual(4096 + 3);
  });
});
