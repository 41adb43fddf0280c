/** G-9: no address that a workspace or client names reaches the operator's network, and no key goes where it was not given for. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Transport, UpstreamRequest } from '../../src/ports/transport.ts';
import { waitFor } from '../faults/gateway.ts';
import { CLIENT_KEY } from '../faults/gateway-config.ts';
import { sendRaw } from '../faults/raw-client.ts';
import { ADMIN_TOKEN, type AttackRig, type Config, SECRET, startAttackRig } from './attack-rig.ts';
import { http, type RawCall, type RawUpstream, startRawUpstream } from './raw-upstream.ts';

const OWN_SECRET = 'sk-own-Qa7Ws6Ed5Rf4Tg3Yh2';
const ANSWER = JSON.stringify({
  id: 'x',
  object: 'chat.completion',
  created: 1,
  model: 'up',
  choices: [{ index: 0, message: { role: 'assistant', content: 'hi' }, finish_reason: 'stop' }],
});
const good = (call: RawCall): void => void call.socket.write(http(200, ANSWER));

let rig: AttackRig;
let own: RawUpstream;
let ownAnswer: (call: RawCall) => void;
let calls: UpstreamRequest[];

async function start(edit: (config: Config) => void = () => undefined, env = {}): Promise<void> {
  rig = await startAttackRig([good], {
    start: { env },
    edit(config) {
      config['providers'] = {
        p0: { ...(config['providers'] as Record<string, object>)['p0'], headers: { 'x-team-secret': 'operators-own' } },
      };
      edit(config);
    },
  });
  const gateway = rig.running.gateway as { transport: Transport };
  const { transport } = gateway;
  gateway.transport = {
    call(request, handler) {
      calls.push(request);
      return transport.call(request, handler);
    },
    close: () => transport.close(),
  };
}

beforeEach(async () => {
  calls = [];
  ownAnswer = good;
  own = await startRawUpstream((call) => ownAnswer(call));
});
afterEach(async () => {
  await rig.close();
  await own.close();
});

async function admin(method: string, path: string, body: object) {
  const answer = await sendRaw({
    url: `${rig.url}/admin/v1${path}`,
    method,
    headers: { authorization: `Bearer ${ADMIN_TOKEN}` },
    body,
  });
  return { status: answer.status, error: (JSON.parse(answer.text) as { error?: Record<string, unknown> }).error };
}

const byok = (base_url: string) => ({
  name: 'own',
  provider: 'p0',
  kind: 'byok',
  workspace: 'main',
  secret: OWN_SECRET,
  base_url,
});
const allow =
  (...entries: string[]) =>
  (config: Config) => {
    config['network'] = { allow_private: entries };
  };

describe("a workspace's own address", () => {
  it.each([
    'http://127.0.0.1:9/v1',
    'http://127.1/v1',
    'http://0x7f000001/v1',
    'http://2130706433/v1',
    'http://0177.0.0.1/v1',
    'http://１２７.0.0.1/v1',
    'http://[::1]/v1',
    'http://[::ffff:10.0.0.1]/v1',
    'http://[64:ff9b::a00:1]/v1',
    'http://10.0.0.1/v1',
    'http://192.168.1.1/v1',
    'http://172.16.0.1/v1',
    'http://100.64.0.1/v1',
    'http://169.254.169.254/latest/meta-data',
    'http://metadata.google.internal/v1',
    'http://localhost:9/v1',
    'http://localhost./v1',
    'http://a.localhost/v1',
    'http://redis:6379/v1',
    'http://0.0.0.0/v1',
    'http://example.com\\@127.0.0.1/v1',
  ])('G-9: %s is refused when it is written, and nothing is kept', async (address) => {
    await start();
    const made = await admin('POST', '/credentials', byok(address));
    expect(made).toMatchObject({ status: 400, error: { code: 'invalid_parameter', param: 'base_url' } });
    expect(JSON.stringify(made)).not.toContain(OWN_SECRET);
    expect((await admin('DELETE', '/credentials/own', {})).status).toBe(404);
  });

  it.each([
    ['https://user:hunter22@api.example.com/v1', 'must not contain a user or password'],
    ['https://api.example.com/v1?x=1', 'must not contain `?`'],
    ['file:///etc/passwd', 'must be an address that starts with http'],
    ['gopher://127.0.0.1/', 'must be an address that starts with http'],
  ])('G-9: %s is refused', async (address, message) => {
    await start();
    const made = await admin('POST', '/credentials', byok(address));
    expect(made).toMatchObject({ status: 400, error: { param: 'base_url' } });
    expect(String(made.error?.['message'])).toContain(message);
    expect(JSON.stringify(made)).not.toContain('hunter22');
  });

  it("G-9: with the exception it is called, with its own key and without the operator's headers", async () => {
    await start(allow('127.0.0.1'));
    expect((await admin('POST', '/credentials', byok(`${own.url}/own/v1/`))).status).toBe(201);
    expect((await rig.ask()).status).toBe(200);
    expect(own.calls).toHaveLength(1);
    expect(rig.ups[0]!.calls).toHaveLength(0);
    const { head } = own.calls[0]!;
    expect(head).toMatch(/^POST \/own\/v1\/chat\/completions HTTP/);
    expect(head).toContain(OWN_SECRET);
    expect(head).not.toContain(SECRET);
    expect(head).not.toContain('operators-own');
  });

  it("G-9: every connection to it is judged, those to the operator's own addresses are not", async () => {
    await start(allow('127.0.0.1'));
    await admin('POST', '/credentials', byok(own.url));
    await rig.ask();
    await admin('DELETE', '/credentials/own', {});
    await rig.ask();
    expect(calls.map(({ guard }) => guard)).toEqual([rig.running.gateway.snapshot().network, null]);
    expect(rig.ups[0]!.calls[0]!.head).toContain('operators-own');
  });

  it('G-9: a name that turns out to be private is not called; the channel of everybody else stays well', async () => {
    await start();
    // Passes as text; only its address tells.
    expect((await admin('POST', '/credentials', byok('http://rebind.example.com/v1'))).status).toBe(201);
    const gateway = rig.running.gateway as { transport: Transport };
    const { transport } = gateway;
    gateway.transport = {
      call(request, handler) {
        if (request.guard === null) return transport.call(request, handler);
        queueMicrotask(() => handler.onFault({ kind: 'forbidden' }));
        return { abort: () => undefined, resume: () => undefined, sent: false };
      },
      close: () => transport.close(),
    };
    for (let i = 0; i < 8; i += 1) {
      const answer = await rig.ask();
      expect(answer.status).toBe(200);
    }
    expect(rig.ups[0]!.calls).toHaveLength(8);
    const { board, clock } = rig.running.gateway;
    const states = board.list(clock.now(), clock.wall()).map(({ credential, state }) => [credential, state]);
    expect(states).toContainEqual(['own', 'open']);
    expect(states).toContainEqual(['c0', 'ok']);
  });

  it('G-9: taken out of the exceptions by a reload it is set aside at once', async () => {
    await start(allow('127.0.0.1'));
    await admin('POST', '/credentials', byok(own.url));
    await rig.ask();
    await rig.reload((config) => delete config['network']);
    expect((await rig.ask()).status).toBe(200);
    expect([own.calls.length, rig.ups[0]!.calls.length]).toEqual([1, 1]);
  });

  it('G-9: a redirect from it is a failure, never followed', async () => {
    await start(allow('127.0.0.1'));
    const inner = await startRawUpstream(good);
    ownAnswer = (call) => void call.socket.write(http(307, '', [`location: ${inner.url}/latest/meta-data`]));
    await admin('POST', '/credentials', byok(own.url));
    const answer = await rig.ask();
    expect(answer.status).toBe(200);
    expect([own.calls.length, inner.calls.length, rig.ups[0]!.calls.length]).toEqual([1, 0, 1]);
    expect((await rig.record(answer)).attempts[0]).toMatchObject({ class: 'malformed', credential: 'own' });
    await inner.close();
  });

  it('G-9: the file may name a private one without exception: the operator wrote it', async () => {
    await start((config) => {
      Object.assign(config['credentials'] as object, { own: { ...byok(own.url), name: undefined } });
    });
    expect((await rig.ask()).status).toBe(200);
    expect(own.calls).toHaveLength(1);
  });

  it("G-9: another address needs the secret again: who may change a credential can't have it sent home", async () => {
    await start(allow('127.0.0.1'));
    const thief = await startRawUpstream(good);
    const made = { ...byok(own.url), base_url: undefined };
    expect((await admin('POST', '/credentials', made)).status).toBe(201);
    expect(await admin('PATCH', '/credentials/own', { base_url: thief.url })).toMatchObject({
      status: 400,
      error: { code: 'missing_required_parameter', param: 'secret' },
    });
    await rig.ask();
    expect(thief.calls).toHaveLength(0);
    expect((await admin('PATCH', '/credentials/own', { base_url: own.url, secret: OWN_SECRET })).status).toBe(200);
    expect((await admin('PATCH', '/credentials/own', { base_url: thief.url })).status).toBe(400);
    expect((await admin('PATCH', '/credentials/own', { order: 3 })).status).toBe(200);
    expect((await admin('PATCH', '/credentials/own', { base_url: null })).status).toBe(200);
    await thief.close();
  });

  it('G-9: variables of the environment are not read for it', async () => {
    await start(undefined, { SSRF_TEST: 'let-me-out' });
    const made = await admin('POST', '/credentials', byok(['https://api.example.com/$', '{SSRF_TEST}/v1'].join('')));
    expect(made.status).toBe(201);
    const { credentials } = rig.running.gateway.snapshot();
    expect(credentials.map(({ baseUrl }) => baseUrl)).toContain(
      ['https://api.example.com/$', '{SSRF_TEST}/v1'].join(''),
    );
  });
});

describe('URLs in requests', () => {
  const image = (url: string) => ({
    messages: [
      {
        role: 'user',
        content: [
          { type: 'text', text: 'see http://127.0.0.1/' },
          { type: 'image_url', image_url: { url } },
        ],
      },
    ],
  });

  it.each([
    'http://127.0.0.1/cat.png',
    'http://169.254.169.254/latest/meta-data/iam/security-credentials/',
    'http://0xa9fea9fe/',
    'http://[fd00:ec2::254]/',
    'http://metadata.google.internal/computeMetadata/v1/',
    'http://localhost/cat.png',
    ' http://10.0.0.1/',
    'HtTp:\\\\10.0.0.1',
    'file:///etc/passwd',
  ])('G-9: %s is 400 naming the part, and no upstream is asked', async (url) => {
    await start();
    const answer = await rig.ask(image(url));
    expect(answer.status).toBe(400);
    expect(JSON.parse(answer.text)).toMatchObject({
      error: { code: 'invalid_parameter', param: 'messages[0].content[1]', type: 'invalid_request_error' },
    });
    expect(rig.ups[0]!.calls).toHaveLength(0);
  });

  it.each(['https://example.com/cat.png', 'data:image/png;base64,AAAA', 'https://8.8.8.8/cat.png'])(
    'G-9: %s passes as it is',
    async (url) => {
      await start();
      expect((await rig.ask(image(url))).status).toBe(200);
      expect(rig.ups[0]!.calls[0]!.body).toContain(JSON.stringify(url));
    },
  );

  it("G-9: the operator's exception opens them too", async () => {
    await start(allow('10.0.0.0/8', 'media.internal'));
    expect((await rig.ask(image('http://10.1.2.3/cat.png'))).status).toBe(200);
    expect((await rig.ask(image('http://media.internal/cat.png'))).status).toBe(200);
    expect((await rig.ask(image('http://127.0.0.1/cat.png'))).status).toBe(400);
  });
});

describe('header injection', () => {
  const LINES = 'a\r\nx-injected: 1\r\n\r\n';

  it.each([LINES, 'a\nx-injected: 1', 'a\u0000b', 'модель', 'a\u2028b'])(
    "G-9: the model name %j reaches no header, neither upstream's nor client's",
    async (name) => {
      await start((config) => Object.assign(config['models'] as object, { 'p0/*': {} }));
      const answer = await rig.ask({ model: `p0/${name}` });
      expect(answer.headers['x-injected']).toBeUndefined();
      for (const call of rig.ups[0]!.calls) expect(call.head).not.toContain('x-injected');
      expect(answer.status).not.toBeNull();
      expect(answer.status).not.toBe(500);
    },
  );

  it("G-9: a client's request id with odd bytes comes back in no header", async () => {
    await start();
    const socket = await rig.open();
    const body = JSON.stringify({ model: 'm', messages: [{ role: 'user', content: 'hi' }] });
    const id = 'a b\u00e9;x-injected=1,"<script>';
    socket.socket.write(
      `POST /v1/chat/completions HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${CLIENT_KEY}\r\nx-request-id: ${id}\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\nconnection: close\r\n\r\n${body}`,
    );
    await waitFor(() => (socket.text().includes('\r\n\r\n') ? true : null), 'the answer');
    const head = socket.text().split('\r\n\r\n')[0]!;
    expect(head).toContain(' 200 ');
    expect(head).not.toContain('script');
  });
});
