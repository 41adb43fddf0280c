/** What may stand in `tools`, `tool_choice` and `text`. */
import { type Fields, fieldsOf, isFields } from '../../answer/fields.ts';
import type { Refusal } from '../../answer/request.ts';
import { byType, type Check, flag, list, object, oneOf, orNull, refuse, shape, text } from './shape.ts';

const NAME = text(64, /^[a-zA-Z0-9_-]+$/);
const TYPE = text();

/** Tools the API runs itself. They are taken as they are; the simulator never runs one. */
const SERVER_TOOLS = [
  'apply_patch',
  'code_interpreter',
  'computer',
  'computer_use_preview',
  'file_search',
  'image_generation',
  'local_shell',
  'mcp',
  'namespace',
  'programmatic_tool_calling',
  'shell',
  'tool_search',
  'web_search',
  'web_search_2025_08_26',
  'web_search_preview',
  'web_search_preview_2025_03_11',
];

const FUNCTION = shape({
  type: TYPE,
  'name!': NAME,
  'parameters!': orNull(object),
  description: orNull(text()),
  strict: orNull(flag),
  allowed_callers: orNull(list(oneOf('direct', 'programmatic'))),
  defer_loading: flag,
  output_schema: orNull(object),
});

const CUSTOM = shape({
  type: TYPE,
  'name!': NAME,
  description: text(),
  format: byType(
    {
      text: shape({ type: TYPE }),
      grammar: shape({ type: TYPE, 'definition!': text(), 'syntax!': oneOf('lark', 'regex') }),
    },
    () => null,
  ),
  allowed_callers: orNull(list(oneOf('direct', 'programmatic'))),
  defer_loading: flag,
});

/** One entry of `tools`: flat, with its name beside its type. */
export const TOOL: Check = byType(
  { function: strictly(FUNCTION), custom: CUSTOM, ...Object.fromEntries(SERVER_TOOLS.map((type) => [type, object])) },
  () => null,
);

/** `tool_choice`: a word or an object. That the named tool exists is looked at by faultOfChoice. */
export const TOOL_CHOICE: Check = (value, at) => (isFields(value) ? CHOICE(value, at) : CHOICE_WORD(value, at));
const CHOICE_WORD = oneOf('none', 'auto', 'required');
const CHOICE = byType(
  {
    function: shape({ type: TYPE, 'name!': NAME }),
    custom: shape({ type: TYPE, 'name!': NAME }),
    allowed_tools: shape({ type: TYPE, 'mode!': oneOf('auto', 'required'), 'tools!': list(object) }),
    ...Object.fromEntries(SERVER_TOOLS.map((type) => [type, object])),
  },
  () => null,
);

const SCHEMA_FORMAT = shape({
  type: TYPE,
  'name!': NAME,
  'schema!': object,
  description: text(),
  strict: orNull(flag),
});

/** `text`: the form of the answer and how wordy it is. */
export const TEXT: Check = shape({
  format: byType(
    {
      text: shape({ type: TYPE }),
      json_object: shape({ type: TYPE }),
      json_schema: (value, at) => SCHEMA_FORMAT(value, at) ?? faultOfFormat(fieldsOf(value), `${at}.schema`),
    },
    () => null,
  ),
  verbosity: orNull(oneOf('low', 'medium', 'high')),
});

/** What is wrong with a choice of tools among those offered. */
export function faultOfChoice(choice: unknown, tools: readonly unknown[]): Refusal | null {
  if (choice === 'required' && tools.length === 0) {
    return refuse("Tool choice 'required' must be specified with 'tools' parameter.", 'tool_choice');
  }
  const { type, name, tools: allowed } = fieldsOf(choice);
  const wanted = type === 'allowed_tools' && Array.isArray(allowed) ? allowed.map(fieldsOf) : [{ type, name }];
  for (const one of wanted) {
    if (one.type !== 'function' && one.type !== 'custom') continue;
    if (!tools.some((tool) => fieldsOf(tool)['type'] === one.type && fieldsOf(tool)['name'] === one.name)) {
      const named = typeof one.name === 'string' ? one.name : one.type;
      return refuse(`Tool choice '${named}' not found in 'tools' parameter.`, 'tool_choice');
    }
  }
  return null;
}

/** Functions that leave it open whether they are strict must have schemas that could be. */
export function faultOfStrictness(tools: unknown): Refusal | null {
  for (const [i, tool] of (Array.isArray(tools) ? tools : []).entries()) {
    const fields = fieldsOf(tool);
    if (fields['type'] !== 'function' || fields['strict'] != null) continue;
    const found = TOOL({ ...fields, strict: true }, `tools[${i}]`);
    if (found !== null) return found;
  }
  return null;
}

/** A function that says it is strict must have a schema that is. */
function strictly(check: Check): Check {
  return (value, at) => {
    const found = check(value, at);
    const { strict, name, parameters } = fieldsOf(value);
    if (found !== null || strict !== true) return found;
    const why = looseness(parameters, '()');
    const about = `Invalid schema for function '${String(name)}': ${why}`;
    return why === null ? null : refuse(about, `${at}.parameters`, 'invalid_function_parameters');
  };
}

function faultOfFormat(format: Fields, at: string): Refusal | null {
  const { strict, name, schema } = format;
  const why = strict === true ? looseness(schema, '()') : null;
  const about = `Invalid schema for response_format '${String(name)}': ${why}`;
  return why === null ? null : refuse(about, at, 'invalid_json_schema');
}

/** Why a schema can't be kept to strictly: objects must be closed, and all their properties required. */
function looseness(schema: unknown, at: string): string | null {
  if (at === '()' && fieldsOf(schema)['type'] !== 'object')
    return 'schema must be a JSON Schema of \'type: "object"\'.';
  const { properties, required, additionalProperties, items, anyOf, $defs, definitions } = fieldsOf(schema);
  const isObject = fieldsOf(schema)['type'] === 'object' || properties !== undefined;
  if (isObject) {
    if (additionalProperties !== false) {
      return `In context=${at}, 'additionalProperties' is required to be supplied and to be false.`;
    }
    const named = Array.isArray(required) ? required : [];
    const absent = Object.keys(fieldsOf(properties)).find((name) => !named.includes(name));
    if (absent !== undefined) {
      const rule = "'required' is required to be supplied and to be an array including every key in properties.";
      return `In context=${at}, ${rule} Missing '${absent}'.`;
    }
  }
  const inner: [string, unknown][] = [
    ...[properties, $defs, definitions].flatMap((held) => Object.entries(fieldsOf(held))),
    ...(Array.isArray(anyOf) ? anyOf.map((one, i): [string, unknown] => [`anyOf[${i}]`, one]) : []),
    ...(items === undefined ? [] : [['items', items] as [string, unknown]]),
  ];
  for (const [name, held] of inner) {
    const why = looseness(held, `${at.slice(0, -1)}${at === '()' ? '' : ', '}'${name}')`);
    if (why !== null) return why;
  }
  return null;
}
