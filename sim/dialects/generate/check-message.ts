/**
 * Reads a JSON value as one of the request's messages, as strictly as the vendor: an unknown name or a value of another
 * kind refuses the whole request. Names may be written in lowerCamelCase or snake_case; what comes out is camelCase.
 */
import { type Kind, MESSAGES, ONE_OF, type Scalar } from './message-types.ts';

export type Message = Readonly<Record<string, unknown>>;

/** One thing wrong; `field` is the path of the message it is in, snake_case; empty = the request itself. */
export interface Violation {
  readonly field: string;
  readonly description: string;
}

/** The message in its normal form, or everything that is wrong with it. */
export type Checked = { readonly value: Message } | { readonly violations: readonly Violation[] };

/** Checks `value` as the message called `type`. */
export function checkMessage(value: unknown, type: string): Checked {
  const reader = new MessageReader();
  const read = reader.message(value, type, '');
  return reader.violations.length > 0 || read === undefined ? { violations: reader.violations } : { value: read };
}

/** `inlineData` → `inline_data`. */
export function snakeCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

function camelCase(name: string): string {
  return name.replace(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
}

const TYPE_NAMES: Readonly<Record<Scalar, string>> = {
  string: 'TYPE_STRING',
  number: 'TYPE_FLOAT',
  integer: 'TYPE_INT32',
  boolean: 'TYPE_BOOL',
  bytes: 'TYPE_BYTES',
  struct: 'type.googleapis.com/google.protobuf.Struct',
  value: 'type.googleapis.com/google.protobuf.Value',
};
const OWN_TYPES = 'type.googleapis.com/google.ai.generativelanguage.v1beta.';
const BASE64 = /^[A-Za-z0-9+/_-]*={0,2}$/;
/** Deeper nesting is refused: schemas may nest without end. */
const DEEPEST = 64;

class MessageReader {
  readonly violations: Violation[] = [];
  #depth = 0;

  /** Undefined = it was no such message; the violation is noted. */
  message(value: unknown, type: string, path: string): Message | undefined {
    if (!isObject(value)) return this.#wrongKind(path, `${OWN_TYPES}${type}`, value);
    if (this.#depth >= DEEPEST) return this.#note(path, `Message too deep at '${path}'.`);
    this.#depth += 1;
    const fields = MESSAGES[type] ?? {};
    const read: Record<string, unknown> = {};
    for (const [name, given] of Object.entries(value)) {
      const camel = camelCase(name);
      const kind = Object.hasOwn(fields, camel) ? fields[camel] : undefined;
      if (kind === undefined) {
        this.#note(path, `Unknown name "${name}"${path === '' ? '' : ` at '${path}'`}: Cannot find field.`, PAYLOAD);
      } else if (Object.hasOwn(read, camel)) {
        this.#note(path, `Duplicate name "${name}"${path === '' ? '' : ` at '${path}'`}.`, PAYLOAD);
      } else if (given !== null || kind === 'value') {
        const known = this.#value(given, kind, join(path, name));
        if (known !== undefined) read[camel] = known;
      }
    }
    this.#depth -= 1;
    this.#oneOf(read, type, path);
    return read;
  }

  #value(value: unknown, kind: Kind, path: string): unknown {
    if (typeof kind === 'string') return this.#scalar(value, kind, path);
    if ('list' in kind) {
      // A single value stands for a list of one.
      const items: readonly unknown[] = Array.isArray(value) ? value : [value];
      return items.map((item, i) => this.#value(item, kind.list, Array.isArray(value) ? `${path}[${i}]` : path));
    }
    if (Array.isArray(value)) {
      return this.#note(path, `${PAYLOAD}Unknown name "${path}": Proto field is not repeating, cannot start list.`);
    }
    if ('words' in kind) {
      if (typeof value === 'string' && kind.words.includes(value)) return value;
      return this.#wrongKind(path, `${OWN_TYPES}${kind.name}`, value);
    }
    if ('message' in kind) return this.message(value, kind.message, path);
    if (!isObject(value)) return this.#wrongKind(path, TYPE_NAMES.struct, value);
    const entries = Object.entries(value);
    return Object.fromEntries(entries.map(([key, one]) => [key, this.#value(one, kind.map, `${path}[${key}]`)]));
  }

  #scalar(value: unknown, kind: Scalar, path: string): unknown {
    if (kind === 'value') return value;
    if (kind === 'struct') return isObject(value) ? value : this.#wrongKind(path, TYPE_NAMES.struct, value);
    if (kind === 'boolean')
      return typeof value === 'boolean' ? value : this.#wrongKind(path, TYPE_NAMES.boolean, value);
    if (kind === 'string') return typeof value === 'string' ? value : this.#wrongKind(path, TYPE_NAMES.string, value);
    if (kind === 'bytes') {
      if (typeof value !== 'string') return this.#wrongKind(path, TYPE_NAMES.bytes, value);
      if (BASE64.test(value) && value.replace(/=+$/, '').length % 4 !== 1) return value;
      return this.#note(path, `Invalid value at '${path}' (TYPE_BYTES), Base64 decoding failed for "${clip(value)}"`);
    }
    const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
    const fits = typeof number === 'number' && Number.isFinite(number);
    if (!fits || (kind === 'integer' && !Number.isInteger(number))) {
      return this.#wrongKind(path, TYPE_NAMES[kind], value);
    }
    return number;
  }

  #oneOf(read: Message, type: string, path: string): void {
    const group = ONE_OF[type];
    if (group === undefined) return;
    const [first, second] = group.fields.filter((field) => Object.hasOwn(read, field));
    if (first === undefined || second === undefined) return;
    this.#note(
      path,
      `Invalid value at '${path}' (oneof), oneof field '${group.name}' is already set. Cannot set '${second}'`,
    );
  }

  #wrongKind(path: string, type: string, value: unknown): undefined {
    return this.#note(path, `Invalid value at '${path}' (${type}), ${clip(JSON.stringify(value) ?? '')}`);
  }

  #note(field: string, description: string, before = ''): undefined {
    // A body of a million mistakes is told of as well by the first few.
    if (this.violations.length < 20) this.violations.push({ field, description: before + description });
    return undefined;
  }
}

const PAYLOAD = 'Invalid JSON payload received. ';

function join(path: string, name: string): string {
  return path === '' ? snakeCase(name) : `${path}.${snakeCase(name)}`;
}

function clip(text: string): string {
  return text.length > 200 ? `${text.slice(0, 200)}...` : text;
}

function isObject(value: unknown): value is Message {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
