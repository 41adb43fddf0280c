/**
 * Schemas as this dialect wants them where it holds an answer or a call to one: every object says that it takes no other
 * members, and keywords it has no way to hold to are left out. All else stays as it was written.
 */
import { decodeString } from '../bytes/body-view.ts';
import { OPEN_BRACE, OPEN_BRACKET, skipSpace, skipValue, walkArray, walkObject } from '../bytes/json-grammar.ts';
import { textOf, utf8 } from '../bytes/text.ts';
import type { JsonText } from '../canonical.ts';
import { narrowSchema } from '../cross/schema-subset.ts';

const UNKNOWN: ReadonlySet<string> = new Set([
  'minimum',
  'maximum',
  'exclusiveMinimum',
  'exclusiveMaximum',
  'multipleOf',
  'minLength',
  'maxLength',
  'maxItems',
  'uniqueItems',
  'minProperties',
  'maxProperties',
  'propertyNames',
  'unevaluatedProperties',
  'unevaluatedItems',
  'contains',
  'minContains',
  'maxContains',
]);
/** Keywords whose value is one schema, a list of them, or some by name. */
const ONE: ReadonlySet<string> = new Set(['items', 'not', 'if', 'then', 'else']);
const LIST: ReadonlySet<string> = new Set(['anyOf', 'oneOf', 'allOf', 'prefixItems', 'items']);
const NAMED: ReadonlySet<string> = new Set(['properties', '$defs', 'definitions']);
/** Objects that take members nobody can name. */
const OPEN: ReadonlySet<string> = new Set(['patternProperties', 'dependentSchemas']);

export interface ClosedSchema {
  readonly schema: JsonText;
  /** It is not the one that came. */
  readonly narrowed: boolean;
}

/** Null = it means objects whose members cannot be named beforehand: this dialect has no words for those. */
export function closeSchema(schema: JsonText): ClosedSchema | null {
  const { schema: narrowed } = narrowSchema(schema, UNKNOWN);
  const bytes = utf8(narrowed);
  const closed = new Closing(bytes).write(skipSpace(bytes, 0, bytes.length), bytes.length);
  return closed === null ? null : { schema: closed, narrowed: closed !== schema };
}

class Closing {
  readonly #bytes: Uint8Array;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  write(start: number, end: number): string | null {
    const bytes = this.#bytes;
    if (bytes[start] !== OPEN_BRACE) return textOf(bytes, start, end);
    const members: string[] = [];
    let fits = true;
    let changed = false;
    let isObject = false;
    let isClosed = false;
    const behind = walkObject(bytes, start, end, 0, (keyStart, keyEnd, at) => {
      const valueEnd = skipValue(bytes, at, end, 1);
      if (valueEnd < 0) return valueEnd;
      const key = decodeString(bytes, keyStart, keyEnd);
      const plain = textOf(bytes, at, valueEnd);
      if (key === 'type') isObject ||= plain.includes('"object"');
      if (key === 'properties') isObject = true;
      if (key === 'additionalProperties') isClosed = plain === 'false';
      if (OPEN.has(key) || (key === 'additionalProperties' && !isClosed)) fits = false;
      const value = this.#value(key, at, valueEnd);
      if (value === null) fits = false;
      else if (value !== plain) changed = true;
      members.push(`${textOf(bytes, keyStart, keyEnd)}:${value}`);
      return valueEnd;
    });
    if (!fits) return null;
    if (behind < 0) return textOf(bytes, start, end);
    if (isObject && !isClosed) members.push('"additionalProperties":false');
    else if (!changed) return textOf(bytes, start, behind);
    return `{${members.join(',')}}`;
  }

  #value(key: string, start: number, end: number): string | null {
    const bytes = this.#bytes;
    const first = bytes[start];
    if (first === OPEN_BRACE && ONE.has(key)) return this.write(start, end);
    if (first === OPEN_BRACE && NAMED.has(key)) return this.#named(start, end);
    if (first !== OPEN_BRACKET || !LIST.has(key)) return textOf(bytes, start, end);
    const items: (string | null)[] = [];
    walkArray(bytes, start, end, 1, (at) => {
      const behind = skipValue(bytes, at, end, 2);
      if (behind >= 0) items.push(this.write(at, behind));
      return behind;
    });
    return items.includes(null) ? null : `[${items.join(',')}]`;
  }

  #named(start: number, end: number): string | null {
    const bytes = this.#bytes;
    const members: (string | null)[] = [];
    walkObject(bytes, start, end, 1, (keyStart, keyEnd, at) => {
      const behind = skipValue(bytes, at, end, 2);
      const schema = behind < 0 ? null : this.write(at, behind);
      members.push(schema === null ? null : `${textOf(bytes, keyStart, keyEnd)}:${schema}`);
      return behind;
    });
    return members.includes(null) ? null : `{${members.join(',')}}`;
  }
}
