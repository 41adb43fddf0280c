/** What of a configuration lives in the store and not in the file. */
import type { ManagedBy } from '../snapshot.ts';

/** Names of the store's objects, with the hashes that stand for secrets nobody keeps (SHA-256, hex). */
export interface StoredParts {
  readonly workspaces: ReadonlySet<string>;
  readonly credentials: ReadonlySet<string>;
  readonly keys: ReadonlyMap<string, string>;
  readonly members: ReadonlyMap<string, string>;
  /** Absent = none. */
  readonly webhooks?: ReadonlySet<string>;
}

/** A configuration of a file alone. */
export const NOTHING_STORED: StoredParts = {
  workspaces: new Set(),
  credentials: new Set(),
  keys: new Map(),
  members: new Map(),
};

export function ownerOf(stored: { has(name: string): boolean }, name: string): ManagedBy {
  return stored.has(name) ? 'store' : 'file';
}
