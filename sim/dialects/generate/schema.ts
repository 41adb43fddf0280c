/** The subset of schemas that functions and answers may have, and what it means as JSON Schema. */
import { fieldsOf, isFields } from '../../answer/fields.ts';
import type { Message } from './check-message.ts';

const STRING_FORMATS = ['enum', 'date-time'];

/**
 * What is wrong with a schema of the API's own kind, as the vendor tells it; null = nothing. Unknown keywords
 * (`$ref`, `additionalProperties`, `oneOf`, a list of types) have been refused before, as unknown names.
 */
export function schemaProblem(schema: Message, path: string): string | null {
  const type = typeof schema['type'] === 'string' ? schema['type'].toUpperCase() : null;
  const variants = listOf(schema['anyOf']);
  if (type === null && variants.length === 0) return `* ${path}.type: must be specified when not using one_of any_of\n`;
  const own = ownProblem(schema, type, path);
  if (own !== null) return own;
  for (const [i, variant] of variants.entries()) {
    const problem = schemaProblem(variant, `${path}.any_of[${i}]`);
    if (problem !== null) return problem;
  }
  const items = schema['items'];
  if (isFields(items)) {
    const problem = schemaProblem(items, `${path}.items`);
    if (problem !== null) return problem;
  }
  for (const [name, property] of Object.entries(fieldsOf(schema['properties']))) {
    const problem = schemaProblem(fieldsOf(property), `${path}.properties[${name}]`);
    if (problem !== null) return problem;
  }
  return null;
}

function ownProblem(schema: Message, type: string | null, path: string): string | null {
  const properties = fieldsOf(schema['properties']);
  const words = Array.isArray(schema['enum']) ? schema['enum'] : [];
  if (type === 'OBJECT' && Object.keys(properties).length === 0) {
    return `* ${path}.properties: should be non-empty for OBJECT type\n`;
  }
  if (type !== 'OBJECT' && schema['properties'] !== undefined) {
    return `* ${path}.properties: only allowed for OBJECT type\n`;
  }
  if (type === 'ARRAY' && !isFields(schema['items'])) return `* ${path}.items: missing field.\n`;
  if (words.length > 0 && type !== 'STRING') return `* ${path}.enum: only allowed for STRING type\n`;
  const blank = words.indexOf('');
  if (blank >= 0) return `* ${path}.enum[${blank}]: cannot be empty\n`;
  const format = schema['format'];
  if (type === 'STRING' && typeof format === 'string' && format !== '' && !STRING_FORMATS.includes(format)) {
    return `* ${path}.format: only 'enum' and 'date-time' are supported for STRING type\n`;
  }
  const required = Array.isArray(schema['required']) ? schema['required'] : [];
  const absent = required.findIndex((name) => typeof name !== 'string' || !Object.hasOwn(properties, name));
  return absent < 0 ? null : `* ${path}.required[${absent}]: property is not defined\n`;
}

/** A schema of the API's own kind as JSON Schema: types in small letters. */
export function jsonSchemaOf(schema: Message): Message {
  const { type, items, anyOf, properties, ...rest } = schema;
  return {
    ...rest,
    ...(typeof type === 'string' ? { type: type.toLowerCase() } : {}),
    ...(isFields(items) ? { items: jsonSchemaOf(items) } : {}),
    ...(Array.isArray(anyOf) ? { anyOf: listOf(anyOf).map(jsonSchemaOf) } : {}),
    ...(isFields(properties)
      ? {
          properties: Object.fromEntries(
            Object.entries(properties).map(([name, one]) => [name, jsonSchemaOf(fieldsOf(one))]),
          ),
        }
      : {}),
  };
}

/** What is wrong with a JSON Schema; keywords nobody understands are let pass, as the vendor does. Null = nothing. */
export function jsonSchemaProblem(schema: unknown, path: string, needsObject: boolean): string | null {
  if (!isFields(schema)) return `* ${path}: must be a JSON object\n`;
  if (needsObject && schema['type'] !== 'object') return `* ${path}: schema at top-level must be of type object\n`;
  return null;
}

/** The messages of a list that has been checked. */
export function listOf(value: unknown): readonly Message[] {
  return Array.isArray(value) ? value.map(fieldsOf) : [];
}
