/** The shape of a chain as a client writes it (C-1 to C-3): which field rules, and what its entries say. No look-ups yet. */

import { bad, described, good, isRecord, type Read } from './read.ts';
import { boolean, checkFields, ENTRY_FIELDS, type FieldCheck, integer } from './redundancy-fields.ts';
import type { ChainEntryInput, Degrade } from './redundancy-types.ts';

/** What a request says about its models. Undefined = absent; `model` may be null for absent, as codecs read it. */
export interface ChainInput {
  readonly model: unknown;
  readonly models: unknown;
  readonly fallbackModels: unknown;
  /** The header X-Understudy-Models (`a,b,c`); undefined = absent. */
  readonly headerModels: string | undefined;
}

/** An entry and the field that named it, for `param`. */
export interface NamedEntry {
  readonly entry: ChainEntryInput;
  readonly param: string;
}

export interface WrittenChain {
  readonly entries: readonly NamedEntry[];
  /** From `models`, `fallback_models` or the header: no defaults are added (C-2, C-5). */
  readonly explicit: boolean;
}

const HEADER = 'X-Understudy-Models';

/** C-1's precedence and C-2's shape. Fields of the body beat the header. */
export function readChainFields(input: ChainInput): Read<WrittenChain> {
  const { models, fallbackModels, headerModels } = input;
  if (models !== undefined && fallbackModels !== undefined) {
    return bad('invalid_chain', 'send `models` or `fallback_models`, not both', 'models');
  }
  if (models !== undefined) return explicit(readList(models, 'models', 1), []);
  if (fallbackModels === undefined && headerModels !== undefined) return readHeader(headerModels);

  const first = readModel(input.model, fallbackModels !== undefined);
  if (!first.ok) return first;
  const head: NamedEntry = { entry: { model: first.value }, param: 'model' };
  if (fallbackModels === undefined) return good({ entries: [head], explicit: false });
  return explicit(readList(fallbackModels, 'fallback_models', 0), [head]);
}

function explicit(rest: Read<readonly NamedEntry[]>, head: readonly NamedEntry[]): Read<WrittenChain> {
  return rest.ok ? good({ entries: [...head, ...rest.value], explicit: true }) : rest;
}

function readModel(model: unknown, hasFallbacks: boolean): Read<string> {
  if (typeof model === 'string' && model !== '') return good(model);
  if (model === undefined || model === null) {
    return hasFallbacks
      ? bad('invalid_chain', '`fallback_models` needs a `model` to fall back from', 'model')
      : bad('missing_required_parameter', '`model` is missing; name a model, or a chain in `models`', 'model');
  }
  return bad('invalid_chain', `\`model\` must be the name of a model, not ${described(model)}`, 'model');
}

function readHeader(header: string): Read<WrittenChain> {
  const names = header.split(',').map((name) => name.trim());
  if (names.includes('')) {
    return bad('invalid_chain', `${HEADER} must be names of models separated by commas`, HEADER);
  }
  return good({ entries: names.map((model) => ({ entry: { model }, param: HEADER })), explicit: true });
}

function readList(list: unknown, field: string, atLeast: number): Read<readonly NamedEntry[]> {
  if (!Array.isArray(list)) {
    return bad('invalid_chain', `\`${field}\` must be an array of models, not ${described(list)}`, field);
  }
  if (list.length < atLeast) return bad('invalid_chain', `\`${field}\` is empty; name one to three models`, field);
  const entries: NamedEntry[] = [];
  for (const [position, item] of list.entries()) {
    const param = `${field}[${position}]`;
    const entry = readEntry(item, param);
    if (!entry.ok) return entry;
    entries.push({ entry: entry.value, param });
  }
  return good(entries);
}

function readEntry(item: unknown, param: string): Read<ChainEntryInput> {
  if (typeof item === 'string' && item !== '') return good({ model: item });
  if (!isRecord(item)) {
    const expected = 'the name of a model or {"model": NAME, …}';
    return bad('invalid_chain', `\`${param}\` must be ${expected}, not ${described(item)}`, param);
  }
  const { model, degrade } = item;
  if (typeof model !== 'string' || model === '') {
    const named = `${param}.model`;
    return bad('invalid_chain', `\`${named}\` must be the name of a model, not ${described(model)}`, named);
  }
  const checked = checkFields(param, item, ENTRY_CHECKS);
  if (!checked.ok) return checked;
  const degradation = degrade === undefined ? good(null) : readDegrade(degrade, `${param}.degrade`);
  return degradation.ok ? good(item as unknown as ChainEntryInput) : degradation;
}

const any: FieldCheck = () => null;
/** Every name is looked for among the fields of the body: more of them than any API has are no wish but an attack. */
const MAX_DROPPED = 64;
const MAX_WORD = 128;
const word: FieldCheck = (value) =>
  typeof value === 'string' && value !== '' && value.length <= MAX_WORD
    ? null
    : `a text of 1 to ${MAX_WORD} characters`;
const words: FieldCheck = (value) =>
  Array.isArray(value) && value.length <= MAX_DROPPED && value.every((item) => word(item) === null)
    ? null
    : `an array of at most ${MAX_DROPPED} names of parameters`;

/** `model` and `degrade` have readers of their own. */
const ENTRY_CHECKS: ReadonlyMap<string, FieldCheck> = new Map([...ENTRY_FIELDS, ['model', any], ['degrade', any]]);

const DEGRADE_FIELDS: ReadonlyMap<string, FieldCheck> = new Map<keyof Degrade, FieldCheck>([
  ['max_output_tokens', integer(1, Number.MAX_SAFE_INTEGER)],
  ['drop_tools', boolean],
  ['drop_response_format', boolean],
  ['reasoning_effort', word],
  ['drop_params', words],
]);

function readDegrade(degrade: unknown, param: string): Read<null> {
  if (isRecord(degrade)) return checkFields(param, degrade, DEGRADE_FIELDS);
  return bad('invalid_redundancy', `\`${param}\` must be an object, not ${described(degrade)}`, param);
}
