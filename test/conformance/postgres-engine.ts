/** The store over PostgreSQL, as the suites of every engine use it: a schema of its own for each test. */
import { openStateDb, type PostgresState } from '../../src/adapters/store-postgres/open-state-db.ts';
import { Replicas } from '../../src/adapters/store-postgres/replicas.ts';
import { STATE_SQL } from '../../src/adapters/store-postgres/state-sql.ts';
import { systemClock } from '../../src/adapters/system-clock.ts';
import { openSchema } from '../support/servers/postgres-schema.ts';
import type { Engine } from './engines.ts';
import { LEASE_MS, T0 } from './ledger-samples.ts';

/** Leases begin at T0, and are judged as soon as their time is over. */
export const POSTGRES: Engine = {
  name: 'PostgreSQL',
  isShared: true,
  async open() {
    const schema = await openSchema();
    const states: PostgresState[] = [];
    return {
      sql: STATE_SQL,
      async process(id, leaseMs = LEASE_MS) {
        const state = await openStateDb({ url: schema.url, clock: systemClock, version: '1', holder: id });
        states.push(state);
        let lives = 0;
        const newHolder = () => {
          lives += 1;
          return lives === 1 ? id : `${id}, life ${lives}`;
        };
        const db = state.on('state');
        const holder = new Replicas({
          db,
          clock: systemClock,
          newHolder,
          version: '1',
          host: 'h',
          leaseMs,
          judgeAfterMs: 0,
        });
        // One that was here before goes on.
        const known = await schema.query('SELECT 1 FROM replicas WHERE holder = $1', [id]);
        if (known.length === 0) await holder.join(T0);
        return { db: state.on('keys', 'keys'), holder, leases: holder };
      },
      async kill(id) {
        await schema.query('UPDATE replicas SET fenced = true WHERE holder = $1', [id]);
      },
      async close() {
        await Promise.all(states.map((state) => state.close()));
        await schema.drop();
      },
    };
  },
};
