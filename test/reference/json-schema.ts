/** The JSON Schema that editors use, from the same definition that validates. */
import * as z from 'zod';
import { configSchema } from '../../src/config/schema/config-schema.ts';

export type JsonSchema = z.core.JSONSchema.JSONSchema;

/** Numbers and switches may also be written as `${ENV}`. */
const REFERENCE: JsonSchema = { type: 'string', pattern: '^\\$\\{[A-Za-z_][A-Za-z0-9_]*(:-[^}]*)?\\}$' };

function allowReference(schema: JsonSchema): void {
  if (schema.type !== 'number' && schema.type !== 'integer' && schema.type !== 'boolean') return;
  if (schema.const !== undefined) return;
  const { description, default: fallback, ...own } = schema;
  for (const key of Object.keys(own)) delete schema[key];
  if (own.maximum !== undefined && own.maximum >= Number.MAX_SAFE_INTEGER) delete own.maximum;
  schema.anyOf = [own, REFERENCE];
  if (description !== undefined) schema.description = description;
  if (fallback !== undefined) schema.default = fallback;
}

/** Draft 7, which editors' YAML support reads best. `references: false` leaves `${ENV}` out of numbers (for the docs). */
export function configJsonSchema(options: { references: boolean }): JsonSchema {
  const schema = z.toJSONSchema(configSchema, {
    io: 'input',
    target: 'draft-7',
    unrepresentable: 'any',
    override: ({ jsonSchema }) => {
      if (options.references) allowReference(jsonSchema);
      // An empty section means its defaults: the sections' own entries say which.
      if (JSON.stringify(jsonSchema.default) === '{}') delete jsonSchema.default;
    },
  });
  return { title: 'Understudy configuration', ...schema };
}

/** The text of schema/understudy.schema.json. */
export function jsonSchemaText(): string {
  return `${JSON.stringify(configJsonSchema({ references: true }), null, 2)}\n`;
}
