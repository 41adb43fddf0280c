/** Checking a request as the Converse API does: the first thing wrong ends it, in its words. */
import { type Fields, isFields } from '../../answer/fields.ts';
import type { Refusal } from '../../answer/request.ts';

/** Thrown inside the reading of one request, caught where it ends. */
export class RefusedRequest extends Error {
  readonly refusal: Refusal;
  constructor(refusal: Refusal) {
    super(refusal.message);
    this.refusal = refusal;
  }
}

/** Ends the reading with a 400. */
export function refuse(message: string): never {
  throw new RefusedRequest({ message, param: null });
}

/** Ends it for a value that breaks a constraint of the API's model. */
export function constraint(path: string, says: string): never {
  return refuse(`1 validation error detected: Value at '${path}' failed to satisfy constraint: Member must ${says}`);
}

/** The path of a member. */
export function inside(path: string, key: string | number): string {
  return path === '' ? String(key) : `${path}.${key}`;
}

/** An object with no field but the known ones; `required` must be there and not null. */
export function fieldsAt(value: unknown, path: string, known: readonly string[], required: readonly string[]): Fields {
  const fields = objectAt(value, path);
  for (const name of required) {
    if (fields[name] === undefined || fields[name] === null) constraint(inside(path, name), 'not be null');
  }
  for (const name of Object.keys(fields)) {
    if (!known.includes(name)) malformed(path, `extraneous key [${name}] is not permitted`);
  }
  return fields;
}

/** The one member that a choice among several holds, and its name. */
export function unionAt(
  value: unknown,
  path: string,
  known: readonly string[],
): readonly [name: string, value: unknown] {
  const members = Object.entries(fieldsAt(value, path, known, [])).filter(([, member]) => member !== null);
  const [first] = members;
  if (first === undefined || members.length > 1) {
    refuse(`The value at ${path} must have exactly one of the following members: ${known.join(', ')}.`);
  }
  return first;
}

export function objectAt(value: unknown, path: string): Fields {
  if (value === undefined || value === null) constraint(path, 'not be null');
  if (!isFields(value)) malformed(path, 'expected type: JSONObject');
  return value;
}

export function textAt(value: unknown, path: string): string {
  if (value === undefined || value === null) constraint(path, 'not be null');
  if (typeof value !== 'string') malformed(path, 'expected type: String');
  return value;
}

export function listAt(value: unknown, path: string): readonly unknown[] {
  if (value === undefined || value === null) constraint(path, 'not be null');
  if (!Array.isArray(value)) malformed(path, 'expected type: JSONArray');
  return value;
}

/** Absent and null are null. */
export function optionalNumber(value: unknown, path: string, least: number, most: number): number | null {
  if (value === undefined || value === null) return null;
  if (typeof value !== 'number' || !Number.isFinite(value)) malformed(path, 'expected type: Number');
  if (value < least) constraint(path, `have value greater than or equal to ${least}`);
  if (value > most) constraint(path, `have value less than or equal to ${most}`);
  return value;
}

/** One of a closed list of words. */
export function wordAt(value: unknown, path: string, words: readonly string[]): string {
  const word = textAt(value, path);
  if (!words.includes(word)) constraint(path, `satisfy enum value set: [${words.join(', ')}]`);
  return word;
}

/** Text of one shape. */
export function patternAt(value: unknown, path: string, pattern: RegExp): string {
  const text = textAt(value, path);
  if (!pattern.test(text)) constraint(path, `satisfy regular expression pattern: ${pattern.source}`);
  return text;
}

function malformed(path: string, says: string): never {
  const place = path === '' ? '#' : `#/${path.replaceAll('.', '/')}`;
  return refuse(`Malformed input request: ${place}: ${says}, please reformat your input and try again.`);
}
