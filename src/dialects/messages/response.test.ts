import { describe, expect, it } from 'vitest';
import { events, feed, textIn } from '../../../test/support/messages-feed.ts';
import { gatewayError } from '../../core/errors/catalogue.ts';
import { jsonBytes, textOf, utf8 } from '../bytes/text.ts';
import type { Answer, ClientRequest } from '../contract.ts';
import { messagesCodec as codec } from './codec.ts';

const USAGE = { input_tokens: 8, cache_creation_input_tokens: 2, cache_read_input_tokens: 4, output_tokens: 5 };
const MESSAGE = {
  id: 'msg_1',
  type: 'message',
  role: 'assistant',
  model: 'up',
  content: [{ type: 'text', text: 'hi' }],
  stop_reason: 'end_turn',
  stop_sequence: null,
  usage: USAGE,
};

const tryRead = (fields: object): Answer | null => codec.readAnswer(jsonBytes({ ...MESSAGE, ...fields }));
function read(fields: object): Answer {
  const answer = tryRead(fields);
  if (answer === null) throw new Error('unreadable');
  return answer;
}
function request(fields: object): ClientRequest {
  const found = codec.readRequest(jsonBytes({ model: 'a', messages: [{ role: 'user', content: 'hi' }], ...fields }));
  if (!found.ok) throw new Error('refused');
  return found.value;
}

describe('reading', () => {
  it('dialects §11: usage with what the cache holds', () => {
    expect(read({}).usage).toMatchObject({ input: 14, cacheRead: 4, cacheWrite: 2, output: 5, total: 19 });
    expect(read({ usage: null }).usage).toBeNull();
  });

  it.each([
    ['content', [{ type: 'text', text: 'hi' }], 'end_turn'],
    ['content', [{ type: 'tool_use', id: 't', name: 'f', input: {} }], 'tool_use'],
    ['empty', [], 'end_turn'],
    ['empty', [{ type: 'thinking', thinking: 'hm', signature: 's' }], 'max_tokens'],
    ['refusal', [], 'refusal'],
    ['refusal', [{ type: 'text', text: 'no' }], 'refusal'],
  ])('F-5: %s: %j, %s', (kind, content, stop_reason) => {
    const answer = read({ content, stop_reason });
    expect([answer.content, answer.finishReasons]).toEqual([kind, [stop_reason]]);
  });

  it.each([
    { type: 'error', error: { type: 'api_error', message: 'x' } },
    { content: 'text' },
    { content: null },
    { content: [], stop_reason: null },
  ])('F-6: no answer: %j', (fields) => {
    expect(tryRead(fields)).toBeNull();
  });

  it('P-8: a container it was made in is told', () => {
    expect(read({ container: { id: 'c_1' } }).stateIds).toEqual(['c_1']);
  });

  it('counts bytes of text, thought and arguments', () => {
    const content = [
      { type: 'thinking', thinking: 'né', signature: 'sig' },
      { type: 'text', text: 'abc' },
      { type: 'tool_use', id: 't', name: 'f', input: { a: 1 } },
    ];
    expect(read({ content }).contentBytes).toBe(3 + 3 + 7);
  });
});

it('R-2, R-3: model and report are put in, all else is byte for byte', () => {
  const answer = codec.readAnswer(
    utf8('{"model":"up", "content":[{"type":"text","text":"x"}],"stop_reason":"end_turn","big":1234567890123456789}'),
  );
  if (answer === null) throw new Error('unreadable');
  const write = { servedModel: 'served/m', report: utf8('{"a":1}'), classic: false };
  expect(textOf(codec.writeAnswer(answer, write))).toBe(
    '{"model":"served/m", "content":[{"type":"text","text":"x"}],"stop_reason":"end_turn","big":1234567890123456789,"understudy":{"a":1}}',
  );
});

describe('D-5: longer answers', () => {
  it('cut by its own limit, not by a full window', () => {
    expect(codec.isCut(read({ stop_reason: 'max_tokens' }))).toBe(true);
    expect(codec.isCut(read({ stop_reason: 'model_context_window_exceeded' }))).toBe(false);
  });

  it('twice as long, as far as model and entry allow', () => {
    const cut = read({ stop_reason: 'max_tokens' });
    expect(codec.longerOutput(request({ max_tokens: 100 }), null, cut, null)).toBe(200);
    expect(codec.longerOutput(request({ max_tokens: 100 }), null, cut, 150)).toBe(150);
    expect(codec.longerOutput(request({ max_tokens: 100 }), null, cut, 100)).toBeNull();
    expect(codec.longerOutput(request({ max_tokens: 100 }), { max_output_tokens: 90 }, cut, null)).toBeNull();
    expect(codec.longerOutput(request({}), null, cut, null)).toBe(10);
  });
});

describe('F-5: a whole answer as a stream', () => {
  const content = [
    { type: 'thinking', thinking: 'hm', signature: 'c2ln' },
    { type: 'redacted_thinking', data: 'eA==' },
    { type: 'text', text: 'a\nb', citations: [{ type: 'char_location', cited_text: 'x' }] },
    { type: 'tool_use', id: 't', name: 'f', input: { city: 'Oslo', n: [1] } },
    { type: 'web_search_tool_result', tool_use_id: 's', content: [{ url: 'u' }] },
  ];
  const answer = codec.readAnswer(
    utf8(JSON.stringify({ ...MESSAGE, content, stop_reason: 'tool_use', x_new: 1 }, null, 2)),
  )!;
  const write = { servedModel: 'served/m', report: utf8('{"attempts":2}'), classic: false };
  const stream = textOf(codec.answerToStream(answer, write, request({ stream: true })));

  it('is one this dialect’s own tap finds whole', () => {
    const { tap, whole, ready } = feed([stream]);
    expect([ready, tap.complete, tap.suspicious, tap.fault]).toEqual(['content', true, false, null]);
    expect(whole).toBe(stream);
    expect(tap.usage).toEqual(answer.usage);
    expect(textIn(stream)).toBe('a\nb');
  });

  it('loses nothing on the way', () => {
    const found = events(stream);
    expect(found[0]?.data['message']).toMatchObject({ model: 'served/m', content: [], stop_reason: null, x_new: 1 });
    expect(stream).toContain('"signature_delta","signature":"c2ln"');
    expect(stream).toContain('"data": "eA=="');
    expect(stream).toContain('"citation":{');
    const steps = found.map(({ data }) => data['delta'] as { type?: string; partial_json?: string } | undefined);
    const args = steps.find((step) => step?.type === 'input_json_delta')?.partial_json ?? '';
    expect(JSON.parse(args)).toEqual({ city: 'Oslo', n: [1] });
    expect(found.at(-2)?.data).toMatchObject({
      delta: { stop_reason: 'tool_use' },
      usage: USAGE,
      understudy: { attempts: 2 },
    });
  });
});

it('E-4: a static answer is one of this dialect', () => {
  const answer = codec.staticAnswer({ text: 'Back soon.', id: 'x1', model: 'm', createdAt: 0, n: 1 });
  expect([answer.content, answer.finishReasons, answer.usage?.output]).toEqual(['content', ['end_turn'], 0]);
});

describe('E-1, E-5: errors', () => {
  it.each([
    ['invalid_parameter', 400, 'invalid_request_error'],
    ['invalid_api_key', 401, 'authentication_error'],
    ['insufficient_balance', 402, 'billing_error'],
    ['model_not_allowed', 403, 'permission_error'],
    ['model_not_found', 404, 'not_found_error'],
    ['request_in_progress', 409, 'conflict_error'],
    ['request_too_large', 413, 'request_too_large'],
    ['idempotency_key_reused', 422, 'invalid_request_error'],
    ['rate_limited', 429, 'rate_limit_error'],
    ['internal_error', 500, 'api_error'],
    ['all_models_failed', 502, 'api_error'],
    ['upstream_overloaded', 503, 'overloaded_error'],
    ['upstream_timeout', 504, 'timeout_error'],
  ] as const)('%s is told with status %d and type %s', (code, status, type) => {
    const rendered = codec.renderError(gatewayError(code, 'Words.'), 'req_1', false, 0);
    expect(rendered.status).toBe(status);
    expect(rendered.headers).toMatchObject({ 'request-id': 'req_1', 'x-should-retry': 'false' });
    expect(JSON.parse(textOf(rendered.body))).toMatchObject({
      type: 'error',
      error: { type, message: 'Words.', code },
      request_id: 'req_1',
    });
  });

  it('529 is overloaded, and an upstream’s own type stays', () => {
    const overloaded = gatewayError('upstream_error', 'x', { status: 529 });
    expect(textOf(codec.renderError(overloaded, 'r', false, 0).body)).toContain('"overloaded_error"');
    const billing = gatewayError('upstream_error', 'x', { status: 400, type: 'billing_error' });
    expect(textOf(codec.renderError(billing, 'r', false, 0).body)).toContain('"billing_error"');
  });

  it('D-3: a wait is told in whole seconds, at most 60, and its instant in the body', () => {
    const error = gatewayError('rate_limited', 'x', { retryAt: 90_500 });
    const { headers, body } = codec.renderError(error, 'r', false, 500);
    expect(headers).toMatchObject({ 'retry-after': '60', 'retry-after-ms': '60000' });
    expect(textOf(body)).toContain('"retry_at":"1970-01-01T00:01:30.500Z"');
  });

  it('T-11: in a stream that showed nothing it is one event', () => {
    const frame = codec.streamError(gatewayError('rate_limited', 'x'), 'req_1');
    if (frame === 'destroy') throw new Error('no frame');
    expect(events(textOf(frame)).map(({ name }) => name)).toEqual(['error']);
    expect(textOf(codec.keepAlive(request({})) ?? utf8(''))).toBe('event: ping\ndata: {"type":"ping"}\n\n');
  });
});
