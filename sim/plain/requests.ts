/** Reads requests of these endpoints, refusing what the vendor would refuse: unknown fields, wrong types, what is missing. */
import { type Fields, isFields, positive, textOf, tokensOf, wordOf } from '../answer/fields.ts';
import { PLAIN_REQUEST, type Refusal, type SimRequest } from '../answer/request.ts';
import { type EndpointFields, FIELDS, type Kind, type PlainName } from './fields.ts';
import type { FormValue } from './form.ts';

/** What rendering needs of a request. */
export interface PlainAsk {
  readonly name: PlainName;
  readonly fields: Fields;
  /** Whose account it is. */
  readonly account: string;
}

/** A form as it was parsed. */
export class SentForm {
  readonly values: ReadonlyMap<string, readonly FormValue[]>;

  constructor(values: ReadonlyMap<string, readonly FormValue[]>) {
    this.values = values;
  }
}

const FORMS: ReadonlySet<PlainName> = new Set(['image_edit', 'transcription', 'translation', 'video']);
const FILES_NEEDED: ReadonlySet<PlainName> = new Set(['image_edit']);
const DEFAULT_MODEL = 'ok';

export function takesForm(name: PlainName): boolean {
  return FORMS.has(name);
}

export function readPlain(
  name: PlainName,
  body: unknown,
  account: string,
  pathModel: string | null,
): SimRequest | Refusal {
  const fields = body instanceof SentForm ? fromForm(name, body) : body;
  if (!isFields(fields)) return { message: 'The body must be a JSON object.', param: null };
  if ('message' in fields && typeof fields['message'] === 'string' && 'refused' in fields) {
    return { message: fields['message'], param: null };
  }
  const rules: EndpointFields = FIELDS[name];
  const problem = problemOf(name, fields, rules);
  if (problem !== null) return problem;
  const model = fields['model'] ?? pathModel ?? DEFAULT_MODEL;
  const input = fields['input'] ?? fields['prompt'] ?? fields['query'] ?? '';
  const wanted = positive(fields['n']) ?? 1;
  const prompts =
    Array.isArray(fields['prompt']) && typeof fields['prompt'][0] === 'string' ? fields['prompt'].length : 1;
  const ask: PlainAsk = { name, fields, account };
  return {
    ...PLAIN_REQUEST,
    model: String(model),
    stream: fields['stream'] === true || (name === 'speech' && fields['stream_format'] === 'sse'),
    includeUsage:
      name === 'completions' &&
      isFields(fields['stream_options']) &&
      fields['stream_options']['include_usage'] === true,
    n: wanted * prompts,
    maxTokens: positive(fields['max_tokens']),
    lastUserText: textOf(input),
    promptTokens: tokensOf(typeof input === 'string' ? input : wordOf(input)),
    own: ask,
  };
}

function problemOf(name: PlainName, fields: Fields, rules: EndpointFields): Refusal | null {
  for (const key of Object.keys(fields)) {
    const kind = Object.hasOwn(rules.fields, key) ? rules.fields[key] : undefined;
    if (kind === undefined)
      return { message: `Unrecognized request argument supplied: ${key}`, param: key, code: 'unknown_parameter' };
    if (fields[key] !== null && !fits(fields[key], kind))
      return { message: `Invalid type for '${key}'.`, param: key, code: 'invalid_type' };
  }
  for (const key of rules.required) {
    if (fields[key] === undefined || fields[key] === null) {
      return { message: `Missing required parameter: '${key}'.`, param: key, code: 'missing_required_parameter' };
    }
  }
  const noFile = fields['image'] === undefined && fields['image[]'] === undefined;
  if (FILES_NEEDED.has(name) && noFile) return { message: "Missing required parameter: 'image'.", param: 'image' };
  return null;
}

function fits(value: unknown, kind: Kind): boolean {
  switch (kind) {
    case 'text':
      return typeof value === 'string';
    case 'number':
      return typeof value === 'number';
    case 'boolean':
      return typeof value === 'boolean';
    case 'object':
      return isFields(value);
    case 'list':
      return Array.isArray(value) && value.length > 0;
    case 'file':
    case 'files':
    case 'texts':
    case 'any':
      return true;
  }
}

/** Text in forms has no type: each field is read as what it is to be. */
function fromForm(name: PlainName, { values }: SentForm): Fields {
  const kinds: Readonly<Record<string, Kind>> = FIELDS[name].fields;
  const fields = new Map<string, unknown>();
  for (const [key, list] of values) {
    const kind = Object.hasOwn(kinds, key) ? kinds[key] : 'any';
    const [first] = list;
    if (first === undefined) continue;
    const wantsFile = kind === 'file' || kind === 'files';
    if (wantsFile && typeof first === 'string') return refused(`'${key}' must be a file.`);
    if (kind !== 'files' && kind !== 'texts' && list.length > 1) return refused(`Duplicate form field '${key}'.`);
    fields.set(key, typeof first === 'string' ? typed(first, kind) : list);
  }
  return Object.fromEntries(fields);
}

function typed(text: string, kind: Kind | undefined): unknown {
  if (kind === 'number' && text.trim() !== '' && Number.isFinite(Number(text))) return Number(text);
  if (kind === 'boolean' && (text === 'true' || text === 'false')) return text === 'true';
  return text;
}

function refused(message: string): Fields {
  return { message, refused: true };
}
