import OpenAI from 'openai';
import { describe, expect, test } from 'vitest';
import { chunk, DONE, feed, ROLE, STOP } from '../../../test/support/chat-tap-feed.ts';
import { gatewayError } from '../../core/errors/catalogue.ts';
import { answerToStream } from './answer-stream.ts';
import { chatCodec } from './codec.ts';
import { KEEP_ALIVE, streamError } from './errors.ts';

/** The official client, answered with the given bytes. */
function client(body: Uint8Array, status = 200, headers: Record<string, string> = {}): OpenAI {
  const type = status === 200 ? 'text/event-stream' : 'application/json';
  return new OpenAI({
    apiKey: 'k',
    maxRetries: 0,
    fetch: async () => new Response(Buffer.from(body), { status, headers: { 'content-type': type, ...headers } }),
  });
}
const ask = { model: 'm', messages: [{ role: 'user' as const, content: 'hi' }] };
const report = '{"request_id":"req_1","attempts":2}';

describe('the official SDK', () => {
  test('R-2: its stream helper builds the message of a reported stream with usage', async () => {
    const calls = { tool_calls: [{ index: 0, id: 'c', type: 'function', function: { name: 'f', arguments: '{"a"' } }] };
    const more = { tool_calls: [{ index: 0, function: { arguments: ':1}' } }] };
    const usage = { prompt_tokens: 1, completion_tokens: 2, total_tokens: 3 };
    const input = [
      ROLE,
      chunk({ content: 'he' }),
      chunk({ content: 'y' }),
      chunk(calls),
      chunk(more),
      chunk({}, 'tool_calls', { usage }),
      DONE,
    ];
    const { whole } = feed(input, { includeUsage: true, report });
    const final = await client(Buffer.from(whole!))
      .chat.completions.stream({ ...ask, stream: true })
      .finalChatCompletion();
    expect(final.choices[0]!.message.content).toBe('hey');
    expect(final.choices[0]!.message.tool_calls![0]).toMatchObject({
      id: 'c',
      function: { name: 'f', arguments: '{"a":1}' },
    });
    expect([final.model, final.usage]).toEqual(['served/m', usage]);
  });

  test('F-5: it reads a whole answer that was turned into a stream', async () => {
    const message = {
      role: 'assistant',
      content: 'hi',
      tool_calls: [{ id: 'c', type: 'function', function: { name: 'f', arguments: '{}' } }],
    };
    const json = {
      id: 'r',
      object: 'chat.completion',
      created: 7,
      model: 'u',
      choices: [{ index: 0, message, finish_reason: 'tool_calls' }],
    };
    const answer = chatCodec.readAnswer(Buffer.from(JSON.stringify(json)))!;
    const bytes = answerToStream(
      answer,
      { servedModel: 'served/m', report: Buffer.from(report), classic: false },
      { includeUsage: false },
    );
    const final = await client(bytes)
      .chat.completions.stream({ ...ask, stream: true })
      .finalChatCompletion();
    expect(final.choices[0]!.message).toMatchObject({
      content: 'hi',
      tool_calls: [{ id: 'c', function: { name: 'f', arguments: '{}' } }],
    });
    expect(final.choices[0]!.finish_reason).toBe('tool_calls');
  });

  test('T-4: an interrupted stream raises, with the code', async () => {
    const { relayed } = feed([ROLE, chunk({ content: 'par' })]);
    const error = streamError(gatewayError('stream_interrupted', 'broke off'), 'req_1');
    const stream = await client(Buffer.concat([Buffer.from(relayed), error])).chat.completions.create({
      ...ask,
      stream: true,
    });
    const read = async (): Promise<void> => {
      for await (const one of stream) expect(one.model).toBe('served/m');
    };
    await expect(read()).rejects.toMatchObject({ code: 'stream_interrupted' });
  });

  test('T-11: keep-alives before and between events go unseen', async () => {
    const { whole } = feed([ROLE, chunk({ content: 'hi' }), STOP, DONE]);
    const alive = Buffer.from(KEEP_ALIVE).toString();
    const body = Buffer.from(alive + alive + whole!.replaceAll('\n\n', `\n\n${alive}`));
    const final = await client(body)
      .chat.completions.stream({ ...ask, stream: true })
      .finalChatCompletion();
    expect(final.choices[0]!.message.content).toBe('hi');
  });

  test('E-5: an error body raises with status, code and param', async () => {
    const { status, headers, body } = chatCodec.renderError(
      gatewayError('invalid_parameter', 'bad n', { param: 'n' }),
      'req_1',
      false,
      0,
    );
    await expect(client(body, status, { ...headers }).chat.completions.create(ask)).rejects.toMatchObject({
      status: 400,
      code: 'invalid_parameter',
      param: 'n',
    });
  });
});
