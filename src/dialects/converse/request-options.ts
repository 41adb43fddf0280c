/** Limits, sampling, reasoning, format and hints as this dialect has them; what it has no word for is recorded. */
import type { CanonicalRequest, JsonText, Sampling } from '../canonical.ts';
import type { TargetFacts, UpstreamWrite } from '../contract.ts';
import { budgetOf, effortOf, nearestEffort } from '../cross/effort-levels.ts';
import { dropped } from '../cross/hints.ts';
import { objectText } from '../cross/json-text.ts';
import type { RequestChanges } from './request-changes.ts';

const EFFORTS = ['low', 'medium', 'high', 'xhigh', 'max'];
/** Hottest that is taken. */
const HOTTEST = 1;
const LEAST_BUDGET = 1024;

/** The one vendor whose own fields are known to pass through `additionalModelRequestFields`. */
function takesVendorFields({ vendor }: TargetFacts): boolean {
  return vendor === 'anthropic';
}

type Members = [string, JsonText][];

/** Null = nothing to say. */
export function inferenceConfig(
  request: CanonicalRequest,
  write: UpstreamWrite,
  changes: RequestChanges,
): JsonText | null {
  const members: Members = [];
  const most = write.outputTokens ?? request.maxOutputTokens;
  if (most !== null) members.push(['maxTokens', String(most)]);
  const { temperature, topP } = request.sampling;
  const heard = !write.target.lacks.has('temperature');
  if (temperature !== undefined && heard) {
    if (temperature > HOTTEST) changes.note(`temperature ${temperature} → ${HOTTEST}`);
    members.push(['temperature', String(Math.min(temperature, HOTTEST))]);
  }
  if (topP !== undefined && heard) members.push(['topP', String(topP)]);
  if (request.stop.length > 0) members.push(['stopSequences', JSON.stringify(request.stop)]);
  noteSampling(request.sampling, heard, takesVendorFields(write.target), changes);
  return members.length === 0 ? null : objectText(members);
}

function noteSampling(sampling: Sampling, heard: boolean, ownFields: boolean, changes: RequestChanges): void {
  const lost: readonly (readonly [keyof Sampling, string, boolean])[] = [
    ['temperature', 'temperature', !heard],
    ['topP', 'top_p', !heard],
    ['topK', 'top_k', !heard || !ownFields],
    ['seed', 'seed', true],
    ['presencePenalty', 'presence_penalty', true],
    ['frequencyPenalty', 'frequency_penalty', true],
    ['logitBias', 'logit_bias', true],
  ];
  for (const [key, name, isLost] of lost) if (isLost && sampling[key] !== undefined) changes.note(dropped(name));
}

/** Schema and effort; null = neither. */
export function outputConfig(request: CanonicalRequest, target: TargetFacts, changes: RequestChanges): JsonText | null {
  const members: Members = [];
  if (request.format?.type === 'schema') members.push(['textFormat', formatText(request.format)]);
  const effort = effortWord(request, target, changes);
  if (effort !== null) members.push(['effort', JSON.stringify(effort)]);
  return members.length === 0 ? null : objectText(members);
}

function formatText({ schema, name, description }: Extract<CanonicalRequest['format'], { type: 'schema' }>): JsonText {
  const members: Members = [['schema', JSON.stringify(schema)]];
  if (name !== null) members.push(['name', JSON.stringify(name)]);
  if (description !== null) members.push(['description', JSON.stringify(description)]);
  return objectText([
    ['type', '"json_schema"'],
    ['structure', objectText([['jsonSchema', objectText(members)]])],
  ]);
}

/** A budget that the vendor's own field takes needs no word; elsewhere it becomes the nearest one. */
function effortWord(
  { reasoning, maxOutputTokens }: CanonicalRequest,
  target: TargetFacts,
  changes: RequestChanges,
): string | null {
  const { effort, budget } = reasoning;
  if (effort !== null && effort !== 'none') {
    const word = nearestEffort(effort, EFFORTS);
    if (word !== effort) changes.note(word === null ? dropped('reasoning_effort') : `effort ${effort} → ${word}`);
    return word;
  }
  if (budget === null || budget <= 0 || takesVendorFields(target)) return null;
  const word = nearestEffort(effortOf(budget, maxOutputTokens), EFFORTS);
  changes.note(`thinking budget ${budget} → effort ${word}`);
  return word;
}

/** What only the model's maker has words for; null = nothing. */
export function vendorFields(
  request: CanonicalRequest,
  write: UpstreamWrite,
  changes: RequestChanges,
): JsonText | null {
  const { sampling, parallelCalls, tools, toolChoice } = request;
  const members: Members = [];
  const own = takesVendorFields(write.target);
  if (sampling.topK !== undefined && own && !write.target.lacks.has('temperature')) {
    members.push(['top_k', String(sampling.topK)]);
  }
  const thinking = own ? thinkingText(request, write) : null;
  if (thinking !== null) members.push(['thinking', thinking]);
  if (parallelCalls === false && tools.length > 0) {
    const free = toolChoice === null || toolChoice.mode === 'auto';
    if (own && free) members.push(['tool_choice', '{"type":"auto","disable_parallel_tool_use":true}']);
    else changes.note(dropped('parallel_tool_calls'));
  }
  return members.length === 0 ? null : objectText(members);
}

function thinkingText({ reasoning, maxOutputTokens }: CanonicalRequest, write: UpstreamWrite): JsonText | null {
  const { effort, budget, shown } = reasoning;
  const { lacks } = write.target;
  if (effort === 'none' || budget === 0) return lacks.has('reasoning_off') ? null : '{"type":"disabled"}';
  const most = write.outputTokens ?? maxOutputTokens;
  const tokens =
    budget !== null && budget > 0
      ? budget
      : effort !== null && lacks.has('adaptive_thinking')
        ? budgetOf(effort, most, LEAST_BUDGET)
        : null;
  if (tokens !== null) return objectText(budgetMembers(tokens, most));
  if (effort === null && budget === null) return null;
  const display = shown === null ? '' : `,"display":"${shown ? 'summarized' : 'omitted'}"`;
  return `{"type":"adaptive"${display}}`;
}

/** Less than the answer's limit, as its maker wants it, and at least the least. */
function budgetMembers(tokens: number, most: number | null): Members {
  const fitting = most === null ? tokens : Math.min(tokens, most - 1);
  return [
    ['type', '"enabled"'],
    ['budget_tokens', String(Math.max(LEAST_BUDGET, fitting))],
  ];
}
