/** What lives at an upstream account is asked for there, once, and nowhere else (P-8). */
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type RunningGateway, startGateway } from '../../src/assemble.ts';

const KEY = 'usk-bound-client-key-0123456789abcdef';
const ADMIN = 'bound-admin-token-0123456789abcdef';

interface Call {
  readonly line: string;
  readonly auth: string | undefined;
  readonly names: readonly string[];
  readonly body: string;
}

/** Answers POSTs with what is asked for, everything else with `answer`. */
class Upstream {
  readonly calls: Call[] = [];
  answer: { status: number; body: string; type?: string } = { status: 200, body: '{"id":"x"}' };
  refusing = false;
  url = '';
  readonly #server: Server;

  constructor() {
    this.#server = createServer((request, response) => {
      let body = '';
      request.on('data', (part: Buffer) => {
        body += part.toString();
      });
      request.on('end', () => {
        const { method = '', url = '', headers } = request;
        this.calls.push({ line: `${method} ${url}`, auth: headers.authorization, names: Object.keys(headers), body });
        const making = method === 'POST' && /\/(videos|responses)$/.test(url);
        const { status, body: text, type } = making && !this.refusing ? this.#made(url, body) : this.answer;
        response.writeHead(status, { 'content-type': type ?? 'application/json' });
        response.end(text);
      });
    });
  }

  #made(url: string, body: string): Upstream['answer'] {
    if (url.endsWith('/videos')) return { status: 200, body: '{"id":"video_1","status":"queued","model":"u"}' };
    const { store } = JSON.parse(body) as { store?: boolean };
    const output = [
      {
        id: 'msg_1',
        type: 'message',
        role: 'assistant',
        status: 'completed',
        content: [{ type: 'output_text', text: 'hi', annotations: [] }],
      },
    ];
    return {
      status: 200,
      body: JSON.stringify({
        id: 'resp_1',
        object: 'response',
        status: 'completed',
        model: 'u',
        output,
        store: store ?? true,
      }),
    };
  }

  async start(): Promise<void> {
    await new Promise<void>((done) => this.#server.listen(0, '127.0.0.1', done));
    this.url = `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/v1`;
  }

  close(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }
}

let first: Upstream;
let second: Upstream;
let gateway: RunningGateway;
let dataDir: string;

function config(without: readonly string[] = []): string {
  const credentials = Object.fromEntries(
    ['one', 'two'].flatMap((name) =>
      without.includes(name) ? [] : [[name, { provider: name, secret: `secret-of-${name}-0123456789` }]],
    ),
  );
  return JSON.stringify({
    version: 1,
    admin: { token: ADMIN },
    providers: { one: { type: 'openai', base_url: first.url }, two: { type: 'openai', base_url: second.url } },
    credentials,
    models: {
      'maker/m': {
        channels: [
          { id: 'one', provider: 'one', model: 'u' },
          { id: 'two', provider: 'two', model: 'u' },
        ],
      },
    },
    workspaces: { main: {} },
    keys: [{ name: 'k', workspace: 'main', secret: KEY, models: ['maker/*'] }],
    health: { circuit: { min_calls: 1_000_000, consecutive: 1_000_000 } },
  });
}

async function start(text = config()): Promise<void> {
  gateway = await startGateway({ configText: text, port: 0, dataDir, env: {}, log: 'silent' });
}

beforeAll(async () => {
  dataDir = await mkdtemp(path.join(tmpdir(), 'understudy-bound-'));
  first = new Upstream();
  second = new Upstream();
  await Promise.all([first.start(), second.start()]);
  await start();
});
afterAll(async () => {
  await gateway.close();
  first.close();
  second.close();
  await rm(dataDir, { recursive: true, force: true });
});
afterEach(() => {
  for (const one of [first, second]) {
    one.calls.length = 0;
    one.answer = { status: 200, body: '{"id":"x"}' };
    one.refusing = false;
  }
});

async function ask(method: string, to: string, body?: object) {
  const headers = { authorization: `Bearer ${KEY}`, 'content-type': 'application/json', cookie: 'a=b', 'x-mine': '1' };
  const answer = await fetch(`${gateway.url}${to}`, {
    method,
    headers,
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await answer.text();
  return {
    status: answer.status,
    headers: answer.headers,
    text,
    json: () => JSON.parse(text) as Record<string, unknown>,
  };
}

/** Made at the second account: the first one is out of order meanwhile. */
async function made(to: string, body: object) {
  first.refusing = true;
  first.answer = { status: 503, body: '{"error":{"code":"overloaded"}}' };
  const answer = await ask('POST', to, { model: 'maker/m', ...body });
  expect(answer.status).toBe(200);
  first.refusing = false;
  for (const one of [first, second]) one.calls.length = 0;
  return answer;
}

const video = () => made('/v1/videos', { prompt: 'a cat' });
const response = () => made('/v1/responses', { input: 'hi', store: true });

describe('calls on what lives upstream', () => {
  it.each([
    ['GET', '/v1/videos/video_1', 'GET /v1/videos/video_1'],
    ['GET', '/openai/v1/videos/video_1?key=secret&api-version=1&a=b', 'GET /v1/videos/video_1?a=b'],
    ['DELETE', '/v1/videos/video_1', 'DELETE /v1/videos/video_1'],
  ])(
    'P-8, G-10: %s %s goes to the account that made it, and nothing of the caller’s with it',
    async (method, to, line) => {
      await video();
      second.answer = { status: 200, body: '{"id":"video_1","model":"u"}' };
      const answer = await ask(method, to);
      expect([answer.status, answer.json()]).toEqual([200, { id: 'video_1', model: 'maker/m' }]);
      expect(answer.headers.get('x-understudy-served-model')).toBe('maker/m');
      expect([first.calls.length, second.calls.map((call) => call.line)]).toEqual([0, [line]]);
      const [call] = second.calls;
      expect([call?.auth, call?.body]).toEqual(['Bearer secret-of-two-0123456789', '']);
      expect(call?.names).not.toContain('cookie');
      expect(call?.names).not.toContain('x-mine');
      expect(call?.names).not.toContain('content-type');
    },
  );

  it.each([
    ['GET', '/v1/responses/resp_1?include[]=a&include[]=b', 'GET /v1/responses/resp_1?include%5B%5D=a&include%5B%5D=b'],
    [
      'GET',
      '/v1/responses/resp_1/input_items?limit=2&after=msg_1',
      'GET /v1/responses/resp_1/input_items?limit=2&after=msg_1',
    ],
    ['POST', '/v1/responses/resp_1/cancel', 'POST /v1/responses/resp_1/cancel'],
    ['DELETE', '/v1/responses/resp_1', 'DELETE /v1/responses/resp_1'],
  ])('P-8: %s %s', async (method, to, line) => {
    await response();
    const answer = await ask(method, to);
    expect([answer.status, second.calls.map((call) => call.line), first.calls.length]).toEqual([200, [line], 0]);
  });

  it('G-4, O-1: is recorded, and nothing of it is paid for again', async () => {
    await response();
    second.answer = { status: 200, body: '{"id":"resp_1","usage":{"input_tokens":9000,"output_tokens":9000}}' };
    const answer = await ask('GET', '/v1/responses/resp_1');
    const id = answer.headers.get('x-request-id') ?? '';
    let record: Record<string, unknown> = {};
    for (let tries = 0; tries < 100 && record['id'] !== id; tries += 1) {
      const seen = await fetch(`${gateway.url}/admin/v1/requests/${id}`, {
        headers: { authorization: `Bearer ${ADMIN}` },
      });
      record = (await seen.json()) as Record<string, unknown>;
    }
    expect(record).toMatchObject({ endpoint: 'responses', status: 200, usage: { input_tokens: 0, output_tokens: 0 } });
    expect(record['attempts']).toHaveLength(1);
    expect(record['candidates']).toMatchObject([{ skip_reason: 'state_elsewhere' }, { skip_reason: null }]);
  });

  it.each([503, 404])('E-1, P-8: what fails there with %d is not asked elsewhere, and not again', async (status) => {
    await video();
    second.answer = { status, body: '{"error":{"message":"no","code":"x"}}' };
    const answer = await ask('GET', '/v1/videos/video_1');
    expect([answer.status, answer.headers.get('x-understudy-attempts')]).toEqual([status, '1']);
    expect([first.calls.length, second.calls.length]).toEqual([0, 1]);
    second.answer = { status: 200, body: '{"id":"video_1"}' };
    expect((await ask('GET', '/v1/videos/video_1')).status).toBe(200);
  });

  it('P-4: while that account rests, nobody is asked; once it is back it is there again', async () => {
    await video();
    second.answer = { status: 429, body: '{"error":{"code":"rate_limit_exceeded"}}' };
    const limited = await fetch(`${gateway.url}/v1/videos/video_1`, { headers: { authorization: `Bearer ${KEY}` } });
    expect(limited.status).toBe(429);
    await gateway.close();
    await start();
    second.answer = { status: 200, body: '{"id":"video_1"}' };
    expect((await ask('GET', '/v1/videos/video_1')).status).toBe(200);
    expect(first.calls).toEqual([]);
  });

  it('T-4: what is in it flows as it comes, with its own type', async () => {
    await video();
    second.answer = { status: 200, body: 'mp4 bytes', type: 'video/mp4' };
    const answer = await ask('GET', '/v1/videos/video_1/content?variant=video');
    expect([answer.text, answer.headers.get('content-type')]).toEqual(['mp4 bytes', 'video/mp4']);
    second.answer = { status: 404, body: '{"error":{"message":"not ready","code":"not_ready"}}' };
    const early = await ask('GET', '/v1/videos/video_1/content');
    expect([early.status, early.json()]).toMatchObject([404, { error: { code: 'not_ready', message: 'not ready' } }]);
  });

  it('E-5: other methods and other things are refused in words', async () => {
    const wrong = await ask('PUT', '/v1/videos/video_1');
    expect([wrong.status, wrong.headers.get('allow'), wrong.json()]).toMatchObject([
      405,
      'GET, DELETE',
      { error: { code: 'method_not_allowed' } },
    ]);
    const remix = await ask('POST', '/v1/videos/video_1/remix', { prompt: 'a' });
    expect(remix.json()).toMatchObject({ error: { code: 'not_available' } });
    const events = await ask('GET', '/v1/responses/resp_1?stream=true&starting_after=3');
    expect([events.status, events.json()]).toMatchObject([400, { error: { code: 'not_available', param: 'stream' } }]);
    const nobody = await fetch(`${gateway.url}/v1/videos/video_1`);
    expect([nobody.status, first.calls.length, second.calls.length]).toEqual([401, 0, 0]);
  });

  it('an account that is gone from the configuration is asked no more', async () => {
    await video();
    await gateway.close();
    await start(config(['two']));
    const answer = await ask('GET', '/v1/videos/video_1');
    expect([answer.status, answer.json()]).toMatchObject([404, { error: { code: 'not_found' } }]);
    expect([first.calls.length, second.calls.length]).toEqual([0, 0]);
    await gateway.close();
    await start();
  });
});

describe('going on from what lives upstream', () => {
  it('P-8: an answer is gone on from where it is, and nowhere else when that fails', async () => {
    await response();
    const body = { model: 'maker/m', input: 'more', previous_response_id: 'resp_1' };
    expect((await ask('POST', '/v1/responses', body)).status).toBe(200);
    second.refusing = true;
    second.answer = { status: 500, body: '{"error":{"message":"broken"}}' };
    expect((await ask('POST', '/v1/responses', body)).status).toBe(500);
    expect(first.calls).toEqual([]);
    expect(second.calls.length).toBeGreaterThan(1);
  });

  it('P-8: an answer that was not to be stored names nothing', async () => {
    await made('/v1/responses', { input: 'hi', store: false });
    const workspace = gateway.gateway.snapshot().workspaces.get('main')?.name ?? '';
    await gateway.gateway.bound.forget(workspace, 'resp_1');
    await made('/v1/responses', { input: 'hi', store: false });
    expect((await ask('GET', '/v1/responses/resp_1')).status).toBe(404);
  });
});

describe('a store that fails', () => {
  it('H-5: a job that cannot be found again is not handed out as if it could', async () => {
    const broken = {
      note: () => Promise.reject(new Error('full')),
      find: () => Promise.reject(new Error('full')),
      forget: () => Promise.resolve(),
      close: () => Promise.resolve(),
    };
    const kept = gateway.gateway.bound;
    Object.assign(gateway.gateway, { bound: broken });
    const answer = await ask('POST', '/v1/videos', { model: 'maker/m', prompt: 'a cat' });
    expect([answer.status, answer.json()]).toMatchObject([503, { error: { code: 'store_unavailable' } }]);
    expect(answer.headers.get('x-should-retry')).toBe('false');
    const look = await ask('GET', '/v1/videos/video_1');
    expect([look.status, look.json()]).toMatchObject([503, { error: { code: 'store_unavailable' } }]);
    Object.assign(gateway.gateway, { bound: kept });
  });
});
