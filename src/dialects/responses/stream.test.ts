import { accumulateResponse } from 'openai/lib/responses/ResponseAccumulator';
import type { Response, ResponseStreamEvent } from 'openai/resources/responses/responses';
import { describe, expect, it } from 'vitest';
import { feedEvents, namedEvents } from '../../../test/support/event-tap-feed.ts';
import { gatewayError } from '../../core/errors/catalogue.ts';
import { responsesCodec } from './codec.ts';

/** Events numbered in a row; `sequence_number` aside they are as given. */
function stream(...events: readonly object[]): string {
  return events
    .map((event, at) => {
      const { type } = event as { type: string };
      return `event: ${type}\ndata: ${JSON.stringify({ ...event, sequence_number: at })}\n\n`;
    })
    .join('');
}

const response = (more: object = {}): object => ({
  id: 'resp_1',
  object: 'response',
  status: 'in_progress',
  model: 'up',
  output: [],
  store: false,
  error: null,
  ...more,
});
const CREATED = { type: 'response.created', response: response() };
const message = (text: string): object => ({
  id: 'msg_1',
  type: 'message',
  role: 'assistant',
  content: [{ type: 'output_text', text, annotations: [] }],
});
const ADDED = { type: 'response.output_item.added', output_index: 0, item: { ...message(''), content: [] } };
const delta = (text: string): object => ({
  type: 'response.output_text.delta',
  item_id: 'msg_1',
  output_index: 0,
  content_index: 0,
  delta: text,
});
const ITEM_DONE = { type: 'response.output_item.done', output_index: 0, item: message('hi') };
const completed = (more: object = {}): object => ({
  type: 'response.completed',
  response: response({ status: 'completed', output: [message('hi')], ...more }),
});

const feed = (...events: readonly object[]) => feedEvents(responsesCodec, [stream(...events)]);

describe('T-1: the first content', () => {
  const item = (fields: object): object => ({ type: 'response.output_item.added', output_index: 0, item: fields });
  const done = (fields: object): object => ({ type: 'response.output_item.done', output_index: 0, item: fields });
  it.each([
    [delta('x'), 'content'],
    [{ type: 'response.refusal.delta', delta: 'no' }, 'refusal'],
    [{ type: 'response.function_call_arguments.delta', delta: '{' }, 'content'],
    [{ type: 'response.custom_tool_call_input.delta', delta: 'x' }, 'content'],
    [{ type: 'response.reasoning_summary_text.delta', delta: 'x' }, 'content'],
    [{ type: 'response.reasoning_text.delta', delta: 'x' }, 'content'],
    [{ type: 'response.audio.delta', delta: 'AA' }, 'content'],
    [{ type: 'response.mcp_call_arguments.delta', delta: '{' }, 'content'],
    [{ type: 'response.code_interpreter_call_code.delta', delta: 'x' }, 'content'],
    [{ type: 'response.shell_call_output_content.delta', delta: { stdout: 'x', stderr: '' } }, 'content'],
    [{ type: 'response.image_generation_call.partial_image', partial_image_b64: 'AA' }, 'content'],
    [item({ type: 'function_call', name: 'f', call_id: 'c', arguments: '' }), 'content'],
    [item({ type: 'web_search_call', status: 'in_progress' }), 'content'],
    [item({ type: 'reasoning', summary: [], encrypted_content: 'gA' }), 'content'],
    [item({ type: 'reasoning', summary: [{ type: 'summary_text', text: 'x' }] }), 'content'],
    [done({ type: 'reasoning', summary: [], encrypted_content: 'gA' }), 'content'],
    [done(message('x')), 'content'],
    [done({ type: 'message', content: [{ type: 'refusal', refusal: 'no' }] }), 'refusal'],
    [{ type: 'response.output_text.done', text: 'x' }, 'content'],
    [{ type: 'response.content_part.added', part: { type: 'output_text', text: 'x' } }, 'content'],
  ])('%j commits', (event, kind) => {
    const tap = responsesCodec.streamTap({
      servedModel: 's',
      includeUsage: true,
      n: 1,
      maxEventBytes: 1 << 20,
      maxPreludeBytes: 1 << 20,
      holdAll: false,
      maxHeldBytes: 1 << 20,
    });
    tap.push(Buffer.from(stream(CREATED)));
    expect(tap.ready).toBeNull();
    tap.push(Buffer.from(stream(event)));
    expect(tap.ready).toBe(kind);
  });

  it.each([
    [delta('')],
    [ADDED],
    [item({ type: 'reasoning', summary: [] })],
    [item({ type: 'mcp_list_tools', tools: [] })],
    [done({ type: 'reasoning', summary: [] })],
    [{ type: 'response.in_progress', response: response() }],
    [{ type: 'response.web_search_call.searching', item_id: 'ws' }],
    [{ type: 'response.content_part.added', part: { type: 'output_text', text: '' } }],
    [{ type: 'response.reasoning_summary_part.added', part: { type: 'summary_text', text: '' } }],
    [{ type: 'response.shell_call_output_content.delta', delta: { stdout: '', stderr: '' } }],
    [{ type: 'response.brand_new.delta', delta: 'x' }],
    [{ type: 'keepalive' }],
  ])('%j does not', (event) => {
    expect(feed(CREATED, event).ready).toBeNull();
  });

  it('F-5: an answer of nothing but hidden thoughts is empty, a filtered one without any is filtered', () => {
    expect(feed(CREATED, completed({ output: [] })).ready).toBe('empty');
    const details = { status: 'incomplete', incomplete_details: { reason: 'content_filter' }, output: [] };
    const filtered = feed(CREATED, { type: 'response.incomplete', response: response(details) });
    expect([filtered.ready, filtered.tap.finishReasons]).toEqual(['filtered', ['incomplete:content_filter']]);
  });
});

describe('T-8: what passes', () => {
  it('unknown events, pings and [DONE] are dropped: the dialect’s own clients refuse them', () => {
    const odd = ['event: ping\ndata: {"type":"ping"}\n\n', ': note\n\n', 'data: 7\n\n'].join('');
    const bytes = stream(CREATED, ADDED, delta('hi'), { type: 'response.new_thing', x: 1 }, ITEM_DONE, completed());
    const { whole } = feedEvents(responsesCodec, [odd, bytes, 'data: [DONE]\n\n']);
    expect(namedEvents(whole!).map(({ name }) => name)).toEqual([
      'response.created',
      'response.output_item.added',
      'response.output_text.delta',
      'response.output_item.done',
      'response.completed',
    ]);
  });

  it('dialects §8: a response that ends without its items gets them back, as they were', () => {
    const item = '{"id":"msg_1","type":"message","big":12345678901234567890,"content":[]}';
    const raw = `event: response.output_item.done\ndata: {"type":"response.output_item.done","output_index":0,"item":${item}}\n\n`;
    for (const output of [[], undefined]) {
      const { whole } = feedEvents(responsesCodec, [stream(CREATED, delta('hi')), raw, stream(completed({ output }))]);
      expect(whole).toContain(`"output":[${item}]`);
    }
  });

  it('P-8: ids under which the account knows something: of a stored response and its items, of containers', () => {
    const stored = response({ store: true });
    const tap = feed({ type: 'response.created', response: stored }, ADDED, delta('hi'), ITEM_DONE, completed()).tap;
    expect(tap.stateIds).toEqual(['resp_1', 'msg_1']);
    expect(feed(CREATED, ADDED, delta('hi'), ITEM_DONE, completed()).tap.stateIds).toEqual([]);
  });

  it('a kept stream, report and all, is read again like any other', () => {
    const first = feedEvents(responsesCodec, [stream(CREATED, ADDED, delta('hi'), ITEM_DONE, completed())], {
      report: '{"request_id":"req_1"}',
    });
    const again = feedEvents(responsesCodec, [first.whole!], { report: '{"request_id":"req_2"}' });
    expect(again.whole).toBe(first.whole!.replace('req_1', 'req_2'));
  });
});

describe('faults', () => {
  it.each([
    [[{ type: 'error', code: 'x', message: 'm' }]],
    [[{ type: 'error', error: { code: 'x' } }]],
    [[{ ...delta('text beside it'), error: { message: 'm' } }]],
    [[{ type: 'response.failed', response: response({ status: 'failed', error: { code: 'x', message: 'm' } }) }]],
    [[{ type: 'response.completed', response: response({ status: 'failed' }) }]],
    [[{ type: 'response.completed', response: response({ status: 'completed', error: { code: 'x' } }) }]],
  ])('T-8: %j is an error and is not relayed', (events) => {
    const { tap, ready } = feed(CREATED, ...events);
    expect([ready, tap.fault?.kind, tap.complete]).toEqual([null, 'error_event', false]);
  });

  it.each(['data: {"type":\n\n', 'data: {"type":"response.completed"}\n\n', '{"type":"response.created"}\n'])(
    'T-10: %j is malformed',
    (bytes) => {
      expect(feedEvents(responsesCodec, [stream(CREATED), bytes]).tap.fault?.kind).toBe('malformed');
    },
  );

  it('dialects §14.1: a clean end without the last event is a cut, [DONE] or not', () => {
    expect(feed(CREATED, ADDED, delta('hi'), ITEM_DONE).tap.fault).toEqual({ kind: 'cut' });
    const done = feedEvents(responsesCodec, [stream(CREATED, delta('hi')), 'data: [DONE]\n\n']);
    expect(done.tap.fault).toEqual({ kind: 'cut' });
  });
});

describe('T-4: an interruption', () => {
  const error = gatewayError('stream_interrupted', 'the upstream broke off', {});

  it('is the response, failed: same id, next number, the code; and it stops clients that read single events', () => {
    const { tap } = feed(CREATED, ADDED, delta('hi'));
    const told = Buffer.from(tap.interrupt!(error, 'req_1') as Uint8Array).toString();
    expect(Buffer.from(tap.interrupt!(error, 'req_1') as Uint8Array).toString()).toBe(told);
    const [event] = namedEvents(told);
    expect(event?.name).toBe('response.failed');
    expect(event?.data).toMatchObject({
      type: 'response.failed',
      sequence_number: 3,
      response: { id: 'resp_1', status: 'failed', model: 'served/m', error: { code: 'stream_interrupted' } },
      error: { code: 'stream_interrupted', request_id: 'req_1' },
    });
  });

  it('T-11: before anything was told it is an error event, flat and nested', () => {
    const frame = responsesCodec.streamError(error, 'req_1') as Uint8Array;
    expect(namedEvents(Buffer.from(frame).toString())).toEqual([
      {
        name: 'error',
        data: {
          type: 'error',
          code: 'stream_interrupted',
          message: 'the upstream broke off',
          param: null,
          sequence_number: 0,
          error: expect.objectContaining({ code: 'stream_interrupted', request_id: 'req_1' }),
        },
      },
    ]);
  });
});

describe('F-5: a whole answer as a stream', () => {
  const whole = response({
    status: 'completed',
    usage: { input_tokens: 1, output_tokens: 2, total_tokens: 3 },
    output: [
      { id: 'rs_1', type: 'reasoning', summary: [{ type: 'summary_text', text: 'Plan' }], encrypted_content: 'gAAA' },
      {
        ...message('hi'),
        content: [
          {
            type: 'output_text',
            text: 'hi',
            annotations: [{ type: 'url_citation', url: 'https://x', title: 't', start_index: 0, end_index: 1 }],
            logprobs: [],
          },
          { type: 'refusal', refusal: 'no' },
        ],
      },
      { id: 'fc_1', type: 'function_call', call_id: 'c1', name: 'f', arguments: '{"a":1}', status: 'completed' },
      { id: 'ctc_1', type: 'custom_tool_call', call_id: 'c2', name: 'g', input: 'x', status: 'completed' },
      { id: 'ws_1', type: 'web_search_call', status: 'completed', action: { type: 'search', query: 'q' } },
    ],
  });
  const answer = responsesCodec.readAnswer(Buffer.from(JSON.stringify(whole)))!;
  const request = responsesCodec.readRequest(Buffer.from('{"model":"m","input":"x","stream":true}'));
  if (!request.ok) throw new Error('no request');
  const write = { servedModel: 'served/m', report: Buffer.from('{"request_id":"req_1"}'), classic: false };
  const text = Buffer.from(responsesCodec.answerToStream(answer, write, request.value)).toString();

  it('tells every item in the dialect’s own steps, numbered in a row', () => {
    const events = namedEvents(text);
    expect(events.map(({ data }) => data['sequence_number'])).toEqual(events.map((_, at) => at));
    expect(events.every(({ name, data }) => name === data['type'])).toBe(true);
    const last = events.at(-1)!.data['response'];
    expect(last).toEqual({ ...whole, model: 'served/m', understudy: { request_id: 'req_1' } });
  });

  it('clients put it together to the same answer, before its end already', () => {
    let snapshot: Response | undefined;
    const events = namedEvents(text).map(({ data }) => data as unknown as ResponseStreamEvent);
    for (const event of events.slice(0, -1)) snapshot = accumulateResponse(event, snapshot);
    expect(JSON.parse(JSON.stringify(snapshot?.output))).toEqual((whole as { output: unknown }).output);
  });

  it('passes our own tap, and counts as what it was', () => {
    const { tap, ready, whole: told } = feedEvents(responsesCodec, [text], { report: '{"request_id":"req_1"}' });
    expect([tap.complete, tap.fault, ready, told]).toEqual([true, null, 'content', text]);
    expect(tap.usage).toEqual(answer.usage);
    // A stream's are counted as written: the two quotes in the call's arguments are escaped there.
    expect(tap.contentBytes).toBe(answer.contentBytes + 2);
  });

  it('E-4: a configured text is an answer like any other', () => {
    const made = responsesCodec.staticAnswer({ text: 'Sorry.', id: 'x1', model: 'm', createdAt: 1000, n: 3 });
    expect([made.content, made.finishReasons, made.stateIds]).toEqual(['content', ['completed'], []]);
    const bytes = Buffer.from(responsesCodec.writeAnswer(made, write)).toString();
    expect(JSON.parse(bytes)).toMatchObject({ id: 'resp_x1', model: 'served/m', understudy: { request_id: 'req_1' } });
  });

  it.each([
    ['{"output":[],"error":{"code":"x"}}'],
    ['{"output":[],"status":"failed"}'],
    ['{"output":[],"status":"in_progress"}'],
    ['{"object":"response"}'],
    ['[]'],
    ['{"choices":[]}'],
  ])('F-1: %s is no usable answer', (bytes) => {
    expect(responsesCodec.readAnswer(Buffer.from(bytes))).toBeNull();
  });

  it('D-11: a promise to work in the background is an answer', () => {
    const promise = '{"id":"resp_2","output":[],"status":"queued","background":true}';
    expect(responsesCodec.readAnswer(Buffer.from(promise))).toMatchObject({ content: 'content', stateIds: ['resp_2'] });
  });
});

describe('T-7: what is kept for the end', () => {
  it('is no prelude: an empty answer whose end makes it a megabyte has ended all the same', () => {
    const told = completed({ output: [], instructions: 'x'.repeat(1_000_000) });
    const { tap, whole } = feed(...Array.from({ length: 300 }, () => CREATED), told);
    expect([tap.fault, tap.complete, tap.ready]).toEqual([null, true, 'empty']);
    expect(namedEvents(whole!).at(-1)?.name).toBe('response.completed');
  });

  it('is no more than a megabyte: a longer answer passes as the upstream ends it', () => {
    const long = 'x'.repeat(300_000);
    const items = Array.from({ length: 5 }, (_, at) => ({ ...ITEM_DONE, output_index: at, item: message(long) }));
    const { whole } = feed(CREATED, delta('hi'), ...items, completed({ output: [] }));
    expect(namedEvents(whole!).at(-1)?.data['response']).toMatchObject({ output: [] });
    const short = feed(CREATED, delta('hi'), ...items.slice(0, 3), completed({ output: [] }));
    const told = namedEvents(short.whole!).at(-1)?.data['response'] as { output: unknown[] };
    expect(told.output).toHaveLength(3);
  });
});
