import { describe, expect, it } from 'vitest';
import { lookUp } from './catalogue.ts';
import { endpointsOf } from './modes.ts';

describe('models made for one endpoint', () => {
  it.each([
    ['text-embedding-3-small', ['embeddings']],
    ['mistral-embed', ['embeddings']],
    ['gemini-embedding-001', ['embeddings']],
    ['amazon.titan-embed-text-v1', ['embeddings']],
    ['cohere-embed-v-4-0', ['embeddings']],
    ['gpt-image-1', ['images', 'image_edits']],
    ['gpt-4o-transcribe-diarize', ['transcriptions', 'translations']],
    ['whisper-large-v3', ['transcriptions', 'translations']],
    ['gpt-4o-mini-tts', ['speech']],
    ['sora-2', ['videos']],
    ['omni-moderation-latest', ['moderations']],
    ['rerank-v3.5', ['rerank']],
  ])('P-6: %s serves %j', (name, endpoints) => {
    expect(endpointsOf(name)).toEqual(endpoints);
  });

  it.each([
    'gpt-4o',
    'gpt-5-image',
    'gemini-2.5-flash-image',
    'gemini-2.5-pro-tts',
    'embedded-llm',
    'gpt-4o-audio-preview',
  ])('of %s nothing is known', (name) => {
    expect(endpointsOf(name)).toBeNull();
  });

  it('are known where the catalogue speaks of them', () => {
    expect(lookUp('openai', 'text-embedding-3-small', '2026-11-30')?.capabilities).toMatchObject({
      apis: ['embeddings'],
    });
    expect(lookUp('openai', 'gpt-4o', '2026-11-30')?.capabilities).toMatchObject({ apis: null });
  });
});
