/** Members of this dialect's requests: clients may write `inlineData` or `inline_data`, and both mean the same. */
import { type BodyView, isScanError, type Member, member, memberValue, scanObject } from '../bytes/body-view.ts';
import type { Edit } from '../bytes/edit.ts';
import { OPEN_BRACE } from '../bytes/json-grammar.ts';
import { type Json, objectOf } from '../failure/answer-faults.ts';

const snakes = new Map<string, string>();

/** `inlineData` → `inline_data`. */
export function snakeCase(name: string): string {
  let snake = snakes.get(name);
  if (snake === undefined) {
    snake = name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
    if (snakes.size < MOST_NAMES) snakes.set(name, snake);
  }
  return snake;
}

// Names asked for are our own; clients' names come here only from an entry's `drop_params`.
const MOST_NAMES = 1000;

/** `inline_data` → `inlineData`. */
export function camelCase(name: string): string {
  return name.replace(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
}

/** The member of that name (lowerCamelCase) in either spelling; null = absent or JSON null. */
export function given(view: BodyView, name: string): Member | null {
  const found = member(view, name) ?? member(view, snakeCase(name));
  return found === null || view.bytes[found.valueStart] === NULL ? null : found;
}

const NULL = 0x6e;

/** Its parsed value; undefined = absent or null. */
export function valueGiven(view: BodyView, name: string): unknown {
  const found = given(view, name);
  return found === null ? undefined : memberValue(view, found);
}

/** The object of that name; null = absent or something else. */
export function objectGiven(view: BodyView, name: string): BodyView | null {
  const found = given(view, name);
  if (found === null || view.bytes[found.valueStart] !== OPEN_BRACE) return null;
  const object = scanObject(view.bytes, { start: found.valueStart, end: found.valueEnd });
  return isScanError(object) ? null : object;
}

/** Takes the member out, however it is spelt. */
export function removal(view: BodyView, name: string): Edit[] {
  const keys = [name, snakeCase(name)].filter((key, at, all) => all.indexOf(key) === at);
  return keys.filter((key) => member(view, key) !== null).map((key) => ({ op: 'remove', key }));
}

/** Sets the member in the spelling it has, lowerCamelCase where it is new. */
export function setting(view: BodyView, name: string, value: Uint8Array): Edit {
  const snake = snakeCase(name);
  const key = member(view, name) === null && member(view, snake) !== null ? snake : name;
  return { op: 'set', key, value };
}

/** A member of a parsed object in either spelling; undefined = absent or null. */
export function fieldOf(object: Json, name: string): unknown {
  return object[name] ?? object[snakeCase(name)] ?? undefined;
}

/** A parsed object's member that is an object itself; null = it is not. */
export function objectField(object: Json, name: string): Json | null {
  return objectOf(fieldOf(object, name));
}

/** A list, or the one value that stands for a list of one; empty = absent. */
export function listField(object: Json, name: string): readonly unknown[] {
  const value = fieldOf(object, name);
  if (value === undefined) return [];
  return Array.isArray(value) ? value : [value];
}

/** A number, also as the text that protobuf's JSON allows; null = something else. */
export function numberOf(value: unknown): number | null {
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
  return typeof number === 'number' && Number.isFinite(number) ? number : null;
}
