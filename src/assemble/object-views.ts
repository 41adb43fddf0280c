/** How objects are shown: the file's, the store's, and what is built in. */
import type { ManagedObject, ObjectKind } from '../config/objects/config-objects.ts';
import { fileOwns } from '../config/objects/merge.ts';
import { type Body, type ObjectProblem, SECTIONS, shownBody } from '../config/objects/stored-entry.ts';
import { valueAt } from '../config/shape-problems.ts';
import type { StoredObject } from '../ports/object-store.ts';
import type { Candidate } from './candidate.ts';

/** The key made at the first start (see first-run). */
export const FIRST_KEY = 'first-run';
/** The workspace that is always there. */
export const DEFAULT_WORKSPACE = 'default';

export function builtInName(kind: ObjectKind): string | null {
  if (kind === 'workspace') return DEFAULT_WORKSPACE;
  return kind === 'key' ? FIRST_KEY : null;
}

export function builtInObject(kind: ObjectKind, name: string): ManagedObject {
  const body = kind === 'key' ? { workspace: DEFAULT_WORKSPACE } : {};
  return { kind, name, body, ...NOT_STORED, managedBy: 'store' };
}

const NOT_STORED = { version: 0, createdAt: null, updatedAt: null, updatedBy: null, problem: null } as const;

export function fileObjects({ file }: Candidate, kind: ObjectKind, only?: string): ManagedObject[] {
  const { section, secretField } = SECTIONS[kind];
  const hidden = [secretField, 'previous_secret', kind === 'key' ? 'name' : null];
  const written = Object(valueAt(file.document.root, [section]) ?? {}) as Readonly<Record<string, Body | null>>;
  const objects = Object.entries(written).map(([place, body]): ManagedObject => {
    const fields = Object.entries(body ?? {}).filter(([field]) => !hidden.includes(field));
    const name = kind === 'key' ? String(body?.['name']) : place;
    return { kind, name, body: Object.fromEntries(fields), ...NOT_STORED, managedBy: 'file' };
  });
  return only === undefined ? objects : objects.filter(({ name }) => name === only);
}

/** Those that the file does not hide. */
export function storedObjects(
  { file, objects, merged }: Candidate,
  kind: ObjectKind,
  words: (object: ManagedObject, problem: ObjectProblem) => string,
  only?: string,
): ManagedObject[] {
  const own = objects.filter((one) => one.kind === kind && (only === undefined || one.name === only));
  const problems = new Map([...merged.aside].map(([entry, problem]) => [entry.object, problem] as const));
  return own
    .filter(({ name }) => !fileOwns(file.config, kind, name))
    .map((object) => {
      const problem = problems.get(object);
      const shown = shownStored(object, null);
      return problem === undefined ? shown : { ...shown, problem: words(shown, problem) };
    });
}

export function shownStored(object: StoredObject, problem: string | null): ManagedObject {
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
