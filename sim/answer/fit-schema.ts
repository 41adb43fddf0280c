/** Makes a value that fits a JSON schema, for structured answers and tool arguments. */

type Fields = Readonly<Record<string, unknown>>;

/** Recursive schemas end here with null. */
const DEEPEST = 8;

const FORMATS: Readonly<Record<string, string>> = {
  'date-time': '2026-01-02T03:04:05Z',
  date: '2026-01-02',
  time: '03:04:05Z',
  email: 'sim@example.com',
  uri: 'https://example.com/',
  uuid: '00000000-0000-4000-8000-000000000000',
};

/** A value for the common keywords (type, properties, items, enum, const, bounds, $ref, anyOf …); null beyond them. */
export function fitSchema(schema: unknown, root: unknown = schema, depth = 0): unknown {
  if (!isFields(schema) || depth > DEEPEST) return null;
  if ('const' in schema) return schema['const'];
  const choices = schema['enum'];
  if (Array.isArray(choices) && choices.length > 0) return choices[0];
  const target = schema['$ref'];
  if (typeof target === 'string') return fitSchema(resolvePointer(root, target), root, depth + 1);
  for (const keyword of ['anyOf', 'oneOf']) {
    const variants = schema[keyword];
    if (Array.isArray(variants) && variants.length > 0) return fitSchema(variants[0], root, depth + 1);
  }
  const parts = schema['allOf'];
  if (Array.isArray(parts)) return fitSchema(merge([{ ...schema, allOf: undefined }, ...parts]), root, depth + 1);
  return ofType(typeOf(schema), schema, root, depth);
}

function ofType(type: string, schema: Fields, root: unknown, depth: number): unknown {
  switch (type) {
    case 'object':
      return fitObject(schema, root, depth);
    case 'array': {
      const count = Math.max(1, Math.min(numberOr(schema['minItems'], 1), 100));
      const most = numberOr(schema['maxItems'], count);
      return Array.from({ length: Math.min(count, most) }, () => fitSchema(schema['items'], root, depth + 1));
    }
    case 'string':
      return fitString(schema);
    case 'integer':
      return Math.ceil(fitNumber(schema));
    case 'number':
      return fitNumber(schema);
    case 'boolean':
      return true;
    default:
      return null;
  }
}

function fitObject(schema: Fields, root: unknown, depth: number): Record<string, unknown> {
  const properties = isFields(schema['properties']) ? schema['properties'] : {};
  const required = new Set(Array.isArray(schema['required']) ? schema['required'] : []);
  // Optional members of a recursive schema would never end.
  const names = Object.keys(properties).filter((name) => depth < 3 || required.has(name));
  const bare = [...required].filter((name) => typeof name === 'string' && !Object.hasOwn(properties, name));
  return Object.fromEntries([
    ...names.map((name) => [name, fitSchema(properties[name], root, depth + 1)]),
    ...bare.map((name) => [name, 'sim']),
  ]);
}

function fitString(schema: Fields): string {
  const format = schema['format'];
  const text = typeof format === 'string' ? (FORMATS[format] ?? 'sim') : 'sim';
  const padded = text.padEnd(Math.min(numberOr(schema['minLength'], 0), 10_000), '.');
  return padded.slice(0, numberOr(schema['maxLength'], padded.length));
}

function fitNumber(schema: Fields): number {
  const exclusive = schema['exclusiveMinimum'];
  const least = numberOr(schema['minimum'], typeof exclusive === 'number' ? exclusive + 1 : 1);
  const step = numberOr(schema['multipleOf'], 0);
  const value = step > 0 ? Math.ceil(least / step) * step : least;
  const most = numberOr(schema['maximum'], Number.POSITIVE_INFINITY);
  return Math.min(value, most);
}

function typeOf(schema: Fields): string {
  const type = schema['type'];
  if (typeof type === 'string') return type;
  if (Array.isArray(type)) return String(type.find((one) => one !== 'null') ?? 'null');
  if ('properties' in schema) return 'object';
  if ('items' in schema) return 'array';
  return 'object';
}

function merge(parts: readonly unknown[]): Fields {
  const properties: Record<string, unknown> = {};
  const required: unknown[] = [];
  let merged: Record<string, unknown> = {};
  for (const part of parts) {
    if (!isFields(part)) continue;
    merged = { ...merged, ...part };
    if (isFields(part['properties'])) Object.assign(properties, part['properties']);
    if (Array.isArray(part['required'])) required.push(...part['required']);
  }
  const { allOf: _merged, ...rest } = merged;
  return Object.keys(properties).length > 0 ? { ...rest, properties, required } : rest;
}

function resolvePointer(root: unknown, pointer: string): unknown {
  let at: unknown = root;
  for (const part of pointer.replace(/^#\/?/, '').split('/')) {
    if (part === '') continue;
    const name = part.replaceAll('~1', '/').replaceAll('~0', '~');
    at = isFields(at) ? at[name] : undefined;
  }
  return at;
}

function numberOr(value: unknown, fallback: number): number {
  return typeof value === 'number' && Number.isFinite(value) ? value : fallback;
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
