import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type PostgresServer, startPostgres } from '../../../test/support/servers/postgres.ts';
import { hasPostgres } from '../../../test/support/servers/postgres-binaries.ts';
import { type PostgresSchema, schemaOn } from '../../../test/support/servers/postgres-schema.ts';
import { SqlError } from '../store-sql/fault.ts';
import { systemClock } from '../system-clock.ts';
import { readAddress } from './address.ts';
import type { BatchStep, StepAnswer } from './batch-query.ts';
import { connect } from './connect.ts';
import { ConnectionSet, type ConnectionSetOptions, type Slot } from './connection-set.ts';

describe.runIf(hasPostgres())('connections', () => {
  let server: PostgresServer;
  let schema: PostgresSchema;
  let set: ConnectionSet;
  let told: (string | null)[];
  let connects: number;
  let backs: number;
  beforeAll(async () => {
    server = await startPostgres();
  });
  afterAll(() => server.stop());
  beforeEach(async () => {
    schema = await schemaOn(server.url);
    await schema.query(`CREATE SCHEMA ${schema.name}`);
    await schema.query('CREATE TABLE t (n int)');
    told = [];
    connects = 0;
    backs = 0;
    set = open({});
  });
  afterEach(() => set.close());

  function open(change: Partial<ConnectionSetOptions>): ConnectionSet {
    const address = readAddress(schema.url);
    return new ConnectionSet({
      connect(settings) {
        connects += 1;
        return connect(address, 'understudy/set', systemClock, settings);
      },
      clock: systemClock,
      onProblem: (problem) => told.push(problem),
      onBack: () => {
        backs += 1;
      },
      ...change,
    });
  }
  const step = (sql: string): BatchStep => ({ sql, types: [], values: [], isKept: false, isRead: true });
  const run = (slot: Slot, sql: string, mayRepeat = false): Promise<readonly StepAnswer[]> =>
    set.run(slot, [step(sql)], mayRepeat);
  const codeOf = async (order: Promise<unknown>): Promise<string> => {
    const error = await order.then(
      () => null,
      (refused: unknown) => refused,
    );
    return error instanceof SqlError ? error.fault.code : String(error);
  };
  const numbers = async () => (await run('read', 'SELECT n FROM t ORDER BY n'))[0]?.rows.flat();

  it('H-5: each purpose has a connection of its own: nobody waits behind another’s work, two may read', async () => {
    await set.warm();
    const slow = [run('state', 'SELECT pg_sleep(2)'), run('read', 'SELECT pg_sleep(2)')];
    const ended: string[] = [];
    for (const [at, order] of slow.entries()) void order.then(() => ended.push(`slow ${at}`));
    for (const slot of ['keys', 'money', 'log', 'read'] as const) {
      await run(slot, 'SELECT 1');
      ended.push(slot);
    }
    await Promise.all(slow);
    expect(ended.slice(0, 4)).toEqual(['keys', 'money', 'log', 'read']);
  });

  it('H-5: what is written is durable when it is answered; a record of the log need not be', async () => {
    const setting = async (slot: Slot) => (await run(slot, 'SHOW synchronous_commit'))[0]?.rows;
    expect(await setting('keys')).toEqual([['on']]);
    expect(await setting('money')).toEqual([['on']]);
    expect(await setting('log')).toEqual([['off']]);
  });

  it('H-5: readers can change nothing', async () => {
    expect(await codeOf(run('read', 'INSERT INTO t VALUES (1)'))).toBe('25006');
  });

  it('H-5: a connection that broke while nobody used it is made anew without a word', async () => {
    await run('keys', 'SELECT 1');
    await server.restart();
    await run('keys', 'INSERT INTO t VALUES (1)');
    expect(await numbers()).toEqual([1]);
    expect(told).toEqual([]);
  });

  it('H-5: a reader whose connection breaks under it is sent again, a writer is told', async () => {
    const other = await connect(readAddress(schema.url), 'test', systemClock);
    const end = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query LIKE 'SELECT pg_sleep%'`;
    const first = run('read', 'SELECT pg_sleep(0.4), 7', true);
    await new Promise((resolve) => setTimeout(resolve, 100));
    await other.query(end);
    expect((await first)[0]?.rows[0]?.[1]).toBe(7);
    const writer = codeOf(run('keys', 'SELECT pg_sleep(5)'));
    await new Promise((resolve) => setTimeout(resolve, 100));
    await other.query(end);
    expect(await writer).toMatch(/^(57P01|CONNECTION)$/);
    await run('keys', 'SELECT 1');
    await other.end();
  });

  it('H-5: behind a frozen server an order ends in time, those after it are refused at once, and it heals', async () => {
    set = open({ deadlineMs: 300 });
    await run('keys', 'SELECT 1');
    await run('state', 'SELECT 1');
    const before = connects;
    const thaw = server.freeze(2000);
    expect(await codeOf(run('keys', 'INSERT INTO t VALUES (1)'))).toBe('DEADLINE');
    const refusals = await Promise.all(Array.from({ length: 200 }, () => codeOf(run('state', 'SELECT 1'))));
    expect(new Set(refusals)).toEqual(new Set(['AWAY']));
    expect(set.isAway).toBe(true);
    expect(connects).toBeLessThanOrEqual(before + 1);
    await thaw;
    await expect.poll(() => set.isAway, { timeout: 10_000 }).toBe(false);
    expect(backs).toBe(1);
    // Its fate was not known; now it is, and stays.
    const found = await numbers();
    const backends = await run(
      'read',
      `SELECT count(*) FROM pg_stat_activity WHERE query LIKE 'INSERT INTO t%' AND state <> 'idle'`,
    );
    expect(backends[0]?.rows).toEqual([[0]]);
    expect(await numbers()).toEqual(found);
    await run('keys', 'SELECT 1');
    expect(told).toEqual([expect.stringMatching(/did not answer in time/), null]);
  });

  it('H-5: what is given up is ended at the server, and of an order that waited for it nothing is sent', async () => {
    set = open({ deadlineMs: 400 });
    const held = codeOf(run('keys', 'INSERT INTO t SELECT 3 FROM pg_sleep(3)'));
    const waiting = codeOf(run('keys', 'INSERT INTO t VALUES (2)'));
    expect([await held, await waiting]).toEqual(['DEADLINE', 'DEADLINE']);
    await expect.poll(() => set.isAway, { timeout: 10_000 }).toBe(false);
    // What was given up is over before others are sent: it can't become durable behind their backs.
    const left = "SELECT count(*) FROM pg_stat_activity WHERE query LIKE 'INSERT INTO t SELECT%'";
    expect(await schema.query(left)).toEqual([['0']]);
    expect(await schema.query('SELECT n FROM t')).toEqual([]);
  });

  it('H-5: a killed server is told once, refuses, and is found again when it is back', async () => {
    await run('keys', 'INSERT INTO t VALUES (1)');
    await server.kill();
    expect(await codeOf(run('keys', 'SELECT 1'))).toMatch(/^(ECONNREFUSED|CONNECTION)$/);
    await expect.poll(() => codeOf(run('keys', 'SELECT 1'))).toBe('AWAY');
    const before = connects;
    await server.start();
    await expect.poll(() => set.isAway, { timeout: 10_000 }).toBe(false);
    // One more for the probe: nobody's order has to wait for a connection.
    await expect.poll(() => connects - before).toBeGreaterThanOrEqual(1 + 6);
    expect(await numbers()).toEqual([1]);
  });

  it('H-5: a slow search is ended at the server, and keys and money are served meanwhile and afterwards', async () => {
    expect((await run('read', 'SHOW statement_timeout'))[0]?.rows).toEqual([['3500ms']]);
    set = open({ deadlineMs: 1500 });
    await set.warm();
    const slow = Array.from({ length: 4 }, () => codeOf(run('read', 'SELECT pg_sleep(30)')));
    expect(await Promise.all(slow)).toEqual(['DEADLINE', 'DEADLINE', 'DEADLINE', 'DEADLINE']);
    for (let n = 0; n < 20; n += 1) {
      await run('keys', `INSERT INTO t VALUES (${n})`);
      expect(set.isAway).toBe(false);
    }
    // What was given up keeps no backend of the server busy.
    const count = "SELECT count(*) FROM pg_stat_activity WHERE query LIKE 'SELECT pg_sleep(30)%' AND state <> 'idle'";
    await expect.poll(async () => (await run('keys', count))[0]?.rows, { timeout: 20_000 }).toEqual([[0]]);
    expect([backs, told]).toEqual([0, []]);
  });

  it('H-5: a server that answers no probe either is away, even if readers alone find out', async () => {
    set = open({ deadlineMs: 1000 });
    await run('read', 'SELECT 1');
    const thaw = server.freeze(8000);
    expect(await codeOf(run('read', 'SELECT 1'))).toBe('DEADLINE');
    await expect.poll(() => set.isAway, { timeout: 10_000 }).toBe(true);
    expect(await codeOf(run('keys', 'SELECT 1'))).toBe('AWAY');
    await thaw;
    await expect.poll(() => set.isAway, { timeout: 10_000 }).toBe(false);
    expect(told).toEqual([expect.stringMatching(/did not answer in time/), null]);
  });

  it('H-5: what is one order’s fault is nobody else’s', async () => {
    expect(await codeOf(run('keys', 'SELECT 1 / 0'))).toBe('22012');
    expect(told).toEqual([]);
    expect(set.isAway).toBe(false);
  });
});
