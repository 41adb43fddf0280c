/** The tools of a Responses request, which of them shall be called, and the shape of the answer. */
import { bad, good, type Read } from '../../core/request/read.ts';
import { type BodyView, readJson, readString, valueByte } from '../bytes/body-view.ts';
import { objectAt } from '../bytes/nested.ts';
import type { AnswerFormat, JsonText, Tool, ToolChoice } from '../canonical.ts';
import { noteUnknown } from '../cross/hints.ts';
import { jsonTextAt, objectsAt } from '../cross/json-text.ts';
import { fullName } from './namespaces.ts';

const NULL = 0x6e;
const TOOL_FIELDS: ReadonlySet<string> = new Set(['type', 'name', 'description', 'parameters', 'strict', 'format']);
const FORMAT_FIELDS: ReadonlySet<string> = new Set(['type', 'name', 'description', 'schema', 'strict']);
const GRAMMAR_FIELDS: ReadonlySet<string> = new Set(['type', 'definition', 'syntax']);
const CHOICE_FIELDS: ReadonlySet<string> = new Set(['type', 'name', 'namespace', 'mode', 'tools']);
const NAMESPACE_FIELDS: ReadonlySet<string> = new Set(['type', 'name', 'tools']);

function isAbsent(view: BodyView, key: string): boolean {
  const first = valueByte(view, key);
  return first === 0 || first === NULL;
}

/** Tools that run on the provider's side, or that only this dialect has, are bound to it. */
export function readTools(view: BodyView, hints: Map<string, JsonText>, bound: Set<string>): Read<readonly Tool[]> {
  const tools: Tool[] = [];
  const listed = isAbsent(view, 'tools') ? [] : objectsAt(view, 'tools');
  if (listed === null) return bad('invalid_parameter', '`tools` must be an array.', 'tools');
  for (const [at, tool] of listed.entries()) {
    const wrong = bad('invalid_parameter', `\`tools[${at}]\` must have a type and a name.`, `tools[${at}]`);
    const namespace =
      tool !== null && readString(tool, 'type') === 'namespace' ? (readString(tool, 'name') ?? '') : null;
    if (tool !== null && namespace !== null) noteUnknown(tool, NAMESPACE_FIELDS, 'tools.namespace', hints);
    const inside = tool === null || namespace === null ? [tool] : (objectsAt(tool, 'tools') ?? []);
    for (const one of inside) {
      const type = one === null ? null : readString(one, 'type');
      if (typeof type === 'string' && type !== 'function' && type !== 'custom') {
        bound.add(type.startsWith('web_search') ? 'web_search' : 'builtin_tool');
        continue;
      }
      const read = one === null || typeof type !== 'string' ? null : readTool(one, type === 'custom', namespace);
      if (read === null) return wrong;
      noteUnknown(one!, TOOL_FIELDS, 'tools', hints);
      const grammar = objectAt(one!, 'format');
      if (grammar !== null) noteUnknown(grammar, GRAMMAR_FIELDS, 'tools.format', hints);
      tools.push(read);
    }
  }
  return good(tools);
}

function readTool(tool: BodyView, isCustom: boolean, namespace: string | null): Tool | null {
  const name = readString(tool, 'name');
  if (typeof name !== 'string' || name === '') return null;
  const strict = readJson(tool, 'strict');
  return {
    form: isCustom ? 'custom' : 'function',
    name: fullName(namespace, name),
    description: readString(tool, 'description') ?? null,
    schema: isCustom ? grammarOf(tool) : isAbsent(tool, 'parameters') ? null : jsonTextAt(tool, 'parameters'),
    strict: typeof strict === 'boolean' ? strict : null,
  };
}

/** As Chat nests it; null = any text. */
function grammarOf(tool: BodyView): JsonText | null {
  const format = objectAt(tool, 'format');
  if (format === null || readString(format, 'type') !== 'grammar') return null;
  const definition = jsonTextAt(format, 'definition') ?? '""';
  const syntax = jsonTextAt(format, 'syntax') ?? '"lark"';
  return `{"type":"grammar","grammar":{"definition":${definition},"syntax":${syntax}}}`;
}

/** The other way round: flat, as this dialect has it; null = any text. */
export function formatOfCustom(schema: JsonText): JsonText | null {
  const format = JSON.parse(schema) as { type?: unknown; grammar?: { definition?: unknown; syntax?: unknown } };
  if (format?.type !== 'grammar') return null;
  const { definition, syntax } = format.grammar ?? {};
  return JSON.stringify({ type: 'grammar', definition, syntax });
}

export function readToolChoice(
  view: BodyView,
  hints: Map<string, JsonText>,
  bound: Set<string>,
): Read<ToolChoice | null> {
  if (isAbsent(view, 'tool_choice')) return good(null);
  const word = readString(view, 'tool_choice');
  if (typeof word === 'string') {
    const mode = MODES.get(word);
    if (mode !== undefined) return good({ mode });
    return bad('invalid_parameter', '`tool_choice` must be none, auto, required, or an object.', 'tool_choice');
  }
  const choice = objectAt(view, 'tool_choice');
  const type = choice === null ? null : readString(choice, 'type');
  if (choice === null || typeof type !== 'string') {
    return bad('invalid_parameter', '`tool_choice` must be a string or an object with a type.', 'tool_choice');
  }
  noteUnknown(choice, CHOICE_FIELDS, 'tool_choice', hints);
  if (type === 'allowed_tools') return someOf(choice, hints, bound);
  if (type !== 'function' && type !== 'custom') {
    bound.add('builtin_tool');
    return good(null);
  }
  const name = readString(choice, 'name');
  if (typeof name !== 'string') return bad('invalid_parameter', '`tool_choice` must name a tool.', 'tool_choice');
  return good({ mode: 'one', name });
}

const MODES: ReadonlyMap<string, 'none' | 'auto' | 'any'> = new Map([
  ['none', 'none'],
  ['auto', 'auto'],
  ['required', 'any'],
]);

function someOf(choice: BodyView, hints: Map<string, JsonText>, bound: Set<string>): Read<ToolChoice> {
  const listed = objectsAt(choice, 'tools');
  if (listed === null) return bad('invalid_parameter', '`tool_choice.tools` must be an array.', 'tool_choice');
  const names: string[] = [];
  for (const tool of listed) {
    const name = tool === null ? null : readString(tool, 'name');
    if (tool !== null) noteUnknown(tool, CHOICE_FIELDS, 'tool_choice.tools', hints);
    if (typeof name === 'string') names.push(name);
    else bound.add('builtin_tool');
  }
  return good({ mode: 'some', names, must: readString(choice, 'mode') === 'required' });
}

export function readFormat(view: BodyView, hints: Map<string, JsonText>): Read<AnswerFormat | null> {
  const text = objectAt(view, 'text');
  if (text === null || isAbsent(text, 'format')) return good(null);
  const format = objectAt(text, 'format');
  if (format !== null) noteUnknown(format, FORMAT_FIELDS, 'text.format', hints);
  const type = format === null ? null : readString(format, 'type');
  if (type === 'text') return good(null);
  if (type === 'json_object') return good({ type: 'json' });
  if (format === null || type !== 'json_schema' || isAbsent(format, 'schema')) {
    const message = '`text.format` must be text, json_object, or json_schema with its `schema`.';
    return bad('invalid_parameter', message, 'text.format');
  }
  const strict = readJson(format, 'strict');
  return good({
    type: 'schema',
    name: readString(format, 'name') ?? null,
    description: readString(format, 'description') ?? null,
    schema: jsonTextAt(format, 'schema')!,
    strict: typeof strict === 'boolean' ? strict : null,
  });
}
