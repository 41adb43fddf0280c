/** Limits, sampling, reasoning and format as this dialect has them; what it has no word for is recorded. */
import type { CanonicalRequest, JsonText, Sampling } from '../canonical.ts';
import type { TargetFacts, UpstreamWrite } from '../contract.ts';
import { effortOf, nearestEffort } from '../cross/effort-levels.ts';
import { dropped, leftOut } from '../cross/hints.ts';
import { objectText } from '../cross/json-text.ts';
import type { RequestChanges } from '../cross/request-changes.ts';
import { isForced } from '../messages/upstream-misses.ts';
import { EFFORTS, type WrittenThinking, writeThinking } from '../messages/upstream-options.ts';

/** Hottest that is taken. */
const HOTTEST = 1;
/** What a budget is fitted into where nobody says how long an answer may be. */
const USUAL_OUTPUT = 32_000;

type Members = [string, JsonText][];

/** Models of the Messages vendor: its own fields pass through to them (`additionalModelRequestFields`). */
export function takesVendorFields({ vendor }: TargetFacts): boolean {
  return vendor === 'anthropic';
}

/** Null = nobody says. A limit beyond the model's own would be refused. */
function outputLimit(
  { maxOutputTokens }: CanonicalRequest,
  { target, outputTokens }: UpstreamWrite,
  changes: RequestChanges,
): number | null {
  const asked = outputTokens ?? maxOutputTokens;
  const most = target.maxOutputTokens;
  if (asked === null || most === null || asked <= most) return asked;
  changes.note(`max_tokens ${asked} → ${most}`);
  return most;
}

/** What the model is told of thinking; of others than the vendor's it is the effort alone. */
export function thinkingOf(
  request: CanonicalRequest,
  write: UpstreamWrite,
  answersUnthought: boolean,
  changes: RequestChanges,
): WrittenThinking {
  if (takesVendorFields(write.target)) {
    const maxTokens = write.outputTokens ?? request.maxOutputTokens ?? write.target.maxOutputTokens ?? USUAL_OUTPUT;
    return writeThinking(
      request,
      write,
      { maxTokens, forced: isForced(request.toolChoice), answersUnthought },
      changes,
    );
  }
  return { thinking: null, effort: effortWord(request, write.target, changes), on: false };
}

function effortWord(
  { reasoning: { effort, budget, shown }, maxOutputTokens }: CanonicalRequest,
  { lacks }: TargetFacts,
  changes: RequestChanges,
): string | null {
  const asked = effort ?? (budget === null ? null : effortOf(budget, maxOutputTokens));
  if (asked === 'none') changes.mention(leftOut('reasoning off'));
  else if (asked === null && shown === true) changes.mention(leftOut('wish to read thoughts'));
  if (asked === null || asked === 'none') return null;
  const word = lacks.has('reasoning') ? null : nearestEffort(asked, EFFORTS);
  if (effort !== null && budget !== null) changes.note(dropped('reasoning budget'));
  if (word === null) changes.note(dropped('reasoning_effort'));
  else if (effort === null) changes.note(`thinking budget ${budget} → effort ${word}`);
  else if (word !== effort) changes.note(`effort ${effort} → ${word}`);
  return word;
}

/** Null = nothing to say. `thinks`: then sampling keeps still. */
export function inferenceConfig(
  request: CanonicalRequest,
  write: UpstreamWrite,
  thinks: boolean,
  changes: RequestChanges,
): JsonText | null {
  const members: Members = [];
  const most = outputLimit(request, write, changes);
  if (most !== null) members.push(['maxTokens', String(most)]);
  const { temperature, topP } = request.sampling;
  const heard = !write.target.lacks.has('temperature') && !thinks;
  if (temperature !== undefined && heard) {
    if (temperature > HOTTEST) changes.note(`temperature ${temperature} → ${HOTTEST}`);
    members.push(['temperature', String(Math.min(temperature, HOTTEST))]);
  }
  // The vendor's newer models take one of the two.
  const takesTopP = heard && (temperature === undefined || !takesVendorFields(write.target));
  if (topP !== undefined && takesTopP) members.push(['topP', String(topP)]);
  const stops = request.stop.filter((text) => text !== '');
  if (stops.length > 0) members.push(['stopSequences', JSON.stringify(stops)]);
  noteSampling(request.sampling, { heard, takesTopP, takesTopK: takesTopK(write, thinks) }, changes);
  return members.length === 0 ? null : objectText(members);
}

function takesTopK({ target }: UpstreamWrite, thinks: boolean): boolean {
  return takesVendorFields(target) && !target.lacks.has('temperature') && !thinks;
}

interface Heard {
  readonly heard: boolean;
  readonly takesTopP: boolean;
  readonly takesTopK: boolean;
}

/** A value that changes nothing goes without a word. */
function noteSampling(
  sampling: Sampling,
  { heard, takesTopP, takesTopK: takesK }: Heard,
  changes: RequestChanges,
): void {
  const lost: readonly (readonly [keyof Sampling, string, boolean])[] = [
    ['temperature', 'temperature', !heard && sampling.temperature !== HOTTEST],
    ['topP', 'top_p', !takesTopP && sampling.topP !== 1],
    ['topK', 'top_k', !takesK],
    ['seed', 'seed', true],
    ['presencePenalty', 'presence_penalty', sampling.presencePenalty !== 0],
    ['frequencyPenalty', 'frequency_penalty', sampling.frequencyPenalty !== 0],
    ['logitBias', 'logit_bias', true],
  ];
  for (const [key, name, isLost] of lost) if (isLost && sampling[key] !== undefined) changes.note(dropped(name));
}

/** Schema and effort; null = neither. */
export function outputConfig({ format }: CanonicalRequest, effort: string | null): JsonText | null {
  const members: Members = [];
  if (format?.type === 'schema') members.push(['textFormat', formatText(format)]);
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

/** What only the model's maker has words for; null = nothing. */
export function vendorFields(
  { sampling, parallelCalls, tools, toolChoice }: CanonicalRequest,
  write: UpstreamWrite,
  { thinking, on }: WrittenThinking,
  changes: RequestChanges,
): JsonText | null {
  const members: Members = [];
  if (sampling.topK !== undefined && takesTopK(write, on)) members.push(['top_k', String(sampling.topK)]);
  if (thinking !== null) members.push(['thinking', thinking]);
  if (parallelCalls === false && tools.length > 0) {
    const free = toolChoice === null || toolChoice.mode === 'auto';
    if (free && takesVendorFields(write.target)) {
      members.push(['tool_choice', '{"type":"auto","disable_parallel_tool_use":true}']);
    } else changes.note(dropped('parallel_tool_calls'));
  }
  return members.length === 0 ? null : objectText(members);
}
