/**
 * The file's configuration and the store's objects as one. The file wins by name; an object that does not fit is set aside
 * with its reason, and so is what needs it: nothing in the store can stop the gateway.
 */
import { NOTHING_STORED, type StoredParts } from '../build/stored-parts.ts';
import type { SoundConfig } from '../load.ts';
import { checkRules } from '../rules/check-rules.ts';
import { listOf, mappingOf } from '../rules/loose.ts';
import { ownAddressFault } from '../rules/network.ts';
import type { Config } from '../schema/config-schema.ts';
import { secretHash } from '../secret-hash.ts';
import type { ObjectKind } from './config-objects.ts';
import { documentOf, type ObjectProblem, placeOf, problemAt, SECTIONS, type StoredEntry } from './stored-entry.ts';

export interface Merged {
  readonly config: Config;
  readonly stored: StoredParts;
  /** Objects of the store that take part. */
  readonly sound: ReadonlySet<StoredEntry>;
  /** Objects of the store that take no part, with the reason. */
  readonly aside: ReadonlyMap<StoredEntry, ObjectProblem>;
}

/** Whether the file names such an object. */
export function fileOwns(config: Config, kind: ObjectKind, name: string): boolean {
  if (kind === 'key') return config.keys.some((key) => key.name === name);
  const section: Readonly<Record<string, unknown>> = config[SECTIONS[kind].section as Exclude<FileSection, 'keys'>];
  return Object.hasOwn(section, name);
}
type FileSection = (typeof SECTIONS)[ObjectKind]['section'];

export const OWNED_BY_FILE = 'the configuration file names an object of this kind and name, which is in force instead';

/**
 * Never throws: a merge that finds no culprit falls back to the file alone. `before`: what was merged with this very file;
 * the result is the same with it, and found sooner.
 */
export function mergeObjects(file: SoundConfig, entries: readonly StoredEntry[], before?: Merged): Merged {
  const aside = new Map<StoredEntry, ObjectProblem>();
  const taken = takenHashes(file.config);
  let left: StoredEntry[] = [];
  for (const entry of entries) {
    const problem = ownFault(file.config, entry, taken);
    if (problem === null) left.push(entry);
    else aside.set(entry, problem);
  }
  const faults = (before === undefined ? null : faultsOfChange(file, left, before.sound)) ?? faultsOfAll(file, left);
  for (const [entry, problem] of faults) aside.set(entry, problem);
  left = left.filter((entry) => !faults.has(entry));
  return { config: mergedConfig(file.config, left), stored: partsOf(left), sound: new Set(left), aside };
}

type Faults = ReadonlyMap<StoredEntry, ObjectProblem>;

/** Each round takes out at least one entry, so this ends; what needs a set-aside object falls in the next round. */
function faultsOfAll(file: SoundConfig, entries: readonly StoredEntry[]): Faults {
  const all = new Map<StoredEntry, ObjectProblem>();
  for (let left = entries; ; left = left.filter((entry) => !all.has(entry))) {
    const { faults } = rulesOver(file, left);
    if (faults.size === 0) return all;
    for (const [entry, problem] of faults) all.set(entry, problem);
  }
}

/** Whether other objects' soundness hangs on it: all belong to workspaces, and a chain may make a model by naming it. */
function othersNeed({ kind, raw }: StoredEntry): boolean {
  return kind === 'workspace' || (kind === 'key' && listOf(mappingOf(raw['failover_defaults'])['models']).length > 0);
}

/**
 * The same for a change of what nobody else needs: what was sound still is, so only what is new is looked at, beside what it
 * may need. Null = the whole has to be looked at.
 */
function faultsOfChange(file: SoundConfig, left: readonly StoredEntry[], sound: Merged['sound']): Faults | null {
  const still = new Set(left);
  for (const entry of sound) if (!still.has(entry) && othersNeed(entry)) return null;
  const fresh = left.filter((entry) => !sound.has(entry));
  if (fresh.some(othersNeed)) return null;
  if (fresh.length === 0) return new Map();
  const known = left.filter((entry) => sound.has(entry) && othersNeed(entry));
  const { faults, owned } = rulesOver(file, [...known, ...fresh]);
  return owned && known.every((entry) => !faults.has(entry)) ? faults : null;
}

/** Where an object names an address of its own (G-9). */
const ADDRESS_FIELDS: Readonly<Partial<Record<ObjectKind, string>>> = { credential: 'base_url', webhook: 'url' };

function ownFault(config: Config, entry: StoredEntry, taken: Map<string, string>): ObjectProblem | null {
  if (entry.problem !== null) return entry.problem;
  if (fileOwns(config, entry.kind, entry.name)) return { field: '', message: OWNED_BY_FILE };
  const field = ADDRESS_FIELDS[entry.kind];
  const address = field === undefined ? null : ownAddressFault(config, entry.raw[field]);
  if (field !== undefined && address !== null) return { field, message: address };
  if (entry.hash === null) return null;
  const twin = taken.get(entry.hash);
  if (twin === undefined) {
    taken.set(entry.hash, entry.name);
    return null;
  }
  // Not whose: that would tell a guesser whose secret he has.
  return { field: SECTIONS[entry.kind].secretField ?? '', message: 'is in use already; every one needs its own' };
}

/** Hashes of the file's own secrets that open something. */
function takenHashes(config: Config): Map<string, string> {
  const secrets = [
    ...config.keys.map(({ secret }) => secret),
    ...Object.values(config.members).map(({ token }) => token),
    ...[config.admin.token, config.server.metrics_token].filter((token) => token !== undefined),
  ];
  return new Map(secrets.map((secret) => [secretHash(secret), ''] as const));
}

/** Where an object stands, at the start of a problem's path. */
const PLACE = /^(?:keys\[\d+\]|(?:workspaces|credentials|members|webhooks)(?:\.[\w-]+|\["(?:[^"\\]|\\.)*"\]))/;

/** What the rules say about the merged configuration, by object; `owned`: it could be told whose the problems are. */
function rulesOver(
  file: SoundConfig,
  left: readonly StoredEntry[],
): { readonly faults: Faults; readonly owned: boolean } {
  const faults = new Map<StoredEntry, ObjectProblem>();
  if (left.length === 0) return { faults, owned: true };
  const { root, places } = mergedRoot(mappingOf(file.document.root), left);
  const problems = checkRules(documentOf(root, file.document.origin));
  for (const problem of problems) {
    const place = PLACE.exec(problem.path)?.[0] ?? '';
    const culprit = places.get(place);
    const own = problemAt(problem, place);
    if (culprit === undefined || own === null || faults.has(culprit)) continue;
    // Rules name what the file knows, and some of that may come from the environment (E-5).
    const message = file.document.mask(own.message);
    const names = own.names === undefined || message === own.message ? own.names : { ...own.names, known: [] };
    faults.set(culprit, { field: own.field, message, ...(names === undefined ? {} : { names }) });
  }
  if (problems.length > 0 && faults.size === 0) {
    const message = `does not fit the file: ${problems[0]?.path ?? ''} ${problems[0]?.message ?? ''}`;
    for (const entry of left) faults.set(entry, { field: '', message });
    return { faults, owned: false };
  }
  return { faults, owned: true };
}

function mergedRoot(root: Readonly<Record<string, unknown>>, left: readonly StoredEntry[]) {
  const keys = [...listOf(root['keys'])];
  const named = {
    workspaces: { ...mappingOf(root['workspaces']) },
    credentials: { ...mappingOf(root['credentials']) },
    members: { ...mappingOf(root['members']) },
    webhooks: { ...mappingOf(root['webhooks']) },
  };
  const places = new Map<string, StoredEntry>();
  for (const entry of left) {
    const { kind, name, raw } = entry;
    const { section } = SECTIONS[kind];
    if (section === 'keys') keys.push(raw);
    else named[section][name] = raw;
    places.set(placeOf(kind, name, keys.length - 1), entry);
  }
  return { root: { ...root, ...named, keys }, places };
}

function mergedConfig(file: Config, left: readonly StoredEntry[]): Config {
  const parts = left.map(({ part }) => part).filter((part) => part !== null);
  const all = <S extends Exclude<FileSection, 'keys'>>(section: S): Config[S] =>
    Object.assign({}, file[section], ...parts.map((part) => part[section]));
  return {
    ...file,
    workspaces: all('workspaces'),
    credentials: all('credentials'),
    members: all('members'),
    webhooks: all('webhooks'),
    keys: [...file.keys, ...parts.flatMap(({ keys }) => keys)],
  };
}

function partsOf(left: readonly StoredEntry[]): StoredParts {
  if (left.length === 0) return NOTHING_STORED;
  const of = (kind: ObjectKind) => left.filter((entry) => entry.kind === kind);
  const names = (kind: ObjectKind) => new Set(of(kind).map(({ name }) => name));
  const hashes = (kind: ObjectKind) => new Map(of(kind).map(({ name, hash }) => [name, hash ?? ''] as const));
  return {
    workspaces: names('workspace'),
    credentials: names('credential'),
    keys: hashes('key'),
    members: hashes('member'),
    webhooks: names('webhook'),
  };
}
