/** Wire formats and what is asked over them, by name. Names of formats, not of companies: a provider's row lists its own. */

/** What clients may speak. */
export type ClientDialectName = 'openai-chat' | 'openai-responses' | 'anthropic' | 'gemini';

/** What upstreams may speak. */
export type Dialect = ClientDialectName | 'bedrock';

/** What a path asks for. Only `generate` is ever translated; all others pass in the same dialect or not at all. */
export type Operation =
  | 'generate'
  | 'count_tokens'
  | 'completions'
  | 'embeddings'
  | 'moderations'
  | 'rerank'
  | 'image_generation'
  | 'image_edit'
  | 'speech'
  | 'transcription'
  | 'translation'
  | 'video';
