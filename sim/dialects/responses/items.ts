/** What may stand in `input`: a text, or items of many kinds. */
import { fieldsOf } from '../../answer/fields.ts';
import { byType, type Check, list, object, oneOf, orNull, refuse, shape, text, textOr, wrongType } from './shape.ts';

const TYPE = text();
const CALL_ID = text(64);
const STATUS = orNull(oneOf('in_progress', 'completed', 'incomplete'));
const CALLER = orNull(object);

/** An id as the API makes them: of that prefix. */
function idOf(prefix: string): Check {
  return (value, at) => {
    if (typeof value !== 'string') return wrongType(at, 'a string', value);
    if (value.startsWith(prefix)) return null;
    return refuse(`Invalid '${at}': '${value}'. Expected an ID that begins with '${prefix}'.`, at, 'invalid_value');
  };
}

const imageUrl: Check = (value, at) => {
  if (typeof value !== 'string') return wrongType(at, 'an image URL', value);
  if (/^https?:\/\/[^\s/]+/.test(value) || /^data:image\/[\w.+-]+;base64,[A-Za-z0-9+/]+={0,2}$/.test(value))
    return null;
  const wanted = value.startsWith('data:') ? 'a base64-encoded data URL with an image MIME type' : 'a valid URL';
  return refuse(`Invalid '${at}'. Expected ${wanted}, but got a value with an invalid format.`, at, 'invalid_value');
};

const BREAKPOINT = orNull(shape({ mode: oneOf('explicit'), ttl: text() }));

/** At least one of these fields has to say something. */
function withOne(check: Check, ...names: readonly string[]): Check {
  return (value, at) => {
    const found = check(value, at);
    if (found !== null || names.some((name) => fieldsOf(value)[name] != null)) return found;
    const quoted = names.map((name) => `'${name}'`).join(', ');
    return refuse(`One of ${quoted} must be provided.`, at, 'missing_required_parameter');
  };
}

const INPUT_PARTS: Readonly<Record<string, Check>> = {
  input_text: shape({ type: TYPE, 'text!': text(), prompt_cache_breakpoint: BREAKPOINT }),
  input_image: withOne(
    shape({
      type: TYPE,
      image_url: orNull(imageUrl),
      file_id: orNull(text()),
      detail: orNull(oneOf('low', 'high', 'auto', 'original')),
      prompt_cache_breakpoint: BREAKPOINT,
    }),
    'image_url',
    'file_id',
  ),
  input_file: withOne(
    shape({
      type: TYPE,
      file_data: orNull(text()),
      file_id: orNull(text()),
      file_url: orNull(text()),
      filename: orNull(text()),
      detail: oneOf('auto', 'low', 'high'),
      prompt_cache_breakpoint: BREAKPOINT,
    }),
    'file_data',
    'file_id',
    'file_url',
  ),
};

const OUTPUT_PARTS: Readonly<Record<string, Check>> = {
  output_text: shape({ type: TYPE, 'text!': text(), annotations: list(object), logprobs: orNull(list(object)) }),
  refusal: shape({ type: TYPE, 'refusal!': text() }),
};

const noType = (): null => null;
const INPUT_PART = byType(INPUT_PARTS, noType);

function messageOf(part: Check): Check {
  return shape({
    type: TYPE,
    'role!': oneOf('assistant', 'system', 'developer', 'user'),
    'content!': textOr(part),
    id: orNull(idOf('msg')),
    status: STATUS,
    phase: orNull(oneOf('commentary', 'final_answer')),
  });
}

const SPOKEN = messageOf(byType(OUTPUT_PARTS, noType));
const HEARD = messageOf(INPUT_PART);

/** Roles decide what a message's parts may be. */
const message: Check = (value, at) => (fieldsOf(value)['role'] === 'assistant' ? SPOKEN : HEARD)(value, at);

const SUMMARY_PART = byType({ summary_text: shape({ type: TYPE, 'text!': text() }) }, noType);
const REASONING_PART = byType({ reasoning_text: shape({ type: TYPE, 'text!': text() }) }, noType);

/** Items of tools the API runs itself, and others the simulator only passes over. */
const OTHERS = [
  'additional_tools',
  'apply_patch_call',
  'apply_patch_call_output',
  'code_interpreter_call',
  'compaction',
  'compaction_trigger',
  'computer_call',
  'computer_call_output',
  'file_search_call',
  'image_generation_call',
  'local_shell_call',
  'local_shell_call_output',
  'mcp_approval_request',
  'mcp_approval_response',
  'mcp_call',
  'mcp_list_tools',
  'program',
  'program_output',
  'shell_call',
  'shell_call_output',
  'tool_search_call',
  'tool_search_output',
  'web_search_call',
];

const ITEM = byType(
  {
    message,
    function_call: shape({
      type: TYPE,
      'call_id!': CALL_ID,
      'name!': text(64, /^[a-zA-Z0-9_-]+$/),
      'arguments!': text(),
      id: orNull(idOf('fc')),
      status: STATUS,
      caller: CALLER,
      namespace: text(),
    }),
    function_call_output: shape({
      type: TYPE,
      'call_id!': CALL_ID,
      'output!': textOr(INPUT_PART),
      id: orNull(text()),
      status: STATUS,
      caller: CALLER,
    }),
    custom_tool_call: shape({
      type: TYPE,
      'call_id!': CALL_ID,
      'name!': text(64),
      'input!': text(),
      id: orNull(idOf('ctc')),
      status: STATUS,
      caller: CALLER,
      namespace: text(),
    }),
    custom_tool_call_output: shape({
      type: TYPE,
      'call_id!': CALL_ID,
      'output!': textOr(INPUT_PART),
      id: orNull(text()),
      status: STATUS,
      caller: CALLER,
    }),
    reasoning: shape({
      type: TYPE,
      'summary!': list(SUMMARY_PART),
      content: orNull(list(REASONING_PART)),
      encrypted_content: orNull(text()),
      id: orNull(idOf('rs')),
      status: STATUS,
    }),
    item_reference: shape({ type: orNull(TYPE), 'id!': text() }),
    ...Object.fromEntries(OTHERS.map((type) => [type, object])),
  },
  // A message may leave out its type; an item of nothing but an id refers to another.
  (fields) => (fields['role'] !== undefined ? 'message' : 'id' in fields ? 'item_reference' : null),
);

/** The whole of `input`. */
export const INPUT: Check = textOr(ITEM);
