/** The fields of `POST /v1/responses` and of its count of input tokens, each with what it may hold. */
import type { Fields } from '../../answer/fields.ts';
import type { Refusal } from '../../answer/request.ts';
import { INPUT } from './items.ts';
import {
  anything,
  type Check,
  flag,
  list,
  number,
  object,
  oneOf,
  orNull,
  refuse,
  shape,
  text,
  wrongType,
} from './shape.ts';
import { TEXT, TOOL, TOOL_CHOICE } from './tools.ts';

/** Fewest tokens an answer may be limited to. */
const LEAST_OUTPUT = 16;

const EFFORTS = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'];

const INCLUDABLE = [
  'file_search_call.results',
  'web_search_call.results',
  'web_search_call.action.sources',
  'message.input_image.image_url',
  'computer_call_output.output.image_url',
  'code_interpreter_call.outputs',
  'reasoning.encrypted_content',
  'message.output_text.logprobs',
];

const metadata: Check = (value, at) => {
  const wrong = object(value, at);
  if (wrong !== null) return wrong;
  const pairs = Object.entries(value as Fields);
  if (pairs.length > 16) {
    const message = `Invalid '${at}': too many properties. Expected an object with at most 16 properties.`;
    return refuse(message, at, 'object_above_max_properties');
  }
  for (const [name, held] of pairs) {
    const found = text(512)(held, `${at}.${name}`);
    if (found !== null) return found;
  }
  return null;
};

const idOrObject: Check = (value, at) => (typeof value === 'string' ? null : shape({ 'id!': text() })(value, at));

const REASONING = shape({
  effort: orNull(oneOf(...EFFORTS)),
  summary: orNull(oneOf('auto', 'concise', 'detailed')),
  generate_summary: orNull(oneOf('auto', 'concise', 'detailed')),
  mode: text(),
  context: orNull(oneOf('auto', 'current_turn', 'all_turns')),
});

/** Fields both calls know. */
const SHARED: Readonly<Record<string, Check>> = {
  conversation: orNull(idOrObject),
  instructions: orNull(text()),
  parallel_tool_calls: orNull(flag),
  previous_response_id: orNull(text()),
  reasoning: orNull(REASONING),
  tool_choice: TOOL_CHOICE,
  tools: list(TOOL),
};

const CREATE = shape({
  ...SHARED,
  'model!': text(),
  input: INPUT,
  text: TEXT,
  background: orNull(flag),
  client_metadata: orNull(object),
  context_management: orNull(list(object)),
  include: orNull(list(oneOf(...INCLUDABLE))),
  max_output_tokens: orNull(number('integer', LEAST_OUTPUT)),
  max_tool_calls: orNull(number('integer', 1)),
  metadata: orNull(metadata),
  moderation: orNull(object),
  access_programs: orNull(anything),
  prompt: orNull(shape({ 'id!': text(), variables: orNull(object), version: orNull(text()) })),
  prompt_cache_key: orNull(text()),
  prompt_cache_options: shape({ mode: oneOf('implicit', 'explicit'), ttl: oneOf('30m') }),
  prompt_cache_retention: orNull(oneOf('in_memory', '24h')),
  safety_identifier: orNull(text(64)),
  service_tier: orNull(oneOf('auto', 'default', 'flex', 'scale', 'priority', 'fast')),
  store: orNull(flag),
  stream: orNull(flag),
  stream_options: orNull(shape({ include_obfuscation: flag })),
  temperature: orNull(number('decimal', 0, 2)),
  top_logprobs: orNull(number('integer', 0, 20)),
  top_p: orNull(number('decimal', 0, 1)),
  truncation: orNull(oneOf('auto', 'disabled')),
  user: text(),
});

const COUNT = shape({
  ...SHARED,
  model: orNull(text()),
  input: orNull(INPUT),
  text: orNull(TEXT),
  tool_choice: orNull(TOOL_CHOICE),
  tools: orNull(list(TOOL)),
  truncation: oneOf('auto', 'disabled'),
  personality: text(),
});

/** Fields of the older API, and what this one calls them. */
const MOVED: Readonly<Record<string, string>> = {
  messages: 'input',
  max_tokens: 'max_output_tokens',
  max_completion_tokens: 'max_output_tokens',
  response_format: 'text.format',
  reasoning_effort: 'reasoning.effort',
  verbosity: 'text.verbosity',
};

/** What is wrong with a body as JSON; how its items hang together is another matter. */
export function faultOfBody(body: unknown, counting = false): Refusal | null {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return wrongType('body', 'an object', body);
  for (const name of Object.keys(body)) {
    const now = Object.hasOwn(MOVED, name) ? MOVED[name] : undefined;
    if (now !== undefined) {
      const moved = `In the Responses API, this parameter has moved to '${now}'.`;
      return refuse(`Unsupported parameter: '${name}'. ${moved}`, name, 'unsupported_parameter');
    }
  }
  return (counting ? COUNT : CREATE)(body, '');
}
