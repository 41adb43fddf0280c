/** A canonical request as a Chat Completions upstream gets it. */
import type { Miss } from '../../core/request/capabilities.ts';
import { utf8 } from '../bytes/text.ts';
import type { CanonicalRequest, JsonText, Tool, ToolChoice, ToolNames } from '../canonical.ts';
import type { TargetFacts, UpstreamBody, UpstreamWrite } from '../contract.ts';
import { effortOf } from '../cross/effort-levels.ts';
import { dropped, takeHints } from '../cross/hints.ts';
import { objectText } from '../cross/json-text.ts';
import { ownVendor } from '../cross/opaque-marks.ts';
import { RequestChanges } from '../cross/request-changes.ts';
import { PLAIN_NAMES, renameTools, TOOLS_RENAMED, type ToolRenaming } from '../cross/tool-names.ts';
import { noteUnsaid, type Says } from '../cross/unsaid.ts';
import { writeMessages } from './upstream-messages.ts';

/** More stop sequences than these are refused. */
const MOST_STOPS = 4;
const MOST_BIAS_TOP = 20;

/** What this dialect has no words for (R-4's refusals). */
export function missesInChat(request: CanonicalRequest, { lacks }: TargetFacts): Miss | null {
  const feature = (name: string): Miss => ({ kind: 'feature', name });
  const [bound] = request.bound;
  if (bound !== undefined) return feature(bound);
  if (request.prefill) return feature('prefill');
  if (request.stop.length > MOST_STOPS) return feature('stop');
  if (request.logprobs !== null && request.logprobs > MOST_BIAS_TOP) return feature('logprobs');
  const modality = request.modalities.find((name) => name !== 'text');
  if (modality !== undefined) return feature(`${modality}_output`);
  const { toolChoice } = request;
  const forced =
    toolChoice?.mode === 'any' || toolChoice?.mode === 'one' || (toolChoice?.mode === 'some' && toolChoice.must);
  if (forced && lacks.has('tools_forced')) return feature('tools_forced');
  if (request.format?.type === 'schema' && lacks.has('json_schema')) return feature('json_schema');
  if (request.reasoning.effort === 'none' && lacks.has('reasoning_off')) return feature('reasoning_off');
  return missingInput(request);
}

/** Audio, films and documents this dialect takes only as data, and films not at all. */
function missingInput({ system, turns }: CanonicalRequest): Miss | null {
  for (const parts of [system, ...turns.map((turn) => turn.parts)]) {
    for (const part of parts.flatMap((one) => (one.type === 'result' ? [...one.parts] : [one]))) {
      if (part.type !== 'media' || part.media === 'image' || part.source.by === 'text') continue;
      if (part.media === 'video' || part.source.by === 'url') return { kind: 'input', name: part.media };
    }
  }
  return null;
}

const SAYS: Says = {
  detail: 'images',
  citations: 'none',
  anyArguments: true,
  textFiles: false,
  fileNames: true,
  refusals: true,
  schemaDescription: true,
  schemaName: true,
};

export function writeChatRequest(
  request: CanonicalRequest,
  write: UpstreamWrite,
): UpstreamBody & { readonly names: ToolNames } {
  const { target } = write;
  const changes = new RequestChanges();
  const renaming = renameTools(request, PLAIN_NAMES);
  if (renaming.names.size > 0) changes.note(TOOLS_RENAMED);
  const members: [string, JsonText][] = [['model', JSON.stringify(target.upstreamModel)]];
  members.push(['messages', writeMessages(request, write, renaming, changes)]);
  noteUnsaid(request, SAYS, changes);
  members.push(...toolMembers(request, renaming));
  if (request.format !== null) members.push(['response_format', formatText(request.format)]);
  members.push(...optionMembers(request, write, changes));
  if (request.stream) {
    members.push(['stream', 'true']);
    if (write.injectUsage) members.push(['stream_options', '{"include_usage":true}']);
  }
  const isOwn = target.vendor === ownVendor('openai-chat');
  members.push(...takeHints(request.hints, isOwn ? OWN_HINTS : COMMON_HINTS, changes));
  return {
    bytes: utf8(objectText(members)),
    changes: changes.words,
    dropped: changes.degrades,
    names: renaming.names,
  };
}

/** Understood by most who speak this dialect, and by its maker. */
const COMMON_HINTS: ReadonlySet<string> = new Set(['user']);
const OWN_HINTS: ReadonlySet<string> = new Set([
  'user',
  'metadata',
  'store',
  'service_tier',
  'verbosity',
  'safety_identifier',
  'prompt_cache_key',
  'prompt_cache_retention',
]);

function toolMembers(
  { tools, toolChoice, parallelCalls }: CanonicalRequest,
  renaming: ToolRenaming,
): [string, JsonText][] {
  if (tools.length === 0) return [];
  const members: [string, JsonText][] = [['tools', `[${tools.map((tool) => toolText(tool, renaming)).join(',')}]`]];
  const forms = new Map(tools.map((tool) => [tool.name, tool.form]));
  if (toolChoice !== null) members.push(['tool_choice', choiceText(toolChoice, renaming, forms)]);
  if (parallelCalls !== null) members.push(['parallel_tool_calls', String(parallelCalls)]);
  return members;
}

function toolText(tool: Tool, renaming: ToolRenaming): JsonText {
  const fields: [string, JsonText][] = [['name', JSON.stringify(renaming.outward(tool.name))]];
  if (tool.description !== null) fields.push(['description', JSON.stringify(tool.description)]);
  if (tool.schema !== null) fields.push([tool.form === 'custom' ? 'format' : 'parameters', tool.schema]);
  if (tool.strict !== null && tool.form === 'function') fields.push(['strict', String(tool.strict)]);
  return `{"type":"${tool.form}","${tool.form}":${objectText(fields)}}`;
}

function choiceText(choice: ToolChoice, renaming: ToolRenaming, forms: ReadonlyMap<string, Tool['form']>): JsonText {
  const named = (name: string): object => {
    const form = forms.get(name) ?? 'function';
    return { type: form, [form]: { name: renaming.outward(name) } };
  };
  if (choice.mode === 'one') return JSON.stringify(named(choice.name));
  if (choice.mode !== 'some') return choice.mode === 'any' ? '"required"' : `"${choice.mode}"`;
  const mode = choice.must ? 'required' : 'auto';
  return JSON.stringify({ type: 'allowed_tools', allowed_tools: { mode, tools: choice.names.map(named) } });
}

function formatText(format: NonNullable<CanonicalRequest['format']>): JsonText {
  if (format.type === 'json') return '{"type":"json_object"}';
  const fields: [string, JsonText][] = [['name', JSON.stringify(format.name ?? 'answer')]];
  if (format.description !== null) fields.push(['description', JSON.stringify(format.description)]);
  fields.push(['schema', format.schema]);
  if (format.strict !== null) fields.push(['strict', String(format.strict)]);
  return `{"type":"json_schema","json_schema":${objectText(fields)}}`;
}

/** Limits, nudges and what reasoning is wanted. */
function optionMembers(
  request: CanonicalRequest,
  { target, outputTokens }: UpstreamWrite,
  changes: RequestChanges,
): [string, JsonText][] {
  const members: [string, JsonText][] = [];
  const limit = outputTokens ?? request.maxOutputTokens;
  if (limit !== null) {
    members.push([target.lacks.has('max_completion_tokens') ? 'max_tokens' : 'max_completion_tokens', String(limit)]);
  }
  const effort = effortFor(request, changes);
  if (effort !== null) members.push(['reasoning_effort', JSON.stringify(effort)]);
  const [one, ...more] = request.stop;
  if (one !== undefined) members.push(['stop', JSON.stringify(more.length === 0 ? one : request.stop)]);
  if (request.n > 1) members.push(['n', String(request.n)]);
  if (request.logprobs !== null) {
    members.push(['logprobs', 'true']);
    if (request.logprobs > 0) members.push(['top_logprobs', String(request.logprobs)]);
  }
  for (const [field, value] of samplingFields(request)) {
    if (field === 'top_k' || target.lacks.has(field) || (isNucleus(field) && target.lacks.has('temperature'))) {
      changes.note(dropped(field));
    } else {
      members.push([field, value]);
    }
  }
  return members;
}

/** Where a model takes no temperature it takes no top_p either. */
function isNucleus(field: string): boolean {
  return field === 'top_p';
}

function samplingFields({ sampling }: CanonicalRequest): [string, JsonText][] {
  const fields: [string, number | JsonText | undefined][] = [
    ['temperature', sampling.temperature],
    ['top_p', sampling.topP],
    ['top_k', sampling.topK],
    ['seed', sampling.seed],
    ['presence_penalty', sampling.presencePenalty],
    ['frequency_penalty', sampling.frequencyPenalty],
    ['logit_bias', sampling.logitBias],
  ];
  return fields.flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)]]));
}

/** The level asked for, or the one that is nearest to the budget. */
function effortFor({ reasoning, maxOutputTokens }: CanonicalRequest, changes: RequestChanges): string | null {
  const { effort, budget } = reasoning;
  if (effort !== null && budget !== null) changes.note(dropped('reasoning budget'));
  if (effort !== null || budget === null) return effort;
  const level = effortOf(budget, maxOutputTokens);
  changes.note(`reasoning budget ${budget} → ${level}`);
  return level;
}
