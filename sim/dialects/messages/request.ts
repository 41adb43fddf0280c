/** Reads a request of the Messages API, as strictly as its vendor. */
import type { IncomingHttpHeaders } from 'node:http';
import { isFields, textOf } from '../../answer/fields.ts';
import type { Memory } from '../../answer/memory.ts';
import { type Operation, PLAIN_REQUEST, type Refusal, type SimRequest } from '../../answer/request.ts';
import { isStrict } from '../dialect.ts';
import { readBlocks } from './blocks.ts';
import { readCaller } from './caller.ts';
import { readFinishLabel } from './labels.ts';
import { checkFieldNames, checkMisc, checkSampling, readOutputSchema, readStops } from './options.ts';
import { sizePrompt } from './prompt-size.ts';
import { RefusedRequest, refuse, textAt, wholeNumberAt } from './refused.ts';
import { readThinking } from './thinking-option.ts';
import { readToolChoice, readTools } from './tools.ts';
import { readTurns, type Turn } from './turns.ts';

/** What only the Messages rendering needs of a request. */
export interface MessagesOwn {
  /** Thoughts go out as signatures without text. */
  readonly hidden: boolean;
  /** Why the answer ends, whatever it holds. Null = for its own reason. */
  readonly finish: string | null;
  /** Tokens of the prompt that were kept from an earlier call, and those kept now. */
  readonly cacheRead: number;
  readonly cacheCreated: number;
  /** Names the beginning to be kept; null = none. */
  readonly prefix: string | null;
}

export const NO_OWN: MessagesOwn = { hidden: false, finish: null, cacheRead: 0, cacheCreated: 0, prefix: null };
const MOST_CACHE_MARKS = 4;
/** Levels of a request's JSON. */
const DEEPEST = 500;

/** `memory` knows the beginnings that earlier answers kept. */
export function readMessagesRequest(
  body: unknown,
  operation: Operation,
  headers: IncomingHttpHeaders,
  memory: Memory,
): SimRequest | Refusal {
  if (isNestedBeyond(body, DEEPEST)) return { message: 'The request is nested too deeply.', param: null };
  try {
    return readRequest(body, operation, headers, memory);
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

function readRequest(body: unknown, operation: Operation, headers: IncomingHttpHeaders, memory: Memory): SimRequest {
  if (!isFields(body)) refuse('', 'Input should be a valid dictionary');
  const strict = typeof body['model'] === 'string' && isStrict(body['model']);
  const { newVersion, beta } = readCaller(headers, strict);
  const countOnly = operation === 'count_tokens';
  checkFieldNames(body, countOnly, beta);
  const model = textAt(body['model'], 'model');
  if (model === '') refuse('model', 'String should have at least 1 character');
  const finish = readFinishLabel(model);
  if (typeof finish === 'object' && finish !== null) {
    throw new RefusedRequest({ status: 404, message: finish.problem, param: 'model' });
  }
  const maxTokens = countOnly ? null : wholeNumberAt(body['max_tokens'], 'max_tokens', 1);
  checkMisc(body);
  checkSampling(body, newVersion || strict);
  const thinking = readThinking(body, strict);
  const { system } = body;
  if (system !== undefined && system !== null) readSystem(system, newVersion);
  const tools = readTools(body['tools']);
  const anyTools = Array.isArray(body['tools']) && body['tools'].length > 0;
  const { choice, parallel } = readToolChoice(body['tool_choice'], tools, anyTools);
  checkForced(choice, thinking.on, strict);
  const turns = readTurns(body['messages'], { newVersion, strict, thoughtFirst: thinking.budgeted });
  const size = sizePrompt(body);
  if (size.marks > MOST_CACHE_MARKS) {
    refuse('', `A maximum of 4 blocks with cache_control may be provided. Found ${size.marks}.`);
  }
  const known = size.prefix !== null && memory.recall(size.prefix) !== undefined;
  const own: MessagesOwn = {
    hidden: thinking.hidden,
    finish,
    cacheRead: known ? size.marked : 0,
    cacheCreated: known ? 0 : size.marked,
    prefix: countOnly ? null : size.prefix,
  };
  return {
    ...PLAIN_REQUEST,
    operation,
    model,
    stream: body['stream'] === true,
    includeUsage: true,
    maxTokens,
    tools,
    toolChoice: choice,
    parallelTools: parallel,
    schema: readOutputSchema(body),
    reasoning: thinking.on,
    stop: readStops(body['stop_sequences']),
    lastUserText: lastUserText(turns),
    lastRole: lastRole(turns),
    promptTokens: size.tokens,
    own,
  };
}

/** Words alone: tools come and go between turns. */
function readSystem(system: unknown, newVersion: boolean): void {
  const odd = readBlocks(system, 'system', { role: 'system', newVersion }).find(({ type }) => type !== 'text');
  if (odd !== undefined) refuse('system', `\`${odd.type}\` blocks are not permitted here`);
}

function checkForced(choice: SimRequest['toolChoice'], thinks: boolean, strict: boolean): void {
  if (choice === 'auto' || choice === 'none') return;
  if (thinks) refuse('', 'Thinking may not be enabled when tool_choice forces tool use.');
  if (strict) refuse('tool_choice', 'forced tool use is not supported by this model');
}

/** What the user said last in words, not through a tool. */
function lastUserText(turns: readonly Turn[]): string {
  for (const { role, blocks } of turns.toReversed()) {
    const texts = blocks.filter((block) => block.type === 'text').map((block) => block.fields);
    if (role === 'user' && texts.length > 0) return textOf(texts);
  }
  return '';
}

function lastRole(turns: readonly Turn[]): string | null {
  const last = turns.at(-1);
  return last?.blocks.at(-1)?.type === 'tool_result' ? 'tool' : (last?.role ?? null);
}
