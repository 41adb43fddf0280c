import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { IDEMPOTENCY_SQL } from '../../src/adapters/store-postgres/idempotency-sql.ts';
import { openStateDb, type PostgresState } from '../../src/adapters/store-postgres/open-state-db.ts';
import { Replicas } from '../../src/adapters/store-postgres/replicas.ts';
import { createIdempotencyStore } from '../../src/adapters/store-sql/idempotency-store.ts';
import { systemClock } from '../../src/adapters/system-clock.ts';
import { soleHolder } from '../../src/ports/holder.ts';
import type { IdempotencyStore, SharedIdempotency } from '../../src/ports/idempotency-store.ts';
import { plainSealer } from '../support/plain-sealer.ts';
import { hasPostgres } from '../support/servers/postgres-binaries.ts';
import { openSchema, type PostgresSchema } from '../support/servers/postgres-schema.ts';
import { idempotencyStoreConformance } from './idempotency-store.ts';
import { claimOf, LEASE_MS, refOf, T0 } from './ledger-samples.ts';

describe.runIf(hasPostgres())('at a server', () => {
  let schema: PostgresSchema;
  let state: PostgresState;
  beforeAll(async () => {
    schema = await openSchema();
    state = await openStateDb({ url: schema.url, clock: systemClock, version: '1', holder: 'bench' });
  });
  afterAll(async () => {
    await state.close();
    await schema.drop();
  });

  /** Every process of a test has joined at T0. */
  async function empty(): Promise<void> {
    await schema.query('TRUNCATE idempotency_keys, idempotency_answers, replicas');
    await schema.query(
      `INSERT INTO replicas (holder, lease_until, started_at, app_version, schema_known, host)
       SELECT name, $1, $2, '1', 1, 'h' FROM unnest(ARRAY['p1', 'p2', 'p3']) name`,
      [T0 + LEASE_MS, T0],
    );
  }

  function store(name: string, leaseMs: number | null): SharedIdempotency {
    let lives = 0;
    const newHolder = () => {
      lives += 1;
      return lives === 1 ? name : `${name}, life ${lives}`;
    };
    const db = state.on('keys', 'keys');
    const leases = new Replicas({
      db: state.on('state'),
      clock: systemClock,
      newHolder,
      version: '1',
      host: 'h',
      leaseMs: leaseMs ?? 0,
      judgeAfterMs: 0,
    });
    return createIdempotencyStore({
      db,
      sql: IDEMPOTENCY_SQL,
      reader: state.on('keys'),
      sealer: plainSealer,
      clock: systemClock,
      holder: leaseMs === null ? soleHolder(name) : leases,
      ...(leaseMs === null ? {} : { leases }),
      onBug(error) {
        throw error;
      },
    });
  }

  idempotencyStoreConformance('PostgreSQL', async () => {
    await empty();
    const stores: IdempotencyStore[] = [];
    return {
      store(name, leaseMs) {
        const made = store(name, leaseMs);
        stores.push(made);
        return made;
      },
      close: async () => void (await Promise.all(stores.map((one) => one.close()))),
    };
  });

  describe('PostgreSQL: leases of holders', () => {
    beforeEach(empty);

    it('I-8: a lease that is over takes nothing away until somebody has judged it', async () => {
      const [one, two] = [store('p1', LEASE_MS), store('p2', LEASE_MS)];
      await one.claim(claimOf('k'));
      const late = claimOf('k', { requestId: 'req_2', at: T0 + 10 * LEASE_MS });
      expect((await two.claim(late)).kind).toBe('running');
      expect(await two.look(refOf('k'), 1, 'req_1')).toEqual({ kind: 'running', lost: false });
      // The database had been away for all of them: the holder is as alive as ever.
      expect(await one.renew(T0 + 10 * LEASE_MS)).toEqual([]);
      expect(await two.recover(T0 + 10 * LEASE_MS)).toEqual({ closed: 0 });
    });

    it('I-8: what a judged holder still writes before its keys are closed is its own, afterwards it is lost', async () => {
      const [one, two] = [store('p1', LEASE_MS), store('p2', LEASE_MS)];
      await one.claim(claimOf('a'));
      await one.claim(claimOf('b'));
      await schema.query("UPDATE replicas SET fenced = true WHERE holder = 'p1'");
      expect(await two.look(refOf('a'), 1, 'req_1')).toEqual({ kind: 'running', lost: true });
      const start = (key: string) =>
        one.startAttempt({ ref: refOf(key), round: 1, no: 1, attemptId: `att_${key}`, target: 't', at: T0 });
      await start('a');
      expect(await two.recover(T0)).toEqual({ closed: 2 });
      await expect(start('b')).rejects.toThrow(/not the running one/);
      expect(await one.renew(T0)).toHaveLength(2);
    });

    it('I-8: a success with an open attempt of a dead holder is closed without a trace of its lease', async () => {
      const [one, two] = [store('p1', LEASE_MS), store('p2', LEASE_MS)];
      const ref = refOf('k');
      await one.claim(claimOf('k'));
      for (const no of [1, 2])
        await one.startAttempt({ ref, round: 1, no, attemptId: `att_${no}`, target: 't', at: T0 });
      const answer = {
        status: 200,
        headers: {},
        body: Buffer.from('x'),
        stream: false,
        at: T0,
        servedModel: null,
        digest: 'd',
      };
      await one.succeed({ ref, round: 1, requestId: 'req_1', attemptId: 'att_1', answer });
      await two.recover(T0 + LEASE_MS);
      const keys = [];
      for await (const key of two.keys()) keys.push(key);
      expect(keys[0]?.row).toMatchObject({ state: 'succeeded', openAttempts: 0, leaseUntil: null });
      expect(await schema.query('SELECT pending, holder, state FROM idempotency_keys')).toEqual([
        [false, 'p1', 'succeeded'],
      ]);
    });
  });
});
