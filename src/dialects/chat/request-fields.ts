/**
 * Every top-level field of a Chat Completions request by what a translation makes of it. A field that stands in no
 * list is a hint: dropped with a record where the upstream speaks another dialect.
 */

/** Said in the canonical model. */
export const MODELLED: readonly string[] = [
  'model',
  'messages',
  'tools',
  'tool_choice',
  'parallel_tool_calls',
  'functions',
  'function_call',
  'response_format',
  'reasoning_effort',
  'reasoning',
  'include_reasoning',
  'max_completion_tokens',
  'max_tokens',
  'stop',
  'temperature',
  'top_p',
  'top_k',
  'seed',
  'presence_penalty',
  'frequency_penalty',
  'logit_bias',
  'n',
  'logprobs',
  'top_logprobs',
  'modalities',
  'stream',
  'stream_options',
];

/** Nudges: written where the upstream has words for them, else dropped with a record. */
export const HINTS: readonly string[] = [
  'audio',
  'metadata',
  'moderation',
  'prediction',
  'prompt_cache_key',
  'prompt_cache_options',
  'prompt_cache_retention',
  'safety_identifier',
  'service_tier',
  'store',
  'user',
  'verbosity',
];

/** Bound to this dialect: refused elsewhere. Field → the name of what is missing there. */
export const BOUND: ReadonlyMap<string, string> = new Map([
  ['web_search_options', 'web_search'],
  ['previous_response_id', 'state'],
  ['conversation', 'state'],
  ['container', 'state'],
  ['cached_content', 'state'],
  ['cachedContent', 'state'],
]);

/** Members of a message that are read, or that say what another member says as well. */
export const MESSAGE_FIELDS: ReadonlySet<string> = new Set([
  'role',
  'content',
  'name',
  'refusal',
  'audio',
  'images',
  'tool_calls',
  'function_call',
  'tool_call_id',
  'reasoning',
  'reasoning_content',
  'reasoning_details',
]);
