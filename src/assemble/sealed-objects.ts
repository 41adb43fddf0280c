/** What of the store is sealed, for a rotation of the key. */
import { SIGNING_KEY, signingKeyContext } from '../adapters/signing/stored-key.ts';
import { isSealed, sealContext } from '../config/objects/stored-entry.ts';
import type { ObjectChange, StoredObject } from '../ports/object-store.ts';
import type { ResealedText, SealedText } from '../ports/sealer.ts';
import { APPLIED, APPLIED_CONTEXT } from './applied-text.ts';

/** Fields that hold a sealed text, and what of the object's id tells them apart. */
const FIELDS = [
  ['sealed', ''],
  ['sealed_previous', ' (previous)'],
] as const;
type Field = (typeof FIELDS)[number];

function sealedId({ kind, name }: StoredObject, [, which]: Field): string {
  return `${kind} ${name}${which}`;
}

/** What an object's text is bound to; null = it holds none. */
function contextOf({ kind, name }: StoredObject): string | null {
  if (isSealed(kind)) return sealContext(kind, name);
  if (kind === SIGNING_KEY) return signingKeyContext(name);
  return kind === APPLIED.kind && name === APPLIED.name ? APPLIED_CONTEXT : null;
}

export function sealedTexts(objects: readonly StoredObject[]): SealedText[] {
  return objects.flatMap((object) => {
    const context = contextOf(object);
    if (context === null) return [];
    return FIELDS.flatMap((field) => {
      const text = object.body[field[0]];
      return typeof text === 'string' ? [{ id: sealedId(object, field), context, sealed: text }] : [];
    });
  });
}

/** The objects with their texts sealed again, and the changes that make it durable. Others' newer texts stay. */
export function resealed(objects: readonly StoredObject[], texts: readonly ResealedText[]) {
  const all = new Map(texts.map((text) => [text.id, text]));
  const changes: ObjectChange[] = [];
  const next = objects.map((object) => {
    const fresh = FIELDS.flatMap((field) => {
      const text = all.get(sealedId(object, field));
      return text === undefined || object.body[field[0]] !== text.was ? [] : [[field[0], text.sealed] as const];
    });
    if (fresh.length === 0) return object;
    const { kind, name, version, updatedBy: by } = object;
    const body = { ...object.body, ...Object.fromEntries(fresh) };
    changes.push({ kind, name, body, expectedVersion: version, by });
    return { ...object, body, version: version + 1 };
  });
  return { objects: next, changes };
}
