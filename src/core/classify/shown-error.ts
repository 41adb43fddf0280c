/** The provider's own code, type, parameter and message, as it shows them: for the log and the client (F-2, E-1). */
import { readLenient } from './lenient-json.ts';

export interface ShownError {
  readonly code: string | null;
  readonly type: string | null;
  readonly param: string | null;
  readonly message: string | null;
}

type Fields = ReadonlyMap<string, unknown>;

// Wrappers around wrappers: deeper ones are no envelope any more.
const MAX_DEPTH = 6;
const NOTHING: ShownError = { code: null, type: null, param: null, message: null };
/** A relay's sentence that says only that there is another one inside. */
const EMPTY_WORDS = /^\W*(?:error from provider:?\s*)?(?:provider|upstream) (?:returned (?:an )?error|error)\W*$/i;

function fieldsOf(value: object): Fields {
  return new Map(Object.entries(value).map(([key, field]) => [key.toLowerCase().replace(/[^a-z]/g, ''), field]));
}

function textOf(fields: Fields, keys: readonly string[]): string | null {
  for (const key of keys) {
    const value = fields.get(key);
    if (typeof value === 'string' && value.trim() !== '') return value.trim();
    if (typeof value === 'number' && value !== 0) return String(value);
  }
  return null;
}

function child(fields: Fields, keys: readonly string[]): object | null {
  for (const key of keys) {
    const value = fields.get(key);
    if (typeof value === 'object' && value !== null) return value;
  }
  return null;
}

/** JSON in the place of a message: its own message is the one to show. */
function unwrapped(text: string, depth: number): string {
  if (!/^\s*[[{"]/.test(text)) return text;
  const { value } = readLenient(text);
  return (typeof value === 'string' ? value : shown(value, depth + 1).message) ?? text;
}

function innerMessage(fields: Fields, depth: number): string | null {
  const inner = child(fields, ['metadata', 'raw', 'data', 'cause', 'innererror', 'details', 'detail']);
  const raw = textOf(fields, ['raw', 'data']);
  if (raw !== null) return unwrapped(raw, depth);
  return inner === null ? null : shown(inner, depth + 1).message;
}

function merge(inner: ShownError, outer: ShownError): ShownError {
  return {
    code: inner.code ?? outer.code,
    type: inner.type ?? outer.type,
    param: inner.param ?? outer.param,
    message: inner.message ?? outer.message,
  };
}

function own(fields: Fields, depth: number): ShownError {
  const type = textOf(fields, ['type', 'errortype', 'status']);
  const text = textOf(fields, [
    ...['message', 'msg', 'errormsg', 'errormessage', 'errmsg', 'statusmsg', 'detail', 'description'],
    ...['errordescription', 'faultstring', 'title', 'error', 'raw'],
  ]);
  const message = text === null ? null : unwrapped(text, depth);
  const more = message !== null && EMPTY_WORDS.test(message) ? innerMessage(fields, depth) : null;
  return {
    code: textOf(fields, ['code', 'errorcode', 'errcode', 'statuscode', 'reason']),
    type: type === 'error' ? null : type,
    param: textOf(fields, ['param', 'parameter']),
    message: more === null ? message : `${message}: ${more}`,
  };
}

function shown(value: unknown, depth: number): ShownError {
  if (depth > MAX_DEPTH || value === null || value === undefined) return NOTHING;
  if (typeof value === 'string') return { ...NOTHING, message: unwrapped(value, depth) };
  if (Array.isArray(value)) {
    // One error among several, or a list of findings: the first that says something.
    for (const item of value.slice(0, 8)) {
      const found = shown(item, depth + 1);
      if (found.message !== null || found.code !== null) return found;
    }
    return NOTHING;
  }
  if (typeof value !== 'object') return NOTHING;
  const fields = fieldsOf(value);
  const here = own(fields, depth);
  const envelope = child(fields, ['error', 'response', 'baseresp', 'fault', 'errors', 'err']);
  if (envelope !== null) return merge(shown(envelope, depth + 1), here);
  if (here.message !== null) return here;
  const inner = child(fields, ['message', 'detail', 'details', 'data', 'lasterror']);
  return inner === null ? here : merge(here, shown(inner, depth + 1));
}

/** Reads what is to be shown of a parsed error body. Unmasked: the caller masks. Total. */
export function shownError(value: unknown): ShownError {
  return shown(value, 0);
}
