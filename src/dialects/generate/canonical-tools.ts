/** The tools of a request and which of them shall be called. */
import { type BodyView, readString } from '../bytes/body-view.ts';
import { objectsIn } from '../bytes/nested.ts';
import type { Tool, ToolChoice } from '../canonical.ts';
import { memberText } from '../cross/json-text.ts';
import { camelCase, given, objectGiven, valueGiven } from './fields.ts';
import { type Gathered, noteOthers } from './gathered.ts';
import { toJsonSchema } from './openapi-schema.ts';
import { BUILTIN_TOOLS } from './request-fields.ts';

const FUNCTIONS = 'functionDeclarations';
/** What a function answers, and how it may be called, are nudges. */
const KNOWN_OF_FUNCTION: ReadonlySet<string> = new Set(['name', 'description', 'parameters', 'parametersJsonSchema']);
const KNOWN_OF_CALLING: ReadonlySet<string> = new Set(['mode', 'allowedFunctionNames']);
const KNOWN_OF_CONFIG: ReadonlySet<string> = new Set(['functionCallingConfig']);

/** A text says what is wrong. Tools of the API itself are bound to it. */
export function readTools(view: BodyView, gathered: Gathered): Tool[] | string {
  const single = objectGiven(view, 'tools');
  const tools: Tool[] = [];
  for (const [at, tool] of (single === null ? objectsIn(view, 'tools') : [single]).entries()) {
    for (const { key } of tool.members) {
      const name = camelCase(key);
      if (name !== FUNCTIONS && given(tool, name) !== null)
        gathered.bound.add(BUILTIN_TOOLS.get(name) ?? 'builtin_tool');
    }
    for (const declaration of declarationsIn(tool)) {
      const name = readString(declaration, 'name');
      if (typeof name !== 'string' || name === '') return `\`tools[${at}]\` has a function without a name.`;
      noteOthers(declaration, KNOWN_OF_FUNCTION, 'tools', gathered);
      tools.push({
        form: 'function',
        name,
        description: readString(declaration, 'description') ?? null,
        schema: schemaOf(declaration),
        strict: null,
      });
    }
  }
  return tools;
}

function declarationsIn(tool: BodyView): BodyView[] {
  const found = given(tool, FUNCTIONS);
  const single = objectGiven(tool, FUNCTIONS);
  if (found === null) return [];
  return single === null ? objectsIn(tool, found.key) : [single];
}

function schemaOf(declaration: BodyView): string | null {
  const plain = given(declaration, 'parametersJsonSchema');
  if (plain !== null) return memberText(declaration, plain);
  const own = given(declaration, 'parameters');
  return own === null ? null : toJsonSchema(memberText(declaration, own));
}

/** `toolConfig.functionCallingConfig`. */
export function readToolChoice(view: BodyView, gathered: Gathered): ToolChoice | null {
  const config = objectGiven(view, 'toolConfig');
  if (config === null) return null;
  noteOthers(config, KNOWN_OF_CONFIG, 'toolConfig', gathered);
  const calling = objectGiven(config, 'functionCallingConfig');
  if (calling !== null) noteOthers(calling, KNOWN_OF_CALLING, 'functionCallingConfig', gathered);
  const mode = calling === null ? undefined : valueGiven(calling, 'mode');
  const names = namesIn(calling);
  const word = typeof mode === 'string' ? mode.toUpperCase() : mode;
  if (names.length > 0 && word !== 'ANY' && word !== 'VALIDATED') {
    gathered.hints.set('functionCallingConfig.allowedFunctionNames', JSON.stringify(names));
  }
  switch (word) {
    case 'NONE':
      return { mode: 'none' };
    case 'AUTO':
      return { mode: 'auto' };
    case 'VALIDATED':
      // Calls held to their schemas: others promise that for each tool, and only for schemas of a kind.
      gathered.hints.set('functionCallingConfig.mode', '"VALIDATED"');
      return names.length > 0 ? { mode: 'some', names, must: false } : { mode: 'auto' };
    case 'ANY':
      if (names.length === 0) return { mode: 'any' };
      return names.length === 1 ? { mode: 'one', name: names[0]! } : { mode: 'some', names, must: true };
    default:
      return null;
  }
}

function namesIn(calling: BodyView | null): string[] {
  const names = calling === null ? undefined : valueGiven(calling, 'allowedFunctionNames');
  return Array.isArray(names) ? names.filter((name) => typeof name === 'string') : [];
}
