import { describe, expect, it } from 'vitest';
import { lacksOf } from './quirks.ts';

const lacks = (model: string, type = 'openai', dialect: 'openai-chat' | 'anthropic' | 'gemini' = 'openai-chat') =>
  [...lacksOf({ type, dialect, model })].sort();

describe('quirks', () => {
  it.each([
    ['gpt-4.1', ['reasoning']],
    ['gpt-4o-mini', ['reasoning']],
    ['openai/gpt-3.5-turbo', ['reasoning']],
    ['gpt-5-chat-latest', ['reasoning']],
    ['gpt-5', ['reasoning_off', 'temperature']],
    ['gpt-5-nano', ['reasoning_off', 'temperature']],
    ['o3-mini', ['reasoning_off', 'temperature']],
    ['gpt-5.2', ['temperature']],
    ['gpt-5.6-sol', ['chat_tools_with_reasoning', 'temperature']],
    ['openai/gpt-5.12', ['chat_tools_with_reasoning', 'temperature']],
    ['gpt-6-luna', ['chat_tools_with_reasoning', 'temperature']],
    ['gpt-6-astra', ['chat_tools_with_reasoning', 'reasoning_off', 'temperature']],
    ['gpt-7', ['chat_tools_with_reasoning', 'reasoning_off', 'temperature']],
    ['my-gpt-56', []],
    ['octopus', []],
  ])('dialects §14.4, §14.7: in Chat %s lacks %j', (model, expected) => {
    expect(lacks(model)).toEqual(expected);
  });

  it.each([
    ['claude-opus-5-5', ['prefill', 'reasoning_off', 'temperature', 'thinking_budget', 'tools_forced']],
    [
      'us.anthropic.claude-fable-5-1-v1:0',
      ['prefill', 'reasoning_off', 'temperature', 'thinking_budget', 'tools_forced'],
    ],
    ['claude-haiku-5-5', ['prefill', 'temperature', 'thinking_budget']],
    ['claude-opus-4-7', ['prefill', 'temperature']],
    ['claude-sonnet-4-6', ['prefill']],
    ['anthropic/claude-sonnet-4-5-20250929', ['adaptive_thinking']],
    ['claude-sonnet-4-20250514', ['adaptive_thinking', 'json_schema']],
    ['claude-sonnet-4@20250514', ['adaptive_thinking', 'json_schema']],
    ['claude-opus-4', ['adaptive_thinking', 'json_schema']],
    ['anthropic.claude-3-5-sonnet-20241022-v2:0', ['adaptive_thinking', 'json_schema']],
    ['claude-novel-7', ['prefill', 'temperature']],
  ])('dialects §14.7: in Messages %s lacks %j', (model, expected) => {
    expect(lacks(model, 'anthropic', 'anthropic')).toEqual(expected);
  });

  it('dialects §14.6: the third generation wants its signatures back', () => {
    expect(lacks('gemini-3-pro', 'gemini', 'gemini')).toEqual(['unsigned_calls']);
    expect(lacks('models/gemini-3.1-flash', 'gemini', 'gemini')).toEqual(['unsigned_calls']);
    expect(lacks('gemini-2.5-flash', 'gemini', 'gemini')).toEqual(['penalties', 'thinking_level', 'tools_with_format']);
    expect(lacks('gemini-2.5-flash', 'vertex', 'gemini')).toEqual(['thinking_level', 'tools_with_format']);
  });

  it('the limit of a Chat answer keeps its older name where the newer may not be known', () => {
    expect(lacks('mistral-large', 'mistral')).toEqual(['max_completion_tokens']);
    expect(lacks('openai/gpt-5', 'openrouter')).toEqual(['reasoning_off', 'temperature']);
    expect(lacks('llama', 'groq')).toEqual([]);
    expect(lacks('claude-2', 'openai-compatible', 'anthropic')).not.toContain('max_completion_tokens');
  });

  it('some are called in one dialect of their provider alone', () => {
    const of = (model: string, dialect: 'openai-chat' | 'openai-responses') =>
      lacksOf({ type: 'openai', dialect, model }).has('dialect');
    for (const model of ['gpt-5-pro', 'gpt-5.2-codex', 'gpt-5-codex', 'o3-pro', 'o4-mini-deep-research']) {
      expect([model, of(model, 'openai-chat'), of(model, 'openai-responses')]).toEqual([model, true, false]);
    }
    expect([of('gpt-4o-audio-preview', 'openai-chat'), of('gpt-4o-audio-preview', 'openai-responses')]).toEqual([
      false,
      true,
    ]);
    expect([of('gpt-5.4-pro', 'openai-chat'), of('gpt-4o', 'openai-responses')]).toEqual([false, false]);
  });

  it('X-1: strict models of the simulator are like the newest, in each dialect', () => {
    expect(lacks('strict-ok', 'sim')).toEqual(['chat_tools_with_reasoning']);
    expect(lacks('strict-ok', 'sim', 'anthropic')).toContain('tools_forced');
    expect(lacks('strict-ok', 'openai')).toEqual([]);
  });
});
