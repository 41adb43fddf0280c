/** `generationConfig`: how long, how many, in what form. */
import { fieldsOf } from '../../answer/fields.ts';
import type { SimRequest } from '../../answer/request.ts';
import { type Message, snakeCase } from './check-message.ts';
import { jsonSchemaOf, jsonSchemaProblem, schemaProblem } from './schema.ts';

export interface Generation {
  readonly neutral: Pick<SimRequest, 'n' | 'maxTokens' | 'schema' | 'logprobs' | 'reasoning' | 'stop'>;
  /** The caller wants to read the thoughts. */
  readonly includeThoughts: boolean;
}

interface Range {
  readonly min: number;
  readonly max: number;
}

const ROOT = 'GenerateContentRequest.generation_config';
const RANGES: Readonly<Record<string, Range>> = {
  temperature: { min: 0, max: 2 },
  topP: { min: 0, max: 1 },
  topK: { min: 1, max: 1000 },
  candidateCount: { min: 1, max: 8 },
  maxOutputTokens: { min: 1, max: 1_048_576 },
  presencePenalty: { min: -2, max: 2 },
  frequencyPenalty: { min: -2, max: 2 },
  logprobs: { min: 0, max: 20 },
  seed: { min: -2_147_483_648, max: 2_147_483_647 },
};
const MIME_TYPES = ['text/plain', 'application/json', 'application/xml', 'application/yaml', 'text/x.enum'];
const MOST_STOPS = 5;

/** Reads a config that has been checked as a message; a text is what is wrong with it. */
export function readGeneration(config: Message): Generation | string {
  const thinking = fieldsOf(config['thinkingConfig']);
  const problem = rangeProblem(config) ?? formProblem(config) ?? thinkingProblem(thinking);
  if (problem !== null) return problem;
  const { thinkingBudget, thinkingLevel } = thinking;
  const includeThoughts = thinking['includeThoughts'] === true;
  const thinks = thinkingBudget !== 0 && thinkingLevel !== 'MINIMAL';
  const asked = includeThoughts || thinkingBudget !== undefined || thinkingLevel !== undefined;
  return {
    neutral: {
      n: numberOf(config['candidateCount']) ?? 1,
      maxTokens: numberOf(config['maxOutputTokens']),
      schema: schemaOf(config),
      logprobs: config['responseLogprobs'] === true ? (numberOf(config['logprobs']) ?? 0) : null,
      reasoning: thinks && asked,
      stop: textsOf(config['stopSequences']),
    },
    includeThoughts,
  };
}

function rangeProblem(config: Message): string | null {
  for (const [name, { min, max }] of Object.entries(RANGES)) {
    const value = numberOf(config[name]);
    if (value !== null && (value < min || value > max)) {
      return `* ${ROOT}.${snakeCase(name)}: must be in the range [${min}, ${max}].\n`;
    }
  }
  const stops = textsOf(config['stopSequences']);
  if (stops.length > MOST_STOPS)
    return `* ${ROOT}.stop_sequences: The number of stop_sequences must be <= ${MOST_STOPS}\n`;
  if (stops.includes('')) return `* ${ROOT}.stop_sequences: must not hold an empty text\n`;
  if (config['logprobs'] !== undefined && config['responseLogprobs'] !== true) {
    return `* ${ROOT}.logprobs: can only be set when response_logprobs is true\n`;
  }
  return null;
}

function formProblem(config: Message): string | null {
  const { responseMimeType, responseSchema, responseJsonSchema, responseModalities } = config;
  if (responseMimeType !== undefined && !MIME_TYPES.includes(String(responseMimeType))) {
    return `* ${ROOT}.response_mime_type: allowed mimetypes are ${MIME_TYPES.join(', ')}.\n`;
  }
  const other = textsOf(responseModalities).find((one) => one !== 'TEXT' && one !== 'MODALITY_UNSPECIFIED');
  if (other !== undefined) return `Model does not support the requested response modalities: ${other.toLowerCase()}`;
  if (responseSchema === undefined && responseJsonSchema === undefined) return null;
  if (responseSchema !== undefined && responseJsonSchema !== undefined) {
    return `* ${ROOT}: response_schema and response_json_schema cannot both be set\n`;
  }
  if (responseMimeType !== 'application/json' && responseMimeType !== 'text/x.enum') {
    return `* ${ROOT}.response_schema: only allowed with response_mime_type application/json\n`;
  }
  return responseSchema === undefined
    ? jsonSchemaProblem(responseJsonSchema, `${ROOT}.response_json_schema`, false)
    : schemaProblem(fieldsOf(responseSchema), `${ROOT}.response_schema`);
}

function thinkingProblem({ thinkingBudget, thinkingLevel }: Message): string | null {
  if (thinkingBudget !== undefined && thinkingLevel !== undefined) {
    return 'You can only set only one of thinking budget and thinking level.';
  }
  const budget = numberOf(thinkingBudget);
  return budget !== null && budget < -1 ? `* ${ROOT}.thinking_config.thinking_budget: must be -1, 0 or more\n` : null;
}

function schemaOf(config: Message): unknown {
  if (config['responseMimeType'] !== 'application/json') return null;
  const { responseSchema, responseJsonSchema } = config;
  return responseSchema === undefined ? (responseJsonSchema ?? {}) : jsonSchemaOf(fieldsOf(responseSchema));
}

function numberOf(value: unknown): number | null {
  return typeof value === 'number' ? value : null;
}

function textsOf(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((one) => typeof one === 'string') : [];
}
