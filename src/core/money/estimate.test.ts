import { describe, expect, it } from 'vitest';
import type { Usage } from '../usage/usage.ts';
import {
  ASSUMED_OUTPUT_TOKENS,
  type Asks,
  completeUsage,
  fairInputTokens,
  measureBody,
  mostOutputTokens,
  worstInputTokens,
} from './estimate.ts';

const bytes = (text: string): Uint8Array => Buffer.from(text);
const UNKNOWN = { contextWindow: null, maxOutputTokens: null };

function asks(more: Partial<Asks> = {}): Asks {
  return { maxOutputTokens: null, answers: 1, mediaParts: 0, audioIn: false, audioOut: false, ...more };
}

describe('G-4: tokens nobody has counted', () => {
  it('a fair guess is four bytes a token, the worst two', () => {
    const measure = measureBody(bytes('x'.repeat(999)), 0);
    expect(fairInputTokens(measure, null)).toBe(250);
    expect(worstInputTokens(measure, null)).toBe(500);
  });

  it('no more than the window holds', () => {
    const measure = measureBody(bytes('word '.repeat(1000)), 0);
    expect(fairInputTokens(measure, 100)).toBe(100);
    expect(worstInputTokens(measure, 100)).toBe(100);
  });

  it('media in base64 count by the piece, wherever they stand', () => {
    const words = 'some words, a sentence. '.repeat(20);
    const base64 = Buffer.alloc(90_000, 7).toString('base64');
    const body = bytes(`{"a":"${words}","url":"data:image/png;base64,${base64}","b":"${words}","c":"${base64}"}`);
    const measure = measureBody(body, 2);
    expect(measure.textBytes).toBeGreaterThanOrEqual(2 * words.length);
    expect(measure.textBytes).toBeLessThan(2 * words.length + 100);
    expect(fairInputTokens(measure, null)).toBe(2000 + Math.ceil(measure.textBytes / 4));
  });

  it('a long word is no media, and without media parts nothing is', () => {
    const word = bytes(`{"a":"${'x'.repeat(1000)} ${'y'.repeat(1000)}"}`);
    expect(measureBody(word, 1).textBytes).toBe(word.length);
    const long = bytes('z'.repeat(50_000));
    expect(measureBody(long, 0).textBytes).toBe(50_000);
    expect(measureBody(long, 1).textBytes).toBe(0);
  });

  it('a megabyte of text is measured without reading all of it', () => {
    const text = bytes('the quick brown fox '.repeat(50_000));
    expect(measureBody(text, 3).textBytes).toBe(text.length);
  });
});

describe('D-4: the longest answer', () => {
  it.each([
    ['what the request allows', asks({ maxOutputTokens: 100 }), 10, UNKNOWN, 100],
    [
      'no more than the model gives',
      asks({ maxOutputTokens: 100 }),
      10,
      { contextWindow: null, maxOutputTokens: 60 },
      60,
    ],
    [
      'no more than its window',
      asks({ maxOutputTokens: 9000 }),
      10,
      { contextWindow: 4000, maxOutputTokens: null },
      4000,
    ],
    ['what the model gives', asks(), 10, { contextWindow: 9000, maxOutputTokens: 60 }, 60],
    ['what the window leaves', asks(), 8000, { contextWindow: 128_000, maxOutputTokens: null }, 120_000],
    [
      'a common answer where the window seems full',
      asks(),
      127_000,
      { contextWindow: 128_000, maxOutputTokens: null },
      ASSUMED_OUTPUT_TOKENS,
    ],
    ['a small window', asks(), 10, { contextWindow: 4000, maxOutputTokens: null }, 4000],
    ['a common answer where nothing is known', asks(), 10, UNKNOWN, ASSUMED_OUTPUT_TOKENS],
    ['of every answer asked for', asks({ maxOutputTokens: 100, answers: 3 }), 10, UNKNOWN, 300],
    ['none at all', asks({ maxOutputTokens: 0 }), 10, UNKNOWN, 0],
  ])('%s', (_what, asked, input, size, most) => {
    expect(mostOutputTokens(asked, input, size)).toBe(most);
  });
});

describe('T-4, T-6: what was seen of an answer', () => {
  const stated: Usage = {
    input: 12,
    output: 3,
    cacheRead: 4,
    cacheWrite: null,
    reasoning: null,
    audioInput: null,
    audioOutput: null,
    total: 15,
    estimated: false,
  };
  const seen = { inputTokens: 9, contentBytes: 10, contentEvents: 0, complete: true };

  it('without any count: estimated, and marked', () => {
    expect(completeUsage(null, seen)).toMatchObject({ input: 9, output: 3, total: 12, estimated: true });
  });

  it('an event is at least a token', () => {
    expect(completeUsage(null, { ...seen, contentEvents: 7 })).toMatchObject({ output: 7, total: 16 });
  });

  it('counts of a whole answer stay as they are', () => {
    expect(completeUsage(stated, { ...seen, contentBytes: 4000 })).toEqual(stated);
  });

  it('a count that is left out follows from the others, or is estimated', () => {
    expect(completeUsage({ ...stated, input: null }, seen)).toMatchObject({ input: 12, output: 3, estimated: false });
    expect(completeUsage({ ...stated, output: null }, seen)).toMatchObject({ input: 12, output: 3, estimated: false });
    expect(completeUsage({ ...stated, output: null, total: null }, { ...seen, contentBytes: 41 })).toMatchObject({
      input: 12,
      output: 11,
      estimated: true,
    });
    expect(completeUsage({ ...stated, input: null, total: null }, seen)).toMatchObject({ input: 9, estimated: true });
  });

  it('of an answer that broke off, the count is at least what was seen', () => {
    const cut = { ...seen, complete: false };
    expect(completeUsage({ ...stated, output: 1 }, { ...cut, contentBytes: 400 })).toMatchObject({
      input: 12,
      output: 100,
      cacheRead: 4,
      estimated: true,
    });
    expect(completeUsage({ ...stated, output: 500 }, { ...cut, contentBytes: 400 })).toMatchObject({
      output: 500,
      estimated: false,
    });
  });
});
