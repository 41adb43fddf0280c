/** Schemas that leave nothing open: what other vendors want before they hold an answer to one strictly. */
import { type Json, objectOf } from '../failure/answer-faults.ts';

/** Deeper ones are not looked through: they count as open. */
const MOST_DEPTH = 32;

/** Every object of it names all its members, needs all of them, and takes no others. */
export function isClosedThroughout(schema: unknown, depth = 0): boolean {
  if (depth > MOST_DEPTH) return false;
  if (Array.isArray(schema)) return schema.every((one) => isClosedThroughout(one, depth + 1));
  const fields = objectOf(schema);
  if (fields === null) return true;
  if (fields['type'] === 'object' && !isClosed(fields)) return false;
  for (const keyword of ['properties', '$defs', 'definitions']) {
    const named = objectOf(fields[keyword]);
    if (named !== null && !Object.values(named).every((one) => isClosedThroughout(one, depth + 1))) return false;
  }
  return ['items', 'anyOf', 'allOf', 'oneOf'].every((keyword) => isClosedThroughout(fields[keyword], depth + 1));
}

function isClosed(fields: Json): boolean {
  const required = Array.isArray(fields['required']) ? (fields['required'] as unknown[]) : [];
  const named = Object.keys(objectOf(fields['properties']) ?? {});
  return fields['additionalProperties'] === false && named.every((name) => required.includes(name));
}
