import { describe, expect, it } from 'vitest';
import { dialectsOf, publisherOf, vendorOf } from './vendors.ts';

describe('R-5: whose reasoning state a model understands', () => {
  it.each([
    ['openai', 'openai-responses', 'gpt-6', 'openai'],
    ['azure-openai', 'openai-chat', 'my-deployment', 'openai'],
    ['anthropic', 'anthropic', 'claude-x', 'anthropic'],
    ['gemini', 'gemini', 'gemini-3', 'google'],
    ['vertex', 'gemini', 'gemini-3', 'google'],
    ['vertex', 'anthropic', 'claude-x@1', 'anthropic'],
    ['bedrock', 'bedrock', 'eu.anthropic.claude-x-v1:0', 'anthropic'],
    ['bedrock', 'bedrock', 'amazon.nova-pro-v1:0', 'bedrock'],
    ['deepseek', 'openai-chat', 'deepseek-reasoner', 'deepseek'],
    ['sim', 'gemini', 'ok', 'google'],
  ] as const)('%s in %s, model %s: %s', (type, dialect, model, vendor) => {
    expect(vendorOf(type, 'name', dialect, model)).toBe(vendor);
  });

  it('two compatible addresses know nothing of each other', () => {
    const of = (name: string) => vendorOf('openai-compatible', name, 'openai-chat', 'm');
    expect(of('a')).not.toBe(of('b'));
  });
});

describe('models of several makers at one address', () => {
  it('say by their name which dialect they are spoken to in', () => {
    const of = (model: string) => dialectsOf('vertex', ['gemini', 'anthropic'], model);
    expect(of('claude-sonnet-4-5@20250929')).toEqual(['anthropic']);
    expect(of('anthropic/claude-opus-5')).toEqual(['anthropic']);
    expect(of('gemini-3-pro')).toEqual(['gemini']);
    expect(of('meta/llama-4')).toEqual(['gemini']);
    expect(dialectsOf('openai', ['openai-chat', 'openai-responses'], 'claude-x')).toHaveLength(2);
  });

  it('are published under their maker’s name', () => {
    expect(publisherOf('gemini-3', 'gemini')).toEqual({ publisher: 'google', model: 'gemini-3' });
    expect(publisherOf('claude-x', 'anthropic')).toEqual({ publisher: 'anthropic', model: 'claude-x' });
    expect(publisherOf('meta/llama-4', 'gemini')).toEqual({ publisher: 'meta', model: 'llama-4' });
  });
});
