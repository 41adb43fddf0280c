/**
 * Names that OpenTelemetry's GenAI conventions (1.45, in development) give to providers and operations. What they do not
 * name keeps our own name for it, as they allow.
 */

/** By provider type. */
const PROVIDERS: Readonly<Record<string, string>> = {
  openai: 'openai',
  anthropic: 'anthropic',
  gemini: 'gcp.gemini',
  vertex: 'gcp.vertex_ai',
  bedrock: 'aws.bedrock',
  'azure-openai': 'azure.ai.openai',
  deepseek: 'deepseek',
  mistral: 'mistral_ai',
  groq: 'groq',
  xai: 'x_ai',
  perplexity: 'perplexity',
};

/** By endpoint, as records name it. */
const OPERATIONS: Readonly<Record<string, string>> = {
  chat: 'chat',
  responses: 'chat',
  messages: 'chat',
  gemini: 'generate_content',
  completions: 'text_completion',
  embeddings: 'embeddings',
};

/** `gen_ai.provider.name`; null = the conventions have none. */
export function telemetryProvider(type: string): string | null {
  return Object.hasOwn(PROVIDERS, type) ? PROVIDERS[type]! : null;
}

/** `gen_ai.operation.name`. */
export function telemetryOperation(endpoint: string): string {
  return Object.hasOwn(OPERATIONS, endpoint) ? OPERATIONS[endpoint]! : endpoint;
}
