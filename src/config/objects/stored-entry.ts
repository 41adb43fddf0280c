/** Objects of the store as they would stand in the file: the same schema, the same messages. */
import type { StoredObject } from '../../ports/object-store.ts';
import { SealBroken, type Sealer } from '../../ports/sealer.ts';
import type { NamedInProblem, Path, Problem } from '../problem.ts';
import { formatPath } from '../problem.ts';
import type { Config } from '../schema/config-schema.ts';
import { checkShape } from '../shape-problems.ts';
import type { SourceDocument } from '../source/document.ts';
import type { ObjectKind } from './config-objects.ts';

export type Body = Readonly<Record<string, unknown>>;

/** What is wrong with one object. `field` as in the file, from the object on: `limits.rpm`; empty = the object itself. */
export interface ObjectProblem {
  readonly field: string;
  readonly message: string;
  /** See `Problem`. */
  readonly names?: NamedInProblem;
}

type Section = 'workspaces' | 'keys' | 'credentials' | 'members' | 'webhooks';

/** Where each kind stands in the file, and under which name its secret. */
export const SECTIONS: Readonly<
  Record<ObjectKind, { readonly section: Section; readonly secretField: string | null }>
> = {
  workspace: { section: 'workspaces', secretField: null },
  key: { section: 'keys', secretField: 'secret' },
  credential: { section: 'credentials', secretField: 'secret' },
  member: { section: 'members', secretField: 'token' },
  webhook: { section: 'webhooks', secretField: 'secret' },
};

/** One object of the store, read: `raw` as the file would have it, `part` validated, or `problem`. */
export interface StoredEntry {
  readonly kind: ObjectKind;
  readonly name: string;
  readonly object: StoredObject;
  /** SHA-256 of a key or token, hex; null for other kinds. */
  readonly hash: string | null;
  readonly raw: Body;
  /** A configuration of nothing but this object; null where it is wrong by itself. */
  readonly part: Config | null;
  readonly problem: ObjectProblem | null;
}

/** Names in the store are those the file allows, and no longer than a log line bears. */
export const OBJECT_NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/;
const HASH = /^[0-9a-f]{64}$/;

/** Kinds whose secrets have to be read again. */
export type SealedKind = 'credential' | 'webhook';

export function isSealed(kind: string): kind is SealedKind {
  return kind === 'credential' || kind === 'webhook';
}

/** What binds a sealed secret to its object: moved to another name it does not open. */
export function sealContext(kind: SealedKind, name: string): string {
  return `${kind}:${name}`;
}

/** What the gateway keeps of an object beside the fields of its file form. */
export const KEPT_FIELDS = ['hash', 'sealed', 'sealed_previous'] as const;

/** The fields of an object's file form, without what stands for its secret. */
export function shownBody(body: Body): Body {
  return Object.fromEntries(
    Object.entries(body).filter(([field]) => !(KEPT_FIELDS as readonly string[]).includes(field)),
  );
}

/** Reads one object. Never throws for what it holds: what is wrong is its `problem`. */
export function readStored(
  object: StoredObject & { readonly kind: ObjectKind },
  sealer: Pick<Sealer, 'open'>,
): StoredEntry {
  const { kind, name, body } = object;
  const secret = storedSecret(kind, name, body, sealer);
  const { secretField } = SECTIONS[kind];
  const fields = shownBody(body);
  const raw: Body = {
    ...(kind === 'key' ? { name } : {}),
    ...fields,
    ...(secretField === null ? {} : { [secretField]: secret.text }),
    ...(secret.previous === undefined ? {} : { previous_secret: secret.previous }),
  };
  const entry = { kind, name, object, hash: secret.hash, raw };
  if (secret.problem !== null) return { ...entry, part: null, problem: secret.problem };
  if (!OBJECT_NAME.test(name)) {
    const message = 'must be 1 to 128 letters, digits, dots, dashes and underscores, the first a letter or digit';
    return { ...entry, part: null, problem: { field: 'name', message } };
  }
  const { config, problems } = checkShape(documentOf(alone(kind, name, raw)));
  const first = problems[0];
  if (first === undefined && config !== null) return { ...entry, part: config, problem: null };
  return { ...entry, part: null, problem: ownProblem(first, placeOf(kind, name, 0)) };
}

interface StoredSecret {
  readonly text: string;
  /** Of a webhook whose secret is being renewed. */
  readonly previous?: string;
  readonly hash: string | null;
  readonly problem: ObjectProblem | null;
}

/** Keys and tokens are known by their hash only: a text that is nobody's key stands in for each. */
function storedSecret(kind: ObjectKind, name: string, body: Body, sealer: Pick<Sealer, 'open'>): StoredSecret {
  const { hash, sealed, sealed_previous: before } = body;
  const none: StoredSecret = { text: `store:${kind}:${name}`, hash: null, problem: null };
  if (kind === 'workspace') return none;
  const field = SECTIONS[kind].secretField ?? '';
  if (isSealed(kind)) {
    if (typeof sealed !== 'string') return { ...none, problem: { field, message: 'is missing' } };
    const context = sealContext(kind, name);
    try {
      const text = sealer.open(sealed, context);
      return typeof before === 'string' ? { ...none, text, previous: sealer.open(before, context) } : { ...none, text };
    } catch (error) {
      if (!(error instanceof SealBroken)) throw error;
      return { ...none, problem: { field, message: `cannot be opened: ${error.message}` } };
    }
  }
  if (typeof hash === 'string' && HASH.test(hash)) return { ...none, hash };
  return { ...none, problem: { field, message: 'is missing' } };
}

/** Where an object stands in a whole configuration; keys by their position. */
export function placeOf(kind: ObjectKind, name: string, position: number): string {
  return formatPath([SECTIONS[kind].section, kind === 'key' ? position : name]);
}

/** The problem as one of the object at `place`; null = it is another one's. */
export function problemAt(problem: Problem, place: string): ObjectProblem | null {
  if (!problem.path.startsWith(place)) return null;
  const rest = problem.path.slice(place.length);
  const said = { message: problem.message, ...(problem.names === undefined ? {} : { names: problem.names }) };
  if (rest === '') return { field: '', ...said };
  if (rest.startsWith('.')) return { field: rest.slice(1), ...said };
  return rest.startsWith('[') ? { field: rest, ...said } : null;
}

function ownProblem(problem: Problem | undefined, place: string): ObjectProblem {
  if (problem === undefined) return { field: '', message: 'cannot be read' };
  return problemAt(problem, place) ?? { field: problem.path, message: problem.message };
}

function alone(kind: ObjectKind, name: string, raw: Body): Body {
  const { section } = SECTIONS[kind];
  return { version: 1, [section]: kind === 'key' ? [raw] : { [name]: raw } };
}

/** Plain values as a document: nothing came from the environment, nothing has a place. */
export function documentOf(root: unknown, origin: SourceDocument['origin'] = () => null): SourceDocument {
  const nowhere = (_path: Path, _what: 'key' | 'value') => ({ line: 0, column: 0 });
  return { root, problems: [], place: nowhere, origin, mask: (text) => text };
}

/** `limits.rpm must be …`, or the message alone. */
export function inWords({ field, message }: ObjectProblem): string {
  return field === '' ? message : `${field}: ${message}`;
}
