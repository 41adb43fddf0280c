/** Opens the store that the configuration names. The only place that knows the engines. */
import { openSqliteStore } from '../adapters/store-sqlite/open-store.ts';
import { buildPlaces } from '../config/build/operations.ts';
import { type RotatingSealer, SealKeyError } from '../ports/sealer.ts';
import type { Store, StoreOptions } from '../ports/store.ts';
import { type ConfigurationSource, readSource } from './configuration-source.ts';

export interface StorePlace {
  /** The data folder, locked for this process. */
  readonly dataDir: string;
  /** `postgres://…`; null = the data folder keeps the store, too. */
  readonly url: string | null;
}

/**
 * The address of a database, as text, file or environment name it: what was applied lies in the store itself. Null also
 * where the configuration can't be read; whoever reads it next says why.
 */
export async function storeUrlOf(source: ConfigurationSource): Promise<string | null> {
  const read = await readSource(source, () => null);
  return read.ok ? (buildPlaces(read.file.config).storeUrl?.reveal() ?? null) : null;
}

export interface OpenStoreOptions extends StoreOptions {
  readonly sealer: RotatingSealer;
  /** Of the program. */
  readonly version: string;
}

/** Rejects with StateDbUnusable or SealKeyError. */
export async function openStore({ dataDir, url }: StorePlace, options: OpenStoreOptions): Promise<Store> {
  if (url === null) return openSqliteStore({ ...options, dataDir });
  if (options.sealer.keySource === 'file') {
    throw new SealKeyError(
      'a store that several gateways share needs a seal key that all of them have: give each the same UNDERSTUDY_SEAL_KEY',
    );
  }
  // A gateway with its store in a folder carries no client of a database.
  const { openPostgresStore } = await import('../adapters/store-postgres/open-store.ts');
  return openPostgresStore({ ...options, url });
}
