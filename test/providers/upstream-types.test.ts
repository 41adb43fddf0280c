/** A gateway in front of each provider type: addresses, credentials and bodies as the vendor wants them. */
import { generateKeyPairSync } from 'node:crypto';
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { startSimulator } from '../../sim/index.ts';
import { startTestGateway } from '../faults/gateway.ts';
import { CLIENT_KEY } from '../faults/gateway-config.ts';
import { type RawAnswer, sendRaw } from '../faults/raw-client.ts';

type Json = Record<string, unknown>;

interface Seen {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

const closers: (() => unknown)[] = [];

afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

async function serve(answer: (seen: Seen) => { status?: number; type?: string; body: string | Buffer }) {
  const seen: Seen[] = [];
  const server: Server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const { method = '', url = '', headers } = request;
    const one = { method, url, headers, body: Buffer.concat(chunks).toString() };
    seen.push(one);
    const { status = 200, type = 'application/json', body } = answer(one);
    response.writeHead(status, { 'content-type': type }).end(body);
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  closers.push(() => server.close());
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, seen };
}

interface Setting {
  readonly provider: Json;
  readonly secret: string;
  readonly model?: string;
  readonly channel?: Json;
  readonly over?: Json;
}

async function gateway({ provider, secret, model = 'up', channel = {}, over = {} }: Setting): Promise<string> {
  const config = {
    version: 1,
    providers: { p: provider },
    credentials: { c: { provider: 'p', secret } },
    models: { m: { channels: [{ provider: 'p', model, ...channel }] } },
    keys: [{ name: 'dev', workspace: 'default', secret: CLIENT_KEY }],
    ...over,
  };
  const started = await startTestGateway(JSON.stringify(config));
  closers.push(() => started.close());
  return started.url;
}

function ask(url: string, path: string, body: Json, headers: Record<string, string> = {}): Promise<RawAnswer> {
  return sendRaw({ url: url + path, body, headers: { authorization: `Bearer ${CLIENT_KEY}`, ...headers } });
}

const CHAT = { model: 'm', messages: [{ role: 'user', content: 'hi' }] };
const CHAT_ANSWER = JSON.stringify({
  id: 'c1',
  object: 'chat.completion',
  created: 1,
  model: 'up',
  choices: [{ index: 0, message: { role: 'assistant', content: 'hello' }, finish_reason: 'stop' }],
  usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
});
const text = ({ body }: RawAnswer): Json => JSON.parse(body.toString()) as Json;

describe('deployments of the OpenAI family at a cloud', () => {
  it('are called by their path without a date, and with one by theirs; the key is in its own header', async () => {
    const upstream = await serve(() => ({ body: CHAT_ANSWER }));
    for (const more of [{}, { api_version: '2024-10-21' }]) {
      const url = await gateway({
        provider: { type: 'azure-openai', base_url: upstream.url, ...more },
        secret: 'key-1234567',
      });
      const answer = await ask(url, '/v1/chat/completions', CHAT, { 'openai-beta': 'x=1' });
      expect(answer.status).toBe(200);
      expect(text(answer)).toMatchObject({ model: 'm', choices: [{ message: { content: 'hello' } }] });
    }
    expect(upstream.seen.map(({ url }) => url)).toEqual([
      '/openai/v1/chat/completions',
      '/openai/deployments/up/chat/completions?api-version=2024-10-21',
    ]);
    for (const { headers, body } of upstream.seen) {
      expect(headers).toMatchObject({ 'api-key': 'key-1234567', 'openai-beta': 'x=1' });
      expect(headers).not.toHaveProperty('authorization');
      expect(JSON.parse(body)).toEqual({ ...CHAT, model: 'up' });
    }
  });

  it('F-1: their words for a filter, a missing deployment and a full region are understood', async () => {
    const bodies: [number, Json, number, string][] = [
      [
        400,
        { code: 'content_filter', message: 'filtered', innererror: { code: 'ResponsibleAIPolicyViolation' } },
        400,
        'content_filter',
      ],
      [404, { code: 'DeploymentNotFound', message: 'The API deployment does not exist.' }, 404, 'DeploymentNotFound'],
    ];
    for (const [status, error, told, code] of bodies) {
      const upstream = await serve(() => ({ status, body: JSON.stringify({ error }) }));
      const url = await gateway({ provider: { type: 'azure-openai', base_url: upstream.url }, secret: 'key-1234567' });
      const answer = await ask(url, '/v1/chat/completions', CHAT);
      expect(answer.status).toBe(told);
      expect(text(answer)).toMatchObject({ error: { code } });
    }
  });
});

describe('Converse', () => {
  const KEY_ID = 'AKIDEXAMPLE000000001';

  it('signs every call by the region: text, stream, and a key that is wrong', async () => {
    const sim = await startSimulator({ name: 'aws' });
    closers.push(() => sim.close());
    const provider = { type: 'bedrock', region: 'eu-west-1', base_url: sim.url };
    const url = await gateway({ provider, secret: `${KEY_ID}:SECRETOF/${KEY_ID}`, model: 'strict-ok' });
    const whole = await ask(url, '/v1/chat/completions', CHAT);
    expect(whole.status).toBe(200);
    expect(text(whole)).toMatchObject({ model: 'm', choices: [{ finish_reason: 'stop' }] });
    const stream = await ask(url, '/v1/chat/completions', { ...CHAT, stream: true });
    expect(stream.status).toBe(200);
    expect(stream.body.toString()).toMatch(/data: \[DONE\]\n\n$/);
    expect(sim.calls.map(({ path }) => path)).toEqual([
      '/model/strict-ok/converse',
      '/model/strict-ok/converse-stream',
    ]);
    expect(sim.calls[0]!.headers['authorization']).toContain(`Credential=${KEY_ID}/`);
    expect(sim.calls[0]!.headers['authorization']).toContain('/eu-west-1/bedrock/aws4_request');

    const wrong = await gateway({ provider, secret: `${KEY_ID}:SECRETOF/another`, model: 'strict-ok' });
    const refused = await ask(wrong, '/v1/chat/completions', CHAT);
    expect(refused.status).toBe(502);
    expect(text(refused)).toMatchObject({ error: { code: 'upstream_credentials_rejected' } });
    expect(refused.body.toString()).not.toContain('SECRETOF');
  });

  it('takes a bearer key as it is', async () => {
    const sim = await startSimulator({ name: 'aws' });
    closers.push(() => sim.close());
    const provider = { type: 'bedrock', region: 'eu-west-1', base_url: sim.url };
    const url = await gateway({ provider, secret: 'ABSKexamplekey0123456789', model: 'strict-ok' });
    expect((await ask(url, '/v1/chat/completions', CHAT)).status).toBe(200);
    expect(sim.calls[0]!.headers['authorization']).toBe('Bearer ABSKexamplekey0123456789');
  });

  it('G-9, R-4: an image by URL goes along as bytes; one that can’t be had ends the request as the client’s fault, unsent', async () => {
    const sim = await startSimulator({ name: 'aws' });
    closers.push(() => sim.close());
    const png = Buffer.from(
      'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR4nGNgYGBgAAAABQABXvMqOgAAAABJRU5ErkJggg==',
      'base64',
    );
    const files = await serve(({ url }) =>
      url === '/a.png' ? { type: 'image/png', body: png } : { status: 404, body: 'gone' },
    );
    const url = await gateway({
      provider: { type: 'bedrock', region: 'eu-west-1', base_url: sim.url },
      secret: 'ABSKexamplekey0123456789',
      over: { network: { allow_private: ['127.0.0.1'] } },
    });
    const withImage = (name: string) => ({
      model: 'm',
      messages: [
        {
          role: 'user',
          content: [
            { type: 'text', text: 'what is it?' },
            { type: 'image_url', image_url: { url: `${files.url}/${name}` } },
          ],
        },
      ],
    });
    const whole = await ask(url, '/v1/chat/completions', withImage('a.png'));
    expect([whole.status, whole.body.toString()]).toEqual([200, expect.anything()]);
    const sent = JSON.parse(sim.calls[0]!.body!.toString()) as Json;
    expect(sent).toMatchObject({
      messages: [
        { content: [{ text: 'what is it?' }, { image: { format: 'png', source: { bytes: png.toString('base64') } } }] },
      ],
    });
    const generated = await gateway({
      provider: { type: 'gemini', base_url: sim.url },
      secret: 'key-of-the-operator',
      over: { network: { allow_private: ['127.0.0.1'] } },
    });
    expect((await ask(generated, '/v1/chat/completions', withImage('a.png'))).status).toBe(200);
    expect(JSON.parse(sim.calls[1]!.body!.toString())).toMatchObject({
      contents: [
        { parts: [{ text: 'what is it?' }, { inlineData: { mimeType: 'image/png', data: png.toString('base64') } }] },
      ],
    });
    const gone = await ask(url, '/v1/chat/completions', withImage('b.png'));
    expect(gone.status).toBe(400);
    expect(text(gone)).toMatchObject({ error: { message: expect.stringContaining('answered 404') } });
    expect(sim.calls).toHaveLength(2);
  });
});

describe('models of several makers below a project', () => {
  const PAIR = generateKeyPairSync('rsa', {
    modulusLength: 2048,
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  });
  const keyFile = (token_uri: string): string =>
    JSON.stringify({ client_email: 'robot@acme.iam', private_key: PAIR.privateKey, token_uri });
  const MESSAGES_ANSWER = JSON.stringify({
    id: 'msg_1',
    type: 'message',
    role: 'assistant',
    model: 'claude-x',
    content: [{ type: 'text', text: 'hello' }],
    stop_reason: 'end_turn',
    stop_sequence: null,
    usage: { input_tokens: 1, output_tokens: 1 },
  });
  const GENERATE_ANSWER = JSON.stringify({
    candidates: [{ content: { role: 'model', parts: [{ text: 'hello' }] }, finishReason: 'STOP', index: 0 }],
    usageMetadata: { promptTokenCount: 1, candidatesTokenCount: 1, totalTokenCount: 2 },
    modelVersion: 'gemini-3',
  });

  it('the account’s token is shown; Messages have model and version where this address wants them', async () => {
    const tokens = await serve(() => ({ body: '{"access_token":"token-1","expires_in":3600}' }));
    const upstream = await serve(() => ({ body: MESSAGES_ANSWER }));
    const url = await gateway({
      provider: { type: 'vertex', project: 'acme', location: 'europe-west1', base_url: upstream.url },
      secret: keyFile(tokens.url),
      model: 'claude-x',
    });
    const request = { model: 'm', max_tokens: 9, messages: [{ role: 'user', content: 'hi' }] };
    for (let count = 0; count < 2; count++) {
      const answer = await ask(url, '/v1/messages', request, {
        'anthropic-version': '2023-06-01',
        'anthropic-beta': 'b1',
      });
      expect(answer.status).toBe(200);
    }
    expect(tokens.seen).toHaveLength(1);
    const [call] = upstream.seen;
    expect(call!.url).toBe('/v1/projects/acme/locations/europe-west1/publishers/anthropic/models/claude-x:rawPredict');
    expect(call!.headers).toMatchObject({ authorization: 'Bearer token-1', 'anthropic-beta': 'b1' });
    expect(call!.headers).not.toHaveProperty('anthropic-version');
    const { model: _, ...rest } = request;
    expect(JSON.parse(call!.body)).toEqual({ ...rest, anthropic_version: 'vertex-2023-10-16' });
  });

  it('R-4: a client of another dialect reaches it the same way, whole and as a stream', async () => {
    const events = [
      { type: 'message_start', message: { ...JSON.parse(MESSAGES_ANSWER), content: [], stop_reason: null } },
      { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
      { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'hello' } },
      { type: 'content_block_stop', index: 0 },
      { type: 'message_delta', delta: { stop_reason: 'end_turn', stop_sequence: null }, usage: { output_tokens: 1 } },
      { type: 'message_stop' },
    ];
    const stream = events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join('');
    const upstream = await serve(({ url }) =>
      url.includes('stream') ? { type: 'text/event-stream', body: stream } : { body: MESSAGES_ANSWER },
    );
    const url = await gateway({
      provider: { type: 'vertex', project: 'acme', base_url: upstream.url },
      secret: 'ya29.a-token-of-the-operator',
      model: 'claude-x',
    });
    const whole = await ask(url, '/v1/chat/completions', CHAT, { 'anthropic-beta': 'b1' });
    expect(text(whole)).toMatchObject({
      model: 'm',
      choices: [{ message: { content: 'hello' }, finish_reason: 'stop' }],
    });
    const streamed = await ask(url, '/v1/chat/completions', { ...CHAT, stream: true });
    expect(streamed.body.toString()).toMatch(/"content":"hello"[\s\S]*data: \[DONE\]\n\n$/);
    const paths = upstream.seen.map((one) => one.url.split('/').at(-1));
    expect(paths).toEqual(['claude-x:rawPredict', 'claude-x:streamRawPredict']);
    for (const { headers, body } of upstream.seen) {
      expect(headers).not.toHaveProperty('anthropic-beta');
      expect(JSON.parse(body)).toMatchObject({
        anthropic_version: 'vertex-2023-10-16',
        max_tokens: expect.any(Number),
      });
      expect(JSON.parse(body)).not.toHaveProperty('model');
    }
  });

  it('the others are spoken to in Gemini’s dialect', async () => {
    const upstream = await serve(() => ({ body: GENERATE_ANSWER }));
    const url = await gateway({
      provider: { type: 'vertex', project: 'acme', base_url: upstream.url },
      secret: 'ya29.a-token-of-the-operator',
      model: 'gemini-3-pro',
    });
    const request = { contents: [{ role: 'user', parts: [{ text: 'hi' }] }] };
    expect((await ask(url, '/v1beta/models/m:generateContent', request)).status).toBe(200);
    expect(upstream.seen[0]!.url).toBe(
      '/v1/projects/acme/locations/global/publishers/google/models/gemini-3-pro:generateContent',
    );
    expect(upstream.seen[0]!.headers).toMatchObject({ authorization: 'Bearer ya29.a-token-of-the-operator' });
  });

  it('F-2, D-1: where no token can be had nothing was sent, and the next channel answers', async () => {
    const tokens = await serve(() => ({ status: 503, body: 'down' }));
    const upstream = await serve(() => ({ body: CHAT_ANSWER }));
    const started = await startTestGateway(
      JSON.stringify({
        version: 1,
        providers: {
          p: { type: 'vertex', project: 'acme', base_url: upstream.url },
          q: { type: 'openai', base_url: `${upstream.url}/v1` },
        },
        credentials: { c: { provider: 'p', secret: keyFile(tokens.url) } },
        models: {
          m: {
            channels: [
              { provider: 'p', model: 'gemini-3-pro', priority: 1 },
              { provider: 'q', model: 'up', priority: 2 },
            ],
          },
        },
        keys: [{ name: 'dev', workspace: 'default', secret: CLIENT_KEY }],
      }),
    );
    closers.push(() => started.close());
    const answer = await ask(started.url, '/v1/chat/completions', CHAT);
    expect(answer.status).toBe(200);
    expect(upstream.seen.map(({ url }) => url)).toEqual(['/v1/chat/completions']);
    const { attempts } = await started.record(String(answer.headers['x-request-id']));
    expect(attempts.map((one) => [one.class, one.maybe_executed, one.result])).toEqual([
      ['connection_error', false, 'failed'],
      [null, false, 'served'],
    ]);
  });

  it('E-1: an account that is refused is the operator’s affair, told as such', async () => {
    const tokens = await serve(() => ({ status: 400, body: '{"error":"invalid_grant"}' }));
    const upstream = await serve(() => ({ body: GENERATE_ANSWER }));
    const url = await gateway({
      provider: { type: 'vertex', project: 'acme', base_url: upstream.url },
      secret: keyFile(tokens.url),
      model: 'gemini-3-pro',
    });
    const answer = await ask(url, '/v1beta/models/m:generateContent', { contents: [{ parts: [{ text: 'hi' }] }] });
    expect(answer.status).toBe(502);
    expect(answer.body.toString()).toContain('upstream_credentials_rejected');
    expect(upstream.seen).toHaveLength(0);
  });
});

describe('dialects §14.5: Messages at its own vendor', () => {
  it('is called with a bearer key for the newest clients, with the old header for all others', async () => {
    const upstream = await serve(() => ({
      status: 529,
      body: '{"type":"error","error":{"type":"overloaded_error","message":"x"}}',
    }));
    const url = await gateway({ provider: { type: 'anthropic', base_url: upstream.url }, secret: 'sk-ant-0123456789' });
    const request = { model: 'm', max_tokens: 9, messages: [{ role: 'user', content: 'hi' }] };
    const once = { ...request, redundancy: { retries: 0 } };
    await ask(url, '/v1/messages', once, { 'anthropic-version': '2026-10-21' });
    await ask(url, '/v1/messages', once, { 'anthropic-version': '2023-06-01' });
    expect(upstream.seen.map(({ url: path }) => path)).toEqual(['/v1/messages', '/v1/messages']);
    const [fresh, old] = upstream.seen.map(({ headers }) => headers);
    expect(fresh).toMatchObject({ authorization: 'Bearer sk-ant-0123456789', 'anthropic-version': '2026-10-21' });
    expect(fresh).not.toHaveProperty('x-api-key');
    expect(old).toMatchObject({ 'x-api-key': 'sk-ant-0123456789', 'anthropic-version': '2023-06-01' });
    expect(old).not.toHaveProperty('authorization');
  });
});
