/** A Chat Completions request as the canonical model has it. What cannot be read is the client's own fault (400). */
import { bad, good, isRecord, type Read } from '../../core/request/read.ts';
import { type BodyView, readJson, readString, valueByte } from '../bytes/body-view.ts';
import { OPEN_BRACE } from '../bytes/json-grammar.ts';
import { objectAt } from '../bytes/nested.ts';
import { OWN_FIELDS } from '../bytes/own-fields.ts';
import type { CanonicalRequest, JsonText, Reasoning, Sampling } from '../canonical.ts';
import type { ClientRequest } from '../contract.ts';
import { noteUnknown } from '../cross/hints.ts';
import { jsonTextAt, memberText } from '../cross/json-text.ts';
import { readMessages } from './canonical-messages.ts';
import { readFormat, readToolChoice, readTools } from './canonical-tools.ts';
import { BOUND, MODELLED } from './request-fields.ts';

const SPOKEN_FOR: ReadonlySet<string> = new Set([...MODELLED, ...BOUND.keys(), ...OWN_FIELDS]);
const NULL = 0x6e;
const FALSE = 0x66;
const STREAM_FIELDS: ReadonlySet<string> = new Set(['include_usage']);
/** As routers that speak this dialect have it. */
const REASONING_FIELDS: ReadonlySet<string> = new Set(['effort', 'max_tokens', 'exclude', 'enabled', 'summary']);

export function readCanonical(request: ClientRequest): Read<CanonicalRequest> {
  const { view } = request;
  const hints = new Map<string, JsonText>();
  const bound = new Set<string>();
  for (const found of view.members) {
    if (view.bytes[found.valueStart] === NULL) continue;
    const missing = BOUND.get(found.key);
    if (missing !== undefined) bound.add(missing);
    else if (!SPOKEN_FOR.has(found.key)) hints.set(found.key, memberText(view, found));
  }
  const messages = readMessages(view, hints, bound);
  if (!messages.ok) return messages;
  const tools = readTools(view, hints, bound);
  if (!tools.ok) return tools;
  const toolChoice = readToolChoice(view, hints, bound);
  if (!toolChoice.ok) return toolChoice;
  const format = readFormat(view, hints);
  if (!format.ok) return format;
  const routed = objectAt(view, 'reasoning');
  if (routed !== null) noteUnknown(routed, REASONING_FIELDS, 'reasoning', hints);
  const streaming = objectAt(view, 'stream_options');
  if (streaming !== null) noteUnknown(streaming, STREAM_FIELDS, 'stream_options', hints);
  const scalars = readScalars(view);
  if (!scalars.ok) return scalars;
  const { system, turns } = messages.value;
  return good({
    system,
    turns,
    tools: tools.value,
    toolChoice: toolChoice.value,
    format: format.value,
    ...scalars.value,
    n: request.n,
    bound: [...bound],
    hints,
    stream: request.stream,
    prefill: turns.at(-1)?.role === 'assistant',
  });
}

type Scalars = Pick<
  CanonicalRequest,
  'parallelCalls' | 'reasoning' | 'maxOutputTokens' | 'stop' | 'sampling' | 'logprobs' | 'modalities'
>;

function readScalars(view: BodyView): Read<Scalars> {
  for (const key of NUMBERS) {
    const value = readJson(view, key) ?? null;
    if (value !== null && typeof value !== 'number')
      return bad('invalid_parameter', `\`${key}\` must be a number.`, key);
  }
  const stop = readWords(view, 'stop');
  if (stop === null) return bad('invalid_parameter', '`stop` must be a string or an array of strings.', 'stop');
  const modalities = readWords(view, 'modalities');
  if (modalities === null) return bad('invalid_parameter', '`modalities` must be an array of strings.', 'modalities');
  const parallel = readJson(view, 'parallel_tool_calls');
  const asksLogprobs = isSet(view, 'logprobs') || isSet(view, 'top_logprobs');
  return good({
    parallelCalls: typeof parallel === 'boolean' ? parallel : null,
    reasoning: readReasoning(view),
    maxOutputTokens: numberAt(view, 'max_completion_tokens') ?? numberAt(view, 'max_tokens'),
    stop,
    sampling: readSampling(view),
    logprobs: asksLogprobs ? (numberAt(view, 'top_logprobs') ?? 0) : null,
    modalities: modalities.filter((name) => name !== 'text'),
  });
}

/** Fields whose value is a number, or null. */
const NUMBERS = [
  'max_completion_tokens',
  'max_tokens',
  'temperature',
  'top_p',
  'top_k',
  'seed',
  'presence_penalty',
  'frequency_penalty',
  'top_logprobs',
] as const;

function numberAt(view: BodyView, key: string): number | null {
  const value = readJson(view, key);
  return typeof value === 'number' ? value : null;
}

/** Present, and neither null nor false. */
function isSet(view: BodyView, key: string): boolean {
  const first = valueByte(view, key);
  return first !== 0 && first !== NULL && first !== FALSE;
}

/** One string or several; null = something else. */
function readWords(view: BodyView, key: string): string[] | null {
  const value = readJson(view, key) ?? [];
  if (typeof value === 'string') return [value];
  return Array.isArray(value) && value.every((item) => typeof item === 'string') ? value : null;
}

/** The dialect's own effort, and what routers that speak it call `reasoning`. */
function readReasoning(view: BodyView): Reasoning {
  const more = readJson(view, 'reasoning');
  const fields = isRecord(more) ? more : {};
  const own = readString(view, 'reasoning_effort') ?? null;
  const effort = own ?? (typeof fields['effort'] === 'string' ? fields['effort'] : null);
  const budget = typeof fields['max_tokens'] === 'number' ? fields['max_tokens'] : null;
  return { effort, budget, shown: wantsReasoning(view) ? true : null };
}

/**
 * Whether a client of this dialect reads reasoning: the dialect has no field of its own for it, so only who asked for
 * reasoning gets some.
 */
export function wantsReasoning(view: BodyView): boolean {
  const asked = readJson(view, 'include_reasoning');
  if (typeof asked === 'boolean') return asked;
  const more = readJson(view, 'reasoning');
  if (isRecord(more)) return more['exclude'] !== true && more['enabled'] !== false && more['effort'] !== 'none';
  const effort = readString(view, 'reasoning_effort') ?? null;
  return effort !== null && effort !== 'none';
}

function readSampling(view: BodyView): Sampling {
  const fields: { -readonly [K in keyof Sampling]: Sampling[K] } = {};
  for (const [key, name] of SAMPLING) {
    const value = numberAt(view, key);
    if (value !== null) fields[name] = value;
  }
  const bias = jsonTextAt(view, 'logit_bias');
  if (bias !== null && valueByte(view, 'logit_bias') === OPEN_BRACE && bias.length > 2) fields.logitBias = bias;
  return fields;
}

const SAMPLING = [
  ['temperature', 'temperature'],
  ['top_p', 'topP'],
  ['top_k', 'topK'],
  ['seed', 'seed'],
  ['presence_penalty', 'presencePenalty'],
  ['frequency_penalty', 'frequencyPenalty'],
] as const satisfies readonly (readonly [string, keyof Sampling])[];
