import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Webhook } from 'standardwebhooks';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { REAL_CLOCK } from '../../../test/support/real-clock.ts';
import { networkRules } from '../../core/net/network-rules.ts';
import type { WebhookMessage, WebhookSender } from '../../ports/events.ts';
import type { Transport } from '../../ports/transport.ts';
import { createUndiciTransport } from '../transport/undici-transport.ts';
import { webhookSender } from './webhook-sender.ts';

const SECRET = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
const BODY = '{"type":"key.banned"}';

interface Heard {
  readonly method: string | undefined;
  readonly path: string | undefined;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

let server: Server;
let heard: Heard[];
let answer: (response: ServerResponse) => void;
let transport: Transport;
let sender: WebhookSender;
let port: number;

beforeEach(async () => {
  heard = [];
  answer = (response) => response.writeHead(204).end();
  server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const { method, url, headers } = request;
      heard.push({ method, path: url, headers, body: Buffer.concat(chunks).toString() });
      answer(response);
    });
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  port = (server.address() as AddressInfo).port;
  transport = createUndiciTransport();
  sender = webhookSender({ transport, clock: REAL_CLOCK });
});
afterEach(async () => {
  await transport.close();
  server.closeAllConnections();
  await new Promise((closed) => server.close(closed));
});

function message(change: Partial<WebhookMessage> = {}): WebhookMessage {
  return {
    url: `http://127.0.0.1:${port}/hook?a=1`,
    secrets: [SECRET],
    id: 'msg_1',
    body: BODY,
    guard: null,
    ...change,
  };
}

describe('webhook sender', () => {
  it('G-7: posts the very bytes it signed', async () => {
    expect(await sender.send(message())).toMatchObject({ status: 204, answer: null });
    expect(heard).toHaveLength(1);
    const { method, path, headers, body } = heard[0]!;
    expect([method, path, headers['content-type']]).toEqual(['POST', '/hook?a=1', 'application/json']);
    expect(headers['webhook-id']).toBe('msg_1');
    expect(new Webhook(SECRET).verify(body, headers as Record<string, string>)).toEqual({ type: 'key.banned' });
  });

  it('G-7: tells status, the beginning of the answer and what `Retry-After` asks for', async () => {
    answer = (response) => response.writeHead(503, { 'retry-after': '120' }).end(`busy\u0000${'x'.repeat(5000)}`);
    const told = await sender.send(message());
    expect(told).toMatchObject({ status: 503, retryAfterMs: 120_000 });
    expect(told.answer).toMatch(/^busy x+$/);
    expect(told.answer!.length).toBeLessThanOrEqual(1024);
  });

  it('G-9: follows no redirect', async () => {
    answer = (response) => response.writeHead(307, { location: `http://127.0.0.1:${port}/other` }).end();
    expect(await sender.send(message())).toMatchObject({ status: 307, answer: expect.stringContaining('redirect') });
    expect(heard.map(({ path }) => path)).toEqual(['/hook?a=1']);
  });

  it.each(['127.0.0.1', 'localhost', '[::1]', '169.254.169.254', '10.0.0.1', '2130706433', '0x7f000001'])(
    'G-9: a guarded message to %s is not sent',
    async (host) => {
      const url = `http://${host}:${port}/hook`;
      const told = await sender.send(message({ url, guard: networkRules([]) }));
      expect(told).toMatchObject({ status: null, answer: 'its address is not a public one' });
      expect(heard).toEqual([]);
    },
  );

  it('G-9: a name that leads to a private address is refused when it is resolved', async () => {
    const resolve: NonNullable<Parameters<typeof createUndiciTransport>[0]>['resolve'] = (_host, _options, done) =>
      done(null, [
        { address: '93.184.216.34', family: 4 },
        { address: '127.0.0.1', family: 4 },
      ]);
    const guarded = createUndiciTransport({ resolve: resolve! });
    const told = await webhookSender({ transport: guarded, clock: REAL_CLOCK }).send(
      message({ url: `http://hooks.example:${port}/hook`, guard: networkRules([]) }),
    );
    await guarded.close();
    expect(told).toMatchObject({ status: null, answer: 'its address is not a public one' });
    expect(heard).toEqual([]);
  });

  it('G-9: the operator may except an address', async () => {
    expect(await sender.send(message({ guard: networkRules(['127.0.0.1']) }))).toMatchObject({ status: 204 });
  });

  it('G-7: an address that can not be read is a failure in words', async () => {
    const told = await sender.send(message({ url: 'http://[' }));
    expect(told).toMatchObject({ status: null, answer: 'its address cannot be read' });
  });

  it('G-7: a receiver that is not there is a failure in words', async () => {
    await new Promise((closed) => server.close(closed));
    expect(await sender.send(message())).toMatchObject({ status: null, answer: 'it refused the connection' });
    server.listen(port, '127.0.0.1');
  });

  it.each([
    [false, null, 'no answer within 15 s'],
    // It has said what counts.
    [true, 200, 'a'],
  ])('G-7: waits 15 s (status sent: %s)', async (sends, status, told) => {
    const timers: { readonly ms: number; readonly fire: () => void }[] = [];
    const clock = {
      ...REAL_CLOCK,
      after: (ms: number, fire: () => void) => {
        timers.push({ ms, fire });
        return () => undefined;
      },
    };
    let arrived = (): void => undefined;
    const hasArrived = new Promise<void>((resolve) => {
      arrived = resolve;
    });
    answer = (response) => {
      if (sends) response.writeHead(200).write('a');
      arrived();
    };
    const watched: Transport = {
      ...transport,
      call: (request, handler) =>
        transport.call(request, {
          ...handler,
          onData(chunk) {
            const more = handler.onData(chunk);
            timers[0]!.fire();
            return more;
          },
        }),
    };
    const sent = webhookSender({ transport: watched, clock }).send(message());
    await hasArrived;
    expect(timers.map(({ ms }) => ms)).toEqual([15_000]);
    if (!sends) timers[0]!.fire();
    expect(await sent).toMatchObject({ status, answer: told });
  });

  it('E-5: what stands before an `@` in the address goes as a header, not as a part of it', async () => {
    await sender.send(message({ url: `http://us%40er:pass@127.0.0.1:${port}/hook` }));
    expect(heard[0]?.headers.authorization).toBe(`Basic ${Buffer.from('us@er:pass').toString('base64')}`);
    expect(heard[0]?.path).toBe('/hook');
  });
});
