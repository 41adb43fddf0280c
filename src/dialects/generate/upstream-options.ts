/** `generationConfig` as an upstream of this dialect gets it; what it has no word for is recorded. */
import type { CanonicalRequest, JsonText } from '../canonical.ts';
import type { UpstreamWrite } from '../contract.ts';
import { budgetOf, effortOf, nearestEffort } from '../cross/effort-levels.ts';
import { dropped } from '../cross/hints.ts';
import { objectText } from '../cross/json-text.ts';
import type { RequestChanges } from '../cross/request-changes.ts';

const LEVELS = ['minimal', 'low', 'medium', 'high', 'xhigh'];
const SEEDS = { least: -(2 ** 31), most: 2 ** 31 - 1 };
const MOST_TOP_K = 1000;

type Members = [string, JsonText][];

/** Null = nothing to say. */
export function configText(request: CanonicalRequest, write: UpstreamWrite, changes: RequestChanges): JsonText | null {
  const members: Members = [];
  const most = write.outputTokens ?? request.maxOutputTokens;
  if (request.n > 1) members.push(['candidateCount', String(request.n)]);
  if (most !== null) members.push(['maxOutputTokens', String(most)]);
  if (request.stop.length > 0) members.push(['stopSequences', JSON.stringify(request.stop)]);
  members.push(...samplingMembers(request, write, changes));
  if (request.logprobs !== null) {
    members.push(['responseLogprobs', 'true']);
    if (request.logprobs > 0) members.push(['logprobs', String(request.logprobs)]);
  }
  members.push(...formatMembers(request));
  if (request.modalities.includes('image')) members.push(['responseModalities', '["TEXT","IMAGE"]']);
  const thinking = thinkingText(request, write, changes);
  if (thinking !== null) members.push(['thinkingConfig', thinking]);
  return members.length === 0 ? null : objectText(members);
}

function samplingMembers({ sampling }: CanonicalRequest, { target }: UpstreamWrite, changes: RequestChanges): Members {
  const { temperature, topP, topK, seed, presencePenalty, frequencyPenalty, logitBias } = sampling;
  const heard = !target.lacks.has('temperature');
  const fitting: readonly (readonly [string, string, number | undefined, boolean])[] = [
    ['temperature', 'temperature', temperature, heard],
    ['topP', 'top_p', topP, heard],
    ['topK', 'top_k', topK, heard && (topK ?? 0) <= MOST_TOP_K],
    ['seed', 'seed', seed, isSeed(seed)],
    ['presencePenalty', 'presence_penalty', presencePenalty, !target.lacks.has('penalties')],
    ['frequencyPenalty', 'frequency_penalty', frequencyPenalty, !target.lacks.has('penalties')],
  ];
  if (logitBias !== undefined) changes.note(dropped('logit_bias'));
  return fitting.flatMap(([name, spoken, value, fits]): Members => {
    if (value === undefined) return [];
    if (fits) return [[name, String(value)]];
    changes.note(dropped(spoken));
    return [];
  });
}

function isSeed(seed: number | undefined): boolean {
  return seed !== undefined && Number.isInteger(seed) && seed >= SEEDS.least && seed <= SEEDS.most;
}

/** Name and description of a schema are bookkeeping; a schema is always kept to, as `strict` asks. */
function formatMembers({ format }: CanonicalRequest): Members {
  if (format === null) return [];
  const members: Members = [['responseMimeType', '"application/json"']];
  if (format.type === 'schema') members.push(['responseJsonSchema', format.schema]);
  return members;
}

/** A level where a level is asked for, a budget where a budget is: as far as the model takes them. */
function thinkingText(
  { reasoning, maxOutputTokens }: CanonicalRequest,
  { target, outputTokens }: UpstreamWrite,
  changes: RequestChanges,
): JsonText | null {
  const { effort, budget, shown } = reasoning;
  const members: Members = [];
  if (shown !== null) members.push(['includeThoughts', String(shown)]);
  const most = outputTokens ?? maxOutputTokens;
  if (effort === 'none') members.push(['thinkingBudget', '0']);
  else if (budget !== null && !target.lacks.has('thinking_budget')) {
    members.push(['thinkingBudget', String(budget)]);
    if (effort !== null) changes.note(dropped('reasoning_effort'));
  } else if (effort !== null || budget !== null) {
    const asked = effort ?? effortOf(budget ?? 0, most);
    const level = nearestEffort(asked, LEVELS);
    if (effort === null) changes.note(`thinking budget ${budget} → ${level}`);
    else if (level !== effort)
      changes.note(level === null ? dropped('reasoning_effort') : `effort ${effort} → ${level}`);
    if (level !== null) members.push(levelMember(level, most, target, changes));
  }
  return members.length === 0 ? null : objectText(members);
}

function levelMember(
  level: string,
  most: number | null,
  { lacks }: UpstreamWrite['target'],
  changes: RequestChanges,
): [string, JsonText] {
  if (!lacks.has('thinking_level')) return ['thinkingLevel', JSON.stringify(level.toUpperCase())];
  const budget = budgetOf(level, most);
  changes.note(`effort ${level} → thinking budget ${budget}`);
  return ['thinkingBudget', String(budget)];
}
