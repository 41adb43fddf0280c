/** The tools of a Chat Completions request, which of them shall be called, and the shape of the answer. */
import { bad, good, type Read } from '../../core/request/read.ts';
import { type BodyView, readJson, readString, valueByte } from '../bytes/body-view.ts';
import { objectAt } from '../bytes/nested.ts';
import type { AnswerFormat, JsonText, Tool, ToolChoice } from '../canonical.ts';
import { noteUnknown } from '../cross/hints.ts';
import { jsonTextAt, objectsAt } from '../cross/json-text.ts';

const NULL = 0x6e;
const TOOL_FIELDS: ReadonlySet<string> = new Set(['type', 'function', 'custom']);
const FUNCTION_FIELDS: ReadonlySet<string> = new Set(['name', 'description', 'parameters', 'strict']);
const CUSTOM_FIELDS: ReadonlySet<string> = new Set(['name', 'description', 'format']);
const CUSTOM_FORMAT_FIELDS: ReadonlySet<string> = new Set(['type', 'grammar']);
const GRAMMAR_FIELDS: ReadonlySet<string> = new Set(['definition', 'syntax']);
const CHOICE_FIELDS: ReadonlySet<string> = new Set(['type', 'function', 'custom', 'allowed_tools']);
const ALLOWED_FIELDS: ReadonlySet<string> = new Set(['mode', 'tools']);
const NAMED_FIELDS: ReadonlySet<string> = new Set(['name']);
const FORMAT_FIELDS: ReadonlySet<string> = new Set(['type', 'json_schema']);
const SCHEMA_FIELDS: ReadonlySet<string> = new Set(['name', 'description', 'schema', 'strict']);

function isAbsent(view: BodyView, key: string): boolean {
  const first = valueByte(view, key);
  return first === 0 || first === NULL;
}

/** `tools`, and the older `functions`. Tools that run on the provider's side are bound to it. */
export function readTools(view: BodyView, hints: Map<string, JsonText>, bound: Set<string>): Read<readonly Tool[]> {
  const tools: Tool[] = [];
  const listed = isAbsent(view, 'tools') ? [] : objectsAt(view, 'tools');
  if (listed === null) return bad('invalid_parameter', '`tools` must be an array.', 'tools');
  for (const [at, tool] of listed.entries()) {
    const type = tool === null ? null : (readString(tool, 'type') ?? 'function');
    if (tool !== null && type !== 'function' && type !== 'custom') {
      bound.add(type?.startsWith('web_search') === true ? 'web_search' : 'builtin_tool');
      continue;
    }
    if (tool !== null) noteUnknown(tool, TOOL_FIELDS, 'tools', hints);
    const entry = tool === null ? null : objectAt(tool, type === 'custom' ? 'custom' : 'function');
    const read = readTool(entry, type ?? '', hints);
    if (read === null) return bad('invalid_parameter', `\`tools[${at}]\` must name a function.`, `tools[${at}]`);
    tools.push(read);
  }
  for (const [at, entry] of (objectsAt(view, 'functions') ?? []).entries()) {
    const read = readTool(entry, 'function', hints);
    if (read === null) return bad('invalid_parameter', `\`functions[${at}]\` must have a name.`, `functions[${at}]`);
    tools.push(read);
  }
  return good(tools);
}

function readTool(entry: BodyView | null, form: string, hints: Map<string, JsonText>): Tool | null {
  if (entry === null) return null;
  const name = readString(entry, 'name');
  if (typeof name !== 'string' || name === '') return null;
  const isCustom = form === 'custom';
  noteUnknown(entry, isCustom ? CUSTOM_FIELDS : FUNCTION_FIELDS, 'tools.function', hints);
  if (isCustom) noteGrammar(entry, hints);
  const schema = isCustom ? 'format' : 'parameters';
  const strict = readJson(entry, 'strict');
  return {
    form: isCustom ? 'custom' : 'function',
    name,
    description: readString(entry, 'description') ?? null,
    schema: isAbsent(entry, schema) ? null : jsonTextAt(entry, schema),
    strict: typeof strict === 'boolean' ? strict : null,
  };
}

function noteGrammar(custom: BodyView, hints: Map<string, JsonText>): void {
  const format = objectAt(custom, 'format');
  if (format === null) return;
  noteUnknown(format, CUSTOM_FORMAT_FIELDS, 'tools.custom.format', hints);
  const grammar = objectAt(format, 'grammar');
  if (grammar !== null) noteUnknown(grammar, GRAMMAR_FIELDS, 'tools.custom.format.grammar', hints);
}

/** `tool_choice`, and the older `function_call`. */
export function readToolChoice(
  view: BodyView,
  hints: Map<string, JsonText>,
  bound: Set<string>,
): Read<ToolChoice | null> {
  const key = isAbsent(view, 'tool_choice') ? 'function_call' : 'tool_choice';
  if (isAbsent(view, key)) return good(null);
  const word = readString(view, key);
  if (typeof word === 'string') {
    const mode = MODES.get(word);
    if (mode !== undefined) return good({ mode });
    return bad('invalid_parameter', `\`${key}\` must be none, auto, required, or an object.`, key);
  }
  const choice = objectAt(view, key);
  if (choice === null) return bad('invalid_parameter', `\`${key}\` must be a string or an object.`, key);
  if (key === 'function_call') return oneOf(choice, key, hints);
  const type = readString(choice, 'type');
  if (type === 'allowed_tools' || type === 'function' || type === 'custom') {
    noteUnknown(choice, CHOICE_FIELDS, key, hints);
    return type === 'allowed_tools' ? someOf(choice, hints) : oneOf(objectAt(choice, type), key, hints);
  }
  bound.add('builtin_tool');
  return good(null);
}

const MODES: ReadonlyMap<string, 'none' | 'auto' | 'any'> = new Map([
  ['none', 'none'],
  ['auto', 'auto'],
  ['required', 'any'],
]);

function oneOf(named: BodyView | null, key: string, hints: Map<string, JsonText>): Read<ToolChoice> {
  if (named !== null) noteUnknown(named, NAMED_FIELDS, key, hints);
  const name = named === null ? null : readString(named, 'name');
  if (typeof name !== 'string') return bad('invalid_parameter', `\`${key}\` must name a function.`, key);
  return good({ mode: 'one', name });
}

function someOf(choice: BodyView, hints: Map<string, JsonText>): Read<ToolChoice> {
  const allowed = objectAt(choice, 'allowed_tools');
  if (allowed !== null) noteUnknown(allowed, ALLOWED_FIELDS, 'tool_choice.allowed_tools', hints);
  const listed = allowed === null ? null : objectsAt(allowed, 'tools');
  const names = (listed ?? []).map((tool) => {
    const named = tool === null ? null : (objectAt(tool, 'function') ?? objectAt(tool, 'custom'));
    if (tool !== null) noteUnknown(tool, TOOL_FIELDS, 'tool_choice.tools', hints);
    if (named !== null) noteUnknown(named, NAMED_FIELDS, 'tool_choice.tools.function', hints);
    return named === null ? null : readString(named, 'name');
  });
  if (allowed === null || listed === null || names.some((name) => typeof name !== 'string')) {
    const message = '`tool_choice.allowed_tools` must have `mode` and a list of `tools`.';
    return bad('invalid_parameter', message, 'tool_choice');
  }
  return good({ mode: 'some', names: names as string[], must: readString(allowed, 'mode') === 'required' });
}

export function readFormat(view: BodyView, hints: Map<string, JsonText>): Read<AnswerFormat | null> {
  if (isAbsent(view, 'response_format')) return good(null);
  const format = objectAt(view, 'response_format');
  if (format !== null) noteUnknown(format, FORMAT_FIELDS, 'response_format', hints);
  const type = format === null ? null : readString(format, 'type');
  if (type === 'text') return good(null);
  if (type === 'json_object') return good({ type: 'json' });
  const wanted = type === 'json_schema' ? objectAt(format!, 'json_schema') : null;
  if (wanted === null) {
    const message = '`response_format` must be text, json_object, or json_schema with its `json_schema`.';
    return bad('invalid_parameter', message, 'response_format');
  }
  noteUnknown(wanted, SCHEMA_FIELDS, 'response_format.json_schema', hints);
  const strict = readJson(wanted, 'strict');
  return good({
    type: 'schema',
    name: readString(wanted, 'name') ?? null,
    description: readString(wanted, 'description') ?? null,
    schema: isAbsent(wanted, 'schema') ? '{}' : jsonTextAt(wanted, 'schema')!,
    strict: typeof strict === 'boolean' ? strict : null,
  });
}
