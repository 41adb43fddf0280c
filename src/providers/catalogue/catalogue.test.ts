import { describe, expect, it } from 'vitest';
import { listAt } from './addresses.ts';
import { lookUp } from './catalogue.ts';
import { sources } from './shipped-lists.ts';

const USD = 1_000_000_000n;
const DAY = '2026-10-01';

describe('facts that are known of models', () => {
  // As of the day of the list; a new import that changes one of them should make a reader look.
  it.each([
    ['openai', 'gpt-4o', 128_000, 16_384, 2_500_000_000n, 10n * USD, 1_250_000_000n],
    ['openai', 'gpt-4o-mini', 128_000, 16_384, 150_000_000n, 600_000_000n, 75_000_000n],
    ['openai', 'gpt-5-nano', 400_000, 128_000, 50_000_000n, 400_000_000n, 5_000_000n],
    ['openai', 'o3', 200_000, 100_000, 2n * USD, 8n * USD, 500_000_000n],
    ['anthropic', 'claude-haiku-4-5', 200_000, 64_000, 1n * USD, 5n * USD, 100_000_000n],
    ['anthropic', 'claude-opus-4-5', 200_000, 64_000, 5n * USD, 25n * USD, 500_000_000n],
    ['gemini', 'gemini-2.5-flash', 1_048_576, 65_536, 300_000_000n, 2_500_000_000n, 30_000_000n],
    ['moonshot', 'kimi-k2-thinking', 262_144, 262_144, 600_000_000n, 2_500_000_000n, 150_000_000n],
    ['mistral', 'mistral-large-2512', 262_144, 262_144, 500_000_000n, 1_500_000_000n, 50_000_000n],
    ['groq', 'llama-3.1-8b-instant', 131_072, 131_072, 50_000_000n, 80_000_000n, null],
  ] as const)('G-4: %s %s', (list, name, contextWindow, maxOutputTokens, input, output, cachedInput) => {
    const facts = lookUp(list, name, DAY);
    expect(facts).toMatchObject({ contextWindow, maxOutputTokens, date: '2026-07-02' });
    expect(facts?.price).toMatchObject({ input, output, cachedInput, estimate: null, date: '2026-09-23' });
  });

  it('G-4: what is said is of a day, and from somewhere', () => {
    expect(sources).toMatchObject({ m: { date: '2026-07-02' }, g: { version: '0.1.8', date: '2026-09-23' } });
  });

  it('P-6: what is known to be missing, and what nobody knows', () => {
    expect(lookUp('openai', 'gpt-4o', DAY)?.capabilities).toEqual({
      apis: null,
      input: ['text', 'image', 'file'],
      features: ['tools', 'json_schema'],
      lacks: { input: ['audio', 'video'], features: ['reasoning'] },
    });
    // Files stand in no list of missing inputs: the source does not speak of all ways to send one.
    expect(lookUp('groq', 'llama-3.1-8b-instant', DAY)?.capabilities?.lacks).toEqual({
      input: ['image', 'audio', 'video'],
      features: ['reasoning'],
    });
    expect(lookUp('xai', 'grok-4', DAY)).toMatchObject({ contextWindow: 256_000, capabilities: null });
  });

  it('G-4: a dearer price for long requests is a step of its own', () => {
    expect(lookUp('gemini', 'gemini-2.5-pro', DAY)?.price?.tiers).toEqual([
      {
        above: 200_000,
        input: 2_500_000_000n,
        output: 15n * USD,
        cachedInput: 250_000_000n,
        cacheWrite: null,
        audioIn: null,
        audioOut: null,
      },
    ]);
  });

  it('G-4: a change that was announced holds from its day on', () => {
    const priceOn = (day: string) => lookUp('gemini', 'gemini-3.8-flash', day)?.price;
    expect(priceOn('')).toMatchObject({ input: 750_000_000n, date: '2026-09-23' });
    expect(priceOn('2026-12-31')).toMatchObject({ input: 750_000_000n, date: '2026-09-23' });
    expect(priceOn('2027-01-01')).toMatchObject({ input: 1_500_000_000n, output: 7_500_000_000n, date: '2027-01-01' });
  });

  it('G-4: a model paid by the request has no price by tokens', () => {
    expect(lookUp('perplexity', 'sonar', DAY)).toMatchObject({ contextWindow: 128_000, price: null });
  });

  it.each([
    ['sources that differ', 'deepseek', 'deepseek-chat', 'sources_differ'],
    ['the hour', 'deepseek', 'deepseek-v4-pro', 'time_of_day'],
    ['bills in another currency', 'dashscope', 'qwen-max', 'currency'],
    ['the region', 'azure-openai', 'gpt-4o', 'region'],
    ['whom it is passed on to', 'openrouter', 'openai/gpt-4o', 'routing'],
  ])('G-4: an estimate says why it is one: %s', (_why, list, name, estimate) => {
    expect(lookUp(list, name, DAY)?.price?.estimate).toBe(estimate);
  });
});

describe('names', () => {
  it('a dated snapshot that is listed has its own price, one that is not its model’s', () => {
    expect(lookUp('openai', 'gpt-4o-2024-05-13', DAY)?.price?.input).toBe(5n * USD);
    expect(lookUp('openai', 'gpt-4o-2031-01-31', DAY)).toEqual(lookUp('openai', 'gpt-4o', DAY));
    expect(lookUp('anthropic', 'claude-haiku-4-5-20310131', DAY)).toEqual(lookUp('anthropic', 'claude-haiku-4-5', DAY));
  });

  it.each(['gpt-4o-tuned', 'GPT-4o', 'gpt-4', 'openai/gpt-4o', 'gpt-4o-31', '', '__proto__'])(
    'G-4: %j is itself or nothing',
    (name) => {
      const facts = lookUp('openai', name, DAY);
      expect(facts === null).toBe(name !== 'gpt-4');
      expect(facts?.price?.input ?? null).not.toBe(lookUp('openai', 'gpt-4o', DAY)?.price?.input);
    },
  );

  it('a list nobody has knows nothing', () => {
    expect(lookUp('volcengine', 'gpt-4o', DAY)).toBeNull();
  });
});

describe('whose figures hold at an address', () => {
  it.each([
    ['https://api.openai.com/v1', 'openai'],
    ['https://eu.api.openai.com/v1', 'openai'],
    ['https://my-name.openai.azure.com/openai/v1', 'azure-openai'],
    ['https://bedrock-runtime.eu-central-1.amazonaws.com', 'bedrock'],
    ['https://europe-west1-aiplatform.googleapis.com/v1', 'vertex'],
    ['https://api.deepseek.com', 'deepseek'],
    ['https://dashscope.aliyuncs.com/compatible-mode/v1', 'dashscope'],
  ])('%s: its provider’s', (address, list) => {
    expect(listAt(address)).toBe(list);
  });

  it.each([
    'http://api.openai.com/v1',
    'https://api.openai.com.example.net/v1',
    'https://api.openai.com:8443/v1',
    'https://proxy.example.net/api.openai.com/v1',
    'https://user@example.net/v1',
    'https://dashscope-intl.aliyuncs.com/compatible-mode/v1',
    'http://127.0.0.1:11434/v1',
    'sim:',
    'nonsense',
  ])('G-4: %s: nobody’s, who is behind it may charge anything', (address) => {
    expect(listAt(address)).toBeNull();
  });
});
