/** The store in a data folder: `state.db` and the request log beside it. The folder is locked for this process. */
import { join } from 'node:path';
import { ALL_DUTIES } from '../../ports/duties.ts';
import { soleHolder } from '../../ports/holder.ts';
import type { LogSettings, Store, StoreOptions } from '../../ports/store.ts';
import { LocalNotifier } from '../store-sql/local-notifier.ts';
import { stateStores } from '../store-sql/state-stores.ts';
import { openRecordStore } from './open-record-store.ts';
import { openStateDb, openStateReader } from './open-state-db.ts';
import { STATE_SQL } from './state-sql.ts';

export interface SqliteStoreOptions extends StoreOptions {
  /** Exists, and is locked for this process. */
  readonly dataDir: string;
}

/** Rejects with StateDbUnusable. */
export async function openSqliteStore({ dataDir, onProblem, ...options }: SqliteStoreOptions): Promise<Store> {
  const { clock, newId } = options;
  const path = join(dataDir, 'state.db');
  const db = await openStateDb({ path, clock, onProblem });
  const reader = openStateReader({ path, clock });
  const holder = soleHolder(newId('proc_'));
  const { settle, ...stores } = stateStores({
    ...options,
    db: { keys: db, money: db, rest: db },
    reader,
    sql: STATE_SQL,
    holder,
  });
  return {
    ...stores,
    kind: 'sqlite',
    holder,
    clock,
    duties: ALL_DUTIES,
    notifier: new LocalNotifier(),
    openRecords: ({ file, ...settings }: LogSettings) =>
      openRecordStore({ path: join(dataDir, file), clock, ...settings }),
    get problem() {
      return db.problem;
    },
    async close() {
      await settle();
      await Promise.all([reader.close(), db.close()]);
    },
  };
}
