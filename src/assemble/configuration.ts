/**
 * The running configuration: the file's part and the store's objects, merged, compiled, exchanged as a whole. Changes come
 * one after the other; each is checked first, then durable, then in force. A bad file never stops a running gateway.
 */
import type { GeneratedHashes } from '../config/build/build-snapshot.ts';
import { withModels } from '../config/build/with-model.ts';
import { type FirstRun, openFirstRun } from '../config/first-run.ts';
import { needsSimulator } from '../config/load.ts';
import type { Problem } from '../config/problem.ts';
import type { Snapshot } from '../config/snapshot.ts';
import type { AuditEntry } from '../ports/audit.ts';
import {
  type ObjectChange,
  ObjectConflict,
  type ObjectStore,
  StateStoreUnavailable,
  type StoredObject,
} from '../ports/object-store.ts';
import type { RotatingSealer } from '../ports/sealer.ts';
import { appliedFile, openApplied } from './applied-text.ts';
import { asideNotes, type Candidate, compile, type KnownEntries, makeCandidate } from './candidate.ts';
import { ConfigRejected, type ConfigurationSource, type FileConfig, readSource } from './configuration-source.ts';
import { fixedSettings } from './fixed-settings.ts';
import { OwnSimulator } from './own-simulator.ts';
import { openSharedFirstRun, storedHashes } from './shared-first-run.ts';
import { storeRefusal } from './store-refusal.ts';
import { isSameBody, takenOver } from './taken-over.ts';

export { ConfigRejected, type ConfigurationSource } from './configuration-source.ts';

export type ReloadResult =
  | { readonly ok: true; readonly version: number; readonly notes: readonly string[] }
  | { readonly ok: false; readonly problems: readonly Problem[] };

/** What the configuration stands on. */
export interface ConfigurationParts {
  readonly objects: ObjectStore;
  readonly sealer: RotatingSealer;
  /** Ids of the keys that stored bytes were sealed with, for a rotation; absent = there are none. */
  readonly keysOfBytes?: () => Promise<readonly string[]>;
  readonly wall: () => number;
  /** What others have changed can't be taken over, in plain words; null = it is. Once per change. */
  readonly onNotTaken?: (problem: string | null) => void;
}

export class Configuration {
  readonly firstRun: FirstRun;
  /** Whoever started the gateway has what was made at its first start. */
  isShown = false;
  readonly parts: ConfigurationParts;
  readonly source: ConfigurationSource;
  #state: Candidate;
  #snapshot: Snapshot;
  readonly #simulator = new OwnSimulator();
  readonly #known: KnownEntries;
  /** A write failed halfway between us and the disk: what the store holds is read again before the next change. */
  #doubt = false;
  /** Of the objects in force; null = nobody else changes any. */
  #revision: number | null;
  #notTaken: string | null = null;
  #last: Promise<unknown> = Promise.resolve();
  #onExchange: (before: Snapshot, after: Snapshot) => Promise<void> = () => Promise.resolve();

  #onLoaded: (before: readonly StoredObject[], after: readonly StoredObject[]) => void = () => undefined;
  #loaded: readonly StoredObject[];

  private constructor(
    source: ConfigurationSource,
    parts: ConfigurationParts,
    firstRun: FirstRun,
    opened: {
      readonly state: Candidate;
      readonly snapshot: Snapshot;
      readonly known: KnownEntries;
      readonly revision: number | null;
    },
  ) {
    this.source = source;
    this.parts = parts;
    this.firstRun = firstRun;
    this.#state = opened.state;
    this.#loaded = opened.state.objects;
    this.#snapshot = opened.snapshot;
    this.#known = opened.known;
    this.#revision = opened.revision;
  }

  /**
   * Rejects with ConfigRejected, SealBroken, or StateStoreUnavailable. The first snapshot's version is the start's wall ms,
   * so that no two processes' lives give the same version to different names (records refer to them).
   */
  static async open(source: ConfigurationSource, dataDir: string, parts: ConfigurationParts): Promise<Configuration> {
    const { objects: store, sealer, wall } = parts;
    // Before the objects: what is changed in between is looked at again.
    const revision = (await store.revision?.()) ?? null;
    let objects = await store.load();
    const read = await readSource(source, () => openApplied(objects, sealer));
    if (!read.ok) throw new ConfigRejected(read.problems, read.name);
    const { keys, admin } = read.file.config;
    const needed = { clientKey: keys.length === 0, adminToken: admin.token === undefined };
    const firstRun = revision === null ? await openFirstRun(dataDir) : await openSharedFirstRun(store, needed, wall);
    if (revision !== null && firstRun.fresh !== null) objects = await store.load();
    const known: KnownEntries = new WeakMap();
    const state = makeCandidate(read.file, objects, sealer, known);
    const version = wall();
    const hashes = revision === null ? firstRun.hashes : (storedHashes(objects) ?? NO_HASHES);
    const snapshot = compile(state, hashes, { version, wall: version, simUrl: null });
    const made = new Configuration(source, parts, firstRun, { state, snapshot, known, revision });
    made.#snapshot = await made.#compiled(state, version);
    return made;
  }

  snapshot(): Snapshot {
    return this.#snapshot;
  }

  /** What is in force, uncompiled. */
  state(): Candidate {
    return this.#state;
  }

  /** Of the key and the admin token of the first start. */
  hashes(): GeneratedHashes {
    return this.#hashesIn(this.#state);
  }

  /** Whether the key and the admin token of the first start are in use. */
  generated(): { readonly clientKey: boolean; readonly adminToken: boolean } {
    const { clientKeyHash } = this.hashes();
    return {
      clientKey: clientKeyHash !== null && this.#snapshot.keys.has(clientKeyHash),
      adminToken: this.#state.file.config.admin.token === undefined,
    };
  }

  /** Called at every exchange but those by `snapshotFor`; whoever asked for the change waits for it. */
  onExchange(listener: (before: Snapshot, after: Snapshot) => Promise<void>): void {
    this.#onExchange = listener;
  }

  /** Called when the store was read again because somebody has changed it. */
  onLoaded(listener: (before: readonly StoredObject[], after: readonly StoredObject[]) => void): void {
    this.#onLoaded = listener;
  }

  /** The snapshot with these names made from wildcards; remembered, so that each name is made once. */
  snapshotFor(names: readonly string[], onNew: (snapshot: Snapshot) => void): Snapshot {
    if (this.#snapshot.wildcards === undefined) return this.#snapshot;
    const made = withModels(this.#snapshot, names);
    if (made === this.#snapshot) return made;
    this.#snapshot = made;
    onNew(made);
    return made;
  }

  /** Reads the source again. Problems of the file leave everything as it is. */
  reload(): Promise<ReloadResult> {
    return this.exclusively(async () => {
      const { objects, merged } = this.#state;
      const read = await readSource(this.source, () => openApplied(objects, this.parts.sealer));
      if (!read.ok) return { ok: false, problems: read.problems };
      const candidate = this.candidate(read.file, objects);
      const before = this.#snapshot;
      await this.putInForce(candidate);
      const notes = [...fixedSettings(before, this.#snapshot), ...asideNotes(candidate.merged, merged)];
      return { ok: true, version: this.#snapshot.version, notes };
    });
  }

  /** Runs one change after the other, the store's state known. Rejects with `ClientError` 503 when it can't be. */
  exclusively<T>(work: () => Promise<T>): Promise<T> {
    return this.#inTurn(async () => {
      if (this.#doubt || this.#revision !== null) await this.#takeOver().catch((error: unknown) => this.#unless(error));
      return work();
    });
  }

  /**
   * Takes over what other processes have changed in the store. Resolves to whether anything of the configuration is
   * another now. Rejects with StateStoreUnavailable; then what was in force stays.
   */
  catchUp(): Promise<boolean> {
    return this.#inTurn(() => this.#takeOver());
  }

  /** File and objects, merged: to be looked at before it is put in force. */
  candidate(file: FileConfig, objects: readonly StoredObject[]): Candidate {
    return makeCandidate(file, objects, this.parts.sealer, this.#known, this.#state);
  }

  /** What of a candidate a running process can not put in force. Starts nothing that lasts but the simulator. */
  async fixedBy(candidate: Candidate): Promise<string[]> {
    return fixedSettings(this.#snapshot, await this.#compiled(candidate, this.#snapshot.version + 1));
  }

  /**
   * Compiles, writes `changes` durably with the `audit` entries that tell of them, then exchanges the snapshot: nothing is in force that a restart would not know.
   * Only inside `exclusively`. Rejects with `ClientError` (503, 409); then nothing has changed.
   */
  async putInForce(
    candidate: Candidate,
    changes: readonly ObjectChange[] = [],
    audit: readonly AuditEntry[] = [],
  ): Promise<void> {
    // Compiled before it is written: what can't be compiled is not kept. After the write nothing waits any more.
    const compiled = await this.#compiled(candidate, this.#snapshot.version + 1);
    if (changes.length > 0) await this.#write(changes, audit);
    const before = this.#snapshot;
    // Names made from wildcards meanwhile took versions of their own; those that are still covered stay made.
    const made = before.models.filter(({ wildcard }) => wildcard === true).map(({ id }) => id);
    const version = Math.max(compiled.version, this.#snapshot.version + 1);
    this.#state = candidate;
    this.#snapshot = withModels({ ...compiled, version }, made);
    await this.#onExchange(before, this.#snapshot);
  }

  /** After a start that failed, what was made for it is nobody's. */
  async withdrawUnseen(): Promise<void> {
    if (!this.isShown) await this.firstRun.withdraw?.();
  }

  async close(): Promise<void> {
    await this.#last.catch(() => undefined);
    await this.#simulator.close();
  }

  /** A write whose answer was lost may have happened: the store itself is asked. */
  async #write(changes: readonly ObjectChange[], audit: readonly AuditEntry[]): Promise<void> {
    try {
      await this.parts.objects.change(changes, this.parts.wall(), audit);
    } catch (error) {
      const stored = await this.parts.objects.load().catch(() => null);
      this.#doubt = stored === null || error instanceof ObjectConflict;
      if (stored !== null && error instanceof StateStoreUnavailable && holds(stored, changes)) return;
      throw storeRefusal(error);
    }
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const run = this.#last.then(work);
    this.#last = run.catch(() => undefined);
    return run;
  }

  /** Where others change it too, a store that can't be read refuses a write by itself. */
  #unless(error: unknown): void {
    if (this.#doubt || !(error instanceof StateStoreUnavailable)) throw storeRefusal(error);
  }

  async #takeOver(): Promise<boolean> {
    const { objects: store } = this.parts;
    // Before the objects: what is changed in between is looked at again.
    const revision = (await store.revision?.()) ?? null;
    if (revision !== null && revision === this.#revision && !this.#doubt) return false;
    const loaded = await store.load();
    const { objects, differs, applied } = takenOver(this.#state.objects, loaded);
    if (differs) await this.putInForce(this.candidate(this.#fileAfter(applied), objects));
    this.#onLoaded(this.#loaded, loaded);
    this.#loaded = loaded;
    this.#revision = revision;
    this.#doubt = false;
    return differs;
  }

  /** What was applied elsewhere is in force here as well, unless it can't be. */
  #fileAfter(applied: StoredObject | null): FileConfig {
    if (applied === null) return this.#state.file;
    const read = appliedFile(applied, this.parts.sealer, this.source.env);
    const problem = read.ok ? null : read.problem;
    if (problem !== this.#notTaken) this.parts.onNotTaken?.(problem);
    this.#notTaken = problem;
    return read.ok ? read.file : this.#state.file;
  }

  #hashesIn({ objects }: Pick<Candidate, 'objects'>): GeneratedHashes {
    return this.#revision === null ? this.firstRun.hashes : (storedHashes(objects) ?? NO_HASHES);
  }

  /** Starts the simulator in the process when a provider asks for one, then compiles again with its address. */
  async #compiled(candidate: Candidate, version: number): Promise<Snapshot> {
    const wall = this.parts.wall();
    const hashes = this.#hashesIn(candidate);
    const snapshot = compile(candidate, hashes, { version, wall, simUrl: this.#simulator.address });
    if (!needsSimulator(snapshot)) return snapshot;
    return compile(candidate, hashes, { version, wall, simUrl: await this.#simulator.start() });
  }
}

const NO_HASHES: GeneratedHashes = { clientKeyHash: null, adminTokenHash: null };

/** Whether the store is as the changes would have left it; another process may have made others. */
function holds(stored: readonly StoredObject[], changes: readonly ObjectChange[]): boolean {
  return changes.every(({ kind, name, body, expectedVersion }) => {
    const found = stored.find((one) => one.kind === kind && one.name === name);
    if (body === null || found === undefined) return body === null && found === undefined;
    return found.version === expectedVersion + 1 && isSameBody(found.body, body);
  });
}
