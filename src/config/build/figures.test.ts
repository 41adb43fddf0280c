import { describe, expect, it } from 'vitest';
import { loadConfig } from '../load.ts';
import type { ChannelEntry, ModelEntry, Snapshot } from '../snapshot.ts';
import { withModel } from './with-model.ts';

const USD = 1_000_000_000n;
const PROVIDERS = {
  openai: { type: 'openai' },
  groq: { type: 'groq' },
  mine: { type: 'openai', base_url: 'http://127.0.0.1:9/v1' },
  told: { type: 'openai-compatible', base_url: 'https://proxy.example.net/v1', catalogue: 'openai' },
  g: { type: 'openai-compatible', base_url: 'https://generativelanguage.googleapis.com/v1beta/openai' },
  mute: { type: 'openai', catalogue: 'none' },
};

function load(models: object, more: { day?: string } = {}): Snapshot {
  const text = JSON.stringify({ version: 1, providers: PROVIDERS, models });
  const loaded = loadConfig({ text, file: 'c.yaml', env: {}, ...more });
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.problems));
  return loaded.snapshot;
}

const modelOf = (snapshot: Snapshot, id: string): ModelEntry => snapshot.models[snapshot.modelById.get(id)!]!;
const channelsOf = (snapshot: Snapshot, id: string): ChannelEntry[] =>
  modelOf(snapshot, id).channels.map((ix) => snapshot.channels[ix]!);

const GPT_4O = {
  contextWindow: 128_000,
  maxOutputTokens: 16_384,
  price: { input: 2_500_000_000n, output: 10n * USD, cachedInput: 1_250_000_000n },
  capabilities: { input: ['text', 'image', 'file'], features: ['tools', 'json_schema'] },
};

describe('figures the file leaves open', () => {
  it('G-4, P-6: are the catalogue’s, with the day they are of', () => {
    const snapshot = load({ 'openai/gpt-4o': {} });
    expect(channelsOf(snapshot, 'openai/gpt-4o')[0]).toMatchObject(GPT_4O);
    expect(modelOf(snapshot, 'openai/gpt-4o')).toMatchObject({
      ...GPT_4O,
      catalogued: {
        price: { date: '2026-09-23', estimate: null },
        contextWindow: '2026-07-02',
        maxOutputTokens: '2026-07-02',
        capabilities: '2026-07-02',
      },
    });
  });

  it('P-6: so are the endpoints of models made for one, unless the file says them', () => {
    const name = 'openai/text-embedding-3-small';
    const apis = (model: object) => modelOf(load({ [name]: model }), name).capabilities.apis;
    expect(apis({})).toEqual(['embeddings']);
    expect(apis({ capabilities: { apis: ['chat'] } })).toEqual(['chat']);
    expect(apis({ channels: [{ provider: 'openai' }, { provider: 'mine', model: 'x' }] })).toBeNull();
  });

  it('go by the name at the provider, not by the public one', () => {
    const snapshot = load({
      chat: { channels: [{ provider: 'openai', model: 'gpt-4o' }] },
      'gpt-4o': { channels: [{ provider: 'openai', model: 'my-own' }] },
    });
    expect(modelOf(snapshot, 'chat')).toMatchObject(GPT_4O);
    expect(modelOf(snapshot, 'gpt-4o')).toMatchObject({ price: null, contextWindow: null });
  });

  it.each(['mine', 'mute'])(
    'G-4: stay unknown at an address that is not the provider’s, and where the file says so: %s',
    (provider) => {
      const snapshot = load({ m: { channels: [{ provider, model: 'gpt-4o' }] } });
      expect(modelOf(snapshot, 'm')).toEqual({
        ix: 0,
        id: 'm',
        channels: [0],
        contextWindow: null,
        price: null,
        capabilities: { apis: null, input: null, features: null },
      });
      expect(channelsOf(snapshot, 'm')[0]).not.toHaveProperty('price');
      expect(channelsOf(snapshot, 'm')[0]).not.toHaveProperty('catalogued');
    },
  );

  it('are those of the list that the file names for a provider', () => {
    expect(modelOf(load({ m: { channels: [{ provider: 'told', model: 'gpt-4o' }] } }), 'm')).toMatchObject(GPT_4O);
  });

  it('come with a model that a wildcard makes on demand', () => {
    const snapshot = load({ 'openai/*': {}, 'mine/*': {} });
    expect(modelOf(withModel(snapshot, 'openai/gpt-4o'), 'openai/gpt-4o')).toMatchObject({ ...GPT_4O, wildcard: true });
    expect(modelOf(withModel(snapshot, 'mine/gpt-4o'), 'mine/gpt-4o')).toMatchObject({
      price: null,
      contextWindow: null,
    });
  });

  it('G-4: change on the day that was announced, on demand too', () => {
    const prices = (more: { day?: string }) => {
      const snapshot = withModel(load({ 'g/*': {}, 'g/gemini-3.7-flash': {} }, more), 'g/gemini-3.8-flash');
      return ['g/gemini-3.7-flash', 'g/gemini-3.8-flash'].map((id) => modelOf(snapshot, id).price?.input);
    };
    expect(prices({})).toEqual([750_000_000n, 750_000_000n]);
    expect(prices({ day: '2026-12-31' })).toEqual([750_000_000n, 750_000_000n]);
    expect(prices({ day: '2027-01-01' })).toEqual([1_500_000_000n, 1_500_000_000n]);
  });
});

describe('what the file says', () => {
  it('G-4: beats the catalogue, figure by figure, of the model or of the channel', () => {
    const snapshot = load({
      'openai/gpt-4o': { price: { input: 1 }, context_window: 1000 },
      b: { channels: [{ provider: 'openai', model: 'gpt-4o', price: { input: 3, output: 4 }, max_output_tokens: 7 }] },
    });
    const model = modelOf(snapshot, 'openai/gpt-4o');
    // A price of the file is the whole truth: what it leaves out is unknown, not the catalogue's.
    expect(model.price).toMatchObject({ input: USD, output: null });
    expect(model).toMatchObject({ contextWindow: 1000, maxOutputTokens: 16_384 });
    expect(model.catalogued).toEqual({ maxOutputTokens: '2026-07-02', capabilities: '2026-07-02' });
    expect(channelsOf(snapshot, 'openai/gpt-4o')[0]).toMatchObject({ contextWindow: 1000 });
    expect(channelsOf(snapshot, 'openai/gpt-4o')[0]).not.toHaveProperty('price');
    const [channel] = channelsOf(snapshot, 'b');
    expect(channel).toMatchObject({ price: { input: 3n * USD }, maxOutputTokens: 7, contextWindow: 128_000 });
    expect(channel?.catalogued).toEqual({ contextWindow: '2026-07-02', capabilities: '2026-07-02' });
  });

  it('P-6: of one list of capabilities is the whole truth of that list, and of no other', () => {
    const snapshot = load({ 'openai/gpt-4o': { capabilities: { features: ['tools'] } } });
    expect(channelsOf(snapshot, 'openai/gpt-4o')[0]?.capabilities).toEqual({
      apis: null,
      input: ['text', 'image', 'file'],
      features: ['tools'],
      lacks: { input: ['audio', 'video'], features: null },
    });
  });

  it('P-6: of all lists leaves nothing to the catalogue', () => {
    const snapshot = load({ 'openai/gpt-4o': { capabilities: { input: ['text'], features: [] } } });
    expect(modelOf(snapshot, 'openai/gpt-4o').capabilities).toEqual({ apis: null, input: ['text'], features: [] });
    expect(modelOf(snapshot, 'openai/gpt-4o').catalogued).not.toHaveProperty('capabilities');
  });
});

describe('a model of several channels', () => {
  const at = (provider: string, model = 'gpt-4o', more: object = {}) => ({ id: provider, provider, model, ...more });

  it('has its first channel’s figures where each has some of its own', () => {
    const snapshot = load({
      m: { channels: [at('groq', 'openai/gpt-oss-120b', { priority: 2 }), at('openai')] },
    });
    expect(modelOf(snapshot, 'm')).toMatchObject(GPT_4O);
    const [first, second] = channelsOf(snapshot, 'm');
    expect(first?.price?.input).toBe(2_500_000_000n);
    expect(second?.price?.input).toBe(150_000_000n);
    expect(second?.contextWindow).toBe(131_072);
  });

  it('G-4: lends no channel another provider’s figures', () => {
    const snapshot = load({ m: { channels: [at('openai'), at('mine')] } });
    expect(modelOf(snapshot, 'm')).toMatchObject({ price: null, contextWindow: null, capabilities: { input: null } });
    expect(modelOf(snapshot, 'm')).not.toHaveProperty('catalogued');
    const [first, second] = channelsOf(snapshot, 'm');
    expect(first).toMatchObject(GPT_4O);
    expect(second).toMatchObject({ contextWindow: null });
    expect(second).not.toHaveProperty('price');
  });

  it('a channel with words of its own counts as one that has figures', () => {
    const snapshot = load({ m: { channels: [at('openai'), at('mine', 'x', { price: { input: 9, output: 9 } })] } });
    expect(modelOf(snapshot, 'm').price?.input).toBe(2_500_000_000n);
    expect(modelOf(snapshot, 'm').catalogued).toEqual({ price: { date: '2026-09-23', estimate: null } });
  });
});
