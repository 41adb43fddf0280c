/** The provider types a configuration may name (2-interface): where each is reached and how its failures are read. */
import { CHAT_BETA_HEADER, MESSAGES_BETA_HEADER, MESSAGES_VERSION_HEADER, SIM_HEADER } from './headers.ts';
import {
  ALL_OPERATIONS,
  COMPATIBLE_OPERATIONS,
  GENERATE_AND_COUNT,
  GENERATE_ONLY,
  OPENAI_OPERATIONS,
} from './operations.ts';
import type { ProviderPreset } from './types.ts';
import { vocabularyFor } from './vocabularies.ts';

const CHAT_HEADERS = [CHAT_BETA_HEADER] as const;
const MESSAGES_HEADERS = [MESSAGES_VERSION_HEADER, MESSAGES_BETA_HEADER] as const;

type Own = Pick<ProviderPreset, 'dialects' | 'auth'> & Partial<ProviderPreset>;

function row(type: string, own: Own): ProviderPreset {
  return {
    type,
    optionalDialects: [],
    operations: GENERATE_ONLY,
    baseUrl: null,
    addressing: 'plain',
    requires: [],
    vocabulary: vocabularyFor(type),
    forwardHeaders: { always: [], native: [] },
    envKey: null,
    ...own,
  };
}

/** A preset that speaks the Chat dialect with a bearer key. */
function chat(type: string, baseUrl: string | null, envKey: string | null): ProviderPreset {
  return row(type, {
    dialects: ['openai-chat'],
    optionalDialects: ['openai-responses'],
    operations: COMPATIBLE_OPERATIONS,
    auth: 'bearer',
    baseUrl,
    requires: baseUrl === null ? ['base_url'] : [],
    forwardHeaders: { always: [], native: CHAT_HEADERS },
    envKey,
  });
}

const ROWS: readonly ProviderPreset[] = [
  {
    ...chat('openai', 'https://api.openai.com/v1', 'OPENAI_API_KEY'),
    dialects: ['openai-chat', 'openai-responses'],
    optionalDialects: [],
    operations: OPENAI_OPERATIONS,
  },
  chat('openai-compatible', null, null),
  row('anthropic', {
    dialects: ['anthropic'],
    operations: GENERATE_AND_COUNT,
    auth: 'x-api-key',
    baseUrl: 'https://api.anthropic.com',
    forwardHeaders: { always: [], native: MESSAGES_HEADERS },
    envKey: 'ANTHROPIC_API_KEY',
  }),
  row('gemini', {
    dialects: ['gemini'],
    operations: GENERATE_AND_COUNT,
    auth: 'x-goog-api-key',
    baseUrl: 'https://generativelanguage.googleapis.com',
    envKey: 'GEMINI_API_KEY',
  }),
  row('azure-openai', {
    dialects: ['openai-chat', 'openai-responses'],
    operations: OPENAI_OPERATIONS,
    auth: 'api-key',
    addressing: 'deployments',
    requires: ['base_url'],
    forwardHeaders: { always: [], native: CHAT_HEADERS },
    envKey: 'AZURE_OPENAI_API_KEY',
  }),
  row('bedrock', { dialects: ['bedrock'], auth: 'aws', requires: ['region'] }),
  row('vertex', {
    dialects: ['gemini', 'anthropic'],
    operations: GENERATE_AND_COUNT,
    auth: 'service-account',
    addressing: 'publishers',
    requires: ['project'],
    forwardHeaders: { always: [], native: [MESSAGES_BETA_HEADER] },
  }),
  // Without an address it starts in the process, on loopback.
  row('sim', {
    dialects: ['openai-chat', 'openai-responses', 'anthropic', 'gemini', 'bedrock'],
    operations: ALL_OPERATIONS,
    auth: 'by-dialect',
    forwardHeaders: { always: [SIM_HEADER], native: [...CHAT_HEADERS, ...MESSAGES_HEADERS] },
  }),
  chat('deepseek', 'https://api.deepseek.com/v1', 'DEEPSEEK_API_KEY'),
  chat('moonshot', 'https://api.moonshot.ai/v1', 'MOONSHOT_API_KEY'),
  chat('dashscope', 'https://dashscope.aliyuncs.com/compatible-mode/v1', 'DASHSCOPE_API_KEY'),
  chat('zhipu', 'https://open.bigmodel.cn/api/paas/v4', 'ZHIPU_API_KEY'),
  chat('volcengine', 'https://ark.cn-beijing.volces.com/api/v3', 'ARK_API_KEY'),
  chat('siliconflow', 'https://api.siliconflow.cn/v1', 'SILICONFLOW_API_KEY'),
  chat('minimax', 'https://api.minimax.io/v1', 'MINIMAX_API_KEY'),
  chat('mistral', 'https://api.mistral.ai/v1', 'MISTRAL_API_KEY'),
  chat('groq', 'https://api.groq.com/openai/v1', 'GROQ_API_KEY'),
  chat('xai', 'https://api.x.ai/v1', 'XAI_API_KEY'),
  chat('together', 'https://api.together.xyz/v1', 'TOGETHER_API_KEY'),
  chat('fireworks', 'https://api.fireworks.ai/inference/v1', 'FIREWORKS_API_KEY'),
  chat('openrouter', 'https://openrouter.ai/api/v1', 'OPENROUTER_API_KEY'),
  chat('perplexity', 'https://api.perplexity.ai', 'PERPLEXITY_API_KEY'),
  chat('cerebras', 'https://api.cerebras.ai/v1', 'CEREBRAS_API_KEY'),
  // Local servers: a provider without credentials calls without Authorization.
  chat('ollama', 'http://127.0.0.1:11434/v1', null),
  chat('vllm', 'http://127.0.0.1:8000/v1', null),
  chat('lmstudio', 'http://127.0.0.1:1234/v1', null),
];

/** Preset by its `type`. */
export const presets: ReadonlyMap<string, ProviderPreset> = new Map(ROWS.map((row) => [row.type, row]));
