import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openSealer } from '../../src/adapters/sealer/open-sealer.ts';
import { createIdempotencyStore } from '../../src/adapters/store-sql/idempotency-store.ts';
import { IDEMPOTENCY_SQL } from '../../src/adapters/store-sqlite/idempotency-sql.ts';
import { openStateDb } from '../../src/adapters/store-sqlite/open-state-db.ts';
import { systemClock } from '../../src/adapters/system-clock.ts';
import { soleHolder } from '../../src/ports/holder.ts';
import type { IdempotencyStore } from '../../src/ports/idempotency-store.ts';
import { MemoryBook, MemoryIdempotency } from '../support/memory-idempotency.ts';
import { idempotencyStoreConformance } from './idempotency-store.ts';

idempotencyStoreConformance('in memory', async () => {
  const book = new MemoryBook();
  return { store: (holder, leaseMs) => new MemoryIdempotency(book, holder, leaseMs), close: async () => undefined };
});

idempotencyStoreConformance('SQLite', async () => {
  const dir = mkdtempSync(join(tmpdir(), 'ledger-'));
  const db = await openStateDb({ path: join(dir, 'state.db'), clock: systemClock });
  const sealer = await openSealer({ dataDir: dir, env: {} });
  const stores: IdempotencyStore[] = [];
  return {
    store(holder, leaseMs) {
      const store = createIdempotencyStore({
        db,
        sql: IDEMPOTENCY_SQL,
        sealer,
        clock: systemClock,
        holder: soleHolder(holder),
        onBug: (error) => {
          throw error;
        },
        ...(leaseMs === null ? {} : { leaseMs }),
      });
      stores.push(store);
      return store;
    },
    async close() {
      await Promise.all(stores.map((store) => store.close()));
      await db.close();
      rmSync(dir, { recursive: true, force: true });
    },
  };
});
