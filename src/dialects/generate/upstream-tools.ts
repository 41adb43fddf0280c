/** Tools and the choice among them as an upstream of this dialect gets them (dialects §11). */

import { readJson } from '../bytes/body-view.ts';
import { edit, setJson } from '../bytes/edit.ts';
import { textOf } from '../bytes/text.ts';
import type { CanonicalRequest, JsonText, Tool } from '../canonical.ts';
import { dropped } from '../cross/hints.ts';
import { objectText, viewOfText } from '../cross/json-text.ts';
import type { RequestChanges } from '../cross/request-changes.ts';
import type { ToolNameRule, ToolRenaming } from '../cross/tool-names.ts';

export const NAME_RULE: ToolNameRule = { letters: 'A-Za-z0-9_.:-', first: 'A-Za-z_', maxLength: 128 };

const CUSTOM_SCHEMA = '{"type":"object","properties":{"input":{"type":"string"}},"required":["input"]}';

export const CUSTOM_AS_FUNCTIONS = 'custom tools as functions';
export const TOOLS_FILTERED = 'tools filtered';

/** `tools` and `toolConfig`; empty = none are offered. */
export function toolMembers(
  request: CanonicalRequest,
  renaming: ToolRenaming,
  changes: RequestChanges,
): [string, JsonText][] {
  const { tools, toolChoice, parallelCalls } = request;
  if (tools.length === 0) return [];
  const free = toolChoice?.mode === 'some' && !toolChoice.must;
  const offered = free ? tools.filter((tool) => toolChoice.names.includes(tool.name)) : tools;
  if (offered.length < tools.length) changes.note(TOOLS_FILTERED);
  if (parallelCalls === false) changes.note(dropped('parallel_tool_calls'));
  if (offered.length === 0) return [];
  const declarations = offered.map((tool) => declarationText(tool, renaming, changes));
  const members: [string, JsonText][] = [['tools', `[{"functionDeclarations":[${declarations.join(',')}]}]`]];
  const calling = callingText(request, offered, renaming);
  if (calling !== null) members.push(['toolConfig', `{"functionCallingConfig":${calling}}`]);
  return members;
}

function declarationText(tool: Tool, renaming: ToolRenaming, changes: RequestChanges): JsonText {
  const { form, name, description, schema } = tool;
  if (form === 'custom') changes.note(CUSTOM_AS_FUNCTIONS);
  const members: [string, JsonText][] = [['name', JSON.stringify(renaming.outward(name))]];
  if (description !== null && description !== '') members.push(['description', JSON.stringify(description)]);
  const json = form === 'custom' ? CUSTOM_SCHEMA : schema;
  if (json !== null) members.push(['parametersJsonSchema', ofObjects(json)]);
  return objectText(members);
}

/** Arguments are an object here, and their schema has to say so. */
function ofObjects(schema: JsonText): JsonText {
  const view = viewOfText(schema);
  if (view === null) return '{"type":"object"}';
  return readJson(view, 'type') === 'object' ? schema : textOf(edit(view, [setJson('type', 'object')]));
}

/** Null = the API's own habit, which is to choose freely. */
function callingText(
  { toolChoice }: CanonicalRequest,
  offered: readonly Tool[],
  renaming: ToolRenaming,
): JsonText | null {
  const named = (names: readonly string[]): string => JSON.stringify(names.map((name) => renaming.outward(name)));
  switch (toolChoice?.mode) {
    case 'none':
      return '{"mode":"NONE"}';
    case 'any':
      return '{"mode":"ANY"}';
    case 'one':
      return `{"mode":"ANY","allowedFunctionNames":${named([toolChoice.name])}}`;
    case 'some':
      if (toolChoice.must) return `{"mode":"ANY","allowedFunctionNames":${named(toolChoice.names)}}`;
  }
  // The mode that holds calls to their schemas, as `strict` asks.
  if (offered.some((tool) => tool.strict === true)) return '{"mode":"VALIDATED"}';
  return toolChoice === null ? null : '{"mode":"AUTO"}';
}
