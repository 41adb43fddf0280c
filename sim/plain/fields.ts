/** Which fields each endpoint takes, as the vendor's own reference lists them. Whatever else comes is refused. */

export type Kind = 'text' | 'texts' | 'number' | 'boolean' | 'object' | 'list' | 'file' | 'files' | 'any';

export interface EndpointFields {
  readonly fields: Readonly<Record<string, Kind>>;
  readonly required: readonly string[];
}

const IMAGE: Readonly<Record<string, Kind>> = {
  model: 'text',
  prompt: 'text',
  background: 'text',
  n: 'number',
  output_compression: 'number',
  output_format: 'text',
  partial_images: 'number',
  quality: 'text',
  response_format: 'text',
  size: 'text',
  stream: 'boolean',
  user: 'text',
};

const TRANSCRIPT: Readonly<Record<string, Kind>> = {
  file: 'file',
  model: 'text',
  language: 'text',
  prompt: 'text',
  response_format: 'text',
  temperature: 'number',
};

export const FIELDS = {
  embeddings: {
    fields: { model: 'text', input: 'any', dimensions: 'number', encoding_format: 'text', user: 'text' },
    required: ['model', 'input'],
  },
  moderations: { fields: { model: 'text', input: 'any' }, required: ['input'] },
  rerank: {
    fields: {
      model: 'text',
      query: 'text',
      documents: 'list',
      top_n: 'number',
      max_tokens_per_doc: 'number',
      return_documents: 'boolean',
      rank_fields: 'list',
    },
    required: ['model', 'query', 'documents'],
  },
  image_generation: { fields: { ...IMAGE, moderation: 'text', style: 'text' }, required: ['prompt'] },
  image_edit: {
    fields: { ...IMAGE, image: 'files', 'image[]': 'files', mask: 'file', input_fidelity: 'text' },
    required: ['prompt'],
  },
  speech: {
    fields: {
      model: 'text',
      input: 'text',
      voice: 'any',
      instructions: 'text',
      response_format: 'text',
      speed: 'number',
      stream_format: 'text',
    },
    required: ['model', 'input', 'voice'],
  },
  transcription: {
    fields: {
      ...TRANSCRIPT,
      stream: 'boolean',
      'include[]': 'texts',
      chunking_strategy: 'any',
      'timestamp_granularities[]': 'texts',
    },
    required: ['file', 'model'],
  },
  translation: { fields: TRANSCRIPT, required: ['file', 'model'] },
  video: {
    fields: { model: 'text', prompt: 'text', input_reference: 'any', seconds: 'text', size: 'text' },
    required: ['prompt'],
  },
  completions: {
    fields: {
      model: 'text',
      prompt: 'any',
      best_of: 'number',
      echo: 'boolean',
      frequency_penalty: 'number',
      logit_bias: 'object',
      logprobs: 'number',
      max_tokens: 'number',
      n: 'number',
      presence_penalty: 'number',
      seed: 'number',
      stop: 'any',
      stream: 'boolean',
      stream_options: 'object',
      suffix: 'text',
      temperature: 'number',
      top_p: 'number',
      user: 'text',
    },
    required: ['model', 'prompt'],
  },
} as const satisfies Record<string, EndpointFields>;

export type PlainName = keyof typeof FIELDS;
