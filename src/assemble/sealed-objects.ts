/** What of the store is sealed, for a rotation of the key. */
import { SIGNING_KEY, signingKeyContext } from '../adapters/signing/stored-key.ts';
import { sealContext } from '../config/objects/stored-entry.ts';
import type { ObjectChange, StoredObject } from '../ports/object-store.ts';
import type { ResealedText, SealedText } from '../ports/sealer.ts';
import { APPLIED, APPLIED_CONTEXT } from './applied-text.ts';

function sealedId({ kind, name }: StoredObject): string {
  return `${kind} ${name}`;
}

/** What an object's text is bound to; null = it holds none. */
function contextOf({ kind, name }: StoredObject): string | null {
  if (kind === 'credential') return sealContext(name);
  if (kind === SIGNING_KEY) return signingKeyContext(name);
  return kind === APPLIED.kind && name === APPLIED.name ? APPLIED_CONTEXT : null;
}

export function sealedTexts(objects: readonly StoredObject[]): SealedText[] {
  return objects.flatMap((object) => {
    const context = contextOf(object);
    const { sealed: text } = object.body;
    return context === null || typeof text !== 'string' ? [] : [{ id: sealedId(object), context, sealed: text }];
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
