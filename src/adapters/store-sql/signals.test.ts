/** Signals on every engine: several processes tell, each is heard once. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { hasPostgres } from '../../../test/support/servers/postgres-binaries.ts';
import { openSchema } from '../../../test/support/servers/postgres-schema.ts';
import { ALL, closedTally, openTally, type Tally } from '../../core/signals/tallies.ts';
import type { SignalVerdict, SignalWindow } from '../../ports/signals.ts';
import { openStateDb as openPostgres } from '../store-postgres/open-state-db.ts';
import { SIGNALS_SQL as POSTGRES } from '../store-postgres/signals-sql.ts';
import { openStateDb as openSqlite } from '../store-sqlite/open-state-db.ts';
import { SIGNALS_SQL as SQLITE } from '../store-sqlite/signals-sql.ts';
import { systemClock } from '../system-clock.ts';
import { type SignalsSql, SqlSignalStore } from './signals.ts';
import type { StateDb } from './state-db.ts';

interface Opened {
  readonly db: StateDb;
  readonly sql: SignalsSql;
  /** As a hand would. */
  empty(): Promise<unknown>;
  close(): Promise<void>;
}

const T0 = 1_800_000_000_000;
const HOUR = 3_600_000;

const tally = (requests: number, name = ALL): Tally => ({
  ...closedTally(openTally(name)),
  requests,
  latencies: [[40, requests]],
});
const windowOf = (requests: number): SignalWindow => ({
  tallies: [tally(requests)],
  recent: [tally(requests, 'm"o\\del\u2028#c')],
  conditions: [{ kind: 'circuit_open', subject: 'm#c' }],
});
const counted = (windows: readonly SignalWindow[]): number[] =>
  windows.map(({ tallies }) => tallies[0]!.requests).sort((a, b) => a - b);

function suite(engine: string, open: () => Promise<Opened>): void {
  describe(`signals on ${engine}`, () => {
    let opened: Opened;
    beforeAll(async () => {
      opened = await open();
    });
    afterAll(() => opened.close());
    beforeEach(() => opened.empty());

    const as = (holder: string): SqlSignalStore => new SqlSignalStore({ db: opened.db, sql: opened.sql, holder });

    it('O-4: each process has one window, the last it told; old ones are not heard', async () => {
      await as('a').putWindow(T0, windowOf(1));
      await as('a').putWindow(T0 + 10, windowOf(2));
      await as('b').putWindow(T0 + 5, windowOf(30));
      expect(counted(await as('c').windows(T0))).toEqual([2, 30]);
      expect(counted(await as('c').windows(T0 + 6))).toEqual([2]);
      expect(await as('c').windows(T0 + 6)).toEqual([windowOf(2)]);
    });

    it('O-4: hours of all processes add up; an hour told again is not counted twice', async () => {
      await as('a').putHour(T0, [tally(5)]);
      await as('a').putHour(T0, [tally(7)]);
      await as('b').putHour(T0, [tally(100)]);
      await as('a').putHour(T0 + HOUR, [tally(1000)]);
      const [sum] = await as('c').hours(T0, T0 + HOUR);
      expect(sum).toMatchObject({ requests: 107, latencies: [[40, 107]] });
      expect((await as('c').hours(T0, T0 + 2 * HOUR))[0]?.requests).toBe(1107);
      expect(await as('c').hours(T0 + 2 * HOUR, T0 + 9 * HOUR)).toEqual([]);
    });

    it('O-4: there is one verdict, whoever found it', async () => {
      const verdict: SignalVerdict = {
        at: T0,
        alerts: [{ name: 'retry_rate', subject: null, value: 0.1, threshold: 0.05, since: T0, lastSeen: T0 }],
        slowdowns: [{ channel: 'm#c', halvings: 2, peak: 9, since: T0, changedAt: T0, betterSince: null }],
      };
      expect(await as('a').verdict()).toBeNull();
      await as('a').putVerdict(verdict);
      expect(await as('b').verdict()).toEqual(verdict);
      await as('b').putVerdict({ ...verdict, at: T0 + 1, alerts: [] });
      expect(await as('a').verdict()).toEqual({ ...verdict, at: T0 + 1, alerts: [] });
    });

    it('O-4: what is older is forgotten', async () => {
      await as('a').putWindow(T0, windowOf(1));
      await as('a').putHour(T0 - HOUR, [tally(1)]);
      await as('a').putHour(T0 + HOUR, [tally(1)]);
      expect(await as('a').prune(T0)).toBe(1);
      expect(await as('a').prune(T0 + 1)).toBe(1);
      expect((await as('a').hours(0, T0 * 2))[0]?.requests).toBe(1);
    });

    it('O-4: what nobody can read is as if it were not there', async () => {
      await opened.db.write([{ sql: opened.sql.put, rows: [['window', 0, 'z', T0, '{']] }]);
      await as('a').putWindow(T0, windowOf(1));
      expect(counted(await as('a').windows(0))).toEqual([1]);
    });
  });
}

suite('SQLite', async () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'understudy-signals-'));
  const db = await openSqlite({ path: path.join(folder, 'state.db'), clock: systemClock });
  return {
    db,
    sql: SQLITE,
    empty: () => db.write([{ sql: 'DELETE FROM signals', rows: [[]] }]),
    async close() {
      await db.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
});

describe.runIf(hasPostgres())('at a server', () => {
  suite('PostgreSQL', async () => {
    const schema = await openSchema();
    const state = await openPostgres({ url: schema.url, clock: systemClock, version: '1', holder: 'test' });
    return {
      db: state.on('state'),
      sql: POSTGRES,
      empty: () => schema.query('TRUNCATE signals'),
      async close() {
        await state.close();
        await schema.drop();
      },
    };
  });
});
