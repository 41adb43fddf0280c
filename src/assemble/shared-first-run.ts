/**
 * The first client key and admin token of a store that several gateways share: made once for all of them, by the first
 * that needs them, and shown by it. The store keeps their hashes as an object.
 */
import type { GeneratedHashes } from '../config/build/build-snapshot.ts';
import { type FirstRun, type Halves, withMade } from '../config/first-run.ts';
import { ObjectConflict, type ObjectStore, StateStoreUnavailable, type StoredObject } from '../ports/object-store.ts';

export const FIRST_RUN = { kind: 'first_run', name: 'hashes' } as const;

const NOTHING: GeneratedHashes = { clientKeyHash: null, adminTokenHash: null };

/** What the store keeps; null = nothing. */
export function storedHashes(objects: readonly StoredObject[]): GeneratedHashes | null {
  const stored = objects.find(({ kind, name }) => kind === FIRST_RUN.kind && name === FIRST_RUN.name);
  return stored === undefined ? null : hashesOf(stored);
}

/** As the object's body. */
export function firstRunBody({ clientKeyHash, adminTokenHash }: GeneratedHashes): Readonly<Record<string, string>> {
  return {
    ...(clientKeyHash === null ? {} : { client_key_sha256: clientKeyHash }),
    ...(adminTokenHash === null ? {} : { admin_token_sha256: adminTokenHash }),
  };
}

/** Makes what is needed and not there. Of several that start at once, one makes it. Rejects with StateStoreUnavailable. */
export async function openSharedFirstRun(objects: ObjectStore, needed: Halves, wall: () => number): Promise<FirstRun> {
  for (;;) {
    const stored = await find(objects);
    const known = stored === undefined ? NOTHING : hashesOf(stored);
    const made = withMade(known, needed);
    if (made.fresh === null) return made;
    if (await keep(objects, made.hashes, stored?.version ?? 0, wall())) {
      return { ...made, withdraw: () => withdraw(objects, made.hashes, known, wall()) };
    }
  }
}

/** False = another process was quicker. A write whose answer was lost may have happened: the store itself is asked. */
async function keep(objects: ObjectStore, hashes: GeneratedHashes, version: number, wall: number): Promise<boolean> {
  const change = { ...FIRST_RUN, body: firstRunBody(hashes), expectedVersion: version, by: 'gateway' };
  try {
    await objects.change([change], wall);
    return true;
  } catch (error) {
    if (error instanceof ObjectConflict) return false;
    if (!(error instanceof StateStoreUnavailable)) throw error;
    const stored = await find(objects);
    if (stored !== undefined && isSame(hashesOf(stored), hashes)) return true;
    throw error;
  }
}

/** Takes back what nobody was shown, so that the next start makes and shows it. What others have made since stays. */
async function withdraw(
  objects: ObjectStore,
  made: GeneratedHashes,
  before: GeneratedHashes,
  wall: number,
): Promise<void> {
  const stored = await find(objects);
  if (stored === undefined || !isSame(hashesOf(stored), made)) return;
  const body = isSame(before, NOTHING) ? null : firstRunBody(before);
  await objects.change([{ ...FIRST_RUN, body, expectedVersion: stored.version, by: 'gateway' }], wall);
}

async function find(objects: ObjectStore): Promise<StoredObject | undefined> {
  return (await objects.load()).find(({ kind, name }) => kind === FIRST_RUN.kind && name === FIRST_RUN.name);
}

function hashesOf({ body }: StoredObject): GeneratedHashes {
  const text = (value: unknown): string | null => (typeof value === 'string' ? value : null);
  return { clientKeyHash: text(body['client_key_sha256']), adminTokenHash: text(body['admin_token_sha256']) };
}

function isSame(one: GeneratedHashes, other: GeneratedHashes): boolean {
  return one.clientKeyHash === other.clientKeyHash && one.adminTokenHash === other.adminTokenHash;
}
