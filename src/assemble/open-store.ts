/** Opens the store that the configuration names. The only place that knows the engines. */
import { openSqliteStore } from '../adapters/store-sqlite/open-store.ts';
import type { Store, StoreOptions } from '../ports/store.ts';

export interface StorePlace {
  /** The data folder, locked for this process. */
  readonly dataDir: string;
}

/** Rejects with StateDbUnusable. */
export function openStore(place: StorePlace, options: StoreOptions): Promise<Store> {
  return openSqliteStore({ ...options, ...place });
}
