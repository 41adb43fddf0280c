/** The tools of a Messages request, and which of them shall be called. */
import { bad, good, type Read } from '../../core/request/read.ts';
import { type BodyView, readJson, readString, valueByte } from '../bytes/body-view.ts';
import { OPEN_BRACE } from '../bytes/json-grammar.ts';
import { objectAt } from '../bytes/nested.ts';
import type { JsonText, Tool, ToolChoice } from '../canonical.ts';
import { noteUnknown } from '../cross/hints.ts';
import { jsonTextAt, memberText, objectsAt } from '../cross/json-text.ts';
import type { ToolChanges } from './tool-changes.ts';

const NULL = 0x6e;
const FALSE = 0x66;
const CHOICE_FIELDS: ReadonlySet<string> = new Set(['type', 'name', 'disable_parallel_tool_use']);
/** What a tool is; its other members nudge: how it is loaded, shown and kept. */
const MODELLED: ReadonlySet<string> = new Set([
  'type',
  'name',
  'description',
  'input_schema',
  'strict',
  'cache_control',
]);

function isAbsent(view: BodyView, key: string): boolean {
  const first = valueByte(view, key);
  return first === 0 || first === NULL;
}

/** Tools of the vendor's own, on its side or the client's, are bound to it: nobody else knows what they are. */
export function readTools(
  view: BodyView,
  { added, removed }: ToolChanges,
  hints: Map<string, JsonText>,
  bound: Set<string>,
): Read<readonly Tool[]> {
  const tools: Tool[] = [];
  const listed = isAbsent(view, 'tools') ? [] : objectsAt(view, 'tools');
  if (listed === null) return bad('invalid_parameter', '`tools` must be an array.', 'tools');
  for (const [at, tool] of [...listed, ...added.values()].entries()) {
    const type = tool === null ? null : (readString(tool, 'type') ?? 'custom');
    if (tool !== null && type !== 'custom') {
      noteOwn(type ?? '', hints, bound);
      continue;
    }
    const read = tool === null ? null : readTool(tool, hints);
    if (read === null) return bad('invalid_parameter', `\`tools[${at}]\` must have a name.`, `tools[${at}]`);
    if (!removed.has(read.name) && !tools.some(({ name }) => name === read.name)) tools.push(read);
  }
  return good(tools);
}

function noteOwn(type: string, hints: Map<string, JsonText>, bound: Set<string>): void {
  // The search among the request's own tools: elsewhere all of them are there from the start.
  if (type.startsWith('tool_search_tool')) hints.set('tools.tool_search', 'true');
  else bound.add(type.startsWith('web_search') ? 'web_search' : 'builtin_tool');
}

function readTool(tool: BodyView, hints: Map<string, JsonText>): Tool | null {
  const name = readString(tool, 'name');
  if (typeof name !== 'string' || name === '') return null;
  if (!isAbsent(tool, 'cache_control')) hints.set('cache_control', jsonTextAt(tool, 'cache_control')!);
  for (const found of tool.members) {
    const first = tool.bytes[found.valueStart];
    if (!MODELLED.has(found.key) && first !== NULL && first !== FALSE) {
      hints.set(`tools.${found.key}`, memberText(tool, found));
    }
  }
  const strict = readJson(tool, 'strict');
  return {
    form: 'function',
    name,
    description: readString(tool, 'description') ?? null,
    schema: valueByte(tool, 'input_schema') === OPEN_BRACE ? jsonTextAt(tool, 'input_schema') : null,
    strict: typeof strict === 'boolean' ? strict : null,
  };
}

export interface ReadChoice {
  readonly choice: ToolChoice | null;
  readonly parallel: boolean | null;
}

export function readToolChoice(view: BodyView, hints: Map<string, JsonText>): Read<ReadChoice> {
  if (isAbsent(view, 'tool_choice')) return good({ choice: null, parallel: null });
  const fields = objectAt(view, 'tool_choice');
  if (fields !== null) noteUnknown(fields, CHOICE_FIELDS, 'tool_choice', hints);
  const type = fields === null ? null : readString(fields, 'type');
  const disabled = fields === null ? null : readJson(fields, 'disable_parallel_tool_use');
  const parallel = typeof disabled === 'boolean' ? !disabled : null;
  switch (type) {
    case 'auto':
    case 'any':
    case 'none':
      return good({ choice: { mode: type }, parallel });
    case 'tool': {
      const name = readString(fields!, 'name');
      if (typeof name === 'string') return good({ choice: { mode: 'one', name }, parallel });
    }
  }
  return bad('invalid_parameter', '`tool_choice` must be auto, any, none, or a tool by name.', 'tool_choice');
}
