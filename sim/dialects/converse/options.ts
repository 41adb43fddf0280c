/** The smaller options of a request, each within its limits. */
import { type Fields, fieldsOf } from '../../answer/fields.ts';
import {
  constraint,
  fieldsAt,
  inside,
  listAt,
  objectAt,
  optionalNumber,
  refuse,
  textAt,
  unionAt,
  wordAt,
} from './refused.ts';

const FIELDS = [
  ...['messages', 'system', 'inferenceConfig', 'toolConfig', 'guardrailConfig', 'additionalModelRequestFields'],
  ...['promptVariables', 'additionalModelResponseFieldPaths', 'requestMetadata', 'performanceConfig', 'serviceTier'],
  'outputConfig',
];
const EFFORTS = ['low', 'medium', 'high', 'xhigh', 'max'];
const TIERS = ['default', 'flex', 'priority', 'reserved'];
const METADATA = /^[A-Za-z0-9\s:_@$#=/+,\-.]{0,256}$/;
const LEAST_BUDGET = 1024;

export interface Options {
  readonly maxTokens: number | null;
  readonly stop: readonly string[];
  /** Null = words. */
  readonly schema: unknown;
  readonly reasoning: boolean;
  readonly parallel: boolean;
}

/** `strict`: sampling is refused. Throws RefusedRequest. */
export function readOptions(body: Fields, strict: boolean): Options {
  fieldsAt(body, '', FIELDS, ['messages']);
  checkMisc(body);
  const inference = readInference(body['inferenceConfig'], strict);
  const output = readOutput(body['outputConfig']);
  const own = readOwn(body['additionalModelRequestFields'], inference.maxTokens, strict);
  return {
    ...inference,
    schema: output.schema,
    reasoning: own.thinks ?? output.effort,
    parallel: own.parallel,
  };
}

function readInference(value: unknown, strict: boolean): Pick<Options, 'maxTokens' | 'stop'> {
  if (value === undefined || value === null) return { maxTokens: null, stop: [] };
  const path = 'inferenceConfig';
  const fields = fieldsAt(value, path, ['maxTokens', 'temperature', 'topP', 'stopSequences'], []);
  for (const name of ['temperature', 'topP']) {
    if (strict && fields[name] !== undefined)
      refuse(`The model returned the following errors: \`${name}\` is not supported.`);
    optionalNumber(fields[name], inside(path, name), 0, 1);
  }
  const maxTokens = optionalNumber(fields['maxTokens'], inside(path, 'maxTokens'), 1, Number.MAX_SAFE_INTEGER);
  if (maxTokens !== null && !Number.isInteger(maxTokens))
    refuse('The value at inferenceConfig.maxTokens is no integer.');
  const { stopSequences } = fields;
  const stops = stopSequences === undefined ? [] : listAt(stopSequences, inside(path, 'stopSequences'));
  const stop = stops.map((text, i) => {
    const at = inside(inside(path, 'stopSequences'), i);
    if (textAt(text, at) === '') constraint(at, 'have length greater than or equal to 1');
    return textAt(text, at);
  });
  return { maxTokens, stop };
}

function readOutput(value: unknown): { schema: unknown; effort: boolean } {
  if (value === undefined || value === null) return { schema: null, effort: false };
  const fields = fieldsAt(value, 'outputConfig', ['textFormat', 'effort'], []);
  const { effort, textFormat } = fields;
  if (effort !== undefined) wordAt(effort, 'outputConfig.effort', EFFORTS);
  if (textFormat === undefined) return { schema: null, effort: effort !== undefined };
  const path = 'outputConfig.textFormat';
  const format = fieldsAt(textFormat, path, ['type', 'structure'], ['type', 'structure']);
  wordAt(format['type'], inside(path, 'type'), ['json_schema']);
  const [, definition] = unionAt(format['structure'], inside(path, 'structure'), ['jsonSchema']);
  const at = inside(path, 'structure.jsonSchema');
  const { schema } = fieldsAt(definition, at, ['schema', 'name', 'description'], ['schema']);
  return { schema: parsedSchema(textAt(schema, inside(at, 'schema')), at), effort: effort !== undefined };
}

function parsedSchema(text: string, path: string): unknown {
  try {
    return objectAt(JSON.parse(text), inside(path, 'schema'));
  } catch (error) {
    if (error instanceof SyntaxError) refuse(`The value at ${path}.schema is no JSON schema.`);
    throw error;
  }
}

/** What goes to the model's maker as it is; `thinks` null = it is not said there. */
function readOwn(
  value: unknown,
  maxTokens: number | null,
  strict: boolean,
): { thinks: boolean | null; parallel: boolean } {
  if (value === undefined || value === null) return { thinks: null, parallel: true };
  const path = 'additionalModelRequestFields';
  const { thinking, tool_choice: choice } = objectAt(value, path);
  const parallel = fieldsOf(choice)['disable_parallel_tool_use'] !== true;
  if (thinking === undefined) return { thinks: null, parallel };
  const at = inside(path, 'thinking');
  const fields = fieldsAt(thinking, at, ['type', 'budget_tokens', 'display'], ['type']);
  const type = wordAt(fields['type'], inside(at, 'type'), ['enabled', 'adaptive', 'disabled']);
  if (strict && type !== 'adaptive')
    refuse(`The model returned the following errors: thinking.type: "${type}" is not supported.`);
  if (type === 'enabled') {
    const budget = optionalNumber(fields['budget_tokens'], inside(at, 'budget_tokens'), LEAST_BUDGET, 1e9);
    if (budget === null) constraint(inside(at, 'budget_tokens'), 'not be null');
    if (maxTokens !== null && maxTokens <= budget) {
      refuse('The model returned the following errors: `max_tokens` must be greater than `thinking.budget_tokens`.');
    }
  }
  return { thinks: type !== 'disabled', parallel };
}

function checkMisc(body: Fields): void {
  const { requestMetadata, serviceTier, performanceConfig } = body;
  if (requestMetadata !== undefined) {
    const pairs = Object.entries(objectAt(requestMetadata, 'requestMetadata'));
    if (pairs.length > 16) constraint('requestMetadata', 'have length less than or equal to 16');
    for (const [key, text] of pairs) {
      const plain = METADATA.test(key) && METADATA.test(textAt(text, inside('requestMetadata', key)));
      if (!plain) constraint('requestMetadata', `satisfy regular expression pattern: ${METADATA.source}`);
    }
  }
  if (serviceTier !== undefined)
    wordAt(fieldsAt(serviceTier, 'serviceTier', ['type'], ['type'])['type'], 'serviceTier.type', TIERS);
  if (performanceConfig !== undefined) objectAt(performanceConfig, 'performanceConfig');
}
