/** A Responses request as the canonical model has it. What cannot be read is the client's own fault (400). */
import { bad, good, type Read } from '../../core/request/read.ts';
import { type BodyView, readJson, readString, valueByte } from '../bytes/body-view.ts';
import { objectAt } from '../bytes/nested.ts';
import { OWN_FIELDS } from '../bytes/own-fields.ts';
import type { CanonicalRequest, JsonText, Part, Reasoning, Sampling } from '../canonical.ts';
import type { ClientRequest } from '../contract.ts';
import { noteUnknown } from '../cross/hints.ts';
import { jsonTextAt, memberText } from '../cross/json-text.ts';
import { readInput } from './canonical-input.ts';
import { readFormat, readToolChoice, readTools } from './canonical-tools.ts';
import { asksLogprobs } from './needs.ts';
import { BOUND, MODELLED } from './request-fields.ts';

const SPOKEN_FOR: ReadonlySet<string> = new Set([...MODELLED, ...BOUND.keys(), ...OWN_FIELDS]);
const NULL = 0x6e;
const FALSE = 0x66;

export function readCanonical(request: ClientRequest): Read<CanonicalRequest> {
  const { view } = request;
  const hints = new Map<string, JsonText>();
  const bound = new Set<string>();
  for (const found of view.members) {
    const first = view.bytes[found.valueStart];
    if (first === NULL) continue;
    const missing = BOUND.get(found.key);
    if (missing === undefined) {
      if (!SPOKEN_FOR.has(found.key)) hints.set(found.key, memberText(view, found));
    } else if (first !== FALSE) {
      bound.add(missing);
    }
  }
  const instructions = readString(view, 'instructions');
  if (instructions === undefined) return bad('invalid_parameter', '`instructions` must be a string.', 'instructions');
  const input = readInput(view, hints, bound);
  if (!input.ok) return input;
  const tools = readTools(view, hints, bound);
  if (!tools.ok) return tools;
  const toolChoice = readToolChoice(view, hints, bound);
  if (!toolChoice.ok) return toolChoice;
  const format = readFormat(view, hints);
  if (!format.ok) return format;
  const scalars = readScalars(view, hints);
  if (!scalars.ok) return scalars;
  const { system, turns } = input.value;
  const opening: Part[] = instructions === null || instructions === '' ? [] : [{ type: 'text', text: instructions }];
  return good({
    system: [...opening, ...system],
    turns,
    tools: tools.value,
    toolChoice: toolChoice.value,
    format: format.value,
    ...scalars.value,
    stop: [],
    n: 1,
    modalities: [],
    bound: [...bound],
    hints,
    stream: request.stream,
    prefill: turns.at(-1)?.role === 'assistant',
  });
}

type Scalars = Pick<CanonicalRequest, 'parallelCalls' | 'reasoning' | 'maxOutputTokens' | 'sampling' | 'logprobs'>;

function readScalars(view: BodyView, hints: Map<string, JsonText>): Read<Scalars> {
  for (const key of NUMBERS) {
    const value = readJson(view, key) ?? null;
    if (value !== null && typeof value !== 'number') {
      return bad('invalid_parameter', `\`${key}\` must be a number.`, key);
    }
  }
  const text = objectAt(view, 'text');
  if (text !== null) noteUnknown(text, TEXT_FIELDS, 'text', hints);
  const streaming = objectAt(view, 'stream_options');
  if (streaming !== null) noteUnknown(streaming, NO_FIELDS, 'stream_options', hints);
  noteIncludes(view, hints);
  const verbosity = text === null ? null : jsonTextAt(text, 'verbosity');
  if (verbosity !== null && verbosity !== 'null') hints.set('verbosity', verbosity);
  const parallel = readJson(view, 'parallel_tool_calls');
  return good({
    parallelCalls: typeof parallel === 'boolean' ? parallel : null,
    reasoning: readReasoning(view, hints),
    maxOutputTokens: numberAt(view, 'max_output_tokens'),
    sampling: readSampling(view),
    logprobs: asksLogprobs(view) ? (numberAt(view, 'top_logprobs') ?? 0) : null,
  });
}

const TEXT_FIELDS: ReadonlySet<string> = new Set(['format', 'verbosity']);
const NO_FIELDS: ReadonlySet<string> = new Set();
/** Said otherwise: likelihoods are asked for, and state comes sealed wherever there is any. */
const INCLUDED: ReadonlySet<unknown> = new Set(['message.output_text.logprobs', 'reasoning.encrypted_content']);

/** What else an answer shall hold is of tools and inputs that only this dialect knows. */
function noteIncludes(view: BodyView, hints: Map<string, JsonText>): void {
  const wanted = readJson(view, 'include');
  if (!Array.isArray(wanted)) return;
  for (const name of wanted as unknown[]) {
    if (typeof name === 'string' && !INCLUDED.has(name)) hints.set(`include ${name}`, 'true');
  }
}
/** Fields whose value is a number, or null. */
const NUMBERS = ['max_output_tokens', 'temperature', 'top_p', 'top_logprobs'] as const;

function numberAt(view: BodyView, key: string): number | null {
  const value = readJson(view, key);
  return typeof value === 'number' ? value : null;
}

/** Members of `reasoning` with a counterpart elsewhere; all others are hints. */
const REASONING_FIELDS: ReadonlySet<string> = new Set(['effort', 'summary', 'generate_summary']);

function readReasoning(view: BodyView, hints: Map<string, JsonText>): Reasoning {
  const reasoning = objectAt(view, 'reasoning');
  if (reasoning === null) return { effort: null, budget: null, shown: null };
  noteUnknown(reasoning, REASONING_FIELDS, 'reasoning', hints);
  for (const key of ['summary', 'generate_summary']) {
    // How long a summary is to be has words nowhere else.
    const length = readString(reasoning, key) ?? 'auto';
    if (length !== 'auto') hints.set(`reasoning.${key}`, JSON.stringify(length));
  }
  const asksToRead = ['summary', 'generate_summary'].some((key) => {
    const first = valueByte(reasoning, key);
    return first !== 0 && first !== NULL;
  });
  return { effort: readString(reasoning, 'effort') ?? null, budget: null, shown: asksToRead ? true : null };
}

function readSampling(view: BodyView): Sampling {
  const temperature = numberAt(view, 'temperature');
  const topP = numberAt(view, 'top_p');
  return { ...(temperature === null ? {} : { temperature }), ...(topP === null ? {} : { topP }) };
}
