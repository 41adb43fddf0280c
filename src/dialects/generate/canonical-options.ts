/** `generationConfig`: how long, how many, in what form, how much thought. */
import type { BodyView } from '../bytes/body-view.ts';
import type { AnswerFormat, CanonicalRequest, Reasoning, Sampling } from '../canonical.ts';
import { memberText } from '../cross/json-text.ts';
import { modalities } from './asks.ts';
import { camelCase, given, numberOf, objectGiven, valueGiven } from './fields.ts';
import { type Gathered, noteOthers } from './gathered.ts';
import { toJsonSchema } from './openapi-schema.ts';
import { CONFIG, THINKING } from './request-edits.ts';
import { MODELLED_CONFIG } from './request-fields.ts';

export type Options = Pick<
  CanonicalRequest,
  'format' | 'reasoning' | 'maxOutputTokens' | 'stop' | 'sampling' | 'logprobs' | 'modalities'
>;

const SILENT: Reasoning = { effort: null, budget: null, shown: null };
const NOTHING: Options = {
  format: null,
  reasoning: SILENT,
  maxOutputTokens: null,
  stop: [],
  sampling: {},
  logprobs: null,
  modalities: [],
};
const MODELLED: ReadonlySet<string> = new Set(MODELLED_CONFIG);
const KNOWN_OF_THINKING: ReadonlySet<string> = new Set(['includeThoughts', 'thinkingBudget', 'thinkingLevel']);
const NULL = 0x6e;

/** A text says what is wrong. */
export function readConfig(view: BodyView, gathered: Gathered): Options | string {
  const config = objectGiven(view, CONFIG);
  if (config === null) return NOTHING;
  for (const found of config.members) {
    const isSet = config.bytes[found.valueStart] !== NULL;
    if (isSet && !MODELLED.has(camelCase(found.key))) gathered.hints.set(found.key, memberText(config, found));
  }
  for (const name of NUMBERS) {
    const value = valueGiven(config, name);
    if (value !== undefined && numberOf(value) === null) return `\`generationConfig.${name}\` must be a number.`;
  }
  const asksLogprobs = valueGiven(config, 'responseLogprobs') === true;
  const logprobs = numberOf(valueGiven(config, 'logprobs'));
  if (!asksLogprobs && logprobs !== null) gathered.hints.set('logprobs', String(logprobs));
  const stop = valueGiven(config, 'stopSequences') ?? [];
  const stops: unknown[] = Array.isArray(stop) ? stop : [stop];
  if (!stops.every((one) => typeof one === 'string')) return '`generationConfig.stopSequences` must be texts.';
  return {
    format: readFormat(config, gathered),
    reasoning: readReasoning(objectGiven(config, THINKING), gathered),
    maxOutputTokens: numberOf(valueGiven(config, 'maxOutputTokens')),
    stop: stops,
    sampling: readSampling(config),
    logprobs: asksLogprobs ? (logprobs ?? 0) : null,
    modalities: modalities(valueGiven(config, 'responseModalities'))
      .map((name) => name.toLowerCase())
      .filter((name) => name !== 'text' && name !== 'modality_unspecified'),
  };
}

const SAMPLING = [
  'temperature',
  'topP',
  'topK',
  'seed',
  'presencePenalty',
  'frequencyPenalty',
] as const satisfies readonly (keyof Sampling)[];
const NUMBERS = [...SAMPLING, 'maxOutputTokens', 'logprobs'] as const;

function readSampling(config: BodyView): Sampling {
  const sampling: { -readonly [K in keyof Sampling]: Sampling[K] } = {};
  for (const name of SAMPLING) {
    const value = numberOf(valueGiven(config, name));
    if (value !== null) sampling[name] = value;
  }
  return sampling;
}

/** A form that is neither text nor JSON is bound to this dialect. */
function readFormat(config: BodyView, { bound }: Gathered): AnswerFormat | null {
  const type = valueGiven(config, 'responseMimeType');
  if (type !== undefined && type !== 'text/plain' && type !== 'application/json') {
    bound.add('response_mime_type');
    return null;
  }
  const plain = given(config, 'responseJsonSchema');
  const own = given(config, 'responseSchema');
  const schema =
    plain === null ? (own === null ? null : toJsonSchema(memberText(config, own))) : memberText(config, plain);
  if (schema !== null) return { type: 'schema', name: null, description: null, schema, strict: null };
  return type === 'application/json' ? { type: 'json' } : null;
}

/** A budget of −1 leaves it to the model, as saying nothing does. */
function readReasoning(thinking: BodyView | null, gathered: Gathered): Reasoning {
  if (thinking === null) return SILENT;
  noteOthers(thinking, KNOWN_OF_THINKING, THINKING, gathered);
  const level = valueGiven(thinking, 'thinkingLevel');
  const budget = numberOf(valueGiven(thinking, 'thinkingBudget'));
  const effort = typeof level === 'string' && !level.endsWith('_UNSPECIFIED') ? level.toLowerCase() : null;
  const shown = valueGiven(thinking, 'includeThoughts');
  return {
    effort: budget === 0 ? 'none' : effort,
    budget: budget !== null && budget > 0 ? budget : null,
    shown: typeof shown === 'boolean' ? shown : null,
  };
}
