/** A canonical request as a Responses upstream gets it: without state, strictness said, thoughts to be sent back. */
import { utf8 } from '../bytes/text.ts';
import type { AnswerFormat, CanonicalRequest, JsonText, Tool, ToolChoice, ToolNames } from '../canonical.ts';
import type { UpstreamBody, UpstreamWrite } from '../contract.ts';
import { effortOf } from '../cross/effort-levels.ts';
import { dropped, takeHints } from '../cross/hints.ts';
import { objectText } from '../cross/json-text.ts';
import { ownVendor } from '../cross/opaque-marks.ts';
import { RequestChanges } from '../cross/request-changes.ts';
import { PLAIN_NAMES, renameTools, TOOLS_RENAMED, type ToolRenaming } from '../cross/tool-names.ts';
import { noteUnsaid, type Says } from '../cross/unsaid.ts';
import { formatOfCustom } from './canonical-tools.ts';
import { writeInput } from './upstream-input.ts';

/** The least an upstream takes for a limit. */
const LEAST_OUTPUT = 16;

const SAYS: Says = {
  detail: 'all',
  citations: 'urls',
  anyArguments: true,
  textFiles: false,
  fileNames: true,
  refusals: true,
  schemaDescription: true,
  schemaName: true,
};

type Members = [key: string, value: JsonText][];

export function writeResponsesRequest(
  request: CanonicalRequest,
  write: UpstreamWrite,
): UpstreamBody & { readonly names: ToolNames } {
  const { target } = write;
  const changes = new RequestChanges();
  const renaming = renameTools(request, PLAIN_NAMES);
  if (renaming.names.size > 0) changes.note(TOOLS_RENAMED);
  const { instructions, input } = writeInput(request, write, renaming, changes);
  noteUnsaid(request, SAYS, changes);
  const isOwn = target.vendor === ownVendor('openai-responses');
  const kept = new Map(takeHints(request.hints, isOwn ? OWN_HINTS : COMMON_HINTS, changes));
  const verbosity = kept.get('verbosity');
  kept.delete('verbosity');
  const include = included(request, write);
  const members: Members = [['model', JSON.stringify(target.upstreamModel)]];
  if (instructions !== null) members.push(['instructions', JSON.stringify(instructions)]);
  members.push(['input', input], ...toolMembers(request, renaming), ...textMembers(request.format, verbosity));
  members.push(...optionMembers(request, write, changes));
  if (include.length > 0) members.push(['include', JSON.stringify(include)]);
  members.push(['store', 'false']);
  if (request.stream) members.push(['stream', 'true']);
  members.push(...kept);
  // An upstream that cannot seal its thoughts says so as it refuses sealed ones: it is asked once more without.
  const opaque = include.includes(SEALED) ? { opaque: true } : {};
  return {
    bytes: utf8(objectText(members)),
    changes: changes.words,
    dropped: changes.degrades,
    names: renaming.names,
    ...opaque,
  };
}

/** Understood by most who speak this dialect, and by its maker. */
const COMMON_HINTS: ReadonlySet<string> = new Set(['user', 'metadata', 'verbosity']);
const OWN_HINTS: ReadonlySet<string> = new Set([
  ...COMMON_HINTS,
  'max_tool_calls',
  'moderation',
  'prompt_cache_key',
  'prompt_cache_options',
  'prompt_cache_retention',
  'safety_identifier',
  'service_tier',
  'truncation',
]);

const SEALED = 'reasoning.encrypted_content';

/** Nothing is stored: thoughts come sealed, so that they can be sent back. */
function included({ reasoning, logprobs }: CanonicalRequest, { target, bare }: UpstreamWrite): string[] {
  const thinks = reasoning.effort !== 'none' && !target.lacks.has('reasoning') && bare !== true;
  return [...(thinks ? [SEALED] : []), ...(logprobs === null ? [] : ['message.output_text.logprobs'])];
}

function toolMembers({ tools, toolChoice, parallelCalls }: CanonicalRequest, renaming: ToolRenaming): Members {
  if (tools.length === 0) return [];
  const members: Members = [['tools', `[${tools.map((tool) => toolText(tool, renaming)).join(',')}]`]];
  const forms = new Map(tools.map((tool) => [tool.name, tool.form]));
  if (toolChoice !== null) members.push(['tool_choice', choiceText(toolChoice, renaming, forms)]);
  if (parallelCalls !== null) members.push(['parallel_tool_calls', String(parallelCalls)]);
  return members;
}

/** Here a function that says nothing is strict, elsewhere it is not: so it is always said. */
function toolText({ form, name, description, schema, strict }: Tool, renaming: ToolRenaming): JsonText {
  const members: Members = [
    ['type', `"${form}"`],
    ['name', JSON.stringify(renaming.outward(name))],
  ];
  if (description !== null) members.push(['description', JSON.stringify(description)]);
  if (form === 'function') {
    members.push(['parameters', schema ?? '{"type":"object","properties":{}}'], ['strict', String(strict ?? false)]);
  } else {
    const format = schema === null ? null : formatOfCustom(schema);
    if (format !== null) members.push(['format', format]);
  }
  return objectText(members);
}

function choiceText(choice: ToolChoice, renaming: ToolRenaming, forms: ReadonlyMap<string, Tool['form']>): JsonText {
  const named = (name: string): object => ({ type: forms.get(name) ?? 'function', name: renaming.outward(name) });
  if (choice.mode === 'one') return JSON.stringify(named(choice.name));
  if (choice.mode !== 'some') return choice.mode === 'any' ? '"required"' : `"${choice.mode}"`;
  const mode = choice.must ? 'required' : 'auto';
  return JSON.stringify({ type: 'allowed_tools', mode, tools: choice.names.map(named) });
}

function textMembers(format: AnswerFormat | null, verbosity: JsonText | undefined): Members {
  const members: Members = [];
  if (format !== null) members.push(['format', formatText(format)]);
  if (verbosity !== undefined) members.push(['verbosity', verbosity]);
  return members.length === 0 ? [] : [['text', objectText(members)]];
}

function formatText(format: AnswerFormat): JsonText {
  if (format.type === 'json') return '{"type":"json_object"}';
  const members: Members = [
    ['type', '"json_schema"'],
    ['name', JSON.stringify((format.name ?? 'answer').replaceAll(/[^A-Za-z0-9_-]/g, '_').slice(0, 64))],
  ];
  if (format.description !== null) members.push(['description', JSON.stringify(format.description)]);
  members.push(['schema', format.schema], ['strict', String(format.strict ?? false)]);
  return objectText(members);
}

/** Limits, nudges and what reasoning is wanted. */
function optionMembers(request: CanonicalRequest, write: UpstreamWrite, changes: RequestChanges): Members {
  const members: Members = [];
  const limit = write.outputTokens ?? request.maxOutputTokens;
  if (limit !== null) {
    if (limit < LEAST_OUTPUT) changes.note(`max_output_tokens ${limit} → ${LEAST_OUTPUT}`);
    members.push(['max_output_tokens', String(Math.max(limit, LEAST_OUTPUT))]);
  }
  const reasoning = reasoningText(request, changes);
  if (reasoning !== null) members.push(['reasoning', reasoning]);
  members.push(...samplingMembers(request, write, changes));
  if (request.logprobs !== null && request.logprobs > 0) members.push(['top_logprobs', String(request.logprobs)]);
  return members;
}

function reasoningText({ reasoning, maxOutputTokens }: CanonicalRequest, changes: RequestChanges): JsonText | null {
  const { budget, shown } = reasoning;
  let { effort } = reasoning;
  if (effort === null && budget !== null) {
    effort = effortOf(budget, maxOutputTokens);
    changes.note(`reasoning budget ${budget} → effort ${effort}`);
  } else if (budget !== null) changes.note(dropped('reasoning budget'));
  const members: Members = [];
  if (effort !== null) members.push(['effort', JSON.stringify(effort)]);
  if (shown === true && effort !== 'none') members.push(['summary', '"auto"']);
  return members.length === 0 ? null : objectText(members);
}

function samplingMembers({ sampling }: CanonicalRequest, { target }: UpstreamWrite, changes: RequestChanges): Members {
  const members: Members = [];
  const { temperature, topP, topK, seed, presencePenalty, frequencyPenalty, logitBias } = sampling;
  const nudge = (name: string, value: number | undefined): void => {
    if (value === undefined) return;
    if (target.lacks.has(name) || target.lacks.has('temperature')) changes.note(dropped(name));
    else members.push([name, String(value)]);
  };
  nudge('temperature', temperature);
  nudge('top_p', topP);
  const absent = { top_k: topK, seed, presence_penalty: presencePenalty, frequency_penalty: frequencyPenalty };
  for (const [name, value] of Object.entries({ ...absent, logit_bias: logitBias })) {
    if (value !== undefined && value !== 0) changes.note(dropped(name));
  }
  return members;
}
