/** A configuration that can be put in force: the file's part and the store's objects, merged. */
import { buildSnapshot, type GeneratedHashes } from '../config/build/build-snapshot.ts';
import { OBJECT_KINDS, type ObjectKind } from '../config/objects/config-objects.ts';
import { type Merged, mergeObjects, OWNED_BY_FILE } from '../config/objects/merge.ts';
import { inWords, readStored, type StoredEntry } from '../config/objects/stored-entry.ts';
import type { Snapshot } from '../config/snapshot.ts';
import { quotedName } from '../core/quoted-name.ts';
import type { StoredObject } from '../ports/object-store.ts';
import type { Sealer } from '../ports/sealer.ts';
import type { FileConfig } from './configuration-source.ts';

export interface Candidate {
  readonly file: FileConfig;
  readonly objects: readonly StoredObject[];
  readonly merged: Merged;
}

/** Each object is read once: sealed secrets are opened and schemas run only for what changed. */
export type KnownEntries = WeakMap<StoredObject, StoredEntry>;

/** The mark of a first client key that was revoked; its body names the key's hash. */
export const REVOKED_FIRST_KEY = { kind: 'revoked', name: 'first-run' } as const;

/** `before`: what is in force, whose checks need not be made again. */
export function makeCandidate(
  file: FileConfig,
  objects: readonly StoredObject[],
  sealer: Pick<Sealer, 'open'>,
  known: KnownEntries,
  before?: Candidate,
): Candidate {
  const merged = before?.file === file ? before.merged : undefined;
  return { file, objects, merged: mergeObjects(file, entriesOf(objects, sealer, known), merged) };
}

/** What a compilation depends on beside the configuration. */
export interface Circumstances {
  readonly version: number;
  /** Wall ms: some prices change with the day. */
  readonly wall: number;
  /** Address of the simulator in the process; null = none runs. */
  readonly simUrl: string | null;
}

export function compile(
  { merged, objects }: Candidate,
  hashes: GeneratedHashes,
  { version, wall, simUrl }: Circumstances,
): Snapshot {
  const { kind, name } = REVOKED_FIRST_KEY;
  const revoked = objects.some(
    (one) => one.kind === kind && one.name === name && one.body['hash'] === hashes.clientKeyHash,
  );
  return buildSnapshot(merged.config, {
    version,
    day: new Date(wall).toISOString().slice(0, 'yyyy-mm-dd'.length),
    generated: revoked ? { ...hashes, clientKeyHash: null } : hashes,
    stored: merged.stored,
    ...(simUrl === null ? {} : { simUrl }),
  });
}

function entriesOf(
  objects: readonly StoredObject[],
  sealer: Pick<Sealer, 'open'>,
  known: KnownEntries,
): readonly StoredEntry[] {
  return objects.filter(isConfigObject).map((object) => {
    const entry = known.get(object) ?? readStored(object, sealer);
    known.set(object, entry);
    return entry;
  });
}

/** Other kinds share the store: bans, the applied text. */
function isConfigObject(object: StoredObject): object is StoredObject & { readonly kind: ObjectKind } {
  return (OBJECT_KINDS as readonly string[]).includes(object.kind);
}

/** What is set aside, in plain words; `before`: only what was not before. What the file owns needs no word. */
export function asideNotes(merged: Merged, before?: Merged): string[] {
  const notes: string[] = [];
  for (const [entry, problem] of merged.aside) {
    if (problem.message === OWNED_BY_FILE || before?.aside.has(entry) === true) continue;
    notes.push(`the ${entry.kind} ${quotedName(entry.name)} of the store is set aside: ${inWords(problem)}`);
  }
  return notes;
}

/** Names of credentials that have another secret or address than before. */
export function renewedCredentials(before: Snapshot, after: Snapshot): string[] {
  const old = new Map(before.credentials.map((credential) => [credential.name, credential]));
  return after.credentials
    .filter(({ name, secret, baseUrl }) => {
      const known = old.get(name);
      return known !== undefined && (known.secret.reveal() !== secret.reveal() || known.baseUrl !== baseUrl);
    })
    .map(({ name }) => name);
}
