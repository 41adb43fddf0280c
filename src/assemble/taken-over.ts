/** What other processes have made of the store's objects, beside what is in force here. */
import { isDeepStrictEqual } from 'node:util';
import type { StoredObject } from '../ports/object-store.ts';
import { findApplied } from './applied-text.ts';

export interface TakenOver {
  readonly objects: readonly StoredObject[];
  /** Anything of the configuration is another than before. */
  readonly differs: boolean;
  /** What somebody has applied since; null = nothing. */
  readonly applied: StoredObject | null;
}

/** Bans are kept beside the configuration, and change nothing of it. */
const KEPT_BESIDE = new Set(['ban']);

/**
 * Objects that are as they were stay the very same ones: what was read and opened of them need not be read again.
 */
export function takenOver(before: readonly StoredObject[], loaded: readonly StoredObject[]): TakenOver {
  const known = new Map(before.map((object) => [keyOf(object), object]));
  const objects = loaded.map((object) => {
    const same = known.get(keyOf(object));
    return same !== undefined && isAsBefore(same, object) ? same : object;
  });
  const old = new Set(before);
  const counts = (all: readonly StoredObject[]): StoredObject[] => all.filter(({ kind }) => !KEPT_BESIDE.has(kind));
  const differs =
    counts(objects).some((object) => !old.has(object)) || counts(objects).length !== counts(before).length;
  const applied = findApplied(objects);
  return { objects, differs, applied: applied === undefined || old.has(applied) ? null : applied };
}

/** Its times may be told in milliseconds that lie beside each other: one says when it was made, one when it was written. */
function isAsBefore(one: StoredObject, other: StoredObject): boolean {
  return one.version === other.version && isSameBody(one.body, other.body);
}

/** As the store would keep them: a field without a value is none. */
export function isSameBody(one: StoredObject['body'], other: StoredObject['body']): boolean {
  return isDeepStrictEqual(one, other) || isDeepStrictEqual(asKept(one), asKept(other));
}

function asKept(body: StoredObject['body']): unknown {
  return JSON.parse(JSON.stringify(body));
}

function keyOf({ kind, name }: StoredObject): string {
  return JSON.stringify([kind, name]);
}
