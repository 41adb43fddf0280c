import { createHash, createHmac, generateKeyPairSync } from 'node:crypto';
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import { SignatureV4 } from '@smithy/signature-v4';
import { importSPKI, jwtVerify } from 'jose';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { JumpingClock } from '../../../test/support/jumping-clock.ts';
import type { Transport, UpstreamCall } from '../../ports/transport.ts';
import { authOf, type SigningOrder } from '../../providers/auth.ts';
import { AccessTokens } from '../access-tokens/access-tokens.ts';
import { authorizedTransport } from './authorized-transport.ts';
import { createUndiciTransport } from './undici-transport.ts';

const WALL = Date.UTC(2026, 10, 30, 9, 0, 0);
const PAIR = generateKeyPairSync('rsa', {
  modulusLength: 2048,
  publicKeyEncoding: { type: 'spki', format: 'pem' },
  privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
});

interface Received {
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

const servers: Server[] = [];
let plain: Transport;
let clock: JumpingClock;
let transport: Transport;
let got: [token: string, lifeMs: number][];

beforeEach(() => {
  clock = new JumpingClock(WALL);
  clock.stop();
  clock.jump(WALL - clock.wall());
  plain = createUndiciTransport();
  got = [];
  const tokens = new AccessTokens(plain, clock, (...token) => got.push(token));
  transport = authorizedTransport(plain, tokens, clock);
});

afterEach(async () => {
  await transport.close();
  for (const server of servers.splice(0)) server.close();
});

async function listen(
  answer: (request: Received, response: ServerResponse) => void,
): Promise<{ url: string; received: Received[] }> {
  const received: Received[] = [];
  const server = createServer(async (incoming: IncomingMessage, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of incoming) chunks.push(chunk as Buffer);
    const one = { url: incoming.url ?? '', headers: incoming.headers, body: Buffer.concat(chunks).toString() };
    received.push(one);
    answer(one, response);
  });
  servers.push(server);
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, received };
}

interface Told {
  readonly status: number | null;
  readonly text: string;
  readonly fault: string | null;
}

function begin(
  url: string,
  sign: SigningOrder,
  body = '{"a":1}',
  reads = true,
): { call: UpstreamCall; told: Promise<Told>; read: Promise<void> } {
  let [status, text]: [number | null, string] = [null, ''];
  let tell: (told: Told) => void = () => {};
  const told = new Promise<Told>((resolve) => {
    tell = resolve;
  });
  let seen: () => void = () => {};
  const read = new Promise<void>((resolve) => {
    seen = resolve;
  });
  const call = transport.call(
    {
      url,
      headers: ['content-type', 'application/json'],
      body: Buffer.from(body),
      connectTimeoutMs: 1000,
      proxy: null,
      guard: null,
      sign,
    },
    {
      onSent() {},
      onHead(head) {
        status = head;
      },
      onData(chunk) {
        text += Buffer.from(chunk).toString();
        seen();
        return reads;
      },
      onEnd: () => tell({ status, text, fault: null }),
      onFault: ({ kind }) => tell({ status, text, fault: kind }),
    },
  );
  return { call, told, read };
}

const send = (url: string, sign: SigningOrder, body?: string): Promise<Told> => begin(url, sign, body).told;

function ok(_request: Received, response: ServerResponse): void {
  response.setHeader('content-type', 'application/json');
  response.end('{"ok":true}');
}

/** The vendor's own signer, with Node's hashes. */
class Sha256 {
  readonly #hash;
  constructor(secret?: string | ArrayBuffer | ArrayBufferView) {
    this.#hash = secret === undefined ? createHash('sha256') : createHmac('sha256', secret as Uint8Array);
  }
  update(data: Uint8Array): void {
    this.#hash.update(data);
  }
  digest(): Promise<Uint8Array> {
    return Promise.resolve(new Uint8Array(this.#hash.digest()));
  }
  reset(): void {}
}

describe('AWS signatures', () => {
  const KEY = 'AKIDEXAMPLE0000000000';
  const SECRET = 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY';
  const order = (secret: string): SigningOrder => {
    const place = { auth: 'aws', dialect: 'bedrock', version: '', region: 'eu-west-1', operators: true } as const;
    return authOf(place, secret).order!;
  };

  async function expected({ url, headers, body }: Received, sessionToken?: string): Promise<string | undefined> {
    const signer = new SignatureV4({
      service: 'bedrock',
      region: 'eu-west-1',
      sha256: Sha256,
      applyChecksum: false,
      credentials: {
        accessKeyId: KEY,
        secretAccessKey: SECRET,
        ...(sessionToken === undefined ? {} : { sessionToken }),
      },
    });
    const request = {
      method: 'POST',
      protocol: 'http:',
      hostname: '127.0.0.1',
      path: url,
      query: {},
      headers: { host: headers.host ?? '' },
      body,
    };
    const signed = await signer.sign(request as Parameters<typeof signer.sign>[0], { signingDate: new Date(WALL) });
    return signed.headers['authorization'];
  }

  it.each([
    ['/model/anthropic.claude-sonnet-4-5-20250929-v1%3A0/converse', undefined],
    ['/model/arn%3Aaws%3Abedrock%3Aeu-west-1%3A123456789012%3Ainference-profile%2Feu.x/converse-stream', undefined],
    ['/model/plain/converse', 'FwoGZXIvYXdzEXAMPLE/token+1=='],
  ])('are those of the vendor’s own signer: %s', async (path, token) => {
    const { url, received } = await listen(ok);
    const secret = token === undefined ? `${KEY}:${SECRET}` : `${KEY}:${SECRET}:${token}`;
    expect(await send(url + path, order(secret), '{"messages":"héllo"}')).toMatchObject({ status: 200 });
    const [request] = received;
    expect(request!.headers['authorization']).toBe(await expected(request!, token));
    expect(request!.headers['x-amz-date']).toBe('20261130T090000Z');
    expect(request!.headers['x-amz-security-token']).toBe(token);
    expect(request!.url).toBe(path);
  });
});

describe('tokens of service accounts', () => {
  const keyFile = (fields: object): string =>
    JSON.stringify({
      type: 'service_account',
      private_key: PAIR.privateKey,
      private_key_id: 'kid-1',
      client_email: 'robot@project.iam',
      ...fields,
    });
  const orderFor = (secret: string, ownEndpoint = true): SigningOrder => {
    const place = {
      auth: 'service-account',
      dialect: 'gemini',
      version: '',
      region: '',
      operators: ownEndpoint,
    } as const;
    return authOf(place, secret).order!;
  };
  const grants =
    (token: string, life = 3600) =>
    (_: Received, response: ServerResponse) =>
      response.end(JSON.stringify({ access_token: token, expires_in: life, token_type: 'Bearer' }));

  it('are asked for with an assertion of the account, and shown to the upstream', async () => {
    const endpoint = await listen(grants('token-1'));
    const upstream = await listen(ok);
    const order = orderFor(keyFile({ token_uri: endpoint.url }));
    expect(await send(upstream.url, order)).toEqual({ status: 200, text: '{"ok":true}', fault: null });
    expect(upstream.received[0]!.headers['authorization']).toBe('Bearer token-1');
    const form = new URLSearchParams(endpoint.received[0]!.body);
    expect(form.get('grant_type')).toBe('urn:ietf:params:oauth:grant-type:jwt-bearer');
    const key = await importSPKI(PAIR.publicKey, 'RS256');
    const { payload, protectedHeader } = await jwtVerify(form.get('assertion') ?? '', key, {
      currentDate: new Date(WALL),
      audience: endpoint.url,
      issuer: 'robot@project.iam',
    });
    expect(protectedHeader).toMatchObject({ kid: 'kid-1', alg: 'RS256' });
    expect(payload).toMatchObject({
      scope: 'https://www.googleapis.com/auth/cloud-platform',
      iat: WALL / 1000,
      exp: WALL / 1000 + 3600,
    });
  });

  it('are kept while they last, renewed five minutes early, asked for once however many calls wait', async () => {
    let given = 0;
    const endpoint = await listen((_, response) => {
      response.end(JSON.stringify({ access_token: `token-${++given}`, expires_in: 3600 }));
    });
    const upstream = await listen(ok);
    const order = orderFor(keyFile({ token_uri: endpoint.url }));
    await Promise.all([send(upstream.url, order), send(upstream.url, order), send(upstream.url, order)]);
    clock.jump(54 * 60_000);
    await send(upstream.url, order);
    expect(endpoint.received).toHaveLength(1);
    clock.jump(60_001);
    await send(upstream.url, order);
    expect(endpoint.received).toHaveLength(2);
    // E-5: whoever hides secrets hears of each.
    expect(got.map(([token]) => token)).toEqual(['token-1', 'token-2']);
    expect(upstream.received.map(({ headers }) => headers['authorization'])).toEqual([
      ...['Bearer token-1', 'Bearer token-1', 'Bearer token-1', 'Bearer token-1'],
      'Bearer token-2',
    ]);
  });

  it('E-5, G-9: of a workspace’s own account they are had at the vendor’s address alone', async () => {
    const endpoint = await listen(grants('token-1'));
    const order = orderFor(keyFile({ token_uri: endpoint.url }), false);
    const calls: string[] = [];
    const watched: Transport = {
      call(request, handler) {
        calls.push(request.url);
        queueMicrotask(() => handler.onFault({ kind: 'unreachable' }));
        return { abort() {}, resume() {}, sent: false };
      },
      close: () => Promise.resolve(),
    };
    transport = authorizedTransport(watched, new AccessTokens(watched, clock, () => undefined), clock);
    expect(await send('http://127.0.0.1:9/x', order)).toMatchObject({ fault: 'refused' });
    expect(calls).toEqual(['https://oauth2.googleapis.com/token']);
    expect(endpoint.received).toHaveLength(0);
  });

  it('a refusal reads like the upstream’s own 401, and the upstream is not called', async () => {
    const endpoint = await listen((_, response) => {
      response.statusCode = 400;
      response.end('{"error":"invalid_grant","error_description":"Invalid JWT Signature."}');
    });
    const upstream = await listen(ok);
    const told = await send(upstream.url, orderFor(keyFile({ token_uri: endpoint.url })));
    expect(told).toMatchObject({ status: 401, fault: null });
    expect(JSON.parse(told.text)).toEqual({
      error: {
        code: 401,
        status: 'UNAUTHENTICATED',
        message: 'no access token for the service account: invalid_grant (Invalid JWT Signature.)',
      },
    });
    expect(upstream.received).toHaveLength(0);
  });

  it.each([
    ['{"client_email": "x"}', /no client_email or no private_key/],
    ['{nonsense', /is no JSON/],
    [keyFile({ private_key: '-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n' }), /can not be read/],
  ])('so does a key file that is none', async (secret, message) => {
    const upstream = await listen(ok);
    const told = await send(upstream.url, orderFor(secret));
    expect(told.status).toBe(401);
    expect(told.text).toMatch(message);
    expect(upstream.received).toHaveLength(0);
  });

  it('the end of such an answer waits for a slow reader', async () => {
    const { call, told, read } = begin('http://127.0.0.1:9/x', orderFor('{}'), '{}', false);
    let over = false;
    void told.then(() => {
      over = true;
    });
    await read;
    await new Promise(setImmediate);
    expect(over).toBe(false);
    call.resume();
    expect(await told).toMatchObject({ status: 401 });
  });

  it('F-2: an endpoint that is not there, or not well, is a connection that was refused, and nothing was sent', async () => {
    const upstream = await listen(ok);
    const gone = await listen(ok);
    servers.pop()!.close();
    for (const answer of [500, 429]) {
      const sick = await listen((_, response) => {
        response.statusCode = answer;
        response.end('{}');
      });
      expect(await send(upstream.url, orderFor(keyFile({ token_uri: sick.url })))).toMatchObject({ fault: 'refused' });
    }
    const { call, told } = begin(upstream.url, orderFor(keyFile({ token_uri: gone.url })));
    expect(await told).toMatchObject({ status: null, fault: 'refused' });
    expect(call.sent).toBe(false);
    expect(upstream.received).toHaveLength(0);
  });

  it('a renewal that reaches nobody leaves the old token in use to its end', async () => {
    let well = true;
    const endpoint = await listen((_, response) => {
      response.statusCode = well ? 200 : 503;
      response.end('{"access_token":"token-1","expires_in":3600}');
    });
    const upstream = await listen(ok);
    const order = orderFor(keyFile({ token_uri: endpoint.url }));
    await send(upstream.url, order);
    well = false;
    clock.jump(57 * 60_000);
    expect(await send(upstream.url, order)).toMatchObject({ status: 200 });
    clock.jump(3 * 60_000);
    expect(await send(upstream.url, order)).toMatchObject({ fault: 'refused' });
  });

  it('T-6: a call that is given up while it waits for its token is never made', async () => {
    let release: () => void = () => {};
    const asked = new Promise<void>((resolve) => {
      release = resolve;
    });
    let answer: () => void = () => {};
    const endpoint = await listen((_, response) => {
      answer = () => response.end('{"access_token":"token-1","expires_in":3600}');
      release();
    });
    const upstream = await listen(ok);
    const order = orderFor(keyFile({ token_uri: endpoint.url }));
    const first = begin(upstream.url, order);
    await asked;
    first.call.abort();
    const second = begin(upstream.url, order);
    answer();
    expect(await second.told).toMatchObject({ status: 200 });
    expect(upstream.received).toHaveLength(1);
    expect(endpoint.received).toHaveLength(1);
  });
});
