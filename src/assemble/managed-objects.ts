/** The objects of the running configuration, for the admin plane. */
import { changeEntry } from '../config/objects/change-entry.ts';
import {
  type CallOrigin,
  type ConfigObjects,
  type ManagedObject,
  type ObjectKind,
  type PutOptions,
  type RemoveOptions,
  workspaceOf,
} from '../config/objects/config-objects.ts';
import { fileOwns } from '../config/objects/merge.ts';
import { checkName, keptSecret, refused, refusedField, takeApart } from '../config/objects/new-body.ts';
import {
  type Body,
  inWords,
  isSealed,
  type ObjectProblem,
  type StoredEntry,
  sealContext,
} from '../config/objects/stored-entry.ts';
import { knownIn, toldTo } from '../config/objects/told-to.ts';
import { secretHash } from '../config/secret-hash.ts';
import { ClientError, gatewayError } from '../core/errors/catalogue.ts';
import { quotedName } from '../core/quoted-name.ts';
import type { AuditEntry } from '../ports/audit.ts';
import type { ObjectChange, StoredObject } from '../ports/object-store.ts';
import type { ResealedText, SealedTexts } from '../ports/sealer.ts';
import { preparedFor } from '../runtime/prepared.ts';
import { REVOKED_FIRST_KEY } from './candidate.ts';
import type { Configuration } from './configuration.ts';
import {
  builtInName,
  builtInObject,
  DEFAULT_WORKSPACE,
  FIRST_KEY,
  fileObjects,
  shownStored,
  storedObjects,
} from './object-views.ts';
import { mustHaveRoom } from './room-inside.ts';
import { resealed, sealedTexts } from './sealed-objects.ts';
import { conflict, storeRefusal } from './store-refusal.ts';

export class ManagedObjects implements ConfigObjects {
  readonly #configuration: Configuration;
  /** An object of a workspace is shown to that workspace's admins too. */
  readonly #words = (object: ManagedObject, problem: ObjectProblem): string =>
    inWords(this.#told(problem, workspaceOf(object)));

  constructor(configuration: Configuration) {
    this.#configuration = configuration;
  }

  list(kind: ObjectKind): readonly ManagedObject[] {
    const state = this.#configuration.state();
    const all = [...fileObjects(state, kind), ...storedObjects(state, kind, this.#words)];
    const builtIn = builtInName(kind);
    if (builtIn !== null && !all.some(({ name }) => name === builtIn) && this.#hasBuiltIn(kind))
      all.push(builtInObject(kind, builtIn));
    return all.sort((a, b) => (a.name < b.name ? -1 : 1));
  }

  get(kind: ObjectKind, name: string): ManagedObject | null {
    const state = this.#configuration.state();
    const file = fileObjects(state, kind, name)[0] ?? storedObjects(state, kind, this.#words, name)[0];
    if (file !== undefined) return file;
    return name === builtInName(kind) && this.#hasBuiltIn(kind) ? builtInObject(kind, name) : null;
  }

  put(kind: ObjectKind, name: string, body: Body, options: PutOptions): Promise<ManagedObject> {
    return this.#configuration.exclusively(async () => {
      const known = this.#changeable(kind, name);
      checkExpectations(kind, name, known, options);
      if (kind === 'key' && name === FIRST_KEY)
        throw refused('name', `\`${FIRST_KEY}\` is the key made at the first start`);
      if (known === undefined && options.inside !== undefined) mustHaveRoom(this.#objects(), kind, options.inside);
      const object = this.#made(kind, name, body, known, options);
      const change = { kind, name, body: object.body, expectedVersion: known?.version ?? 0, by: options.by };
      await this.#change(object, change, { known, inside: options.inside, call: options.call });
      return shownStored(object, null);
    });
  }

  remove(kind: ObjectKind, name: string, { by, expectedVersion, inside, call }: RemoveOptions): Promise<void> {
    return this.#configuration.exclusively(async () => {
      const known = this.#changeable(kind, name);
      mustBeInside(kind, name, known, inside);
      if (known === undefined && kind === 'key' && name === FIRST_KEY && this.#hasBuiltIn(kind))
        return this.#revokeFirstKey(by, call);
      if (known === undefined && this.get(kind, name) !== null)
        throw conflict(`The ${kind} ${quotedName(name)} is always there.`);
      if (known === undefined) throw noSuch(kind, name);
      checkVersion(known, expectedVersion);
      const change = { kind, name, body: null, expectedVersion: known.version, by };
      await this.#change(null, change, { known, inside, call });
    });
  }

  withSealed<T>(work: (texts: SealedTexts) => Promise<T>): Promise<T> {
    return this.#configuration.exclusively(() =>
      work({
        list: () => Promise.resolve(sealedTexts(this.#objects())),
        replace: (changes) => this.#reseal(changes),
        keysOfBytes: this.#configuration.parts.keysOfBytes ?? (() => Promise.resolve([])),
      }),
    );
  }

  #objects(): readonly StoredObject[] {
    return this.#configuration.state().objects;
  }

  #hasBuiltIn(kind: ObjectKind): boolean {
    if (kind === 'workspace') return true;
    return kind === 'key' && [...this.#configuration.snapshot().keys.values()].some(({ name }) => name === FIRST_KEY);
  }

  /** The store's object of this name, which may be changed. */
  #changeable(kind: ObjectKind, name: string): StoredObject | undefined {
    checkName(name);
    if (fileOwns(this.#configuration.state().file.config, kind, name)) {
      throw conflict(
        `The ${kind} ${quotedName(name)} belongs to the configuration file: change it there, then reload or apply it.`,
      );
    }
    return this.#objects().find((one) => one.kind === kind && one.name === name);
  }

  #made(
    kind: ObjectKind,
    name: string,
    body: Body,
    known: StoredObject | undefined,
    options: PutOptions,
  ): StoredObject {
    const { sealer, wall } = this.#configuration.parts;
    const { fields, secret } = takeApart(kind, name, body, options.secret);
    const kept = secret === null ? keptSecret(kind, known, fields) : {};
    if (secret !== null && isSealed(kind)) {
      kept['sealed'] = sealed(() => sealer.seal(secret, sealContext(kind, name)));
    } else if (secret !== null) kept['hash'] = secretHash(secret);
    if (options.renewal === 'begin') kept['sealed_previous'] = known?.body['sealed'];
    if (options.renewal === 'end') delete kept['sealed_previous'];
    const at = wall();
    return {
      kind,
      name,
      body: { ...fields, ...kept },
      version: (known?.version ?? 0) + 1,
      createdAt: known?.createdAt ?? at,
      updatedAt: at,
      updatedBy: options.by,
    };
  }

  /** How a problem is told to somebody of `workspace`; undefined = to whoever may know everything. */
  #told(problem: ObjectProblem, workspace: string | null | undefined): ObjectProblem {
    if (workspace === null || workspace === undefined || problem.names === undefined) return problem;
    const snapshot = this.#configuration.snapshot();
    return toldTo(knownIn(workspace, snapshot, preparedFor(snapshot).catalogue), problem);
  }

  /** Puts one change in force, unless it is wrong or something else would no longer fit. */
  async #change(
    object: StoredObject | null,
    change: ObjectChange,
    { known, inside, call }: ChangeOrigin,
  ): Promise<void> {
    const before = this.#configuration.state();
    const others = before.objects.filter(({ kind, name }) => kind !== change.kind || name !== change.name);
    const place = before.objects.findIndex(({ kind, name }) => kind === change.kind && name === change.name);
    const objects = object === null ? others : place < 0 ? [...others, object] : before.objects.with(place, object);
    const candidate = this.#configuration.candidate(before.file, objects);
    const broken: Misfit[] = [];
    for (const [entry, problem] of candidate.merged.aside) {
      if (entry.object === object) throw refusedField(this.#told(problem, inside));
      if (!before.merged.aside.has(entry)) broken.push({ entry, why: inWords(this.#told(problem, inside)) });
    }
    if (broken.length > 0) throw object === null ? stillNeeded(change, broken) : noLongerFit(broken);
    await this.#configuration.putInForce(candidate, [change], [this.#entry(change, known?.body ?? null, call)]);
  }

  #entry(change: ObjectChange, before: Body | null, call: CallOrigin | undefined): AuditEntry {
    const { kind, name, body: after, by } = change;
    return changeEntry({
      kind: kind as ObjectKind,
      name,
      before,
      after,
      by,
      at: this.#configuration.parts.wall(),
      call,
    });
  }

  async #revokeFirstKey(by: string, call: CallOrigin | undefined): Promise<void> {
    const { file, objects } = this.#configuration.state();
    const body = { hash: this.#configuration.hashes().clientKeyHash };
    const { kind, name } = REVOKED_FIRST_KEY;
    const known = objects.find((one) => one.kind === kind && one.name === name);
    const at = this.#configuration.parts.wall();
    const mark: StoredObject = {
      kind,
      name,
      body,
      version: (known?.version ?? 0) + 1,
      createdAt: known?.createdAt ?? at,
      updatedAt: at,
      updatedBy: by,
    };
    const candidate = this.#configuration.candidate(file, [...objects.filter((one) => one !== known), mark]);
    const gone = { kind: 'key', name: FIRST_KEY, body: null, expectedVersion: 0, by };
    await this.#configuration.putInForce(
      candidate,
      [{ kind, name, body, expectedVersion: known?.version ?? 0, by }],
      [this.#entry(gone, { workspace: DEFAULT_WORKSPACE }, call)],
    );
  }

  async #reseal(texts: readonly ResealedText[]): Promise<void> {
    const { file, objects } = this.#configuration.state();
    const next = resealed(objects, texts);
    if (next.changes.length === 0) return;
    await this.#configuration.putInForce(this.#configuration.candidate(file, next.objects), next.changes);
  }
}

/** What a change is made from, for whom and by which call. */
interface ChangeOrigin {
  readonly known: StoredObject | undefined;
  readonly inside: string | undefined;
  readonly call: CallOrigin | undefined;
}

/**
 * G-8. Between the look that allowed a change and its turn, the object may have gone and another workspace's have taken
 * the name, with the version of a new object: what is kept of it would then change hands.
 */
function mustBeInside(kind: ObjectKind, name: string, known: StoredObject | undefined, inside?: string): void {
  if (inside === undefined || known === undefined) return;
  if (workspaceOf({ kind, name, body: known.body }) !== inside) throw noSuch(kind, name);
}

function checkExpectations(kind: ObjectKind, name: string, known: StoredObject | undefined, options: PutOptions): void {
  if (options.create !== true) mustBeInside(kind, name, known, options.inside);
  const exists = known !== undefined || (kind === 'workspace' && name === DEFAULT_WORKSPACE);
  if (options.create === true && exists) throw conflict(`There is a ${kind} ${quotedName(name)} already.`);
  if (options.create === false && !exists) throw noSuch(kind, name);
  checkVersion(known, options.expectedVersion);
}

function checkVersion(known: StoredObject | undefined, expected: number | undefined): void {
  const version = known?.version ?? 0;
  if (expected === undefined || expected === version) return;
  throw conflict(`It was changed meanwhile: the version is ${version}, not ${expected}. Look again.`);
}

/** An object that a change would leave without what it needs, and what that is. */
interface Misfit {
  readonly entry: Pick<StoredEntry, 'kind' | 'name'>;
  readonly why: string;
}

function stillNeeded({ kind, name }: Pick<ObjectChange, 'kind' | 'name'>, broken: readonly Misfit[]): ClientError {
  const who = listed(broken.map(({ entry }) => `${entry.kind} ${quotedName(entry.name)}`));
  const them = broken.length === 1 ? 'it' : 'them';
  return conflict(`The ${kind} ${quotedName(name)} is still needed by ${who}. Change or remove ${them} first.`);
}

function noLongerFit(broken: readonly Misfit[]): ClientError {
  const who = listed(broken.map(({ entry, why }) => `${entry.kind} ${quotedName(entry.name)} (${why})`));
  const them = broken.length === 1 ? 'it' : 'them';
  return conflict(`Other objects would no longer fit: ${who}. Change or remove ${them} first.`);
}

/** The first five, and how many more there are. */
function listed(all: readonly string[]): string {
  const more = all.length > 5 ? ` and ${all.length - 5} more` : '';
  return `${all.slice(0, 5).join(', ')}${more}`;
}

function sealed(seal: () => string): string {
  try {
    return seal();
  } catch (error) {
    throw storeRefusal(error);
  }
}

function noSuch(kind: ObjectKind, name: string): ClientError {
  return new ClientError(gatewayError('not_found', `There is no ${kind} ${quotedName(name)}.`));
}
