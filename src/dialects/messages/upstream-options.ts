/** Limits, sampling, thinking, format and hints as this dialect has them; what it has no word for is recorded. */
import type { CanonicalRequest, JsonText, Sampling } from '../canonical.ts';
import type { UpstreamWrite } from '../contract.ts';
import { budgetOf, effortOf, nearestEffort } from '../cross/effort-levels.ts';
import { dropped, leftOut, takeHints } from '../cross/hints.ts';
import { objectText } from '../cross/json-text.ts';
import type { RequestChanges } from '../cross/request-changes.ts';
import { SCHEMA_NARROWED } from '../cross/schema-subset.ts';
import { closeSchema } from './closed-schema.ts';

export const EFFORTS = ['low', 'medium', 'high', 'xhigh', 'max'];
/** Allowed where neither the client nor the catalogue says how long an answer may be. */
const USUAL_OUTPUT = 8192;
const LEAST_BUDGET = 1024;
/** Hottest that is taken. */
const HOTTEST = 1;

type Members = [string, JsonText][];

/** The dialect wants a limit; one beyond the model's own is refused. */
export function outputLimit(request: CanonicalRequest, write: UpstreamWrite, changes: RequestChanges): number {
  const most = write.target.maxOutputTokens;
  const asked = write.outputTokens ?? request.maxOutputTokens;
  if (asked !== null) {
    if (most === null || asked <= most) return asked;
    changes.note(`max_tokens ${asked} → ${most}`);
    return most;
  }
  const limit = most ?? USUAL_OUTPUT;
  if (most === null) changes.note(`max_tokens set to ${limit}`);
  else changes.mention(`max_tokens set to ${limit}`);
  return limit;
}

/** What thinking depends on beside the wish for it. */
export interface ThinkingFacts {
  readonly maxTokens: number;
  readonly forced: boolean;
  /** Results come now whose call does not begin with its thought: not taken under a budget. */
  readonly answersUnthought: boolean;
}

export interface WrittenThinking {
  /** Null = not a word about it. */
  readonly thinking: JsonText | null;
  readonly effort: string | null;
  /** The model thinks: sampling must keep still. */
  readonly on: boolean;
}

const UNSAID: WrittenThinking = { thinking: null, effort: null, on: false };

export function writeThinking(
  { reasoning, prefill }: CanonicalRequest,
  { target: { lacks } }: UpstreamWrite,
  facts: ThinkingFacts,
  changes: RequestChanges,
): WrittenThinking {
  const { effort, budget, shown } = reasoning;
  if (effort === 'none' || budget === 0) return { ...UNSAID, thinking: lacks.has('reasoning_off') ? null : OFF };
  if (effort === null && budget === null) {
    if (shown === true) changes.mention(leftOut('wish to read thoughts'));
    return UNSAID;
  }
  if (facts.forced || prefill) {
    // Not together: what the client relies on stays.
    changes.note(dropped('thinking'));
    return UNSAID;
  }
  const byBudget = budget !== null && !lacks.has('thinking_budget');
  const display: Members = shown === null ? [] : [['display', shown ? '"summarized"' : '"omitted"']];
  if (byBudget || lacks.has('adaptive_thinking')) {
    const tokens =
      budget !== null && budget > 0 ? budget : (budgetOf(effort ?? 'medium', facts.maxTokens) ?? LEAST_BUDGET);
    if (!byBudget) changes.note(`effort ${effort} → thinking budget ${tokens}`);
    else if (effort !== null) changes.note(dropped('reasoning_effort'));
    return thinkingBudget(tokens, facts, shown === false ? display : [], changes);
  }
  const wanted = effort ?? effortOf(budget!, facts.maxTokens);
  const word = nearestEffort(wanted, EFFORTS);
  if (effort === null) changes.note(`thinking budget ${budget} → effort ${word}`);
  else if (word === null) changes.note(dropped('reasoning_effort'));
  else if (word !== effort) changes.note(`effort ${effort} → ${word}`);
  return { thinking: objectText([['type', '"adaptive"'], ...display]), effort: word, on: true };
}

const OFF = '{"type":"disabled"}';

/** Less than the answer's limit and at least the least; where no room is left there is no thinking. */
function thinkingBudget(
  tokens: number,
  { maxTokens, answersUnthought }: ThinkingFacts,
  display: Members,
  changes: RequestChanges,
): WrittenThinking {
  const fitting = Math.max(LEAST_BUDGET, Math.min(tokens, maxTokens - 1));
  if (answersUnthought || fitting >= maxTokens) {
    changes.note(dropped('thinking'));
    return UNSAID;
  }
  if (fitting !== tokens) changes.note(`thinking budget ${tokens} → ${fitting}`);
  const members: Members = [['type', '"enabled"'], ['budget_tokens', String(fitting)], ...display];
  return { thinking: objectText(members), effort: null, on: true };
}

/** `thinks`: then only what does not disturb it is taken. */
export function samplingMembers(
  { sampling, stop }: CanonicalRequest,
  { target: { lacks } }: UpstreamWrite,
  thinks: boolean,
  changes: RequestChanges,
): Members {
  const members: Members = [];
  const stops = stop.filter((text) => text !== '');
  if (stops.length > 0) members.push(['stop_sequences', JSON.stringify(stops)]);
  const heard = !lacks.has('temperature') && !thinks;
  const { temperature, topP, topK } = sampling;
  if (heard && temperature !== undefined) {
    if (temperature > HOTTEST) changes.note(`temperature ${temperature} → ${HOTTEST}`);
    members.push(['temperature', String(Math.min(temperature, HOTTEST))]);
  }
  // Newer models take one of the two.
  const takesTopP = heard && temperature === undefined;
  if (takesTopP && topP !== undefined) members.push(['top_p', String(topP)]);
  if (heard && topK !== undefined) members.push(['top_k', String(topK)]);
  const lost: readonly (readonly [keyof Sampling, string, boolean])[] = [
    ['temperature', 'temperature', !heard && temperature !== HOTTEST],
    ['topP', 'top_p', !takesTopP && topP !== 1],
    ['topK', 'top_k', !heard],
    ['seed', 'seed', true],
    ['presencePenalty', 'presence_penalty', sampling.presencePenalty !== 0],
    ['frequencyPenalty', 'frequency_penalty', sampling.frequencyPenalty !== 0],
    ['logitBias', 'logit_bias', true],
  ];
  for (const [key, name, isLost] of lost) if (isLost && sampling[key] !== undefined) changes.note(dropped(name));
  return members;
}

/** Schema and effort; null = neither. */
export function outputConfig(
  { format }: CanonicalRequest,
  effort: string | null,
  changes: RequestChanges,
): JsonText | null {
  const members: Members = [];
  const closed = format?.type === 'schema' ? closeSchema(format.schema) : null;
  if (closed !== null) {
    if (closed.narrowed) changes.note(SCHEMA_NARROWED);
    members.push([
      'format',
      objectText([
        ['type', '"json_schema"'],
        ['schema', closed.schema],
      ]),
    ]);
  }
  if (effort !== null) members.push(['effort', JSON.stringify(effort)]);
  return members.length === 0 ? null : objectText(members);
}

const CARRIED: ReadonlySet<string> = new Set(['user', 'safety_identifier', 'service_tier', 'cache_control']);

export interface WrittenHints {
  readonly members: Members;
  /** The mark behind which a cache may keep the request; null = none was asked for. */
  readonly cacheMark: JsonText | null;
}

export function writeHints(hints: ReadonlyMap<string, JsonText>, changes: RequestChanges): WrittenHints {
  const kept = takeHints(hints, CARRIED, changes);
  const members: Members = [];
  const user = kept.get('user') ?? kept.get('safety_identifier');
  if (user?.startsWith('"') === true) members.push(['metadata', objectText([['user_id', user]])]);
  const tier = kept.get('service_tier') ?? '"auto"';
  if (tier === '"default"') members.push(['service_tier', '"standard_only"']);
  else if (tier !== '"auto"') changes.note(dropped('service_tier'));
  const mark = kept.get('cache_control');
  const isMark = mark?.includes('"ephemeral"') === true;
  if (mark !== undefined && !isMark) changes.note(dropped('cache_control'));
  return { members, cacheMark: isMark ? mark : null };
}
