/**
 * Every top-level field of a Responses request by what a translation makes of it. A field that stands in no list is
 * a hint: dropped with a record where the upstream speaks another dialect.
 */

/** Said in the canonical model. */
export const MODELLED: readonly string[] = [
  'model',
  'input',
  'instructions',
  'tools',
  'tool_choice',
  'parallel_tool_calls',
  'text',
  'reasoning',
  'max_output_tokens',
  'temperature',
  'top_p',
  'top_logprobs',
  'include',
  'stream',
  'stream_options',
];

/** Nudges: written where the upstream has words for them, else dropped with a record. */
export const HINTS: readonly string[] = [
  'access_programs',
  'client_metadata',
  'context_management',
  'max_tool_calls',
  'metadata',
  'moderation',
  'prompt_cache_key',
  'prompt_cache_options',
  'prompt_cache_retention',
  'safety_identifier',
  'service_tier',
  'store',
  'truncation',
  'user',
];

/** Bound to this dialect: refused elsewhere. Field → the name of what is missing there. */
export const BOUND: ReadonlyMap<string, string> = new Map([
  ['background', 'background'],
  ['conversation', 'state'],
  ['previous_response_id', 'state'],
  ['prompt', 'state'],
]);
