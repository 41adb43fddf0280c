/**
 * What an error body says, whatever its shape: codes, texts, statuses and stated waits, gathered from every layer of
 * it. A relay often wraps the failure it got in one of its own: inner layers are listed first, they know more.
 */

import { readLenient } from './lenient-json.ts';
import { codeKey } from './vocabulary.ts';

/** One object of the body that speaks about the failure. */
export interface Layer {
  /** In `codeKey` form; `errorcode…` and `baseresp…` mark numbers of those fields. */
  readonly codes: string[];
  readonly texts: string[];
  /** Numbers among its codes that are HTTP statuses, 400–599. */
  readonly statuses: number[];
}

/** A field that may state a wait; the reader of waits decides. */
export interface WaitField {
  readonly key: string;
  readonly value: string | number;
}

export interface ErrorReading {
  /** Innermost first. */
  readonly layers: Layer[];
  /** Ids and metrics of violated quotas. */
  readonly quotaIds: string[];
  /** Outermost first. */
  readonly waitFields: WaitField[];
  /** Headers that a relay put into its body. */
  readonly headerBags: Record<string, string>[];
  readonly requestIds: string[];
}

// Bodies are hostile input: bounds of the walk.
const MAX_DEPTH = 12;
const MAX_OBJECTS = 400;

const CODE_KEYS = new Set([
  ...[
    'code',
    'type',
    'status',
    'errorcode',
    'errortype',
    'errcode',
    'errno',
    'errortypes',
    'subcode',
    'reason',
    'kind',
  ],
  ...['statuscode', 'httpstatuscode', 'httpstatus', 'httpcode', 'rawstatuscode', 'originalstatuscode', 'blockreason'],
]);
const TEXT_KEYS = new Set([
  ...['message', 'msg', 'errormsg', 'errormessage', 'errmsg', 'detail', 'description', 'errordescription', 'title'],
  ...['statusmsg', 'statustext', 'statusmessage', 'faultstring', 'cause', 'raw', 'originalmessage', 'info', 'error'],
  ...['errors', 'failure', 'details', 'exception'],
]);
const NEST_KEYS = new Set([
  ...['error', 'err', 'errors', 'fault', 'detail', 'details', 'innererror', 'innererrors', 'baseresp', 'response'],
  ...['metadata', 'data', 'body', 'cause', 'raw', 'violations', 'promptfeedback', 'message', 'lasterror', 'exception'],
  ...['upstreamerror', 'providererror', 'upstream', 'failure', 'status', 'result'],
]);
const WAIT_KEYS =
  /^(?:retry(?:after|in|delay)(?:s|secs?|seconds|ms|millis|milliseconds)?|(?:quota)?resets?(?:in|at|after|time)(?:s|secs?|seconds|ms)?|wait(?:time)?(?:secs|seconds|ms)|cooldown(?:secs|seconds|ms)|estimatedtime)$/;
/** Words in the place of a code that name nothing. */
const EMPTY_CODES = new Set([
  '',
  'error',
  'errors',
  'null',
  'none',
  'nil',
  'undefined',
  'true',
  'false',
  'failure',
  'ok',
]);

const plainKey = (key: string): string => key.toLowerCase().replace(/[^a-z0-9@]/g, '');

class Walk implements ErrorReading {
  readonly layers: Layer[] = [];
  readonly quotaIds: string[] = [];
  readonly waitFields: WaitField[] = [];
  readonly headerBags: Record<string, string>[] = [];
  readonly requestIds: string[] = [];
  #objects = 0;

  /** Reads any value found where an error may stand. `parent` is the key it stood under. */
  read(value: unknown, parent: string, depth: number): void {
    if (depth > MAX_DEPTH || ++this.#objects > MAX_OBJECTS) return;
    if (Array.isArray(value)) for (const item of value) this.read(item, parent, depth + 1);
    else if (typeof value === 'object' && value !== null) this.#object(value, parent, depth);
    else if (typeof value === 'string') this.#lone(value, depth);
  }

  #lone(text: string, depth: number): void {
    const layer: Layer = { codes: [], texts: [], statuses: [] };
    this.#text(layer, text, depth);
    this.layers.push(layer);
  }

  #object(object: object, parent: string, depth: number): void {
    const layer: Layer = { codes: [], texts: [], statuses: [] };
    for (const [name, value] of Object.entries(object)) {
      const key = plainKey(name);
      if (key === 'headers') this.#bag(value);
      else if (typeof value === 'string' || typeof value === 'number') this.#scalar(layer, key, value, parent, depth);
      else if (NEST_KEYS.has(key) && typeof value === 'object' && value !== null) this.read(value, key, depth + 1);
      else if (key === 'retrydelay') this.#protobufDuration(value);
    }
    this.layers.push(layer);
  }

  #scalar(layer: Layer, key: string, value: string | number, parent: string, depth: number): void {
    if (WAIT_KEYS.test(key)) this.waitFields.push({ key, value });
    if (key === 'requestid' && typeof value === 'string') this.requestIds.push(value);
    if (key === 'quotaid' || key === 'quotametric') this.quotaIds.push(String(value));
    if (CODE_KEYS.has(key)) this.#code(layer, key, value, parent);
    else if (TEXT_KEYS.has(key) && typeof value === 'string') {
      // `"error": "invalid_api_key"`: one word in the place of a text is a code.
      if (key === 'error' && !/\s/.test(value.trim())) this.#code(layer, key, value, parent);
      this.#text(layer, value, depth);
    } else if (NEST_KEYS.has(key) && typeof value === 'string' && /^\s*[[{]/.test(value)) {
      this.#nested(value, 0, depth);
    }
  }

  #code(layer: Layer, key: string, value: string | number, parent: string): void {
    const text = String(value).trim();
    if (/^[45]\d\d$/.test(text)) layer.statuses.push(Number(text));
    else if (/^-?\d+$/.test(text)) {
      const field = parent === 'baseresp' ? 'baseresp' : key === 'errorcode' || key === 'errcode' ? 'errorcode' : '';
      if (Number(text) !== 0 && text !== '200') layer.codes.push(field + text);
    } else {
      const code = codeKey(text);
      if (!EMPTY_CODES.has(code)) layer.codes.push(code);
      // Some write a sentence where the code belongs.
      if (/\s/.test(text)) layer.texts.push(text);
    }
  }

  #text(layer: Layer, text: string, depth: number): void {
    const start = text.search(/^\s*"|[[{]\s*["'{[]/);
    if (start >= 0 && depth < MAX_DEPTH) {
      const end = this.#nested(text, start, depth);
      if (end !== null) {
        layer.texts.push(`${text.slice(0, start)} ${text.slice(end)}`);
        return;
      }
    }
    layer.texts.push(text);
    // A numeric code in parentheses at the end of the sentence.
    const tail = /\((\d{4})\)\s*$/.exec(text)?.[1];
    if (tail !== undefined) layer.codes.push(`baseresp${tail}`);
    const id = /\brequest[ _-]?id\b["']?\s*[:=：]?\s*["'(]?([\w-]{6,})/i.exec(text)?.[1];
    if (id !== undefined) this.requestIds.push(id);
  }

  /** JSON inside a text. Index after it, or null when it is none. */
  #nested(text: string, start: number, depth: number): number | null {
    const { value, end } = readLenient(text, start);
    const found = typeof value === 'string' ? value !== text : typeof value === 'object' && value !== null;
    if (!found) return null;
    this.read(value, '', depth + 1);
    return end;
  }

  #bag(value: unknown): void {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return;
    const bag: Record<string, string> = {};
    for (const [name, field] of Object.entries(value)) {
      if (typeof field === 'string' || typeof field === 'number') bag[name.toLowerCase()] = String(field);
    }
    this.headerBags.push(bag);
  }

  #protobufDuration(value: unknown): void {
    if (typeof value !== 'object' || value === null) return;
    const { seconds, nanos } = value as { seconds?: unknown; nanos?: unknown };
    const fraction = typeof nanos === 'number' && nanos > 0 ? `.${String(nanos).padStart(9, '0')}` : '';
    this.waitFields.push({ key: 'retrydelay', value: `${String(seconds ?? 0)}${fraction}s` });
  }
}

/** Gathers what a parsed body (object, array or string) says. Total. */
export function readError(value: unknown): ErrorReading {
  const walk = new Walk();
  walk.read(value, '', 0);
  return walk;
}
