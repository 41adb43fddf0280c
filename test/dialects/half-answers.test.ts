/**
 * Answers that look complete and are not, each as some relay or compatible server may send it: no words and no calls are
 * lost in silence, whether the answer passes or is translated (T-5, T-10; dialects §2, §8, §14).
 */
import { describe, expect, it } from 'vitest';
import type { ClientDialectName } from '../../src/core/wire-names.ts';
import { laneOf } from '../../src/dialects/lanes.ts';
import { chunk, DONE } from '../support/chat-tap-feed.ts';
import { blockDelta, blockStart, blockStop, ending, STOP, start } from '../support/messages-feed.ts';
import { cross, OPTIONS, requestOf, SPEAKERS, type Speaker, speakerOf, TARGET, verdictOf } from './crossings.ts';

const data = (body: object): string => `data: ${JSON.stringify(body)}\n\n`;
const event = (type: string, fields: object): string =>
  `event: ${type}\ndata: ${JSON.stringify({ type, ...fields })}\n\n`;

function held(speaker: Speaker, dialect: ClientDialectName, text: string, n = 1): string {
  return verdictOf(cross(speaker, dialect, [Buffer.from(text)], { ...OPTIONS, n, holdAll: true }).tap);
}

function isAnswer(speaker: Speaker, dialect: ClientDialectName, body: object): boolean {
  const request = requestOf(speaker, { stream: false });
  const lane = laneOf(speaker.codec, dialect)!.open({
    request,
    target: TARGET,
    servedModel: 'm',
    id: 'r',
    createdAt: 0,
  });
  lane.writeUpstream(request, { target: TARGET, degrade: null, injectUsage: false });
  return lane.readAnswer(Buffer.from(JSON.stringify(body))) !== null;
}

describe.each(SPEAKERS)('to a client of $client.name', (speaker) => {
  const use = (fields: object) => ({ type: 'tool_use', id: 't', name: 'f', input: {}, ...fields });
  const message = (block: object, stop_reason = 'tool_use') => ({
    id: 'msg_1',
    type: 'message',
    role: 'assistant',
    model: 'up',
    content: [{ type: 'text', text: 'Hm.' }, block],
    stop_reason,
    stop_sequence: null,
    usage: { input_tokens: 1, output_tokens: 1 },
  });

  it.each<[string, object, boolean]>([
    ['as it should be', use({}), true],
    ['all arguments at the start', use({ input: { a: 1 } }), true],
    ['no arguments at the start', use({ input: null }), true],
    ['no name', use({ name: '' }), false],
    ['arguments as text', use({ input: '{"a":1}' }), false],
  ])('dialects §8: a call of Messages: %s', (_what, block, whole) => {
    const stream = start() + blockStart(0, block) + blockStop(0) + ending('tool_use') + STOP;
    expect(held(speaker, 'anthropic', stream)).toBe(whole ? 'content, whole' : 'nothing, malformed');
    expect(isAnswer(speaker, 'anthropic', message(block))).toBe(whole);
    if (!whole) expect(isAnswer(speaker, 'anthropic', message(block, 'max_tokens'))).toBe(true);
  });

  it('dialects §8: a call of Messages that closes its brackets and is no JSON', () => {
    const stream = (args: string) =>
      start() +
      blockStart(0, use({})) +
      blockDelta(0, { type: 'input_json_delta', partial_json: args }) +
      blockStop(0) +
      ending('tool_use') +
      STOP;
    expect(held(speaker, 'anthropic', stream('{"a":}'))).toBe('nothing, malformed');
    expect(held(speaker, 'anthropic', stream('{"a":0}'))).toBe('content, whole');
  });

  it.each<[string, object, boolean]>([
    ['as it should be', { name: 'f', args: { a: 1 } }, true],
    ['without arguments', { name: 'f' }, true],
    ['no name', { args: { a: 1 } }, false],
    ['arguments as text', { name: 'f', args: '{"a":1}' }, false],
    ['arguments in a list', { name: 'f', args: [1] }, false],
  ])('dialects §5, §8: a call of generateContent: %s', (_what, functionCall, whole) => {
    const body = {
      candidates: [{ content: { role: 'model', parts: [{ functionCall }] }, finishReason: 'STOP', index: 0 }],
    };
    expect(held(speaker, 'gemini', data(body))).toBe(whole ? 'content, whole' : 'nothing, malformed');
    expect(isAnswer(speaker, 'gemini', body)).toBe(whole);
  });

  it('dialects §8: of several answers each says how it ended, or none is whole', () => {
    const choice = (index: number, finish_reason: string | null) => ({
      index,
      message: { role: 'assistant', content: 'x' },
      finish_reason,
    });
    expect(isAnswer(speaker, 'openai-chat', { choices: [choice(0, 'stop'), choice(1, 'stop')] })).toBe(true);
    expect(isAnswer(speaker, 'openai-chat', { choices: [choice(0, 'stop'), choice(1, null)] })).toBe(false);
    const candidate = (index: number, finish: object) => ({ index, content: { parts: [{ text: 'x' }] }, ...finish });
    expect(
      isAnswer(speaker, 'gemini', {
        candidates: [candidate(0, { finishReason: 'STOP' }), candidate(1, { finishReason: 'STOP' })],
      }),
    ).toBe(true);
    expect(
      isAnswer(speaker, 'gemini', { candidates: [candidate(0, { finishReason: 'STOP' }), candidate(1, {})] }),
    ).toBe(false);
  });

  it('dialects §8: an answer that speaks of calls and holds none, nor a word', () => {
    const chat = (delta: object, reason: string) => chunk(delta) + chunk({}, reason) + DONE;
    for (const reason of ['tool_calls', 'function_call']) {
      expect(held(speaker, 'openai-chat', chat({ content: '' }, reason))).toBe('nothing, malformed');
      expect(held(speaker, 'openai-chat', chat({ content: 'x' }, reason))).toBe('content, whole');
      const body = (content: string) => ({
        choices: [{ index: 0, message: { role: 'assistant', content }, finish_reason: reason }],
      });
      expect(isAnswer(speaker, 'openai-chat', body(''))).toBe(false);
      expect(isAnswer(speaker, 'openai-chat', body('x'))).toBe(true);
    }
    expect(held(speaker, 'openai-chat', chat({ content: '' }, 'stop'))).toBe('empty, whole');
    expect(held(speaker, 'anthropic', start() + ending('tool_use') + STOP)).toBe('nothing, malformed');
    expect(held(speaker, 'anthropic', start() + ending('end_turn') + STOP)).toBe('empty, whole');
    const thought = { type: 'thinking', thinking: 'Hm.', signature: 'AAAA' };
    expect(isAnswer(speaker, 'anthropic', { ...message(thought), content: [thought] })).toBe(false);
    expect(isAnswer(speaker, 'anthropic', { ...message(thought, 'end_turn'), content: [thought] })).toBe(true);
  });

  it.each<[string, unknown]>([
    ['a list of parts', [{ type: 'text', text: 'to the fjord' }]],
    ['a list of texts', ['to the ', 'fjord']],
    ['a part in no list', { type: 'text', text: 'to the fjord' }],
  ])('T-5: the words of a Chat answer in %s', (_what, content) => {
    const { tap, told } = cross(speaker, 'openai-chat', [Buffer.from(chunk({ content }) + chunk({}, 'stop') + DONE)]);
    expect(verdictOf(tap)).toBe('content, whole');
    expect(told.toString()).toContain('fjord');
    const request = requestOf(speaker, { stream: false });
    const lane = laneOf(speaker.codec, 'openai-chat')!.open({
      request,
      target: TARGET,
      servedModel: 'm',
      id: 'r',
      createdAt: 0,
    });
    lane.writeUpstream(request, { target: TARGET, degrade: null, injectUsage: false });
    const body = { choices: [{ index: 0, message: { role: 'assistant', content }, finish_reason: 'stop' }] };
    const answer = lane.readAnswer(Buffer.from(JSON.stringify(body)));
    expect(Buffer.from(answer?.view.bytes ?? []).toString()).toContain('fjord');
  });

  it('dialects §2: calls without an index get one, as clients put fragments together by it', () => {
    const call = (id: string | null, args: string) => ({
      ...(id === null ? {} : { id, type: 'function' }),
      function: { ...(id === null ? {} : { name: `look_${id}` }), arguments: args },
    });
    const stream = [
      chunk({ tool_calls: [call('a', '{"at":')] }),
      chunk({ tool_calls: [call(null, '"fjord"}')] }),
      chunk({ tool_calls: [call('b', '{}'), { id: 'c', type: 'custom', custom: { name: 'say', input: 'x' } }] }),
      chunk({ tool_calls: [{ custom: { input: 'y' } }] }, 'tool_calls'),
      DONE,
    ].join('');
    const { tap, told } = cross(speaker, 'openai-chat', [Buffer.from(stream)]);
    expect(verdictOf(tap)).toBe('content, whole');
    if (speaker.client.name !== 'chat') return;
    const indexes = told
      .toString()
      .split('\n\n')
      .filter((text) => text.includes('tool_calls":'))
      .map(
        (text) =>
          JSON.parse(text.slice('data: '.length)) as {
            model: string;
            choices: { delta: { tool_calls: { index: number }[] } }[];
          },
      )
      .map(({ model, choices }) => [model, ...choices[0]!.delta.tool_calls.map(({ index }) => index)]);
    expect(indexes).toEqual([
      ['served/m', 0],
      ['served/m', 0],
      ['served/m', 1, 2],
      ['served/m', 2],
    ]);
  });
});

describe('Responses upstreams', () => {
  const response = { id: 'resp_1', object: 'response', model: 'up', status: 'in_progress', output: [] as object[] };
  const completed = (...output: object[]) =>
    event('response.completed', { response: { ...response, status: 'completed', output } });
  const call = (fields: object) => ({
    id: 'fc_1',
    type: 'function_call',
    call_id: 'c1',
    name: 'f',
    arguments: '',
    ...fields,
  });
  const begun = (item: object) =>
    event('response.created', { response }) + event('response.output_item.added', { output_index: 0, item });
  const piece = (type: string, delta: string) =>
    event(`response.${type}.delta`, { item_id: 'i', output_index: 0, content_index: 0, delta });
  const done = (type: string, fields: object) =>
    event(`response.${type}.done`, { item_id: 'i', output_index: 0, content_index: 0, ...fields });
  const textItem = (text: string) => ({
    id: 'i',
    type: 'message',
    role: 'assistant',
    content: text === '' ? [] : [{ type: 'output_text', text, annotations: [] }],
  });

  it.each(SPEAKERS)('dialects §8: a call without a name is none, to a client of $client.name', (speaker) => {
    const nameless = call({ name: '', arguments: '{}' });
    expect(
      held(
        speaker,
        'openai-responses',
        begun(nameless) + event('response.output_item.done', { output_index: 0, item: nameless }) + completed(nameless),
      ),
    ).toBe('nothing, malformed');
    expect(held(speaker, 'openai-responses', event('response.created', { response }) + completed(nameless))).toBe(
      'nothing, malformed',
    );
  });

  it('dialects §8: arguments broken in one of the places that tell them are broken for whoever reads there', () => {
    const speaker = speakerOf('openai-responses');
    const good = call({ arguments: '{}' });
    const bad = call({ arguments: '{"a":' });
    const stream = (item: object, last: object) =>
      begun(call({})) +
      piece('function_call_arguments', '{}') +
      event('response.output_item.done', { output_index: 0, item }) +
      completed(last);
    expect(held(speaker, 'openai-responses', stream(good, good))).toBe('content, whole');
    expect(held(speaker, 'openai-responses', stream(bad, good))).toBe('nothing, malformed');
    expect(held(speaker, 'openai-responses', stream(good, bad))).toBe('nothing, malformed');
    expect(
      held(speaker, 'openai-responses', begun(call({})) + piece('function_call_arguments', '{"a":') + completed()),
    ).toBe('nothing, malformed');
  });

  const others = SPEAKERS.filter(({ codec }) => codec.dialect !== 'openai-responses');

  it.each(others)('T-5: words that the whole tells and no piece did reach a client of $client.name', (speaker) => {
    const text = begun(textItem(''));
    const streams: [string, string][] = [
      ['text of its own event', text + done('output_text', { text: 'to the fjord' }) + completed()],
      [
        'a lost last piece',
        text + piece('output_text', 'to the ') + done('output_text', { text: 'to the fjord' }) + completed(),
      ],
      [
        'a lost last piece, told by the item',
        text +
          piece('output_text', 'to the ') +
          event('response.output_item.done', { output_index: 0, item: textItem('to the fjord') }) +
          completed(),
      ],
      [
        'a lost last piece, told by the response',
        text + piece('output_text', 'to the ') + completed(textItem('to the fjord')),
      ],
      [
        'arguments of their own event',
        begun(call({})) + done('function_call_arguments', { arguments: '{"at":"to the fjord"}' }) + completed(),
      ],
      [
        'a lost piece of arguments',
        begun(call({})) +
          piece('function_call_arguments', '{"at":"to the ') +
          done('function_call_arguments', { arguments: '{"at":"to the fjord"}' }) +
          completed(),
      ],
    ];
    for (const [what, stream] of streams) {
      const { tap, told } = cross(speaker, 'openai-responses', [Buffer.from(stream)]);
      expect([what, verdictOf(tap)]).toEqual([what, 'content, whole']);
      expect([what, told.toString().includes('fjord')]).toEqual([what, true]);
    }
  });

  it.each(others)('T-5: what the pieces told is told once, to a client of $client.name', (speaker) => {
    const whole = textItem('to the fjord');
    const stream =
      begun(textItem('')) +
      piece('output_text', 'to the ') +
      piece('output_text', 'fjord') +
      done('output_text', { text: 'to the fjord' }) +
      event('response.output_item.done', { output_index: 0, item: whole }) +
      completed(whole);
    const { told } = cross(speaker, 'openai-responses', [Buffer.from(stream)]);
    expect(told.toString().split('fjord').length - 1).toBe(1);
    // Another wording is no continuation.
    const other =
      begun(textItem('')) +
      piece('output_text', 'to the ') +
      done('output_text', { text: 'and so to the fjord' }) +
      completed();
    expect(cross(speaker, 'openai-responses', [Buffer.from(other)]).told.toString()).not.toContain('fjord');
  });

  it('dialects §14.2: an answer without status passes, and no end is made up for it in translation', () => {
    const body = { id: 'resp_1', object: 'response', output: [textItem('x')] };
    for (const speaker of SPEAKERS) {
      expect([speaker.client.name, isAnswer(speaker, 'openai-responses', body)]).toEqual([
        speaker.client.name,
        speaker.client.name === 'responses',
      ]);
      expect(isAnswer(speaker, 'openai-responses', { ...body, status: 'completed' })).toBe(true);
    }
  });
});
