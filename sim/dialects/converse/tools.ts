/** Tools and the choice among them. */
import type { OfferedTool, SimRequest } from '../../answer/request.ts';
import { constraint, fieldsAt, inside, listAt, objectAt, patternAt, refuse, textAt, unionAt } from './refused.ts';

const NAME = /^[a-zA-Z0-9_-]{1,64}$/;

export interface ReadTools {
  readonly tools: readonly OfferedTool[];
  readonly choice: SimRequest['toolChoice'];
}

/** Reads `toolConfig`; null = there is none. `forced`: a choice that forces a call is taken. Throws RefusedRequest. */
export function readTools(value: unknown, forced: boolean): ReadTools | null {
  if (value === undefined || value === null) return null;
  const fields = fieldsAt(value, 'toolConfig', ['tools', 'toolChoice'], ['tools']);
  const list = listAt(fields['tools'], 'toolConfig.tools');
  if (list.length === 0) constraint('toolConfig.tools', 'have length greater than or equal to 1');
  const tools = list.flatMap((tool, i) => readTool(tool, inside('toolConfig.tools', i)));
  const names = tools.map((tool) => tool.name);
  const twice = names.find((name, i) => names.indexOf(name) < i);
  if (twice !== undefined) refuse(`The toolConfig field contains the tool name ${twice} more than once.`);
  const choice = readChoice(fields['toolChoice'], names);
  if (!forced && choice !== 'auto') refuse("This model doesn't support the toolConfig.toolChoice.any field.");
  return { tools, choice };
}

function readTool(value: unknown, path: string): OfferedTool[] {
  const [kind, spec] = unionAt(value, path, ['toolSpec', 'systemTool', 'cachePoint']);
  if (kind !== 'toolSpec') {
    objectAt(spec, inside(path, kind));
    return [];
  }
  const at = inside(path, kind);
  const fields = fieldsAt(spec, at, ['name', 'description', 'inputSchema', 'strict'], ['name', 'inputSchema']);
  const name = patternAt(fields['name'], inside(at, 'name'), NAME);
  const description = fields['description'];
  if (description !== undefined && textAt(description, inside(at, 'description')) === '') {
    constraint(inside(at, 'description'), 'have length greater than or equal to 1');
  }
  const schemaAt = inside(at, 'inputSchema');
  const { json } = fieldsAt(fields['inputSchema'], schemaAt, ['json'], ['json']);
  const schema = objectAt(json, inside(schemaAt, 'json'));
  if (schema['type'] !== 'object') {
    refuse(`The value at ${schemaAt}.json.type must be one of the following: object.`);
  }
  return [{ kind: 'function', name, parameters: schema }];
}

function readChoice(value: unknown, names: readonly string[]): SimRequest['toolChoice'] {
  if (value === undefined || value === null) return 'auto';
  const path = 'toolConfig.toolChoice';
  const [kind, inner] = unionAt(value, path, ['auto', 'any', 'tool']);
  if (kind !== 'tool') {
    fieldsAt(inner, inside(path, kind), [], []);
    return kind === 'any' ? 'required' : 'auto';
  }
  const name = textAt(fieldsAt(inner, inside(path, kind), ['name'], ['name'])['name'], inside(path, 'tool.name'));
  if (!names.includes(name)) refuse(`The tool name ${name} in ${path} is not in toolConfig.tools.`);
  return { name };
}
