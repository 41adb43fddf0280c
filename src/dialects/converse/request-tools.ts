/** Tools and the choice among them as this dialect has them (dialects §11). */
import type { CanonicalRequest, JsonText, Tool } from '../canonical.ts';
import { CUSTOM_AS_FUNCTIONS, CUSTOM_SCHEMA } from '../cross/custom-calls.ts';
import { objectText } from '../cross/json-text.ts';
import type { RequestChanges } from '../cross/request-changes.ts';
import type { ToolRenaming } from '../cross/tool-names.ts';

const NO_SCHEMA = '{"type":"object","properties":{}}';

/** The tools that are really offered: none where none may be called, for the dialect has no word for that. */
export function offeredTools({ tools, toolChoice }: CanonicalRequest): readonly Tool[] {
  if (toolChoice?.mode === 'none') return [];
  if (toolChoice?.mode !== 'some') return tools;
  return tools.filter((tool) => toolChoice.names.includes(tool.name));
}

/** Null = no tools are offered. */
export function toolConfig(
  request: CanonicalRequest,
  renaming: ToolRenaming,
  changes: RequestChanges,
): JsonText | null {
  const offered = offeredTools(request);
  if (offered.length < request.tools.length && request.toolChoice?.mode === 'some') changes.note('tools filtered');
  if (offered.length === 0) return null;
  const tools = offered.map((tool) => specText(tool, renaming, changes));
  const members: [string, JsonText][] = [['tools', `[${tools.join(',')}]`]];
  const choice = choiceText(request, renaming);
  if (choice !== null) members.push(['toolChoice', choice]);
  return objectText(members);
}

function specText(tool: Tool, renaming: ToolRenaming, changes: RequestChanges): JsonText {
  const { form, name, description, schema, strict } = tool;
  if (strict === true) changes.note('dropped strict');
  if (form === 'custom') changes.note(CUSTOM_AS_FUNCTIONS);
  const members: [string, JsonText][] = [['name', JSON.stringify(renaming.outward(name))]];
  if (description !== null && description !== '') members.push(['description', JSON.stringify(description)]);
  const json = form === 'custom' ? CUSTOM_SCHEMA : (schema ?? NO_SCHEMA);
  members.push(['inputSchema', objectText([['json', json]])]);
  return objectText([['toolSpec', objectText(members)]]);
}

/** Null = the upstream's own habit, which is to choose freely. */
function choiceText({ toolChoice }: CanonicalRequest, renaming: ToolRenaming): JsonText | null {
  switch (toolChoice?.mode) {
    case 'auto':
      return '{"auto":{}}';
    case 'any':
      return '{"any":{}}';
    case 'one':
      return objectText([['tool', objectText([['name', JSON.stringify(renaming.outward(toolChoice.name))]])]]);
    case 'some':
      return toolChoice.must ? '{"any":{}}' : '{"auto":{}}';
    default:
      return null;
  }
}
