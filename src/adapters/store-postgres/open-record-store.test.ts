import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { plainDraft, SAMPLE_NAMES, sampleDraft, sampleId } from '../../../test/support/sample-draft.ts';
import { type PostgresServer, startPostgres } from '../../../test/support/servers/postgres.ts';
import { hasPostgres } from '../../../test/support/servers/postgres-binaries.ts';
import { type PostgresSchema, schemaOn } from '../../../test/support/servers/postgres-schema.ts';
import type { Clock } from '../../ports/clock.ts';
import type { RetainingRecordStore } from '../../ports/record-store.ts';
import { systemClock } from '../system-clock.ts';
import { openRecordStore } from './open-record-store.ts';
import { openStateDb, type PostgresState } from './open-state-db.ts';

const DAY = 86_400_000;
/** Noon of 2026-06-15. */
const NOON = Date.UTC(2026, 5, 15, 12);

describe.runIf(hasPostgres())('the log at a server', () => {
  let server: PostgresServer;
  let schema: PostgresSchema;
  let state: PostgresState;
  let wall: number;
  let told: (string | null)[];
  let open: RetainingRecordStore[];
  beforeAll(async () => {
    server = await startPostgres();
  });
  afterAll(() => server.stop());
  beforeEach(async () => {
    schema = await schemaOn(server.url);
    state = await openStateDb({ url: schema.url, clock: systemClock, version: '1', holder: 'log' });
    wall = NOON;
    told = [];
    open = [];
    return async () => {
      await Promise.all(open.map((store) => store.close()));
      await state.close();
    };
  });

  function start(): RetainingRecordStore {
    const clock: Clock = { ...systemClock, wall: () => wall };
    const store = openRecordStore({
      address: state.address,
      set: state.set,
      clock,
      name: 'understudy/log',
      queueLimit: 10_000,
      onProblem: (problem) => told.push(problem),
      onDropped: (count) => told.push(`dropped ${count}`),
    });
    open.push(store);
    return store;
  }
  const at = (days: number) => new Date(NOON + days * DAY).toISOString();
  const days = async () => {
    const found = await schema.query(
      `SELECT c.relname::text FROM pg_class c JOIN pg_inherits i ON i.inhrelid = c.oid WHERE c.relkind = 'r'
       AND i.inhparent = 'requests'::regclass ORDER BY 1`,
    );
    return found.map(([name]) => String(name).slice('requests_2026'.length));
  };

  it('O-1: yesterday, today and three days to come are there from the start; others with their first record', async () => {
    const store = start();
    await expect.poll(days).toEqual(['0614', '0615', '0616', '0617', '0618']);
    store.append(plainDraft(1, { at: at(0) }));
    store.append(plainDraft(2, { at: at(-40) }));
    store.append(plainDraft(3, { at: at(9) }));
    await store.flush();
    expect(await days()).toEqual(['0506', '0614', '0615', '0616', '0617', '0618', '0624']);
    const { data } = await store.list({ limit: 10 });
    expect(data.map(({ id }) => id)).toEqual([3, 1, 2].map(sampleId));
    expect(told).toEqual([]);
  });

  it('O-1: a clock that was never set costs no record', async () => {
    const store = start();
    store.append(plainDraft(1, { at: new Date(5).toISOString() }));
    store.append(plainDraft(2, { at: new Date(8e15).toISOString() }));
    await store.flush();
    expect((await store.list({ limit: 10 })).data.map(({ id }) => id)).toEqual([2, 1].map(sampleId));
  });

  it('O-1: a record’s page finds its rows by an index, of every day', async () => {
    start();
    await expect.poll(days).toHaveLength(5);
    await schema.query('SET enable_seqscan = off');
    const plan = await schema.query(
      "EXPLAIN SELECT summary FROM requests WHERE key = 'k' ORDER BY at DESC, id DESC LIMIT 2",
    );
    expect(plan.flat().join('\n')).toMatch(/Index Scan Backward using requests_20260615_key_at_id_idx/);
  });

  it('O-1: whole days are dropped, with what nothing refers to any more; a day half dropped is finished', async () => {
    const store = start();
    store.registerSnapshot(SAMPLE_NAMES);
    for (const day of [-3, -2, -1, 0])
      for (let n = 0; n < 5; n += 1) store.append(sampleDraft(100 * (day + 3) + n, { at: at(day) }));
    await store.flush();
    wall += 2 * DAY;
    store.registerSnapshot({ ...SAMPLE_NAMES, version: 4, models: ['new/a', 'new/b'] });
    await store.flush();
    // A process died between the two halves.
    await schema.query('ALTER TABLE requests DETACH PARTITION requests_20260612');
    expect(await store.prune(NOON - DAY / 2)).toBe(15);
    expect(await days()).toEqual(['0615', '0616', '0617', '0618']);
    expect(await schema.query("SELECT to_regclass('requests_20260612') IS NULL")).toEqual([[true]]);
    expect((await store.list({ limit: 10 })).data).toHaveLength(5);
    expect(await schema.query('SELECT count(*)::int FROM snapshots')).toEqual([[2]]);
    expect(await store.prune(wall + 10 * DAY)).toBe(5);
    expect(await schema.query('SELECT count(*)::int FROM snapshots')).toEqual([[1]]);
    expect(await store.prune(wall + 10 * DAY)).toBe(0);
  });

  it('O-1: a day is dropped beside somebody who reads the log, who is not made to wait', async () => {
    const store = start();
    store.append(plainDraft(1, { at: at(-3) }));
    store.append(plainDraft(2, { at: at(0) }));
    await store.flush();
    await schema.query('BEGIN');
    await schema.query('SELECT count(*) FROM requests');
    const pruning = store.prune(NOON - DAY);
    store.append(plainDraft(3, { at: at(0) }));
    await store.flush();
    expect((await store.list({ limit: 10 })).data.length).toBeGreaterThanOrEqual(2);
    await schema.query('COMMIT');
    await expect(pruning.catch(() => store.prune(NOON - DAY))).resolves.toBe(1);
    expect((await store.list({ limit: 10 })).data.map(({ id }) => id)).toEqual([3, 2].map(sampleId));
  });

  it('O-2: while the server is gone records wait, and what they refer to is stored again with them', async () => {
    const store = start();
    store.registerSnapshot(SAMPLE_NAMES);
    store.append(sampleDraft(1, { at: at(0) }));
    await store.flush();
    // What was written within the last moment goes with the server.
    await schema.query('CHECKPOINT');
    await server.kill();
    for (let n = 2; n < 700; n += 1) expect(store.append(sampleDraft(n, { at: at(0) }))).toBe(true);
    await store.flush();
    expect(store.problem).toMatch(/database/);
    await server.start();
    // As after a crash that took the last moments along.
    await schemaOn(server.url).then(async (other) => {
      await other.query(`TRUNCATE ${schema.name}.snapshots`);
      await other.drop();
    });
    await expect.poll(() => store.problem, { timeout: 20_000 }).toBeNull();
    await store.flush();
    store.append(sampleDraft(700, { at: at(0) }));
    await store.flush();
    let found = 0;
    let cursor: string | undefined;
    do {
      const page = await store.list({ limit: 200, ...(cursor === undefined ? {} : { cursor }) });
      found += page.data.length;
      cursor = page.next_cursor ?? undefined;
    } while (cursor !== undefined);
    expect(found).toBe(700);
    expect(store.dropped).toBe(0);
    await expect.poll(async () => (await store.get(sampleId(700)))?.candidates[0]?.model).toBe('openai/gpt-5-nano');
  });
});
