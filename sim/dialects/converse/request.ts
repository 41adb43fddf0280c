/** Reads a request of the Converse API, as strictly as its vendor. */
import { fieldsOf, isFields, tokensOf, wordOf } from '../../answer/fields.ts';
import { PLAIN_REQUEST, type Refusal, type SimRequest } from '../../answer/request.ts';
import { isStrict, type Place } from '../dialect.ts';
import { readBlocks } from './blocks.ts';
import { readTraits, type Traits } from './labels.ts';
import { readOptions } from './options.ts';
import { fieldsAt, listAt, RefusedRequest, refuse, unionAt } from './refused.ts';
import { readTools } from './tools.ts';
import { readTurns, type Turn } from './turns.ts';

/** Levels of a request's JSON. */
const DEEPEST = 500;

/** Never throws. */
export function readConverseRequest(body: unknown, place: Place): SimRequest | Refusal {
  if (isNestedBeyond(body, DEEPEST)) return { message: 'The request is nested too deeply.', param: null };
  try {
    return readRequest(body, place);
  } catch (error) {
    if (error instanceof RefusedRequest) return error.refusal;
    throw error;
  }
}

/** Level by level: JSON may be nested deeper than anything that calls itself can follow. */
function isNestedBeyond(value: unknown, most: number): boolean {
  let level: unknown[] = [value];
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > most) return true;
    level = level.flatMap((one) => (typeof one === 'object' && one !== null ? (Object.values(one) as unknown[]) : []));
  }
  return false;
}

function readRequest(body: unknown, place: Place): SimRequest {
  if (!isFields(body)) refuse('Malformed input request: #: expected type: JSONObject.');
  const model = place.model ?? '';
  if (model === '') refuse('The provided model identifier is invalid.');
  const strict = isStrict(model);
  const traits = readTraits(model);
  if (typeof traits === 'string') throw new RefusedRequest({ status: 404, message: traits, param: null });
  const options = readOptions(body, strict);
  checkSystem(body['system']);
  const turns = readTurns(body['messages'], strict);
  const read = readTools(body['toolConfig'], !strict);
  if (read === null && turns.some(({ blocks }) => blocks.some(({ type }) => /^tool/.test(type)))) {
    refuse('The toolConfig field must be defined when using toolUse and toolResult content blocks.');
  }
  return {
    ...PLAIN_REQUEST,
    model,
    stream: place.stream === true,
    includeUsage: true,
    maxTokens: options.maxTokens,
    tools: read?.tools ?? [],
    toolChoice: read?.choice ?? 'auto',
    parallelTools: options.parallel,
    schema: options.schema,
    reasoning: options.reasoning,
    stop: options.stop,
    lastUserText: lastUserText(turns),
    lastRole: turns.at(-1)?.blocks.at(-1)?.type === 'toolResult' ? 'tool' : (turns.at(-1)?.role ?? null),
    promptTokens: tokensOf(JSON.stringify([body['system'], body['messages'], body['toolConfig']])),
    own: traits satisfies Traits,
  };
}

function checkSystem(value: unknown): void {
  if (value === undefined || value === null) return;
  listAt(value, 'system').forEach((block, i) => {
    const [type] = unionAt(block, `system.${i}`, ['text', 'guardContent', 'cachePoint']);
    if (type === 'guardContent') fieldsAt(fieldsOf(block)[type], `system.${i}.guardContent`, ['text', 'image'], []);
    else readBlocks([block], 'system', { role: 'user', documents: new Set() });
  });
}

/** What the user said last in words, not through a tool. */
function lastUserText(turns: readonly Turn[]): string {
  for (const { role, blocks } of turns.toReversed()) {
    const texts = blocks.filter(({ type }) => type === 'text').map(({ value }) => wordOf(value));
    if (role === 'user' && texts.length > 0) return texts.join('\n');
  }
  return '';
}
