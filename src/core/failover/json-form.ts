/** Engine values as plain JSON and back, so that the record can keep them: money, sets and unbounded lengths survive. */

/** A value of JSON. */
export type Json = null | boolean | number | string | readonly Json[] | JsonObject;

export interface JsonObject {
  readonly [name: string]: Json;
}

export function isJsonObject(json: Json | undefined): json is JsonObject {
  return typeof json === 'object' && json !== null && !Array.isArray(json);
}

/** Marks what JSON has no word for. No event or setup has a field of these names. */
const BIGINT = '$bigint';
const SET = '$set';

/** Fields that are undefined are left out. */
export function toJson(value: unknown): Json {
  switch (typeof value) {
    case 'bigint':
      return { [BIGINT]: value.toString() };
    case 'string':
    case 'boolean':
      return value;
    case 'number':
      // An unbounded length is the only number JSON drops; it says the same as the largest one.
      return Number.isFinite(value) ? value : value > 0 ? Number.MAX_VALUE : 0;
    default:
      return value === null || value === undefined ? null : objectToJson(value);
  }
}

function objectToJson(value: unknown): Json {
  if (Array.isArray(value)) return value.map(toJson);
  if (value instanceof Set) return { [SET]: [...value].map(toJson) };
  const named = Object.entries(value as Record<string, unknown>).filter(([, part]) => part !== undefined);
  return Object.fromEntries(named.map(([name, part]) => [name, toJson(part)]));
}

/** The fields of `value` that are not the very same in `usual`, as JSON; `except` are left out. */
export function differing(value: object, usual: object, except: ReadonlySet<string>): Record<string, Json> {
  const all = value as Readonly<Record<string, unknown>>;
  const known = usual as Readonly<Record<string, unknown>>;
  const found: Record<string, Json> = {};
  // No copy of keys or entries: this runs several times per request.
  for (const name in all) {
    const part = all[name];
    if (part !== undefined && part !== known[name] && !except.has(name)) found[name] = toJson(part);
  }
  return found;
}

/** The value again. */
export function fromJson(json: Json): unknown {
  if (typeof json !== 'object' || json === null) return json;
  if (Array.isArray(json)) return json.map(fromJson);
  const entries = Object.entries(json as JsonObject);
  const [first] = entries;
  if (first !== undefined && entries.length === 1) {
    const [name, part] = first;
    if (name === BIGINT && typeof part === 'string' && /^-?\d+$/.test(part)) return BigInt(part);
    if (name === SET && Array.isArray(part)) return new Set(part.map(fromJson));
  }
  return Object.fromEntries(entries.map(([name, part]) => [name, fromJson(part)]));
}
