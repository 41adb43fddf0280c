/** The provider types a configuration may name (2-interface): where each is reached and how its failures are read. */
import type { ProviderPreset } from './types.ts';
import { vocabularyFor } from './vocabularies.ts';

/** A client's header that every provider of the Chat dialect gets (G-10). */
const CHAT_HEADERS = ['openai-beta'] as const;

/** A preset that speaks the Chat dialect with a bearer key. */
function chat(type: string, baseUrl: string | null, envKey: string | null): ProviderPreset {
  return {
    type,
    dialect: 'openai-chat',
    baseUrl,
    auth: 'bearer',
    vocabulary: vocabularyFor(type),
    forwardHeaders: CHAT_HEADERS,
    envKey,
    available: true,
  };
}

/** A preset whose own dialect comes in a later version. */
function later(
  type: string,
  dialect: ProviderPreset['dialect'],
  auth: ProviderPreset['auth'],
  baseUrl: string | null,
  envKey: string | null,
): ProviderPreset {
  return {
    type,
    dialect,
    baseUrl,
    auth,
    vocabulary: vocabularyFor(type),
    forwardHeaders: [],
    envKey,
    available: false,
  };
}

const ROWS: readonly ProviderPreset[] = [
  chat('openai', 'https://api.openai.com/v1', 'OPENAI_API_KEY'),
  chat('openai-compatible', null, null),
  later('anthropic', 'anthropic', 'x-api-key', 'https://api.anthropic.com', 'ANTHROPIC_API_KEY'),
  later('gemini', 'gemini', 'api-key', 'https://generativelanguage.googleapis.com', 'GEMINI_API_KEY'),
  later('azure-openai', 'openai-chat', 'api-key', null, 'AZURE_OPENAI_API_KEY'),
  later('bedrock', 'bedrock', 'none', null, null),
  later('vertex', 'gemini', 'bearer', null, null),
  // Without an address it starts in the process, on loopback.
  { ...chat('sim', null, null), forwardHeaders: [...CHAT_HEADERS, 'x-sim'] },
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
