/** A Messages request as the canonical model has it. What cannot be read is the client's own fault (400). */
import { bad, good, type Read } from '../../core/request/read.ts';
import { type BodyView, member, readJson, readString, valueByte } from '../bytes/body-view.ts';
import { OPEN_BRACE } from '../bytes/json-grammar.ts';
import { objectAt } from '../bytes/nested.ts';
import { OWN_FIELDS } from '../bytes/own-fields.ts';
import type { AnswerFormat, CanonicalRequest, JsonText, Reasoning, Sampling } from '../canonical.ts';
import type { ClientRequest } from '../contract.ts';
import { noteUnknown } from '../cross/hints.ts';
import { jsonTextAt, memberText } from '../cross/json-text.ts';
import { readMessages } from './canonical-messages.ts';
import { readToolChoice, readTools } from './canonical-tools.ts';
import { BOUND, MODELLED } from './request-fields.ts';
import { showsThoughts } from './shows-thoughts.ts';
import { isClosedThroughout } from './strict-schema.ts';

const SPOKEN_FOR: ReadonlySet<string> = new Set([...MODELLED, ...BOUND.keys(), ...OWN_FIELDS]);
const NULL = 0x6e;
const THINKING: ReadonlySet<string> = new Set(['type', 'budget_tokens', 'display']);
const DISPLAYS: ReadonlySet<string> = new Set(['summarized', 'omitted']);
const FORMAT_FIELDS: ReadonlySet<string> = new Set(['type', 'schema']);
/** What the vendor thinks with where nobody says. */
const USUAL_EFFORT = 'high';

export function readCanonical(request: ClientRequest): Read<CanonicalRequest> {
  const { view } = request;
  const hints = new Map<string, JsonText>();
  const bound = new Set<string>();
  for (const found of view.members) {
    if (view.bytes[found.valueStart] === NULL) continue;
    const missing = BOUND.get(found.key);
    if (missing !== undefined) bound.add(missing);
    else if (!SPOKEN_FOR.has(found.key)) noteHint(found.key, memberText(view, found), hints);
  }
  const messages = readMessages(view, hints, bound);
  if (!messages.ok) return messages;
  const tools = readTools(view, messages.value.toolChanges, hints, bound);
  if (!tools.ok) return tools;
  const choice = readToolChoice(view, hints);
  if (!choice.ok) return choice;
  const format = readFormat(view, hints);
  if (!format.ok) return format;
  const scalars = readScalars(view);
  if (!scalars.ok) return scalars;
  const { system, turns } = messages.value;
  return good({
    system,
    turns,
    tools: tools.value,
    toolChoice: choice.value.choice,
    parallelCalls: choice.value.parallel,
    format: format.value,
    reasoning: readReasoning(view, hints),
    ...scalars.value,
    n: 1,
    logprobs: null,
    modalities: [],
    bound: [...bound],
    hints,
    stream: request.stream,
    prefill: turns.at(-1)?.role === 'assistant',
  });
}

/** By Chat's names, where it has some. */
function noteHint(key: string, value: JsonText, hints: Map<string, JsonText>): void {
  if (key === 'metadata') {
    const metadata = JSON.parse(value) as unknown;
    const { user_id: user, ...rest } =
      typeof metadata === 'object' && metadata !== null ? (metadata as Record<string, unknown>) : {};
    if (typeof user === 'string') hints.set('user', JSON.stringify(user));
    if (Object.keys(rest).length > 0) hints.set('metadata', JSON.stringify(rest));
  } else if (key === 'service_tier' && value === '"standard_only"') {
    hints.set('service_tier', '"default"');
  } else if (key !== 'speed' || value !== '"standard"') {
    hints.set(key, value);
  }
}

type Scalars = Pick<CanonicalRequest, 'maxOutputTokens' | 'stop' | 'sampling'>;

function readScalars(view: BodyView): Read<Scalars> {
  for (const key of NUMBERS) {
    const value = readJson(view, key) ?? null;
    if (value !== null && typeof value !== 'number') {
      return bad('invalid_parameter', `\`${key}\` must be a number.`, key);
    }
  }
  const stop = readJson(view, 'stop_sequences') ?? [];
  if (!Array.isArray(stop) || !stop.every((item) => typeof item === 'string')) {
    return bad('invalid_parameter', '`stop_sequences` must be an array of strings.', 'stop_sequences');
  }
  const sampling: { -readonly [K in keyof Sampling]: Sampling[K] } = {};
  for (const [key, name] of SAMPLING) {
    const value = numberAt(view, key);
    if (value !== null) sampling[name] = value;
  }
  return good({ maxOutputTokens: numberAt(view, 'max_tokens'), stop, sampling });
}

const SAMPLING = [
  ['temperature', 'temperature'],
  ['top_p', 'topP'],
  ['top_k', 'topK'],
] as const;
const NUMBERS = ['max_tokens', ...SAMPLING.map(([key]) => key)];

function numberAt(view: BodyView, key: string): number | null {
  const value = readJson(view, key);
  return typeof value === 'number' ? value : null;
}

/** Thinking with a budget, by a level, or off; a level alone says how much effort the whole answer is worth. */
function readReasoning(view: BodyView, hints: Map<string, JsonText>): Reasoning {
  const thinking = objectAt(view, 'thinking');
  for (const found of thinking?.members ?? []) {
    if (!THINKING.has(found.key)) hints.set(`thinking.${found.key}`, memberText(thinking!, found));
  }
  const display = thinking === null ? null : readString(thinking, 'display');
  if (typeof display === 'string' && !DISPLAYS.has(display)) hints.set('thinking.display', JSON.stringify(display));
  const config = objectAt(view, 'output_config');
  const effort = (config === null ? null : readString(config, 'effort')) ?? null;
  const type = thinking === null ? null : (readString(thinking, 'type') ?? null);
  if (thinking === null || type === null) return { effort, budget: null, shown: null };
  if (type === 'disabled') return { effort: 'none', budget: null, shown: null };
  const shown = showsThoughts(view) === 'yes';
  const budget = type === 'enabled' ? numberAt(thinking, 'budget_tokens') : null;
  return { effort: effort ?? (budget === null ? USUAL_EFFORT : null), budget, shown };
}

function readFormat(view: BodyView, hints: Map<string, JsonText>): Read<AnswerFormat | null> {
  const config = objectAt(view, 'output_config');
  for (const found of config?.members ?? []) {
    if (found.key === 'format' || found.key === 'effort') continue;
    hints.set(`output_config.${found.key}`, memberText(config!, found));
  }
  const param = config !== null && member(config, 'format') !== null ? 'output_config.format' : 'output_format';
  const holder = param === 'output_format' ? view : config!;
  const key = param === 'output_format' ? param : 'format';
  if (valueByte(holder, key) === 0 || valueByte(holder, key) === NULL) return good(null);
  const format = objectAt(holder, key);
  const isSchema = format !== null && readString(format, 'type') === 'json_schema';
  if (!isSchema || valueByte(format, 'schema') !== OPEN_BRACE) {
    return bad('invalid_parameter', `\`${param}\` must be json_schema with its \`schema\`.`, param);
  }
  noteUnknown(format, FORMAT_FIELDS, param, hints);
  const schema = jsonTextAt(format, 'schema')!;
  // This dialect always holds the answer to the schema. Others do so only for schemas that leave nothing open.
  const strict = isClosedThroughout(JSON.parse(schema)) ? true : null;
  return good({ type: 'schema', name: null, description: null, schema, strict });
}
