/** Checking a request as the Messages API does: the first thing wrong ends it, named by its path. */
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

/** Ends the reading with a 400. An empty path stands for the whole request. */
export function refuse(path: string, message: string): never {
  throw new RefusedRequest({
    message: path === '' ? message : `${path}: ${message}`,
    param: path === '' ? null : path,
  });
}

/** The path of a member. */
export function inside(path: string, key: string | number): string {
  return path === '' ? String(key) : `${path}.${key}`;
}

/** An object with no field but the known ones; `required` must be there and not null. */
export function fieldsAt(value: unknown, path: string, known: readonly string[], required: readonly string[]): Fields {
  const fields = objectAt(value, path);
  for (const name of required) {
    if (fields[name] === undefined || fields[name] === null) refuse(inside(path, name), 'Field required');
  }
  for (const name of Object.keys(fields)) {
    if (!known.includes(name)) refuse(inside(path, name), 'Extra inputs are not permitted');
  }
  return fields;
}

export function objectAt(value: unknown, path: string): Fields {
  if (value === undefined) refuse(path, 'Field required');
  if (!isFields(value)) refuse(path, 'Input should be a valid dictionary');
  return value;
}

export function textAt(value: unknown, path: string): string {
  if (value === undefined || value === null) refuse(path, 'Field required');
  if (typeof value !== 'string') refuse(path, 'Input should be a valid string');
  return value;
}

export function listAt(value: unknown, path: string): readonly unknown[] {
  if (value === undefined || value === null) refuse(path, 'Field required');
  if (!Array.isArray(value)) refuse(path, 'Input should be a valid list');
  return value;
}

/** Absent and null are null. */
export function optionalFlag(value: unknown, path: string): boolean | null {
  if (value === undefined || value === null) return null;
  if (typeof value !== 'boolean') refuse(path, 'Input should be a valid boolean');
  return value;
}

/** Absent and null are null. */
export function optionalNumber(value: unknown, path: string, least: number, most: number): number | null {
  if (value === undefined || value === null) return null;
  if (typeof value !== 'number' || !Number.isFinite(value)) refuse(path, 'Input should be a valid number');
  if (value < least) refuse(path, `Input should be greater than or equal to ${least}`);
  if (value > most) refuse(path, `Input should be less than or equal to ${most}`);
  return value;
}

export function wholeNumberAt(value: unknown, path: string, least: number): number {
  if (value === undefined || value === null) refuse(path, 'Field required');
  if (typeof value !== 'number' || !Number.isInteger(value)) refuse(path, 'Input should be a valid integer');
  if (value < least) refuse(path, `Input should be greater than or equal to ${least}`);
  return value;
}

/** One of a closed list of words; absent and null are null. */
export function optionalWord(value: unknown, path: string, words: readonly string[]): string | null {
  if (value === undefined || value === null) return null;
  if (typeof value !== 'string' || !words.includes(value)) {
    refuse(path, `Input should be ${words.map((word) => `'${word}'`).join(', ')}`);
  }
  return value;
}
