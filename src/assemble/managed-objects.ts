/** The objects of the running configuration, for the admin plane: the file's, the store's, and what is built in. */
import type { ConfigObjects, ManagedObject, ObjectKind, PutOptions } from '../config/objects/config-objects.ts';
import { fileOwns } from '../config/objects/merge.ts';
import {
  type Body,
  inWords,
  OBJECT_NAME,
  type ObjectProblem,
  SECTIONS,
  sealContext,
  shownBody,
} from '../config/objects/stored-entry.ts';
import { secretHash } from '../config/secret-hash.ts';
import { valueAt } from '../config/shape-problems.ts';
import { ClientError, gatewayError } from '../core/errors/catalogue.ts';
import type { ObjectChange, StoredObject } from '../ports/object-store.ts';
import type { ResealedText, SealedText, SealedTexts } from '../ports/sealer.ts';
import { APPLIED, APPLIED_CONTEXT, findApplied } from './applied-text.ts';
import { type Candidate, type Configuration, REVOKED_FIRST_KEY } from './configuration.ts';
import { conflict, storeRefusal } from './store-refusal.ts';

/** The key made at the first start (see first-run). */
const FIRST_KEY = 'first-run';
/** The workspace that is always there. */
const DEFAULT_WORKSPACE = 'default';

export class ManagedObjects implements ConfigObjects {
  readonly #configuration: Configuration;

  constructor(configuration: Configuration) {
    this.#configuration = configuration;
  }

  list(kind: ObjectKind): readonly ManagedObject[] {
    const state = this.#configuration.state();
    const all = [...fileObjects(state, kind), ...storedObjects(state, kind)];
    const builtIn = builtInName(kind);
    if (builtIn !== null && !all.some(({ name }) => name === builtIn) && this.#hasBuiltIn(kind))
      all.push(builtInObject(kind, builtIn));
    return all.sort((a, b) => (a.name < b.name ? -1 : 1));
  }

  get(kind: ObjectKind, name: string): ManagedObject | null {
    const state = this.#configuration.state();
    const file = fileObjects(state, kind, name)[0] ?? storedObjects(state, kind, name)[0];
    if (file !== undefined) return file;
    return name === builtInName(kind) && this.#hasBuiltIn(kind) ? builtInObject(kind, name) : null;
  }

  put(kind: ObjectKind, name: string, body: Body, options: PutOptions): Promise<ManagedObject> {
    return this.#configuration.exclusively(async () => {
      const known = this.#changeable(kind, name);
      checkExpectations(kind, name, known, options);
      if (kind === 'key' && name === FIRST_KEY)
        throw refused('name', `\`${FIRST_KEY}\` is the key made at the first start`);
      const object = this.#made(kind, name, body, known, options);
      await this.#change(object, {
        kind,
        name,
        body: object.body,
        expectedVersion: known?.version ?? 0,
        by: options.by,
      });
      return shownStored(object, null);
    });
  }

  remove(kind: ObjectKind, name: string, by: string, expectedVersion?: number): Promise<void> {
    return this.#configuration.exclusively(async () => {
      const known = this.#changeable(kind, name);
      if (known === undefined && kind === 'key' && name === FIRST_KEY && this.#hasBuiltIn(kind))
        return this.#revokeFirstKey(by);
      if (known === undefined && this.get(kind, name) !== null) throw conflict(`The ${kind} ${name} is always there.`);
      if (known === undefined) throw noSuch(kind, name);
      checkVersion(known, expectedVersion);
      await this.#change(null, { kind, name, body: null, expectedVersion: known.version, by });
    });
  }

  withSealed<T>(work: (texts: SealedTexts) => Promise<T>): Promise<T> {
    return this.#configuration.exclusively(() =>
      work({
        list: () => Promise.resolve(sealedTexts(this.#objects())),
        replace: (changes) => this.#reseal(changes),
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
    if (!OBJECT_NAME.test(name)) {
      throw refused(
        'name',
        'must be 1 to 128 letters, digits, dots, dashes and underscores, the first a letter or digit',
      );
    }
    if (fileOwns(this.#configuration.state().file.config, kind, name)) {
      throw conflict(
        `The ${kind} ${name} belongs to the configuration file: change it there, then reload or apply it.`,
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
    const kept = secret === null ? keptSecret(kind, known) : {};
    if (secret !== null && kind === 'credential') kept['sealed'] = sealed(() => sealer.seal(secret, sealContext(name)));
    else if (secret !== null) kept['hash'] = secretHash(secret);
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

  /** Puts one change in force, unless it is wrong or something else would no longer fit. */
  async #change(object: StoredObject | null, change: ObjectChange): Promise<void> {
    const before = this.#configuration.state();
    const others = before.objects.filter(({ kind, name }) => kind !== change.kind || name !== change.name);
    const place = before.objects.findIndex(({ kind, name }) => kind === change.kind && name === change.name);
    const objects = object === null ? others : place < 0 ? [...others, object] : before.objects.with(place, object);
    const candidate = this.#configuration.candidate(before.file, objects);
    const broken: string[] = [];
    for (const [entry, problem] of candidate.merged.aside) {
      if (entry.object === object) throw refusedField(problem);
      if (!before.merged.aside.has(entry)) broken.push(`${entry.kind} ${entry.name} (${inWords(problem)})`);
    }
    if (broken.length > 0) {
      const more = broken.length > 5 ? ` and ${broken.length - 5} more` : '';
      throw conflict(
        `Other objects would no longer fit: ${broken.slice(0, 5).join(', ')}${more}. Change or remove them first.`,
      );
    }
    await this.#configuration.putInForce(candidate, [change]);
  }

  async #revokeFirstKey(by: string): Promise<void> {
    const { file, objects } = this.#configuration.state();
    const body = { hash: this.#configuration.firstRun.hashes.clientKeyHash };
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
    await this.#configuration.putInForce(candidate, [{ kind, name, body, expectedVersion: known?.version ?? 0, by }]);
  }

  async #reseal(changes: readonly ResealedText[]): Promise<void> {
    const { file, objects } = this.#configuration.state();
    const fresh = new Map(changes.map((change) => [change.id, change]));
    const written: ObjectChange[] = [];
    const next = objects.map((object) => {
      const change = fresh.get(sealedId(object));
      if (change === undefined || object.body['sealed'] !== change.was) return object;
      const { kind, name, version, updatedBy: by } = object;
      const body = { ...object.body, sealed: change.sealed };
      written.push({ kind, name, body, expectedVersion: version, by });
      return { ...object, body, version: version + 1 };
    });
    if (written.length > 0) await this.#configuration.putInForce(this.#configuration.candidate(file, next), written);
  }
}

function builtInName(kind: ObjectKind): string | null {
  if (kind === 'workspace') return DEFAULT_WORKSPACE;
  return kind === 'key' ? FIRST_KEY : null;
}

function builtInObject(kind: ObjectKind, name: string): ManagedObject {
  const body = kind === 'key' ? { workspace: DEFAULT_WORKSPACE } : {};
  return { kind, name, body, ...NOT_STORED, managedBy: 'store' };
}

const NOT_STORED = { version: 0, createdAt: null, updatedAt: null, updatedBy: null, problem: null } as const;

function fileObjects({ file }: Candidate, kind: ObjectKind, only?: string): ManagedObject[] {
  const { section, secretField } = SECTIONS[kind];
  const hidden = [secretField, kind === 'key' ? 'name' : null];
  const written = Object(valueAt(file.document.root, [section]) ?? {}) as Readonly<Record<string, Body | null>>;
  const objects = Object.entries(written).map(([place, body]): ManagedObject => {
    const fields = Object.entries(body ?? {}).filter(([field]) => !hidden.includes(field));
    const name = kind === 'key' ? String(body?.['name']) : place;
    return { kind, name, body: Object.fromEntries(fields), ...NOT_STORED, managedBy: 'file' };
  });
  return only === undefined ? objects : objects.filter(({ name }) => name === only);
}

/** Those that the file does not hide. */
function storedObjects({ file, objects, merged }: Candidate, kind: ObjectKind, only?: string): ManagedObject[] {
  const own = objects.filter((one) => one.kind === kind && (only === undefined || one.name === only));
  const problems = new Map([...merged.aside].map(([entry, problem]) => [entry.object, problem] as const));
  return own
    .filter(({ name }) => !fileOwns(file.config, kind, name))
    .map((object) => {
      const problem = problems.get(object);
      return shownStored(object, problem === undefined ? null : inWords(problem));
    });
}

function shownStored(object: StoredObject, problem: string | null): ManagedObject {
  const { kind, name, body, version, createdAt, updatedAt, updatedBy } = object;
  return {
    kind: kind as ObjectKind,
    name,
    body: shownBody(body),
    managedBy: 'store',
    version,
    createdAt,
    updatedAt,
    updatedBy,
    problem,
  };
}

function checkExpectations(kind: ObjectKind, name: string, known: StoredObject | undefined, options: PutOptions): void {
  const exists = known !== undefined || (kind === 'workspace' && name === DEFAULT_WORKSPACE);
  if (options.create === true && exists) throw conflict(`There is a ${kind} ${name} already.`);
  if (options.create === false && !exists) throw noSuch(kind, name);
  checkVersion(known, options.expectedVersion);
}

function checkVersion(known: StoredObject | undefined, expected: number | undefined): void {
  const version = known?.version ?? 0;
  if (expected === undefined || expected === version) return;
  throw conflict(`It was changed meanwhile: the version is ${version}, not ${expected}. Look again.`);
}

/** A body in the file's form may hold its name and its secret. */
function takeApart(kind: ObjectKind, name: string, body: Body, apart: string | undefined) {
  const { secretField } = SECTIONS[kind];
  const fields: Record<string, unknown> = { ...body };
  for (const field of ['hash', 'sealed']) {
    if (Object.hasOwn(fields, field)) throw refused(field, 'is unknown');
  }
  if (kind === 'key' && Object.hasOwn(fields, 'name')) {
    if (fields['name'] !== name) throw refused('name', 'must be the name the object has');
    delete fields['name'];
  }
  const written = secretField === null ? undefined : fields[secretField];
  if (secretField !== null) delete fields[secretField];
  const secret = apart ?? written ?? null;
  if (secret === null) return { fields, secret };
  if (secretField === null) throw refused('secret', 'has no place here: a workspace has none');
  checkSecret(kind, secretField, secret);
  return { fields, secret };
}

/** Shorter ones could be found by trying. Providers' secrets are as long as providers make them. */
const SHORTEST_KEY = 16;
const REFERENCE = /\$\{[A-Za-z_]\w*(?::-[^}]*)?\}/;

function checkSecret(kind: ObjectKind, field: string, secret: unknown): asserts secret is string {
  if (typeof secret !== 'string' || !/^[\x21-\x7e]+$/.test(secret)) {
    throw refused(field, 'must be a text of visible ASCII characters without spaces or line breaks');
  }
  if (REFERENCE.test(secret)) throw refused(field, 'must be the secret itself: the environment is read for files only');
  if (kind !== 'credential' && secret.length < SHORTEST_KEY) {
    throw refused(field, `must have at least ${SHORTEST_KEY} characters`);
  }
}

/** What stands for the secret an object has; without one it can't be made. */
function keptSecret(kind: ObjectKind, known: StoredObject | undefined): Record<string, unknown> {
  const { secretField } = SECTIONS[kind];
  if (secretField === null) return {};
  const field = kind === 'credential' ? 'sealed' : 'hash';
  const value = known?.body[field];
  if (value !== undefined) return { [field]: value };
  const message = `The parameter \`${secretField}\` is required to make a ${kind}.`;
  throw new ClientError(gatewayError('missing_required_parameter', message, { param: secretField }));
}

function sealed(seal: () => string): string {
  try {
    return seal();
  } catch (error) {
    throw storeRefusal(error);
  }
}

function sealedId({ kind, name }: StoredObject): string {
  return `${kind} ${name}`;
}

function sealedTexts(objects: readonly StoredObject[]): SealedText[] {
  const credentials = objects.filter(({ kind }) => kind === 'credential');
  const applied = findApplied(objects);
  return [...credentials, ...(applied === undefined ? [] : [applied])].flatMap((object) => {
    const { sealed: text } = object.body;
    if (typeof text !== 'string') return [];
    const context = object.kind === APPLIED.kind ? APPLIED_CONTEXT : sealContext(object.name);
    return [{ id: sealedId(object), context, sealed: text }];
  });
}

function refused(field: string, expected: string): ClientError {
  const message = `The parameter \`${field}\` ${expected}.`;
  return new ClientError(gatewayError('invalid_parameter', message, { param: field }));
}

function refusedField({ field, message }: ObjectProblem): ClientError {
  if (field === '') return new ClientError(gatewayError('invalid_parameter', `The object ${message}.`));
  return new ClientError(
    gatewayError('invalid_parameter', `The parameter \`${field}\`: ${message}.`, { param: field }),
  );
}

function noSuch(kind: ObjectKind, name: string): ClientError {
  return new ClientError(gatewayError('not_found', `There is no ${kind} ${name}.`));
}
