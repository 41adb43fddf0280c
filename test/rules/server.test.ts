/** The data plane's edges: paths, models, keys, drain. */
import { mkdtemp, rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startGateway } from '../../src/assemble.ts';
import { errorStep, okBody } from '../faults/answers.ts';
import { errorOf } from '../faults/invariants.ts';
import { sendRaw } from '../faults/raw-client.ts';
import { until } from '../faults/rig.ts';
import { bodyOf, CLIENTS, codeOf, eventsOf, looksWhole, pathOf, streamedBy } from './dialects-rig.ts';
import { ADMIN_TOKEN, jsonOf, MESSAGES, type RulesRig, startRules, withRules } from './rules-rig.ts';

const NARROW = 'narrow-key-0123456789';
let rig: RulesRig;
beforeAll(async () => {
  rig = await startRules(
    {
      'vendor/one': { up: { A: [okBody('x')] }, capabilities: { features: ['tools'], input: ['text'] } },
      'vendor/two': { up: { A: [okBody('x')] } },
      bare: { up: { A: [errorStep(503, { message: 'down' })] } },
    },
    {
      aliases: { uno: 'vendor/one' },
      keys: [{ name: 'narrow', workspace: 'main', secret: NARROW, models: ['vendor/*'], expires_at: '2099-01-01' }],
      over: { workspaces: { main: { enabled_models: ['vendor/one', 'bare'] } } },
    },
  );
});
afterAll(() => rig.close());

describe('GET /v1/models', () => {
  it('G-2: does not list what a guardrail denies', async () => {
    const over = { workspaces: { main: { guardrails: { deny_models: ['no*'] } } } };
    await withRules(
      { yes: { up: { A: [okBody('x')] } }, no: { up: { A: [okBody('x')] } } },
      async (rig) => {
        const listed = jsonOf(await rig.get('/v1/models')) as { data: { id: string }[] };
        expect(listed.data.map(({ id }) => id)).toEqual(['yes']);
        expect((await rig.get('/v1/models/no')).status).toBe(404);
        expect((await rig.get('/v1/models/yes')).status).toBe(200);
      },
      { over },
    );
  });

  it('G-3, G-11: lists what workspace and key allow, in the shape of the API', async () => {
    const listed = async (key?: string) => {
      const headers = key === undefined ? {} : { authorization: `Bearer ${key}` };
      const body = jsonOf(await rig.get('/v1/models', headers)) as { object: string; data: Record<string, unknown>[] };
      expect(body.object).toBe('list');
      for (const model of body.data) {
        expect(model).toMatchObject({ object: 'model', owned_by: expect.any(String), created: expect.any(Number) });
        expect(model).toHaveProperty('capabilities');
        expect(model).toHaveProperty('price');
      }
      return body.data.map((model) => model['id']);
    };
    expect(await listed()).toEqual(['vendor/one', 'bare']);
    expect(await listed(NARROW)).toEqual(['vendor/one']);
  });

  it('C-9: one model, its slash as it is or escaped; what may not be called is not told', async () => {
    for (const path of ['/v1/models/vendor/one', '/v1/models/vendor%2Fone', '/v1/models/uno', '/v1/models/one']) {
      const answer = await rig.get(path);
      expect([answer.status, jsonOf(answer)['id']], path).toEqual([200, 'vendor/one']);
      expect(jsonOf(answer)['capabilities']).toEqual({ apis: null, input: ['text'], features: ['tools'] });
    }
    for (const path of ['/v1/models/vendor/two', '/v1/models/nothing']) {
      const answer = await rig.get(path);
      expect([answer.status, errorOf(answer)['code']]).toEqual([404, 'model_not_found']);
    }
  });

  it('E-5: asks for a key, like everything else', async () => {
    const answer = await sendRaw({ url: `${rig.url}/v1/models` });
    expect([answer.status, errorOf(answer)['code']]).toEqual([401, 'missing_api_key']);
    expect(answer.headers['x-should-retry']).toBe('false');
  });
});

describe('paths', () => {
  it.each([
    ['GET', '/v1/chat/completions', 405, 'method_not_allowed'],
    ['DELETE', '/chat/completions', 405, 'method_not_allowed'],
    ['POST', '/v1/models', 405, 'method_not_allowed'],
    ['DELETE', '/v1/models/vendor/one', 405, 'method_not_allowed'],
    ['POST', '/healthz', 405, 'method_not_allowed'],
    ['GET', '/openai/v1/responses', 405, 'method_not_allowed'],
    ['GET', '/openai/deployments/m/chat/completions', 405, 'method_not_allowed'],
    ['GET', '/v1/embeddings', 405, 'method_not_allowed'],
    ['POST', '/v1/key', 405, 'method_not_allowed'],
    ['DELETE', '/v1/requests/req_1', 405, 'method_not_allowed'],
    ['GET', '/v1/requests', 404, 'not_found'],
    ['GET', '/v1/jobs/x', 404, 'not_found'],
    ['GET', '/v1/plan', 405, 'method_not_allowed'],
    ['GET', '/v2/anything', 404, 'not_found'],
  ] as const)('E-5, D-7: %s %s is %i %s', async (method, path, status, code) => {
    const headers = { authorization: `Bearer ${NARROW}` };
    const answer = await sendRaw({ url: rig.url + path, method, headers, ...(method === 'POST' ? { body: {} } : {}) });
    expect([answer.status, errorOf(answer)['code']]).toEqual([status, code]);
    expect(errorOf(answer)['request_id']).toBe(answer.headers['x-request-id']);
    expect(answer.headers['x-should-retry']).toBe('false');
    if (status === 405)
      expect(answer.headers['allow']).toBe(/\/(?:chat|plan|responses|embeddings)\b/.test(path) ? 'POST' : 'GET, HEAD');
  });

  it('E-5: a path that is no URL, and a model whose id only looks like a verb, in the usual shape', async () => {
    const headers = { authorization: `Bearer ${NARROW}` };
    const broken = await sendRaw({ url: `${rig.url}/v1/models/%E0%A4%A`, headers });
    expect([broken.status, errorOf(broken)['code']]).toEqual([400, 'invalid_parameter']);
    const tagged = await sendRaw({ url: `${rig.url}/v1/models/llama:latest`, headers });
    expect([tagged.status, errorOf(tagged)['code']]).toEqual([404, 'model_not_found']);
  });

  it('E-5, R-1: a path is refused in the shape of its dialect', async () => {
    const headers = { authorization: `Bearer ${NARROW}` };
    const ask = (method: string, path: string) => sendRaw({ url: rig.url + path, method, headers });
    for (const [method, path] of [
      ['GET', '/v1/messages'],
      ['DELETE', '/v1/messages/count_tokens'],
    ] as const) {
      const answer = await ask(method, path);
      const { type, error, request_id } = jsonOf(answer) as {
        type: string;
        error: Record<string, unknown>;
        request_id: string;
      };
      expect([answer.status, type, error['code']], path).toEqual([405, 'error', 'method_not_allowed']);
      expect([answer.headers['request-id'], answer.headers['x-request-id']]).toEqual([request_id, request_id]);
      expect(answer.headers['allow']).toBe('POST');
    }
    for (const [method, path, code] of [
      ['GET', '/v1beta/models/x:generateContent', 405],
      ['POST', '/v1/models/a/b:predict', 405],
      ['POST', '/v1beta/nothing', 404],
    ] as const) {
      const answer = await ask(method, path);
      const { error } = jsonOf(answer) as { error: { code: number; details: object[] } };
      expect([answer.status, error.code], path).toEqual([code, code]);
      expect(error.details[0]).toMatchObject({ metadata: { request_id: answer.headers['x-request-id'] } });
    }
  });

  it.each([
    ['DELETE', '/v1/chat/completions', 'application/json', undefined, 405],
    ['POST', '/v1/models', 'application/json', Buffer.from(''), 405],
    ['POST', '/v1/audio/nothing', 'multipart/form-data; boundary=x', Buffer.from('--x--'), 404],
    ['POST', '/v1/nothing', 'application/json', Buffer.from('{broken'), 404],
  ] as const)('E-5: %s %s with a body of type %s is judged by its path', async (method, path, type, body, status) => {
    const headers = { authorization: `Bearer ${NARROW}`, 'content-type': type };
    const answer = await sendRaw({ url: rig.url + path, method, headers, ...(body === undefined ? {} : { body }) });
    expect(answer.status).toBe(status);
    expect(errorOf(answer)['code']).toBe(status === 405 ? 'method_not_allowed' : 'not_found');
  });

  it('H-3: a change of the health board needs no body, whatever type it claims', async () => {
    const [first] = (await rig.admin('/v1/health/targets'))['data'] as { id: string }[];
    const answer = await sendRaw({
      url: `${rig.url}/admin/v1/health/targets/${first!.id}/reset`,
      method: 'POST',
      headers: { authorization: `Bearer ${ADMIN_TOKEN}`, 'content-type': 'application/json' },
    });
    expect([answer.status, jsonOf(answer)['id']]).toEqual([200, first!.id]);
  });

  it('E-5, D-7: what is no HTTP gets an id and no invitation', async () => {
    const text = await new Promise<string>((resolve) => {
      const socket = connect(Number(new URL(rig.url).port), '127.0.0.1', () => socket.write('what is this\r\n\r\n'));
      let seen = '';
      socket.on('data', (data) => {
        seen += data.toString();
      });
      socket.on('error', () => undefined);
      socket.on('close', () => resolve(seen));
    });
    const id = /x-request-id: (req_\S+)/.exec(text)?.[1];
    expect(id).toBeTypeOf('string');
    expect(text).toContain('x-should-retry: false');
    expect(JSON.parse(text.slice(text.indexOf('{')))).toMatchObject({ error: { request_id: id } });
  });
});

describe('keys', () => {
  it('G-8: where two keys are sent and none is known, 401', async () => {
    const answer = await rig.ask('vendor/one', {}, { key: 'nobody', headers: { 'x-api-key': 'none' } });
    expect([answer.status, errorOf(answer)['code']]).toEqual([401, 'invalid_api_key']);
  });

  it('G-8: the admin token is no client key, and a client key no admin token', async () => {
    const answer = await rig.ask('vendor/one', {}, { key: ADMIN_TOKEN });
    expect([answer.status, errorOf(answer)['code']]).toEqual([401, 'invalid_api_key']);
    const admin = await rig.get('/admin/v1/requests');
    expect([admin.status, errorOf(admin)['code']]).toEqual([403, 'permission_denied']);
  });

  it('G-8: ?key= is used and never logged', async () => {
    const answer = await sendRaw({
      url: `${rig.url}/v1/chat/completions?key=${NARROW}`,
      body: { model: 'vendor/one', messages: MESSAGES },
    });
    expect(answer.status).toBe(200);
    expect(JSON.stringify(await rig.record(answer))).not.toContain(NARROW);
  });
});

describe('the end of a drain', () => {
  it('D-7, T-4: what still runs is ended without an invitation; its call may have been carried out', async () => {
    const dataDir = await mkdtemp(join(tmpdir(), 'understudy-rules-'));
    const configText = JSON.stringify({
      version: 1,
      providers: { s: { type: 'sim' } },
      models: { 's/*': {} },
      keys: [{ name: 'k', secret: NARROW }],
    });
    const running = await startGateway({ configText, port: 0, dataDir, env: {}, log: 'silent' });
    try {
      const asking = sendRaw({
        url: `${running.url}/v1/chat/completions`,
        headers: { authorization: `Bearer ${NARROW}` },
        body: { model: 's/hang', messages: MESSAGES },
      });
      await until(() => running.gateway.live.size === 1, 'the request');
      // Time enough for the attempt to have begun.
      await running.drain(1500);
      const answer = await asking;
      expect([answer.status, errorOf(answer)['code']]).toEqual([503, 'gateway_restarted']);
      expect(answer.headers['x-should-retry']).toBe('false');
      expect(answer.headers['x-understudy-attempts']).toBe('1');
    } finally {
      await running.close();
      await rm(dataDir, { recursive: true, force: true });
    }
  });

  it('T-4: at its end every stream is told in its dialect’s words, and none looks whole', async () => {
    const dataDir = await mkdtemp(join(tmpdir(), 'understudy-rules-'));
    const configText = JSON.stringify({
      version: 1,
      providers: { s: { type: 'sim' } },
      models: { 's/*': {} },
      keys: [{ name: 'k', secret: NARROW }],
    });
    const running = await startGateway({ configText, port: 0, dataDir, env: {}, log: 'silent' });
    try {
      const options = { stream: true };
      const asked = CLIENTS.map((client) =>
        sendRaw({
          url: running.url + pathOf(client, 's/hang-3', options),
          headers: { authorization: `Bearer ${NARROW}`, 'anthropic-version': '2023-06-01' },
          body: bodyOf(client, 's/hang-3', options),
        }),
      );
      await until(() => running.gateway.live.size === CLIENTS.length, 'the requests');
      await running.drain(1500);
      for (const [at, answer] of (await Promise.all(asked)).entries()) {
        const client = CLIENTS[at]!;
        expect([answer.status, looksWhole(client, answer), streamedBy(client, answer) === ''], client).toEqual([
          200,
          false,
          false,
        ]);
        expect(codeOf(eventsOf(answer).at(-1)!.data), client).toBe('gateway_restarted');
      }
    } finally {
      await running.close();
      await rm(dataDir, { recursive: true, force: true });
    }
  });
});
