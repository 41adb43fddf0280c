/** Tools and what may be called of them. */
import { fieldsOf } from '../../answer/fields.ts';
import type { OfferedTool, SimRequest } from '../../answer/request.ts';
import type { Message } from './check-message.ts';
import { jsonSchemaOf, jsonSchemaProblem, listOf, schemaProblem } from './schema.ts';

export interface ToolUse {
  readonly tools: readonly OfferedTool[];
  readonly toolChoice: SimRequest['toolChoice'];
}

const NAME = /^[A-Za-z_][A-Za-z0-9_.:-]{0,127}$/;
const ROOT = 'GenerateContentRequest.tools';

/** Reads `tools` and `toolConfig`; a text is what is wrong with them. */
export function readTools(tools: readonly Message[], toolConfig: Message): ToolUse | string {
  const offered: OfferedTool[] = [];
  let builtIn = false;
  for (const [i, tool] of tools.entries()) {
    if (Object.keys(tool).length === 0) {
      return `* ${ROOT}[${i}].tool_type: required one_of 'tool_type' must have one initialized field\n`;
    }
    builtIn ||= Object.keys(tool).some((kind) => kind !== 'functionDeclarations');
    for (const [j, declaration] of listOf(tool['functionDeclarations']).entries()) {
      const read = readDeclaration(declaration, `${ROOT}[${i}].function_declarations[${j}]`);
      if (typeof read === 'string') return read;
      if (offered.some((one) => one.name === read.name)) return `Duplicate function declaration found: ${read.name}`;
      offered.push(read);
    }
  }
  if (builtIn && offered.length > 0 && toolConfig['includeServerSideToolInvocations'] !== true) {
    return 'Built-in tools and Function Calling cannot be combined in the same request.';
  }
  return chosen(offered, fieldsOf(toolConfig['functionCallingConfig']));
}

function readDeclaration(declaration: Message, path: string): OfferedTool | string {
  const { name, parameters, parametersJsonSchema, response, responseJsonSchema } = declaration;
  if (typeof name !== 'string' || !NAME.test(name)) {
    return (
      `* ${path}.name: Invalid function name. Must start with a letter or an underscore. Must be alphanumeric (a-z, A-Z, ` +
      '0-9), underscores (_), dots (.), colons (:), or dashes (-), with a maximum length of 128.\n'
    );
  }
  if (parameters !== undefined && parametersJsonSchema !== undefined) {
    return `* ${path}: parameters and parameters_json_schema cannot both be set\n`;
  }
  const problem =
    (parameters === undefined ? null : schemaProblem(fieldsOf(parameters), `${path}.parameters`)) ??
    (parametersJsonSchema === undefined
      ? null
      : jsonSchemaProblem(parametersJsonSchema, `${path}.parameters_json_schema`, true)) ??
    (response === undefined ? null : schemaProblem(fieldsOf(response), `${path}.response`)) ??
    (responseJsonSchema === undefined
      ? null
      : jsonSchemaProblem(responseJsonSchema, `${path}.response_json_schema`, false));
  if (problem !== null) return problem;
  const schema = parameters === undefined ? parametersJsonSchema : jsonSchemaOf(fieldsOf(parameters));
  return { kind: 'function', name, parameters: schema };
}

function chosen(offered: readonly OfferedTool[], config: Message): ToolUse | string {
  const path = 'GenerateContentRequest.tool_config.function_calling_config';
  const mode = config['mode'] ?? 'AUTO';
  const allowed = Array.isArray(config['allowedFunctionNames']) ? config['allowedFunctionNames'] : [];
  if (offered.length === 0) {
    return mode === 'ANY' || mode === 'VALIDATED' || allowed.length > 0
      ? `* ${path}: Function calling config is set without function_declarations.\n`
      : { tools: [], toolChoice: 'none' };
  }
  if (allowed.length > 0 && mode !== 'ANY' && mode !== 'VALIDATED') {
    return `* ${path}.allowed_function_names: should only be set when function calling mode is ANY or VALIDATED\n`;
  }
  const unknown = allowed.find((name) => !offered.some((tool) => tool.name === name));
  if (unknown !== undefined) return `* ${path}.allowed_function_names: function ${String(unknown)} is not declared\n`;
  const tools = allowed.length === 0 ? offered : offered.filter((tool) => allowed.includes(tool.name));
  if (mode === 'NONE') return { tools, toolChoice: 'none' };
  if (mode !== 'ANY') return { tools, toolChoice: 'auto' };
  const [only, ...others] = tools;
  return { tools, toolChoice: only !== undefined && others.length === 0 ? { name: only.name } : 'required' };
}
