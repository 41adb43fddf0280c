import { createIdempotencyStore } from '../../src/adapters/store-sql/idempotency-store.ts';
import type { Clock } from '../../src/ports/clock.ts';
import type { IdempotencyStore } from '../../src/ports/idempotency-store.ts';
import { MemoryBook, MemoryIdempotency } from '../support/memory-idempotency.ts';
import { plainSealer } from '../support/plain-sealer.ts';
import { REAL_CLOCK } from '../support/real-clock.ts';
import { ENGINES, type Engine } from './engines.ts';
import { idempotencyStoreConformance } from './idempotency-store.ts';
import type { OpenBench } from './ledger-bench.ts';
import { T0 } from './ledger-samples.ts';

idempotencyStoreConformance('in memory', async () => {
  const book = new MemoryBook();
  return {
    store: async (holder, leaseMs) => new MemoryIdempotency(book, holder, leaseMs),
    kill: async () => undefined,
    close: async () => undefined,
  };
});

/** Its wall time is the tests' own. */
const CLOCK: Clock = { ...REAL_CLOCK, wall: () => T0 };

function over(engine: Engine): OpenBench {
  return async () => {
    const bench = await engine.open();
    const stores: IdempotencyStore[] = [];
    return {
      async store(id, leaseMs) {
        const { db, holder, leases } = await bench.process(id, leaseMs ?? undefined);
        const store = createIdempotencyStore({
          db,
          sql: bench.sql.idempotency,
          sealer: plainSealer,
          clock: CLOCK,
          holder,
          onBug: (error) => {
            throw error;
          },
          ...(leases !== undefined ? { leases } : leaseMs === null ? {} : { leaseMs }),
        });
        stores.push(store);
        return store;
      },
      kill: (id) => bench.kill(id),
      async close() {
        await Promise.all(stores.map((store) => store.close()));
        await bench.close();
      },
    };
  };
}

for (const engine of ENGINES) idempotencyStoreConformance(engine.name, over(engine));
