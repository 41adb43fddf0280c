/** Pieces of OpenAPI 3.1 that routes are described with. */

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

/** A page of objects. */
export function listOf(name: string): object {
  return {
    type: 'object',
    required: ['data', 'next_cursor'],
    properties: { data: { type: 'array', items: schemaRef(name) }, next_cursor: { type: ['string', 'null'] } },
  };
}
