/** Requests for content and for a count of tokens, read as strictly as the vendor reads them. */
import { fieldsOf, textOf, tokensOf } from '../../answer/fields.ts';
import { PLAIN_REQUEST, type Refusal, type SimRequest } from '../../answer/request.ts';
import { type Ask, isStrict, type Place } from '../dialect.ts';
import { checkMessage, type Message, type Violation } from './check-message.ts';
import { credentialProblem } from './credential.ts';
import { readGeneration } from './generation.ts';
import { partProblem } from './parts.ts';
import { listOf } from './schema.ts';
import { readTools } from './tools.ts';
import { NO_TRAITS, readTraits, type Traits } from './traits.ts';
import { contentsProblem } from './turns.ts';

/** What only this dialect's rendering wants to know. */
export interface Own {
  /** `array`: a stream as one JSON array. */
  readonly form: 'sse' | 'array';
  readonly includeThoughts: boolean;
  readonly traits: Traits;
}

const PLAIN_OWN: Own = { form: 'sse', includeThoughts: false, traits: NO_TRAITS };
/** What an image, a recording or a file counts. */
const MEDIA_TOKENS = 258;

/** The dialect's part of a request; of one that nobody has read, the usual one. */
export function ownOf(request: SimRequest): Own {
  return request.own === null ? PLAIN_OWN : (request.own as Own);
}

export function readRequest(body: unknown, place: Place, ask: Ask): SimRequest | Refusal {
  const model = place.model ?? '';
  const traits = readTraits(model);
  if (model === '' || typeof traits === 'string') {
    const why = typeof traits === 'string' ? traits : 'models/ is not found for this API version.';
    return { status: 404, message: why, param: null };
  }
  const refused = credentialProblem(ask, isStrict(model)) ?? queryProblem(ask);
  if (refused !== null) return refused;
  if (place.operation === 'count_tokens') return readCount(body, model);
  const checked = checkMessage(body, 'GenerateContentRequest');
  if ('violations' in checked) return malformed(checked.violations);
  const generation = readGeneration(fieldsOf(checked.value['generationConfig']));
  if (typeof generation === 'string') return invalid(generation);
  const tools = readTools(listOf(checked.value['tools']), fieldsOf(checked.value['toolConfig']));
  if (typeof tools === 'string') return invalid(tools);
  const problem = saidProblem(checked.value, model);
  if (problem !== null) return problem;
  const own: Own = {
    form: place.form === 'array' ? 'array' : 'sse',
    includeThoughts: generation.includeThoughts,
    traits,
  };
  return {
    ...PLAIN_REQUEST,
    ...generation.neutral,
    ...tools,
    ...whatWasSaid(checked.value),
    operation: 'generate',
    model,
    stream: place.stream === true,
    includeUsage: true,
    own,
  };
}

function readCount(body: unknown, model: string): SimRequest | Refusal {
  const checked = checkMessage(body, 'CountTokensRequest');
  if ('violations' in checked) return malformed(checked.violations);
  const { contents, generateContentRequest } = checked.value;
  if (contents !== undefined && generateContentRequest !== undefined) {
    return invalid('* CountTokensRequest: contents and generate_content_request cannot both be set\n');
  }
  const counted = generateContentRequest === undefined ? checked.value : fieldsOf(generateContentRequest);
  if (generateContentRequest !== undefined && counted['model'] !== `models/${model}`) {
    return invalid('* CountTokensRequest.generate_content_request.model: unexpected model name format\n');
  }
  if (listOf(counted['contents']).length === 0)
    return invalid('* CountTokensRequest.contents: contents is not specified\n');
  return { ...PLAIN_REQUEST, ...whatWasSaid(counted), operation: 'count_tokens', model, own: PLAIN_OWN };
}

function saidProblem(request: Message, model: string): Refusal | null {
  const { cachedContent, continuationToken } = request;
  if (cachedContent !== undefined) {
    return { status: 403, message: 'CachedContent not found (or permission denied)', param: null };
  }
  if (continuationToken !== undefined) return invalid('* GenerateContentRequest.continuation_token: not valid\n');
  const categories = listOf(request['safetySettings']).map((setting) => setting['category']);
  if (new Set(categories).size < categories.length) return invalid('Duplicate safety setting for one category.');
  for (const [i, part] of listOf(fieldsOf(request['systemInstruction'])['parts']).entries()) {
    const path = `GenerateContentRequest.system_instruction.parts[${i}]`;
    const problem =
      partProblem(part, path, { model, strict: false, spokenByModel: false }) ??
      (part['text'] === undefined ? `* ${path}: must be text\n` : null);
    if (problem !== null) return invalid(problem);
  }
  const problem = contentsProblem(listOf(request['contents']), model, isStrict(model));
  return problem === null ? null : invalid(problem);
}

function whatWasSaid(request: Message): Pick<SimRequest, 'lastUserText' | 'lastRole' | 'promptTokens'> {
  const contents = listOf(request['contents']);
  const last = contents.at(-1);
  const answersCall = listOf(last?.['parts']).some((part) => part['functionResponse'] !== undefined);
  const spoken = contents.findLast((content) => content['role'] !== 'model' && textOf(content['parts']) !== '');
  const role = last?.['role'] === 'model' ? 'assistant' : 'user';
  const instruction = fieldsOf(request['systemInstruction']);
  return {
    lastUserText: textOf(spoken?.['parts']),
    lastRole: answersCall ? 'tool' : role,
    promptTokens: 3 + [instruction, ...contents].reduce((sum, content) => sum + contentTokens(content), 0),
  };
}

function contentTokens(content: Message): number {
  const parts = listOf(content['parts']);
  if (parts.length === 0) return 0;
  return parts.reduce((sum, part) => {
    if (part['inlineData'] !== undefined || part['fileData'] !== undefined) return sum + MEDIA_TOKENS;
    const { functionCall, functionResponse, text } = part;
    return sum + tokensOf(typeof text === 'string' ? text : JSON.stringify(functionCall ?? functionResponse ?? ''));
  }, 4);
}

/** Query parameters of the transport, allowed everywhere. */
const QUERY = ['key', 'alt', '$alt', 'prettyPrint', 'fields', 'quotaUser', 'access_token', 'callback', '$.xgafv'];

function queryProblem(ask: Ask): Refusal | null {
  for (const name of ask.query.keys()) {
    if (QUERY.includes(name)) continue;
    const description = `Invalid JSON payload received. Unknown name "${name}": Cannot bind query parameter.`;
    return malformed([{ field: '', description }]);
  }
  return null;
}

/** The request is no such message. */
function malformed(violations: readonly Violation[]): Refusal {
  return { message: violations.map((one) => one.description).join('\n'), param: violations[0]?.field ?? '' };
}

/** The request is a message that makes no sense. */
function invalid(message: string): Refusal {
  return { message, param: null };
}
