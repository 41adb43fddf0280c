/**
 * Schemas of the API's own kind (a piece of OpenAPI: types in capitals, `nullable`) as JSON Schema. All else stays as it was
 * written: order, numbers beyond 2^53, names of properties that are spelt like keywords.
 */
import { type BodyView, isScanError, scanObject } from '../bytes/body-view.ts';
import { OPEN_BRACE, QUOTE } from '../bytes/json-grammar.ts';
import { textOf, utf8 } from '../bytes/text.ts';
import type { JsonText } from '../canonical.ts';
import { elementsAt, memberText, objectText } from '../cross/json-text.ts';
import { camelCase, given, valueGiven } from './fields.ts';

/** Counts that protobuf's JSON writes as texts. */
const COUNTS: ReadonlySet<string> = new Set([
  'minItems',
  'maxItems',
  'minLength',
  'maxLength',
  'minProperties',
  'maxProperties',
]);
/** Of this kind alone, and no part of what the value must be. */
const LEFT_OUT: ReadonlySet<string> = new Set(['nullable', 'propertyOrdering']);

/** Anything but an object comes back as it is. */
export function toJsonSchema(schema: JsonText): JsonText {
  const view = scanObject(utf8(schema));
  return isScanError(view) ? schema : schemaText(view);
}

function schemaText(view: BodyView): JsonText {
  const nullable = valueGiven(view, 'nullable') === true;
  const members: [string, JsonText][] = [];
  for (const found of view.members) {
    const key = camelCase(found.key);
    if (LEFT_OUT.has(key)) continue;
    const text = memberText(view, found);
    members.push([key === 'example' ? 'examples' : key, valueText(view, found.key, key, text, nullable)]);
  }
  // Without a type of its own it is one of several: null is one more.
  if (nullable && given(view, 'type') === null) return nullOr(objectText(members));
  return objectText(members);
}

function nullOr(schema: JsonText): JsonText {
  return `{"anyOf":[${schema},{"type":"null"}]}`;
}

function valueText(view: BodyView, spelt: string, key: string, text: JsonText, nullable: boolean): JsonText {
  switch (key) {
    case 'type':
      return typeText(text, nullable);
    case 'enum':
      return nullable && text.endsWith(']') ? `${text.slice(0, -1).trimEnd()}${text.length > 2 ? ',' : ''}null]` : text;
    case 'items':
      return toJsonSchema(text);
    case 'anyOf':
      return `[${(elementsAt(view, spelt) ?? []).map(toJsonSchema).join(',')}]`;
    case 'properties':
      return namedText(text);
    case 'example':
      return `[${text}]`;
  }
  // `"3"` is how protobuf writes 3.
  return COUNTS.has(key) && text.charCodeAt(0) === QUOTE ? text.slice(1, -1) : text;
}

function typeText(text: JsonText, nullable: boolean): JsonText {
  const type: unknown = JSON.parse(text);
  if (typeof type !== 'string') return text;
  const name = JSON.stringify(type.toLowerCase());
  return nullable ? `[${name},"null"]` : name;
}

function namedText(text: JsonText): JsonText {
  const bytes = utf8(text);
  const view = scanObject(bytes);
  if (bytes[0] !== OPEN_BRACE || isScanError(view)) return text;
  return objectText(
    view.members.map((found) => [found.key, toJsonSchema(textOf(bytes, found.valueStart, found.valueEnd))]),
  );
}
