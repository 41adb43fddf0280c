/** Bad input of every kind: one clear error in the client's dialect, never a crash, a hang or a stack trace. */
import { connect } from 'node:net';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { okBody } from '../faults/answers.ts';
import { CLIENT_KEY } from '../faults/gateway-config.ts';
import { errorOf, expectHonest } from '../faults/invariants.ts';
import { chatRequest, type RawRequest, sendRaw } from '../faults/raw-client.ts';
import { contentOf, type Rig, startRig } from '../faults/rig.ts';

let rig: Rig;
beforeAll(async () => {
  rig = await startRig(
    { m: { up: { A: [okBody('ok')] } }, other: { up: { A: [okBody('ok')] } } },
    {
      server: { body_limit: '64kb' },
      keys: [
        { name: 'narrow', workspace: 'main', secret: 'narrow-key-0123456789', models: ['other'] },
        { name: 'old', workspace: 'main', secret: 'old-key-0123456789', expires_at: '2020-01-01' },
      ],
    },
  );
});
afterAll(() => rig.close());

function post(body: unknown, headers: Record<string, string> = {}, more: Partial<RawRequest> = {}) {
  return sendRaw({
    url: `${rig.url}/v1/chat/completions`,
    method: 'POST',
    body,
    ...more,
    headers: { authorization: `Bearer ${CLIENT_KEY}`, ...headers },
  });
}

describe('bodies', () => {
  it.each([
    [
      'C-4: a duplicate top-level key',
      '{"model":"m","model":"other","messages":[{"role":"user","content":"x"}]}',
      'invalid_json',
    ],
    ['C-4: a duplicate key in disguise', '{"model":"m","mod\\u0065l":"other","messages":[{}]}', 'invalid_json'],
    ['E-5: cut JSON', '{"model":"m","messages":[', 'invalid_json'],
    ['E-5: no JSON', 'hello', 'invalid_json'],
    ['E-5: an array', '[]', 'invalid_json'],
    ['E-5: null', 'null', 'invalid_json'],
    ['E-5: nothing', '', 'invalid_json'],
    ['E-5: trailing text', '{"model":"m","messages":[{}]} x', 'invalid_json'],
    ['E-5: not UTF-8', Buffer.from([0x7b, 0x22, 0xff, 0xfe, 0x22, 0x3a, 0x31, 0x7d]), 'invalid_json'],
    ['E-5: nesting without end', `{"model":"m","messages":${'['.repeat(30_000)}`, 'invalid_json'],
    ['E-5: no model', '{"messages":[{"role":"user","content":"x"}]}', 'missing_required_parameter'],
    ['E-5: a null model', '{"model":null,"messages":[{}]}', 'missing_required_parameter'],
    ['E-5: no messages', '{"model":"m"}', 'missing_required_parameter'],
    ['C-2: a model that is a number', '{"model":7,"messages":[{}]}', 'invalid_chain'],
    ['E-5: messages that are text', '{"model":"m","messages":"x"}', 'invalid_parameter'],
    ['E-5: no message in messages', '{"model":"m","messages":[]}', 'invalid_parameter'],
    ['E-5: a stream that is text', '{"model":"m","messages":[{}],"stream":"yes"}', 'invalid_parameter'],
    ['C-9: an unknown model', '{"model":"nope","messages":[{}]}', 'model_not_found'],
    [
      'C-2: models with fallback_models',
      '{"models":["m"],"fallback_models":["other"],"messages":[{}]}',
      'invalid_chain',
    ],
    ['C-2: empty models', '{"models":[],"messages":[{}]}', 'invalid_chain'],
    ['C-2: a non-string model in a chain', '{"models":["m",3],"messages":[{}]}', 'invalid_chain'],
    ['C-2: fallback_models without model', '{"fallback_models":["m"],"messages":[{}]}', 'invalid_chain'],
    ['C-2: an unknown entry fails it all', '{"models":["m","nope"],"messages":[{}]}', 'model_not_found'],
    [
      'C-4: an unknown redundancy field',
      '{"model":"m","messages":[{}],"redundancy":{"retrys":1}}',
      'invalid_redundancy',
    ],
    [
      'C-4: a timeout out of range',
      '{"model":"m","messages":[{}],"redundancy":{"timeout_ms":5}}',
      'invalid_redundancy',
    ],
    ['C-4: an unknown trigger', '{"model":"m","messages":[{}],"redundancy":{"on":["x"]}}', 'invalid_redundancy'],
    ['C-4: redundancy that is text', '{"model":"m","messages":[{}],"redundancy":"x"}', 'invalid_redundancy'],
    [
      'C-4: a hedge sooner than allowed',
      '{"model":"m","messages":[{}],"redundancy":{"hedge_after_ms":99}}',
      'invalid_redundancy',
    ],
  ])('%s', async (_name, body, code) => {
    const before = rig.calls('m').length;
    const answer = await post(body);
    expectHonest(answer);
    expect(errorOf(answer)['code']).toBe(code);
    expect(answer.status).toBe(code === 'model_not_found' ? 404 : 400);
    expect(answer.headers['x-should-retry']).toBe('false');
    expect(rig.calls('m').length).toBe(before);
    const record = await rig.record(answer);
    expect(record).toMatchObject({ ending: 'rejected', error_code: code, attempts: [] });
  });

  it('C-4: an invalid range names field and range', async () => {
    const answer = await post(chatRequest('m', { redundancy: { max_attempts: 99 } }));
    expect(errorOf(answer)).toMatchObject({ code: 'invalid_redundancy', param: 'redundancy.max_attempts' });
    expect(String(errorOf(answer)['message'])).toMatch(/1.+20/);
  });

  it('E-5: a huge body is refused by its announcement and by its bytes', async () => {
    const huge = chatRequest('m', { x: 'a'.repeat(100_000) });
    const announced = await post(huge);
    expect(announced.status).toBe(413);
    expect(errorOf(announced)['code']).toBe('request_too_large');
    const text = Buffer.from(JSON.stringify(huge));
    const chunked = await post([text.subarray(0, 50_000), text.subarray(50_000)]);
    expect(chunked.status).toBe(413);
  });

  it('E-5: a small body that unpacks to a huge one is refused', async () => {
    const bomb = gzipSync(JSON.stringify(chatRequest('m', { x: 'a'.repeat(1_000_000) })));
    expect((await post(bomb, { 'content-encoding': 'gzip' })).status).toBe(413);
  });

  it('F-3: a compressed body is read; an unknown or false encoding is told', async () => {
    const packed = gzipSync(JSON.stringify(chatRequest('m')));
    expect(contentOf(await post(packed, { 'content-encoding': 'gzip' }))).toBe('ok');
    expect((await post(packed, { 'content-encoding': 'zstd' })).status).toBe(415);
    expect((await post('{}', { 'content-encoding': 'gzip' })).status).toBe(415);
    expect((await post('a=b', { 'content-type': 'application/x-www-form-urlencoded' })).status).toBe(415);
  });
});

describe('keys', () => {
  it('G-11: none, unknown, expired, forbidden', async () => {
    const none = await sendRaw({ url: `${rig.url}/v1/chat/completions`, body: chatRequest('m') });
    expect([none.status, errorOf(none)['code']]).toEqual([401, 'missing_api_key']);
    const unknown = await post(chatRequest('m'), { authorization: 'Bearer nobody' });
    expect([unknown.status, errorOf(unknown)['code']]).toEqual([401, 'invalid_api_key']);
    const old = await post(chatRequest('m'), { authorization: 'Bearer old-key-0123456789' });
    expect(old.status).toBe(401);
    const narrow = await post(chatRequest('m'), { authorization: 'Bearer narrow-key-0123456789' });
    expect([narrow.status, errorOf(narrow)['code']]).toEqual([403, 'model_not_allowed']);
    const chain = await post(
      { models: ['other', 'm'], messages: [{ role: 'user', content: 'x' }] },
      { authorization: 'Bearer narrow-key-0123456789' },
    );
    expect(chain.status, 'G-3: not reachable through a fallback either').toBe(403);
  });

  it('G-8: any of the usual places; of two exactly one known is used; two known are refused', async () => {
    const plain = { url: `${rig.url}/v1/chat/completions`, body: chatRequest('m') };
    for (const name of ['x-api-key', 'api-key', 'x-goog-api-key']) {
      expect((await sendRaw({ ...plain, headers: { [name]: CLIENT_KEY } })).status).toBe(200);
    }
    expect((await sendRaw({ ...plain, url: `${plain.url}?key=${CLIENT_KEY}` })).status).toBe(200);
    expect((await post(chatRequest('m'), { 'x-api-key': 'placeholder' })).status).toBe(200);
    expect((await post(chatRequest('m'), { 'x-api-key': CLIENT_KEY })).status).toBe(200);
    expect((await post(chatRequest('m'), { 'x-api-key': 'narrow-key-0123456789' })).status).toBe(401);
  });
});

describe('paths and headers', () => {
  it('E-5: unknown paths, wrong methods, paths of later versions', async () => {
    const headers = { authorization: `Bearer ${CLIENT_KEY}` };
    const codes: unknown[] = [];
    for (const [method, path] of [
      ['GET', '/v1/chat/completions'],
      ['GET', '/nothing'],
      ['POST', '/v1/videos/x/remix'],
      ['POST', '/v1/responses/compact'],
    ] as const) {
      const answer = await sendRaw({
        url: rig.url + path,
        method,
        headers,
        ...(method === 'POST' ? { body: {} } : {}),
      });
      codes.push([answer.status, errorOf(answer)['code']]);
    }
    expect(codes).toEqual([
      [405, 'method_not_allowed'],
      [404, 'not_found'],
      [400, 'not_available'],
      [400, 'not_available'],
    ]);
  });

  it('C-3: headers stand in for body fields; the body beats them; a bad one is told', async () => {
    const body = { messages: [{ role: 'user', content: 'x' }], model: 'm' };
    const chained = await post(body, { 'x-understudy-models': 'other, m' });
    expect(chained.headers['x-understudy-served-model']).toBe('other');
    const bare = await post({ messages: body.messages }, { 'x-understudy-models': 'other' });
    expect(bare.headers['x-understudy-served-model'], 'a body without any model').toBe('other');
    const beaten = await post({ ...body, models: ['m'] }, { 'x-understudy-models': 'other' });
    expect(beaten.headers['x-understudy-served-model']).toBe('m');
    const bad = await post(body, { 'x-understudy-redundancy': '{"timeout_ms":' });
    expect(bad.status).toBe(400);
  });

  it('I-1: what is no Idempotency-Key is refused, never dropped silently', async () => {
    const answer = await post(chatRequest('m'), { 'idempotency-key': 'two words' });
    expect([answer.status, errorOf(answer)['code']]).toEqual([400, 'invalid_idempotency_key']);
  });

  it('R-1: a valid client request id is echoed and logged, an invalid one is not', async () => {
    const good = await post(chatRequest('m'), { 'x-request-id': 'my-id.1' });
    expect(good.headers['x-client-request-id']).toBe('my-id.1');
    expect((await rig.record(good)).client_request_id).toBe('my-id.1');
    for (const id of ['has space', 'x'.repeat(129)]) {
      expect((await post(chatRequest('m'), { 'x-request-id': id })).headers['x-client-request-id']).toBeUndefined();
    }
  });

  it.each([
    ['no HTTP at all', 'what is this\r\n\r\n', '400'],
    ['headers without end', `GET / HTTP/1.1\r\nx: ${'a'.repeat(40_000)}\r\n\r\n`, '431'],
    [
      'a length that is no number',
      'POST /v1/chat/completions HTTP/1.1\r\nhost: x\r\ncontent-length: abc\r\n\r\n',
      '400',
    ],
  ])('E-5: %s', async (_name, bytes, status) => {
    const text = await new Promise<string>((resolve) => {
      const socket = connect(Number(new URL(rig.url).port), '127.0.0.1', () => socket.write(bytes));
      let seen = '';
      socket.on('data', (data) => {
        seen += data.toString();
      });
      socket.on('error', () => undefined);
      socket.on('close', () => resolve(seen));
    });
    expect(text).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
    expect(text).toContain('"error"');
  });

  it('stays up through all of it', async () => {
    expect(contentOf(await post(chatRequest('m')))).toBe('ok');
  });
});
