/**
 * The lists of the catalogue, by provider type: `models` = folders of models.dev, first wins; `prices` = provider of
 * genai-prices; `always` = why each price of it is an estimate. Types without a source have no list.
 */
export const LISTS = {
  openai: { models: ['openai'], prices: 'openai' },
  anthropic: { models: ['anthropic'], prices: 'anthropic' },
  gemini: { models: ['google'], prices: 'google' },
  'azure-openai': { models: ['azure'], prices: 'azure', always: 'region' },
  bedrock: { models: ['amazon-bedrock'], prices: 'aws', always: 'region' },
  vertex: { models: ['google-vertex', 'google-vertex-anthropic'], prices: null, always: 'region' },
  deepseek: { models: ['deepseek'], prices: 'deepseek' },
  moonshot: { models: ['moonshotai'], prices: 'moonshotai' },
  dashscope: { models: ['alibaba-cn'], prices: null, always: 'currency' },
  zhipu: { models: ['zhipuai'], prices: 'zhipuai', always: 'currency' },
  siliconflow: { models: ['siliconflow-cn'], prices: null, always: 'currency' },
  minimax: { models: ['minimax'], prices: 'minimax' },
  mistral: { models: ['mistral'], prices: 'mistral' },
  groq: { models: ['groq'], prices: 'groq' },
  xai: { models: ['xai'], prices: 'x-ai' },
  together: { models: ['togetherai'], prices: 'together' },
  fireworks: { models: ['fireworks-ai'], prices: 'fireworks' },
  openrouter: { models: ['openrouter'], prices: 'openrouter', always: 'routing' },
  perplexity: { models: ['perplexity'], prices: 'perplexity' },
  cerebras: { models: ['cerebras'], prices: 'cerebras' },
};
