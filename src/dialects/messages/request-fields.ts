/**
 * Every top-level field of a Messages request by what a translation makes of it. A field that stands in no list is
 * a hint: dropped with a record where the upstream speaks another dialect.
 */

/** Said in the canonical model. */
export const MODELLED: readonly string[] = [
  'model',
  'messages',
  'system',
  'max_tokens',
  'tools',
  'tool_choice',
  'thinking',
  'output_config',
  'output_format',
  'stop_sequences',
  'temperature',
  'top_p',
  'top_k',
  'stream',
];

/** Nudges: written where the upstream has words for them, else dropped with a record. */
export const HINTS: readonly string[] = [
  'billing_policy',
  'cache_control',
  'compaction',
  'context_management',
  'diagnostics',
  'fallback_credit_token',
  'fallbacks',
  'metadata',
  'service_tier',
  'speed',
];

/** Bound to this dialect: refused elsewhere. Field → the name of what is missing there. */
export const BOUND: ReadonlyMap<string, string> = new Map([
  ['container', 'state'],
  ['thread', 'state'],
  ['mcp_servers', 'builtin_tool'],
  ['inference_geo', 'inference_geo'],
]);

/** Members of a content block, by its type, that are read or recorded; a mark of what a cache may keep stands anywhere. */
export const BLOCK_FIELDS: ReadonlyMap<string, ReadonlySet<string>> = new Map(
  Object.entries({
    text: ['text', 'citations'],
    image: ['source'],
    document: ['source', 'citations', 'context', 'title'],
    search_result: ['source', 'title', 'content', 'citations'],
    thinking: ['thinking', 'signature'],
    redacted_thinking: ['data'],
    tool_use: ['id', 'name', 'input', 'caller'],
    tool_result: ['tool_use_id', 'content', 'is_error'],
    tool_reference: ['tool_name'],
    tool_addition: ['tool'],
    tool_removal: ['tool'],
    compaction: ['content', 'encrypted_content', 'signature', 'tool_changes'],
  }).map(([type, fields]) => [type, new Set(['type', 'cache_control', ...fields])]),
);

/** Of what a block of media holds. */
export const SOURCE_FIELDS: ReadonlySet<string> = new Set(['type', 'media_type', 'data', 'url', 'content', 'file_id']);
