import { describe, expect, it } from 'vitest';
import { codeKey } from '../core/classify/vocabulary.ts';
import { presets } from './presets.ts';
import { vocabularyFor } from './vocabularies.ts';

/** The provider types of the interface. */
const TYPES = [
  ...['openai', 'openai-compatible', 'anthropic', 'gemini', 'azure-openai', 'bedrock', 'vertex', 'sim', 'deepseek'],
  ...['moonshot', 'dashscope', 'zhipu', 'volcengine', 'siliconflow', 'minimax', 'mistral', 'groq', 'xai', 'together'],
  ...['fireworks', 'openrouter', 'perplexity', 'cerebras', 'ollama', 'vllm', 'lmstudio'],
];
/** The configuration, or the process itself, has to say where they are. */
const NO_ADDRESS = ['openai-compatible', 'azure-openai', 'bedrock', 'vertex', 'sim'];
/** Chat with a bearer key is all there is to them. */
const OWN_WAYS = ['openai', 'anthropic', 'gemini', 'azure-openai', 'bedrock', 'vertex', 'sim'];

describe('provider presets', () => {
  it('are exactly the types of the interface', () => {
    expect([...presets.keys()]).toEqual(TYPES);
    for (const [type, preset] of presets) expect(preset.type).toBe(type);
  });

  it('name an address without trailing slash, or leave it to the configuration', () => {
    expect(TYPES.filter((type) => presets.get(type)?.baseUrl === null)).toEqual(NO_ADDRESS);
    for (const { baseUrl } of presets.values()) {
      if (baseUrl === null) continue;
      const url = new URL(baseUrl);
      expect(baseUrl.endsWith('/')).toBe(false);
      expect(url.protocol === 'https:' || url.hostname === '127.0.0.1').toBe(true);
    }
  });

  it('speak the Chat dialect with a bearer key where they are nothing but an address and words', () => {
    for (const preset of presets.values()) {
      if (OWN_WAYS.includes(preset.type)) continue;
      expect(preset).toMatchObject({ dialects: ['openai-chat'], auth: 'bearer', addressing: 'plain' });
    }
  });

  it('ask for the settings that their address is made of', () => {
    const asking = TYPES.map((type) => [type, presets.get(type)?.requires] as const).filter(([, keys]) => keys?.length);
    expect(Object.fromEntries(asking)).toEqual({
      'openai-compatible': ['base_url'],
      'azure-openai': ['base_url'],
      bedrock: ['region'],
      vertex: ['project'],
    });
  });

  it('take each environment variable once', () => {
    const names = [...presets.values()].flatMap((preset) => preset.envKey ?? []);
    expect(new Set(names).size).toBe(names.length);
    for (const name of names) expect(name).toMatch(/^[A-Z_]+_API_KEY$/);
  });

  it('read failures with a vocabulary of their own', () => {
    expect(presets.get('zhipu')?.vocabulary.id).toBe('zhipu');
    expect(presets.get('sim')?.vocabulary.id).toBe('openai-compatible');
    expect(presets.get('vertex')?.vocabulary.id).toBe('gemini');
  });
});

describe('F-1: vocabularies', () => {
  it('keep to themselves the numbers and the codes that others mean differently', () => {
    const code = codeKey('insufficient_quota');
    expect(vocabularyFor('dashscope').codes.get(code)).toBe('rate_limit');
    expect(vocabularyFor('openai').codes.get(code)).toBe('quota_exhausted');
    expect(vocabularyFor('generic').codes.has(code)).toBe(false);
    expect(vocabularyFor('zhipu').codes.get('1305')).toBe('overloaded');
    expect(vocabularyFor('generic').codes.has('1305')).toBe(false);
  });

  it('share the rest: a relay passes on the words of others', () => {
    expect(vocabularyFor('openrouter').codes.get(codeKey('FailedOperation.ServiceStop'))).toBe('quota_exhausted');
    expect(vocabularyFor('generic').codes.get(codeKey('base_resp.1008'))).toBe('quota_exhausted');
  });

  it('an unknown id has the general one', () => {
    expect(vocabularyFor('nobody').id).toBe('openai-compatible');
  });

  it('spelling of codes does not matter', () => {
    expect(codeKey('Throttling.RateQuota')).toBe(codeKey('THROTTLING_RATE_QUOTA'));
    expect(codeKey('error_code.18')).toBe('errorcode18');
  });

  it('every header name is lower case', () => {
    for (const { vocabulary } of presets.values()) {
      const buckets = vocabulary.resetBuckets.flatMap((bucket) => [bucket.reset, bucket.remaining]);
      for (const name of [...vocabulary.codeHeaders, ...vocabulary.requestIdHeaders, ...buckets]) {
        expect(name).toBe(name.toLowerCase());
      }
    }
  });
});
