import { readFileSync } from 'node:fs';
import { describe, expect, it, test } from 'vitest';
import { chunksIn, requestIn } from '../../../test/support/generate-tap-feed.ts';
import { gatewayError } from '../../core/errors/catalogue.ts';
import type { FailureClass } from '../../core/failure.ts';
import { vocabularyFor } from '../../providers/vocabularies.ts';
import { textOf } from '../bytes/text.ts';
import type { Answer, FailureSource } from '../contract.ts';
import { generateCodec } from './codec.ts';
import { usageOf, writeUsage } from './usage.ts';

const REPORT = '{"attempts":2}';
const write = (report: string | null = null) => ({
  servedModel: 'served/m',
  report: report === null ? null : Buffer.from(report),
  classic: false,
});
const answerOf = (parts: object[], finishReason: string | null = 'STOP', extra: object = {}): string =>
  JSON.stringify({
    candidates: [{ content: { parts, role: 'model' }, ...(finishReason === null ? {} : { finishReason }) }],
    modelVersion: 'up-a',
    ...extra,
  });
const readText = (text: string): Answer | null => generateCodec.readAnswer(Buffer.from(text));
const read = (text: string): Answer => {
  const answer = readText(text);
  if (answer === null) throw new Error('no answer');
  return answer;
};

describe('readAnswer', () => {
  test.each<[string, string, string, string[]]>([
    ['text', answerOf([{ text: 'x' }]), 'content', ['STOP']],
    ['a call', answerOf([{ functionCall: { name: 'f' } }]), 'content', ['STOP']],
    ['a picture', answerOf([{ inlineData: { mimeType: 'image/png', data: 'AA' } }]), 'content', ['STOP']],
    ['text without a finish reason', answerOf([{ text: 'x' }], null), 'content', []],
    ['thoughts alone', answerOf([{ text: 'x', thought: true }], 'MAX_TOKENS'), 'empty', ['MAX_TOKENS']],
    ['nothing', answerOf([]), 'empty', ['STOP']],
    ['a filter', answerOf([], 'SAFETY'), 'filtered', ['SAFETY']],
    ['a filter behind text', answerOf([{ text: 'x' }], 'RECITATION'), 'refusal', ['RECITATION']],
    ['a blocked prompt', '{"promptFeedback":{"blockReason":"OTHER"},"candidates":[]}', 'filtered', []],
  ])('F-5: %s', (_name, text, content, finishReasons) => {
    expect(read(text)).toMatchObject({ content, finishReasons });
  });

  test.each([
    ['an error', '{"error":{"code":500}}'],
    ['no candidate', '{"candidates":[]}'],
    ['a candidate that says nothing', '{"candidates":[{}]}'],
    ['feedback without reason', '{"promptFeedback":{}}'],
    ['a page', '<html>'],
    ['cut', '{"candidates":['],
    ['a list of errors', '[{"error":{"code":429}}]'],
    ['candidates of another type', '{"candidates":[1]}'],
    ['nothing', ''],
  ])('F-1: %s is no answer', (_name, text) => {
    expect(readText(text)).toBeNull();
  });

  test('R-2, R-3: model and report are written, every other byte stays', () => {
    const text = '\ufeff{ "candidates" : [{"finishReason":"STOP","x":12345678901234567890}], "modelVersion":"a" }';
    expect(textOf(generateCodec.writeAnswer(read(text), write(REPORT)))).toBe(
      text.slice(1).replace('"a"', '"served/m"').replace('"served/m" }', `"served/m","understudy":${REPORT} }`),
    );
  });

  test('dialects §11, §14.11: thoughts count as output, tool prompts as input, cached tokens are in it', () => {
    const usageMetadata = {
      promptTokenCount: 10,
      toolUsePromptTokenCount: 5,
      cachedContentTokenCount: 4,
      candidatesTokenCount: 7,
      thoughtsTokenCount: 3,
      totalTokenCount: 25,
      promptTokensDetails: [{ modality: 'AUDIO', tokenCount: 2 }],
    };
    const usage = read(answerOf([{ text: 'x' }], 'STOP', { usageMetadata })).usage!;
    expect(usage).toMatchObject({ input: 15, output: 10, cacheRead: 4, reasoning: 3, audioInput: 2, total: 25 });
    expect(usageOf(writeUsage(usage) as never)).toEqual(usage);
  });
});

describe('whole answers as streams', () => {
  test('F-5: one chunk on one line, in either form, with the report', () => {
    const text = JSON.stringify(JSON.parse(answerOf([{ text: 'a\nb' }])), null, 2);
    const events = textOf(generateCodec.answerToStream(read(text), write(REPORT), requestIn('events')));
    const [chunk] = chunksIn(events);
    expect(chunk).toEqual({ ...JSON.parse(text), modelVersion: 'served/m', understudy: { attempts: 2 } });
    const array = textOf(generateCodec.answerToStream(read(text), write(REPORT), requestIn('array')));
    expect(JSON.parse(array)).toEqual([chunk]);
  });

  test('E-4: a static answer, once for each candidate asked for', () => {
    const answer = generateCodec.staticAnswer({ text: 'later', id: 'x', model: 'm', createdAt: 0, n: 2 });
    expect(answer).toMatchObject({ content: 'content', finishReasons: ['STOP', 'STOP'], usage: { total: 0 } });
  });
});

describe('errors out', () => {
  const error = gatewayError('all_models_failed', 'All failed.', {
    status: 529,
    retryAt: 31_000,
    attempts: [{ model: 'm', status: 'failed', latency_ms: 3 }],
    param: 'contents',
  });

  test('E-5, D-3, D-7: a number, a status by name, and everything else among the details', () => {
    const { status, headers, body } = generateCodec.renderError(error, 'req_1', false, 1000);
    expect([status, headers['retry-after'], headers['x-should-retry']]).toEqual([529, '30', 'false']);
    expect(JSON.parse(textOf(body))).toEqual({
      error: {
        code: 529,
        message: 'All failed.',
        status: 'UNAVAILABLE',
        details: [
          {
            '@type': 'type.googleapis.com/google.rpc.ErrorInfo',
            reason: 'all_models_failed',
            domain: 'understudy',
            metadata: {
              request_id: 'req_1',
              type: 'upstream_error',
              attempts: '[{"model":"m","status":"failed","latency_ms":3}]',
              retry_at: '1970-01-01T00:00:31.000Z',
            },
          },
          { '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: '30s' },
          {
            '@type': 'type.googleapis.com/google.rpc.BadRequest',
            fieldViolations: [{ field: 'contents', description: 'All failed.' }],
          },
        ],
      },
    });
  });

  test.each([
    [400, 'INVALID_ARGUMENT'],
    [401, 'UNAUTHENTICATED'],
    [403, 'PERMISSION_DENIED'],
    [404, 'NOT_FOUND'],
    [422, 'INVALID_ARGUMENT'],
    [429, 'RESOURCE_EXHAUSTED'],
    [500, 'INTERNAL'],
    [502, 'UNAVAILABLE'],
    [503, 'UNAVAILABLE'],
    [504, 'DEADLINE_EXCEEDED'],
    [507, 'INTERNAL'],
  ])('dialects §10: %i is %s', (status, name) => {
    const { body } = generateCodec.renderError({ ...error, status }, 'r', false, 0);
    expect(JSON.parse(textOf(body)).error).toMatchObject({ code: status, status: name });
  });

  test('T-4, dialects §14.8: inside a stream the number is from 400 to 599 whatever happened', () => {
    const frame = generateCodec.streamError({ ...error, status: 200 }, 'r') as Uint8Array;
    expect(chunksIn(textOf(frame))[0]!.error).toMatchObject({ code: 500, status: 'INTERNAL' });
  });
});

interface Entry {
  readonly id: string;
  readonly provider: string;
  readonly status: number;
  readonly headers: Record<string, string> | null;
  readonly body: unknown;
  readonly in_stream: boolean;
  readonly class: FailureClass;
  readonly alt_classes?: FailureClass[];
  readonly retry_after_ms: number | null;
}

describe('F-1: recorded failures of this dialect', () => {
  const all = JSON.parse(
    readFileSync(new URL('../chat/fixtures/errors/upstream-errors.json', import.meta.url), 'utf8'),
  ) as Entry[];
  const entries = all.filter(({ provider }) => provider === 'gemini' || provider === 'vertex');

  const sourceOf = (entry: Pick<Entry, 'status' | 'body' | 'headers'>, vocabulary: string): FailureSource => ({
    status: entry.status,
    headers: { 'content-type': 'application/json', ...entry.headers },
    body: Buffer.from(typeof entry.body === 'string' ? entry.body : JSON.stringify(entry.body, null, 2)),
    inStream: false,
    vocabulary: vocabularyFor(vocabulary),
    wall: Date.UTC(2026, 10, 29),
    phase: 'body',
    mask: (text) => text,
  });

  it('there are some', () => {
    expect(entries.length).toBeGreaterThan(15);
  });

  it.each(entries.map((entry) => [entry.id, entry] as const))('%s', (_id, entry) => {
    for (const vocabulary of [entry.provider, 'generic']) {
      const failure = generateCodec.classify(sourceOf(entry, vocabulary));
      expect([entry.class, ...(entry.alt_classes ?? [])]).toContain(failure.class);
      expect(failure.hint?.ms ?? null).toBe(entry.retry_after_ms);
    }
  });

  it.each<[string, unknown, FailureClass, string | null]>([
    ['an error object', { error: { code: 503, message: 'm', status: 'UNAVAILABLE' } }, 'overloaded', null],
    [
      'a list of one',
      [{ error: { code: 429, message: 'Too many', status: 'RESOURCE_EXHAUSTED' } }],
      'rate_limit',
      null,
    ],
    ['a filter', { candidates: [{ finishReason: 'SAFETY' }] }, 'content_policy', 'SAFETY'],
    ['a blocked prompt', { promptFeedback: { blockReason: 'JAILBREAK' } }, 'content_policy', 'JAILBREAK'],
    [
      'a lost call',
      { candidates: [{ finishReason: 'MALFORMED_FUNCTION_CALL' }] },
      'server_error',
      'MALFORMED_FUNCTION_CALL',
    ],
    ['no candidate', { candidates: [] }, 'malformed', null],
    ['a page', '<html><title>Oops</title></html>', 'malformed', null],
    ['cut', '{"candidates":[{"content"', 'malformed', null],
  ])('F-5, F-6: %s under 200', (_name, body, expected, code) => {
    const failure = generateCodec.classify(sourceOf({ status: 200, body, headers: null }, 'generic'));
    expect(failure.class).toBe(expected);
    if (code !== null) expect(failure.code).toBe(code);
  });
});
