/** What of the store is sealed, for a rotation of the key. */
import { sealContext } from '../config/objects/stored-entry.ts';
import type { ObjectChange, StoredObject } from '../ports/object-store.ts';
import type { ResealedText, SealedText } from '../ports/sealer.ts';
import { APPLIED, APPLIED_CONTEXT, findApplied } from './applied-text.ts';

function sealedId({ kind, name }: StoredObject): string {
  return `${kind} ${name}`;
}

export function sealedTexts(objects: readonly StoredObject[]): SealedText[] {
  const credentials = objects.filter(({ kind }) => kind === 'credential');
  const applied = findApplied(objects);
  return [...credentials, ...(applied === undefined ? [] : [applied])].flatMap((object) => {
    const { sealed: text } = object.body;
    if (typeof text !== 'string') return [];
    const context = object.kind === APPLIED.kind ? APPLIED_CONTEXT : sealContext(object.name);
    return [{ id: sealedId(object), context, sealed: text }];
  });
}

/** The objects with their texts sealed again, and the changes that make it durable. Others' newer texts stay. */
export function resealed(objects: readonly StoredObject[], texts: readonly ResealedText[]) {
  const fresh = new Map(texts.map((text) => [text.id, text]));
  const changes: ObjectChange[] = [];
  const next = objects.map((object) => {
    const text = fresh.get(sealedId(object));
    if (text === undefined || object.body['sealed'] !== text.was) return object;
    const { kind, name, version, updatedBy: by } = object;
    const body = { ...object.body, sealed: text.sealed };
    changes.push({ kind, name, body, expectedVersion: version, by });
    return { ...object, body, version: version + 1 };
  });
  return { objects: next, changes };
}
