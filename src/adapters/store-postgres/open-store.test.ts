import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { answerOf, claimOf, refOf } from '../../../test/conformance/ledger-samples.ts';
import { plainDraft } from '../../../test/support/sample-draft.ts';
import { type PostgresServer, startPostgres } from '../../../test/support/servers/postgres.ts';
import { hasPostgres } from '../../../test/support/servers/postgres-binaries.ts';
import { type PostgresSchema, schemaOn } from '../../../test/support/servers/postgres-schema.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Sealer } from '../../ports/sealer.ts';
import type { Store } from '../../ports/store.ts';
import { openSealer } from '../sealer/open-sealer.ts';
import { newId, systemClock } from '../system-clock.ts';
import { openPostgresStore, type PostgresStoreOptions } from './open-store.ts';

const KEY = '0123456789abcdef'.repeat(4);
const OTHER_KEY = 'fedcba9876543210'.repeat(4);

describe.runIf(hasPostgres())('a store in PostgreSQL', () => {
  let server: PostgresServer;
  let schema: PostgresSchema;
  let sealer: Sealer;
  let open: Store[];
  let bugs: unknown[];
  beforeAll(async () => {
    server = await startPostgres();
    sealer = await sealerOf({ UNDERSTUDY_SEAL_KEY: KEY });
  });
  afterAll(() => server.stop());
  beforeEach(async () => {
    schema = await schemaOn(server.url);
    open = [];
    bugs = [];
    return async () => {
      await Promise.all(open.map((store) => store.close()));
      expect(bugs).toEqual([]);
    };
  });

  const sealerOf = (env: Readonly<Record<string, string>>) => openSealer({ dataDir: '/nowhere', env });
  async function start(change: Partial<PostgresStoreOptions> = {}): Promise<Store> {
    const store = await openPostgresStore({
      url: schema.url,
      version: '1.0.0',
      clock: systemClock,
      sealer,
      newId,
      onProblem: () => undefined,
      onNotKept: () => undefined,
      onBug: (error) => bugs.push(error),
      ...change,
    });
    open.push(store);
    return store;
  }
  const skewed = (ms: number): Clock => ({ ...systemClock, wall: () => systemClock.wall() + ms });
  const now = async () => Number((await schema.query('SELECT us_now()'))[0]?.[0]);

  it('I-6, I-8: what one process answered another one replays, whatever their machines’ clocks say', async () => {
    const [one, two] = [await start({ clock: skewed(5000) }), await start({ clock: skewed(-5000) })];
    for (const store of [one, two]) expect(Math.abs(store.clock.wall() - (await now()))).toBeLessThan(500);
    const claim = claimOf('k', { at: one.clock.wall() });
    expect((await one.idempotency.claim(claim)).kind).toBe('owner');
    expect((await two.idempotency.claim({ ...claim, requestId: 'req_2', at: two.clock.wall() })).kind).toBe('running');
    expect(await two.idempotency.recover(two.clock.wall())).toEqual({ closed: 0 });
    const ref = refOf('k');
    await one.idempotency.startAttempt({ ref, round: 1, no: 1, attemptId: 'att_1', target: 't', at: one.clock.wall() });
    await one.idempotency.succeed({ ref, round: 1, requestId: 'req_1', attemptId: 'att_1', answer: answerOf('x') });
    const replay = await two.idempotency.claim({ ...claim, requestId: 'req_2', at: two.clock.wall() });
    expect(replay).toMatchObject({ kind: 'succeeded', answer: { body: Buffer.from('x') } });
  });

  it('G-9: a process with another seal key is refused in words; an older one among its keys is enough', async () => {
    await (await start()).close();
    await expect(start({ sealer: await sealerOf({ UNDERSTUDY_SEAL_KEY: OTHER_KEY }) })).rejects.toThrow(
      /sealed with another key .* the same UNDERSTUDY_SEAL_KEY/,
    );
    const both = await sealerOf({ UNDERSTUDY_SEAL_KEY: OTHER_KEY, UNDERSTUDY_SEAL_KEYS_OLD: KEY });
    await (await start({ sealer: both })).close();
    // From now on the older one is not needed for it.
    await (await start({ sealer: await sealerOf({ UNDERSTUDY_SEAL_KEY: OTHER_KEY }) })).close();
  });

  it('H-5: a server that comes up late is waited for; a wrong database and a wrong address are told at once', async () => {
    await server.kill();
    const starting = start();
    await new Promise((resolve) => setTimeout(resolve, 700));
    await server.start();
    const store = await starting;
    expect(store.problem).toBeNull();
    await expect(start({ url: schema.url.replace('/postgres?', '/none?') })).rejects.toThrow(
      /there is no such database/,
    );
    await expect(start({ url: 'postgres://u:secret@h/d?schema=A-b' })).rejects.toThrow(/lower-case letters/);
    const words = await start({ url: 'mysql://u:secret@h/d' }).catch((error: unknown) => String(error));
    expect(words).toMatch(/no address/);
    expect(words).not.toMatch(/secret/);
  });

  it('I-8: a process that was judged gone starts over under another name, and says so', async () => {
    const store = await start();
    const lost: string[] = [];
    store.holder.onLost((former) => lost.push(former));
    const before = store.holder.id;
    await store.idempotency.claim(claimOf('k', { at: store.clock.wall() }));
    await schema.query('UPDATE replicas SET fenced = true');
    expect(await store.idempotency.renew(store.clock.wall())).toEqual([{ ref: refOf('k'), round: 1 }]);
    expect(lost).toEqual([before]);
    expect(store.holder.id).not.toBe(before);
    const other = await start();
    expect(await other.idempotency.recover(other.clock.wall())).toEqual({ closed: 1 });
    expect((await store.idempotency.claim(claimOf('k', { requestId: 'req_2', at: store.clock.wall() }))).kind).toBe(
      'owner',
    );
  });

  it('H-4: words and objects reach the others; a process that ends leaves nothing held behind', async () => {
    const [one, two] = [await start(), await start()];
    const heard: string[] = [];
    two.notifier.subscribe('objects', (payload) => heard.push(payload));
    await one.objects.change([{ kind: 'key', name: 'a', body: {}, expectedVersion: 0, by: 'admin' }], one.clock.wall());
    one.notifier.publish('objects', 'look');
    await expect.poll(() => heard).toContain('look');
    expect((await two.objects.load()).map(({ name }) => name)).toEqual(['a']);
    expect(one.duties.hold('alerts')).toBe(true);
    expect(two.duties.hold('alerts')).toBe(false);
    await one.idempotency.claim(claimOf('k', { at: one.clock.wall() }));
    await one.close();
    expect(await two.idempotency.recover(two.clock.wall())).toEqual({ closed: 1 });
    const names = await schema.query(
      "SELECT application_name FROM pg_stat_activity WHERE application_name LIKE 'understudy/%' GROUP BY 1",
    );
    expect(names).toHaveLength(1);
  });

  it('G-9: a user who owns nothing but the schema is enough, for what heals and for retention, too', async () => {
    const user = `plain_${schema.name}`;
    await schema.query(`CREATE ROLE ${user} LOGIN; CREATE SCHEMA ${schema.name} AUTHORIZATION ${user}`);
    const store = await start({ url: schema.url.replace('//understudy@', `//${user}@`) });
    const settings = { file: '', queueLimit: 10, onProblem: () => undefined, onDropped: () => undefined };
    const records = await store.openRecords(settings);
    records.append(plainDraft(1, { at: '2026-01-05T00:00:00Z' }));
    await records.flush();
    expect(await records.prune(systemClock.wall())).toBe(1);
    await records.close();
    // Its own connections are its own to end.
    const ended = await schema
      .query(
        `SET ROLE ${user}; SELECT bool_and(pg_terminate_backend(pid, 1000)) FROM pg_stat_activity WHERE usename = '${user}'; RESET ROLE`,
      )
      .then(() => true);
    expect(ended).toBe(true);
    await expect
      .poll(() =>
        store.idempotency.claim(claimOf('k', { at: store.clock.wall() })).then(
          ({ kind }) => kind,
          () => null,
        ),
      )
      .toBe('owner');
  });

  it('H-5: seven connections at most, each made when it is needed', async () => {
    const store = await start();
    const records = await store.openRecords({
      file: '',
      queueLimit: 10,
      onProblem: () => undefined,
      onDropped: () => undefined,
    });
    await store.ledger.open();
    await Promise.all(
      Array.from({ length: 20 }, (_, n) => store.idempotency.claim(claimOf(`k${n}`, { at: store.clock.wall() }))),
    );
    await Promise.all(Array.from({ length: 20 }, () => records.list({ limit: 1 })));
    const [[count] = []] = await schema.query(
      "SELECT count(*)::int FROM pg_stat_activity WHERE application_name LIKE 'understudy/%'",
    );
    expect(count).toBeLessThanOrEqual(7);
    await records.close();
  });
});
