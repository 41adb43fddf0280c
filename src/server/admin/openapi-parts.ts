/** Pieces of JSON Schema and OpenAPI 3.1 that routes are described with. */

export const TEXT = { type: 'string' } as const;
export const TEXT_OR_NULL = { type: ['string', 'null'] } as const;
export const NUMBER = { type: 'number' } as const;
export const NUMBER_OR_NULL = { type: ['number', 'null'] } as const;
export const WHOLE = { type: 'integer' } as const;
export const WHOLE_OR_NULL = { type: ['integer', 'null'] } as const;
export const FLAG = { type: 'boolean' } as const;
export const TEXTS = { type: 'array', items: TEXT } as const;
export const INSTANT = { type: 'string', format: 'date-time' } as const;
export const INSTANT_OR_NULL = { type: ['string', 'null'], format: 'date-time' } as const;

export interface QueryParameter {
  readonly name: string;
  readonly in: 'query';
  readonly required: false;
  readonly description: string;
  readonly schema: object;
}

export function queryParameter(name: string, schema: object, description: string): QueryParameter {
  return { name, in: 'query', required: false, description, schema };
}

export function schemaRef(name: string): object {
  return { $ref: `#/components/schemas/${name}` };
}

export function arrayOf(name: string): object {
  return { type: 'array', items: schemaRef(name) };
}

export function orNull(schema: object): object {
  return { oneOf: [schema, { type: 'null' }] };
}

/** An object whose members are all there, beside `optional` ones. */
export function object(
  properties: Readonly<Record<string, object>>,
  optional: Readonly<Record<string, object>> = {},
): object {
  return { type: 'object', required: Object.keys(properties), properties: { ...properties, ...optional } };
}

/** A page of objects. */
export function listOf(name: string): object {
  return {
    type: 'object',
    required: ['data', 'next_cursor'],
    properties: { data: { type: 'array', items: schemaRef(name) }, next_cursor: { type: ['string', 'null'] } },
  };
}
