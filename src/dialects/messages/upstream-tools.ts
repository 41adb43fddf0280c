/** Tools and the choice among them as this dialect has them (dialects §11). */
import type { CanonicalRequest, JsonText, Part, Tool } from '../canonical.ts';
import { CUSTOM_AS_FUNCTIONS, CUSTOM_SCHEMA } from '../cross/custom-calls.ts';
import { dropped } from '../cross/hints.ts';
import { jsonTextAt, objectText, viewOfText } from '../cross/json-text.ts';
import type { RequestChanges } from '../cross/request-changes.ts';
import { SCHEMA_NARROWED } from '../cross/schema-subset.ts';
import type { ToolRenaming } from '../cross/tool-names.ts';
import { closeSchema } from './closed-schema.ts';

const NO_SCHEMA = '{"type":"object","properties":{}}';
/** Not taken at the top of a tool's schema. */
const NOT_ON_TOP = ['oneOf', 'anyOf', 'allOf'];

type Members = [string, JsonText][];

export function toolMembers(request: CanonicalRequest, renaming: ToolRenaming, changes: RequestChanges): Members {
  const { tools, toolChoice } = request;
  const offered = toolChoice?.mode === 'some' ? tools.filter((tool) => toolChoice.names.includes(tool.name)) : tools;
  if (offered.length < tools.length) changes.note('tools filtered');
  if (offered.length === 0) return historyTools(request, renaming);
  const members: Members = [['tools', `[${offered.map((tool) => toolText(tool, renaming, changes)).join(',')}]`]];
  const choice = choiceText(request, renaming);
  if (choice !== null) members.push(['tool_choice', choice]);
  return members;
}

/** Calls of earlier turns are taken only beside tools: those that were called, none of which may be called again. */
function historyTools({ turns }: CanonicalRequest, renaming: ToolRenaming): Members {
  const isCall = (part: Part): part is Extract<Part, { type: 'call' }> => part.type === 'call';
  const names = new Set(turns.flatMap(({ parts }) => parts.filter(isCall).map(({ name }) => name)));
  if (names.size === 0) return [];
  const tools = [...names].map((name) =>
    JSON.stringify({ name: renaming.outward(name), input_schema: JSON.parse(NO_SCHEMA) }),
  );
  return [
    ['tools', `[${tools.join(',')}]`],
    ['tool_choice', '{"type":"none"}'],
  ];
}

function toolText(tool: Tool, renaming: ToolRenaming, changes: RequestChanges): JsonText {
  const { form, name, description, strict } = tool;
  const members: Members = [['name', JSON.stringify(renaming.outward(name))]];
  if (description !== null && description !== '') members.push(['description', JSON.stringify(description)]);
  if (form === 'custom') {
    changes.note(CUSTOM_AS_FUNCTIONS);
    members.push(['input_schema', CUSTOM_SCHEMA]);
    return objectText(members);
  }
  const schema = argumentsSchema(tool.schema, changes);
  const closed = strict === true ? closeSchema(schema) : null;
  if (closed?.narrowed === true) changes.note(SCHEMA_NARROWED);
  members.push(['input_schema', closed?.schema ?? schema]);
  if (closed !== null) members.push(['strict', 'true']);
  else if (strict === true) changes.note(dropped('strict'));
  return objectText(members);
}

/** An object at the top, and nothing that leaves open what it is. */
function argumentsSchema(schema: JsonText | null, changes: RequestChanges): JsonText {
  const view = schema === null ? null : viewOfText(schema);
  if (schema === null || view === null) return NO_SCHEMA;
  const keys = new Set(view.members.map(({ key }) => key));
  let text = schema;
  if (NOT_ON_TOP.some((key) => keys.has(key))) {
    const kept = view.members.filter(({ key }) => !NOT_ON_TOP.includes(key)).map(({ key }) => key);
    text = objectText(kept.map((key) => [key, jsonTextAt(view, key)!] as const));
    changes.note(SCHEMA_NARROWED);
  }
  if (keys.has('type')) return text;
  const rest = text.trim().slice(1);
  return rest.trim() === '}' ? NO_SCHEMA : `{"type":"object",${rest}`;
}

/** Null = the upstream's own habit: any tool or none, several at once. */
function choiceText({ toolChoice, parallelCalls }: CanonicalRequest, renaming: ToolRenaming): JsonText | null {
  const alone: Members = parallelCalls === false ? [['disable_parallel_tool_use', 'true']] : [];
  const free = (type: string): JsonText => objectText([['type', JSON.stringify(type)], ...alone]);
  switch (toolChoice?.mode) {
    case 'none':
      return '{"type":"none"}';
    case 'any':
      return free('any');
    case 'one':
      return objectText([['type', '"tool"'], ['name', JSON.stringify(renaming.outward(toolChoice.name))], ...alone]);
    case 'some':
      return free(toolChoice.must ? 'any' : 'auto');
    case 'auto':
      return free('auto');
    default:
      return alone.length === 0 ? null : free('auto');
  }
}
