/**
 * JSON Schema narrowed to what an upstream takes: keywords it does not know are left out wherever a schema may stand.
 * All else stays as it was written: order, numbers beyond 2^53, names of properties that are spelt like keywords.
 */
import { decodeString } from '../bytes/body-view.ts';
import { OPEN_BRACE, OPEN_BRACKET, skipValue, walkArray, walkObject } from '../bytes/json-grammar.ts';
import { textOf, utf8 } from '../bytes/text.ts';
import type { JsonText } from '../canonical.ts';

/** The word for `UpstreamBody.changes` where a schema lost a keyword. */
export const SCHEMA_NARROWED = 'schema narrowed';

export interface NarrowedSchema {
  readonly schema: JsonText;
  /** Keywords that were left out, once each; empty = the schema is the one that came. */
  readonly removed: readonly string[];
}

/** What the value of a keyword is: one schema, several by name, or a list of them. Of all others: not schemas. */
const HOLDS: ReadonlyMap<string, 'schema' | 'named' | 'list' | 'schema or list'> = new Map([
  ['properties', 'named'],
  ['patternProperties', 'named'],
  ['$defs', 'named'],
  ['definitions', 'named'],
  ['dependentSchemas', 'named'],
  ['items', 'schema or list'],
  ['prefixItems', 'list'],
  ['anyOf', 'list'],
  ['oneOf', 'list'],
  ['allOf', 'list'],
  ['additionalProperties', 'schema'],
  ['additionalItems', 'schema'],
  ['unevaluatedItems', 'schema'],
  ['unevaluatedProperties', 'schema'],
  ['propertyNames', 'schema'],
  ['contains', 'schema'],
  ['not', 'schema'],
  ['if', 'schema'],
  ['then', 'schema'],
  ['else', 'schema'],
]);

/** Leaves `unknown` keywords out of a schema that is valid JSON; anything else comes back as it is. */
export function narrowSchema(schema: JsonText, unknown: ReadonlySet<string>): NarrowedSchema {
  const bytes = utf8(schema);
  const removed = new Set<string>();
  const written = writeSchema(bytes, 0, bytes.length, unknown, removed);
  return removed.size === 0 || written === null ? { schema, removed: [] } : { schema: written, removed: [...removed] };
}

/** Null = it cannot be read. */
function writeSchema(
  bytes: Uint8Array,
  start: number,
  end: number,
  unknown: ReadonlySet<string>,
  removed: Set<string>,
): string | null {
  if (bytes[start] !== OPEN_BRACE) return textOf(bytes, start, end);
  const members: string[] = [];
  const behind = walkObject(bytes, start, end, 0, (keyStart, keyEnd, at) => {
    const valueEnd = skipValue(bytes, at, end, 1);
    if (valueEnd < 0) return valueEnd;
    const key = decodeString(bytes, keyStart, keyEnd);
    if (unknown.has(key)) {
      removed.add(key);
      return valueEnd;
    }
    members.push(`${textOf(bytes, keyStart, keyEnd)}:${writeValue(key, bytes, at, valueEnd, unknown, removed)}`);
    return valueEnd;
  });
  return behind < 0 ? null : `{${members.join(',')}}`;
}

function writeValue(
  key: string,
  bytes: Uint8Array,
  start: number,
  end: number,
  unknown: ReadonlySet<string>,
  removed: Set<string>,
): string {
  const holds = HOLDS.get(key);
  const first = bytes[start];
  const plain = textOf(bytes, start, end);
  if (holds === undefined) return plain;
  if (first === OPEN_BRACKET && (holds === 'list' || holds === 'schema or list')) {
    const items: string[] = [];
    walkArray(bytes, start, end, 1, (at) => {
      const behind = skipValue(bytes, at, end, 2);
      if (behind >= 0) items.push(writeSchema(bytes, at, behind, unknown, removed) ?? textOf(bytes, at, behind));
      return behind;
    });
    return `[${items.join(',')}]`;
  }
  if (first !== OPEN_BRACE) return plain;
  if (holds !== 'named') return writeSchema(bytes, start, end, unknown, removed) ?? plain;
  const members: string[] = [];
  walkObject(bytes, start, end, 1, (keyStart, keyEnd, at) => {
    const behind = skipValue(bytes, at, end, 2);
    if (behind >= 0) {
      const schema = writeSchema(bytes, at, behind, unknown, removed) ?? textOf(bytes, at, behind);
      members.push(`${textOf(bytes, keyStart, keyEnd)}:${schema}`);
    }
    return behind;
  });
  return `{${members.join(',')}}`;
}
