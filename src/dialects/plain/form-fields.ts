/**
 * A form's fields as one JSON object, so that they are read, measured, compared and shown like any other request. Its files
 * stand there by name, type, length and digest: two forms are the same request when their fields and files are, whatever
 * their boundaries (I-5).
 */
import { isUtf8 } from 'node:buffer';
import { OWN_FIELDS } from '../bytes/own-fields.ts';
import { stem } from './form-codec.ts';

/** One part. */
export type FormField =
  | { readonly name: string; readonly text: Buffer }
  | { readonly name: string; readonly file: FileFacts };

interface FileFacts {
  readonly fileName: string;
  readonly contentType: string;
  readonly bytes: number;
  /** Hex. */
  readonly sha256: string;
}

const OWN: ReadonlySet<string> = new Set(OWN_FIELDS);
/** What the gateway reads as something other than a text. */
const LITERALS: ReadonlySet<string> = new Set(['stream', 'n']);
/** Two readers of one form must not see two of these. */
const ONCE: ReadonlySet<string> = new Set(['model', 'stream']);
const LITERAL = /^(?:true|false|null|\d{1,15})$/;

/** Of names that are there several times the values are in a list. A text = what is wrong. */
export function fieldsObject(fields: readonly FormField[]): Uint8Array | string {
  const values = new Map<string, string[]>();
  const own = new Map<string, unknown>();
  for (const field of fields) {
    const name = stem(field.name);
    if ('text' in field && !isUtf8(field.text)) return `\`${shown(field.name)}\` is not valid UTF-8`;
    if ('text' in field && OWN.has(name)) {
      own.set(name, placed(own.get(name), field.name.slice(name.length), field.text.toString('utf8')));
      continue;
    }
    const known = values.get(field.name);
    if (known === undefined) values.set(field.name, [jsonOf(field)]);
    else if (ONCE.has(field.name)) return `\`${field.name}\` is there twice`;
    else known.push(jsonOf(field));
  }
  const members: string[] = [];
  for (const [name, list] of values)
    members.push(`${JSON.stringify(name)}:${list.length === 1 ? list[0] : `[${list.join(',')}]`}`);
  for (const [name, value] of own) members.push(`${JSON.stringify(name)}:${JSON.stringify(value)}`);
  return Buffer.from(`{${members.join(',')}}`);
}

function shown(name: string): string {
  return name.slice(0, 100);
}

function jsonOf(field: FormField): string {
  if ('file' in field) {
    const { fileName, contentType, bytes, sha256 } = field.file;
    return JSON.stringify({ filename: fileName, content_type: contentType, bytes, sha256 });
  }
  const text = field.text.toString('utf8');
  return LITERALS.has(field.name) && LITERAL.test(text) ? text : JSON.stringify(text);
}

/**
 * The gateway's own fields come as JSON text, or as clients write structures into forms: `models[]`, `redundancy[on][]`,
 * `redundancy[timeout_ms]`. What is neither is kept as text, for whoever judges it.
 */
function placed(before: unknown, path: string, text: string): unknown {
  const value = jsonOr(text);
  const keys = [...path.matchAll(/\[([^\]]*)\]/g)].map((found) => found[1] ?? '');
  return put(before, keys, value);
}

function put(before: unknown, keys: readonly string[], value: unknown): unknown {
  const [key, ...rest] = keys;
  if (key === undefined) return value;
  if (key === '') {
    const list = Array.isArray(before) ? (before as unknown[]) : [];
    return [...list, put(undefined, rest, value)];
  }
  const object = typeof before === 'object' && before !== null && !Array.isArray(before) ? before : {};
  const members = new Map<string, unknown>(Object.entries(object));
  members.set(key, put(members.get(key), rest, value));
  return Object.fromEntries(members);
}

function jsonOr(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
