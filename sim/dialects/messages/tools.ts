/** Tools a request offers, and how it wants them chosen. */
import { isFields, wordOf } from '../../answer/fields.ts';
import type { OfferedTool, SimRequest } from '../../answer/request.ts';
import { checkCacheMark } from './blocks.ts';
import { fieldsAt, inside, listAt, objectAt, optionalFlag, optionalWord, refuse, textAt } from './refused.ts';

const NAME = /^[a-zA-Z0-9_-]{1,128}$/;
/** The provider's own tools, by dated type. */
const SERVER_TOOL =
  /^(web_search|web_fetch|code_execution|bash|text_editor|memory|computer|computer_toolset|tool_search_tool(_regex|_bm25)?)_\d{8}$|^mcp_toolset$/;
const FIELDS = [
  'type',
  'name',
  'description',
  'input_schema',
  'strict',
  'eager_input_streaming',
  'defer_loading',
  'input_examples',
  'allowed_callers',
  'cache_control',
];

/** Reads `tools`; the provider's own are taken and never called. Throws RefusedRequest. */
export function readTools(value: unknown): OfferedTool[] {
  if (value === undefined || value === null) return [];
  const names = new Set<string>();
  return listAt(value, 'tools').flatMap((tool, i): OfferedTool[] => {
    const path = inside('tools', i);
    const type = objectAt(tool, path)['type'];
    if (type !== undefined && type !== null && type !== 'custom') {
      if (typeof type === 'string' && SERVER_TOOL.test(type)) return [];
      refuse(path, `Input tag '${wordOf(type)}' found using 'type' does not match any of the expected tags`);
    }
    const fields = fieldsAt(tool, path, FIELDS, ['name', 'input_schema']);
    const inner = inside(path, 'custom');
    const name = textAt(fields['name'], inside(inner, 'name'));
    if (!NAME.test(name)) refuse(inside(inner, 'name'), `String should match pattern '${NAME.source}'`);
    if (names.has(name)) refuse('tools', 'Tool names must be unique.');
    names.add(name);
    if (fields['description'] !== undefined) textAt(fields['description'], inside(inner, 'description'));
    const strict = optionalFlag(fields['strict'], inside(inner, 'strict'));
    checkCacheMark(fields['cache_control'], inside(inner, 'cache_control'));
    checkArguments(fields['input_schema'], inside(inner, 'input_schema'));
    if (strict === true) checkClosed(fields['input_schema'], inside(inner, 'input_schema'));
    return [{ kind: 'function', name, parameters: fields['input_schema'] }];
  });
}

function checkArguments(value: unknown, path: string): void {
  const schema = objectAt(value, path);
  if (schema['type'] === undefined) refuse(inside(path, 'type'), 'Field required');
  if (schema['type'] !== 'object') refuse(inside(path, 'type'), "Input should be 'object'");
  if (['oneOf', 'allOf', 'anyOf'].some((word) => word in schema)) {
    refuse(path, 'input_schema does not support oneOf, allOf, or anyOf at the top level');
  }
}

/** Schemas that bind the output say of every object that it holds nothing else. Throws RefusedRequest. */
export function checkClosed(value: unknown, path: string): void {
  if (Array.isArray(value)) {
    value.forEach((member, i) => {
      checkClosed(member, inside(path, i));
    });
    return;
  }
  if (!isFields(value)) return;
  if (value['type'] === 'object' && value['additionalProperties'] !== false) {
    refuse(path, "For 'object' type, 'additionalProperties' must be explicitly set to false");
  }
  for (const keyword of ['properties', '$defs', 'definitions']) {
    const named = value[keyword];
    if (!isFields(named)) continue;
    for (const [name, member] of Object.entries(named)) checkClosed(member, inside(inside(path, keyword), name));
  }
  for (const keyword of ['items', 'anyOf', 'allOf']) checkClosed(value[keyword], inside(path, keyword));
}

export interface Choosing {
  readonly choice: SimRequest['toolChoice'];
  readonly parallel: boolean;
}

/** Reads `tool_choice`. `anyTools` = the request offers some, the provider's own among them. Throws RefusedRequest. */
export function readToolChoice(value: unknown, tools: readonly OfferedTool[], anyTools: boolean): Choosing {
  if (value === undefined || value === null) return { choice: 'auto', parallel: true };
  const type = optionalWord(objectAt(value, 'tool_choice')['type'] ?? '', 'tool_choice.type', [
    'auto',
    'any',
    'tool',
    'none',
  ]);
  const own = type === 'tool' ? ['name'] : [];
  const parallelField = type === 'none' ? [] : ['disable_parallel_tool_use'];
  const fields = fieldsAt(value, `tool_choice.${type}`, ['type', ...own, ...parallelField], own);
  const alone = optionalFlag(fields['disable_parallel_tool_use'], 'tool_choice.disable_parallel_tool_use');
  if (!anyTools && type !== 'none') refuse('tool_choice', 'tool_choice may only be specified while providing tools.');
  const parallel = alone !== true;
  if (type === 'tool') {
    const name = textAt(fields['name'], 'tool_choice.tool.name');
    if (!tools.some((tool) => tool.name === name)) refuse('', `Tool '${name}' not found in provided tools`);
    return { choice: { name }, parallel };
  }
  return { choice: type === 'any' ? 'required' : type === 'none' ? 'none' : 'auto', parallel };
}
