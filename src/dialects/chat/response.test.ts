import { describe, expect, test } from 'vitest';
import { events } from '../../../test/support/chat-tap-feed.ts';
import type { Answer, AnswerWrite } from '../contract.ts';
import { answerToStream } from './answer-stream.ts';
import { readAnswer, writeAnswer } from './response.ts';

const REPORT = '{"request_id":"req_1","attempts":2}';
const WRITE: AnswerWrite = { servedModel: 'served/m', report: null, classic: false };
const withReport = (classic = false): AnswerWrite => ({ ...WRITE, classic, report: Buffer.from(REPORT) });

const answerOf = (message: object, finish: string | null = 'stop', extra: object = {}): string =>
  JSON.stringify({
    id: 'r',
    object: 'chat.completion',
    created: 7,
    model: 'up-a',
    choices: [{ index: 0, message, finish_reason: finish }],
    ...extra,
  });

function read(text: string): Answer {
  const answer = readAnswer(Buffer.from(text));
  if (answer === null) throw new Error('no answer');
  return answer;
}
const written = (text: string, write: AnswerWrite): string => Buffer.from(writeAnswer(read(text), write)).toString();

describe('readAnswer', () => {
  test.each<[string, object, string | null, string]>([
    ['text', { content: 'x' }, 'stop', 'content'],
    [
      'a call without text',
      { content: null, tool_calls: [{ id: 'c', function: { name: 'f', arguments: '{}' } }] },
      'tool_calls',
      'content',
    ],
    ['audio', { content: null, audio: { id: 'a', data: 'AA', transcript: 't' } }, 'stop', 'content'],
    ['no finish reason', { content: 'x' }, null, 'content'],
    ['a refusal', { content: null, refusal: 'no' }, 'stop', 'refusal'],
    ['text cut by a filter', { content: 'x' }, 'content_filter', 'refusal'],
    ['a filter without text', { content: '' }, 'content_filter', 'filtered'],
    ['null content', { content: null }, 'stop', 'empty'],
    ['empty content after hidden reasoning', { content: '' }, 'length', 'empty'],
    ['reasoning alone', { content: '', reasoning_content: 'hm' }, 'stop', 'empty'],
    ['no calls', { content: null, tool_calls: [] }, 'stop', 'empty'],
  ])('F-5: %s', (_name, message, finish, kind) => {
    expect(read(answerOf({ role: 'assistant', ...message }, finish)).content).toBe(kind);
  });

  test('F-5: usage and finish reasons are read', () => {
    const usage = {
      prompt_tokens: 12,
      completion_tokens: 5,
      total_tokens: 17,
      prompt_tokens_details: { cached_tokens: 4, audio_tokens: 1 },
      completion_tokens_details: { reasoning_tokens: 2, audio_tokens: -3 },
    };
    const answer = read(answerOf({ content: 'x' }, 'length', { usage }));
    expect(answer.finishReasons).toEqual(['length']);
    expect(answer.usage).toEqual({
      input: 12,
      output: 5,
      cacheRead: 4,
      cacheWrite: null,
      reasoning: 2,
      audioInput: 1,
      audioOutput: null,
      total: 17,
      estimated: false,
    });
    expect(read(answerOf({ content: 'x' }, 'stop', { usage: null })).usage).toBeNull();
    expect(read(answerOf({ content: 'x' }, 'stop', { usage: {} })).usage).toBeNull();
    expect(
      read(answerOf({ content: 'x' }, 'stop', { usage: { prompt_tokens: 3, cached_tokens: 2 } })).usage,
    ).toMatchObject({ cacheRead: 2 });
  });

  test('F-6: a finish reason that says failure is handed on', () => {
    expect(read(answerOf({ content: 'x' }, 'network_error')).finishReasons).toEqual(['network_error']);
  });

  test.each([
    '',
    'null',
    '[]',
    '<html></html>',
    '{}',
    '{"choices":[]}',
    '{"choices":null}',
    '{"choices":{}}',
    '{"choices":[null]}',
    '{"error":{"message":"m"}}',
    '{"error":"x","choices":[{"message":{"content":"x"}}]}',
    '{"object":"error","message":"m"}',
    answerOf({ content: 'x' }).slice(0, -1),
    `${answerOf({ content: 'x' })}x`,
  ])('F-5: %s is no answer', (text) => {
    expect(readAnswer(Buffer.from(text))).toBeNull();
  });

  test('F-3: byte order mark and surrounding space do not matter', () => {
    expect(read(`\ufeff \n${answerOf({ content: 'x' }, 'stop', { error: null })}\r\n`).content).toBe('content');
  });
});

describe('writeAnswer', () => {
  const raw =
    '{"id":"r","big":12345678901234567890,"model": "up-a","choices":[ {"message":{"content":"\\u00e9"}} ],"usage":{"x":1.0}}';

  test('R-3: model names the served model, everything else byte for byte', () => {
    expect(written(raw, WRITE)).toBe(raw.replace('"up-a"', '"served/m"'));
    expect(written('{"choices":[{"message":{"content":"x"}}]}', WRITE)).toBe(
      '{"choices":[{"message":{"content":"x"}}],"model":"served/m"}',
    );
  });

  test('R-2: the report stands at the top level', () => {
    expect(written(raw, withReport())).toBe(
      `${raw.replace('"up-a"', '"served/m"').slice(0, -1)},"understudy":${REPORT}}`,
    );
  });

  test("R-2: classic answers say success and carry metadata in place of the upstream's", () => {
    const body = JSON.parse(
      written(answerOf({ content: 'x' }, 'stop', { metadata: { a: 1 }, success: false }), withReport(true)),
    );
    expect(body).toMatchObject({ success: true, metadata: JSON.parse(REPORT), model: 'served/m' });
    expect(body.understudy).toBeUndefined();
  });
});

describe('answerToStream', () => {
  const stream = (text: string, write: AnswerWrite, includeUsage = false): unknown[] =>
    events(Buffer.from(answerToStream(read(text), write, { includeUsage })).toString());

  const usage = { prompt_tokens: 1, completion_tokens: 2, total_tokens: 3 };
  const envelope = { id: 'r', object: 'chat.completion.chunk', created: 7, model: 'served/m' };

  test('F-5: role, content, finish, [DONE]', () => {
    expect(stream(answerOf({ role: 'assistant', content: 'hi', refusal: null }, 'stop', { usage }), WRITE)).toEqual([
      { ...envelope, choices: [{ index: 0, delta: { role: 'assistant', content: '' }, finish_reason: null }] },
      { ...envelope, choices: [{ index: 0, delta: { content: 'hi', refusal: null }, finish_reason: null }] },
      { ...envelope, choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] },
      '[DONE]',
    ]);
  });

  test('F-5: usage comes only if asked for, the report in the last chunk with choices', () => {
    const found = stream(answerOf({ content: 'hi' }, 'length', { usage }), withReport(), true);
    expect(found.slice(2)).toEqual([
      { ...envelope, choices: [{ index: 0, delta: {}, finish_reason: 'length' }], understudy: JSON.parse(REPORT) },
      { ...envelope, choices: [], usage },
      '[DONE]',
    ]);
    expect(stream(answerOf({ content: 'hi' }), withReport(true)).at(-2)).toMatchObject({
      metadata: JSON.parse(REPORT),
    });
  });

  test('F-5: calls get their index, arguments stay byte for byte', () => {
    const calls = ['a', 'b'].map((id) => ({ id, type: 'function', function: { name: 'f', arguments: '{"x":"\\n"}' } }));
    const [, content] = stream(
      answerOf({ role: 'assistant', content: null, tool_calls: calls }, 'tool_calls'),
      WRITE,
    ) as [unknown, { choices: unknown }];
    expect(content.choices).toEqual([
      {
        index: 0,
        delta: { content: null, tool_calls: calls.map((call, index) => ({ ...call, index })) },
        finish_reason: null,
      },
    ]);
  });

  test('F-5: several choices keep their index, logprobs stand beside the text, unknown members at the end', () => {
    const choice = (index: number): object => ({
      index,
      message: { role: 'assistant', content: `c${index}` },
      logprobs: { content: [] },
      finish_reason: 'stop',
      x: index,
    });
    const found = stream(
      JSON.stringify({ id: 'r', created: 7, model: 'u', choices: [choice(0), choice(1)] }),
      withReport(),
    );
    expect(found).toHaveLength(7);
    expect(found[4]).toMatchObject({
      choices: [{ index: 1, delta: { content: 'c1' }, logprobs: { content: [] }, finish_reason: null }],
    });
    expect(found[5]).toEqual({
      ...envelope,
      choices: [{ index: 1, delta: {}, finish_reason: 'stop', x: 1 }],
      understudy: JSON.parse(REPORT),
    });
    expect(found[2]).not.toHaveProperty('understudy');
  });

  test('F-5: a pretty-printed answer becomes single lines', () => {
    const text = JSON.stringify(JSON.parse(answerOf({ role: 'assistant', content: 'a\nb' })), null, 2).replaceAll(
      '\n',
      '\r\n',
    );
    const out = Buffer.from(answerToStream(read(text), WRITE, { includeUsage: false })).toString();
    expect(out).not.toContain('\r');
    expect(out.split('\n\n').every((block) => !block.includes('\n'))).toBe(true);
    expect(events(out)[1]).toMatchObject({ choices: [{ delta: { content: 'a\nb' } }] });
  });

  test('T-5: a finish reason the answer does not have is not invented', () => {
    expect(stream('{"choices":[{"message":{"content":"x"}}]}', WRITE).at(-2)).toMatchObject({
      choices: [{ index: 0, delta: {} }],
    });
    expect(
      Buffer.from(
        answerToStream(read('{"choices":[{"message":{"content":"x"}}]}'), WRITE, { includeUsage: false }),
      ).toString(),
    ).not.toContain('stop');
  });
});
