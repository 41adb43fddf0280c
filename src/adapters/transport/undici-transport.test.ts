import { createServer, type Server } from 'node:http';
import { type AddressInfo, createServer as createTcpServer, type Socket, type Server as TcpServer } from 'node:net';
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Transport, TransportFault } from '../../ports/transport.ts';
import { createUndiciTransport } from './undici-transport.ts';

interface Seen {
  status: number | null;
  headers: Record<string, string>;
  body: string;
  fault: TransportFault | null;
  sent: boolean;
}

let transport: Transport;
const servers: (Server | TcpServer)[] = [];

beforeEach(() => {
  transport = createUndiciTransport();
});

afterEach(async () => {
  await transport.close();
  for (const server of servers.splice(0)) server.close();
});

function call(url: string, body: Uint8Array = Buffer.from('{}'), connectTimeoutMs = 5000): Promise<Seen> {
  return new Promise((resolve) => {
    const seen: Seen = { status: null, headers: {}, body: '', fault: null, sent: false };
    const handle = transport.call(
      { url, headers: ['content-type', 'application/json'], body, connectTimeoutMs, proxy: null, guard: null },
      {
        onSent: () => undefined,
        onHead(status, headers) {
          seen.status = status;
          seen.headers = headers;
        },
        onData(chunk) {
          seen.body += Buffer.from(chunk).toString();
          return true;
        },
        onEnd() {
          resolve({ ...seen, sent: handle.sent });
        },
        onFault(fault) {
          resolve({ ...seen, fault, sent: handle.sent });
        },
      },
    );
  });
}

async function http(handler: Parameters<typeof createServer>[1]): Promise<string> {
  const server = createServer(handler);
  servers.push(server);
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function tcp(handler: (socket: Socket) => void): Promise<string> {
  const server = createTcpServer((socket) => {
    socket.on('error', () => undefined);
    handler(socket);
  });
  servers.push(server);
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

describe('undici transport', () => {
  it('G-10: sends exactly the headers it was given', async () => {
    let raw: string[] = [];
    const url = await http((request, response) => {
      raw = request.rawHeaders.filter((_, i) => i % 2 === 0).map((name) => name.toLowerCase());
      response.end('ok');
    });
    const seen = await call(`${url}/v1/x?y=1`);
    expect(seen).toMatchObject({ status: 200, body: 'ok', fault: null, sent: true });
    expect(raw.sort()).toEqual(['connection', 'content-length', 'content-type', 'host']);
  });

  it('F-2: a refused connection is unsent', async () => {
    const url = await http(() => undefined);
    await new Promise((done) => servers.pop()!.close(done));
    expect(await call(url)).toMatchObject({ fault: { kind: 'refused' }, sent: false });
  });

  it('F-2: an unknown host is a DNS fault', async () => {
    expect((await call('http://no-such-host.invalid/v1')).fault).toEqual({ kind: 'dns' });
  });

  it('F-2: a plain-text peer under https is a TLS fault', async () => {
    const url = await tcp((socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n'));
    expect((await call(url.replace('http:', 'https:'))).fault).toEqual({ kind: 'tls' });
  });

  it('F-2: a reset after the request was sent is told as sent, on a fresh connection not reused', async () => {
    const url = await tcp((socket) => socket.once('data', () => socket.resetAndDestroy()));
    expect(await call(url)).toMatchObject({ status: null, fault: { kind: 'reset', sent: true, reused: false } });
  });

  it('F-2: a reset on a kept-alive connection before any answer is told as reused, and nothing is resent (D-9)', async () => {
    let requests = 0;
    const url = await tcp((socket) => {
      socket.on('data', () => {
        requests += 1;
        if (requests === 1) socket.write('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok');
        else socket.resetAndDestroy();
      });
    });
    expect((await call(url)).body).toBe('ok');
    // The connection goes back to the pool a turn after the answer's end.
    await new Promise((done) => setImmediate(done));
    expect((await call(url)).fault).toEqual({ kind: 'reset', sent: true, reused: true });
    expect(requests).toBe(2);
  });

  it('F-2: a large body reset in mid-upload was not sent completely', async () => {
    const url = await tcp((socket) => socket.once('data', () => socket.resetAndDestroy()));
    const seen = await call(url, Buffer.alloc(64 * 1024 * 1024, 0x61));
    expect(seen.fault).toMatchObject({ kind: 'reset', sent: false });
  });

  it('F-2: a body cut against its content-length is a reset after the head', async () => {
    const url = await tcp((socket) =>
      socket.once('data', () => socket.end('HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\n{"a":')),
    );
    expect(await call(url)).toMatchObject({ status: 200, body: '{"a":', fault: { kind: 'reset', sent: true } });
  });

  it('F-2: bytes that are not HTTP are garbled', async () => {
    const url = await tcp((socket) => socket.once('data', () => socket.end('what?\r\n\r\n')));
    expect((await call(url)).fault?.kind).toBe('garbled');
  });

  it.each([
    ['gzip', gzipSync('{"a":"é"}')],
    ['x-gzip', gzipSync('{"a":"é"}')],
    ['br', brotliCompressSync('{"a":"é"}')],
    ['deflate', deflateSync('{"a":"é"}')],
    ['deflate', deflateRawSync('{"a":"é"}')],
    ['identity', Buffer.from('{"a":"é"}')],
    // The header lies: believed by the bytes.
    ['gzip', Buffer.from('{"a":"é"}')],
    ['br', Buffer.from('{"a":"é"}')],
    ['deflate', Buffer.from('{"a":"é"}')],
  ])('F-3: reads content-encoding %s', async (encoding, bytes) => {
    const url = await http((_request, response) => {
      response.writeHead(404, { 'content-encoding': encoding });
      response.end(bytes);
    });
    expect(await call(url)).toMatchObject({ status: 404, body: '{"a":"é"}', fault: null });
  });

  it('F-3: a broken compressed body is garbled', async () => {
    const broken = Buffer.concat([gzipSync('{"a":1}').subarray(0, 14), Buffer.from('xxxxxxxxxxxxxxxxxx')]);
    const url = await http((_request, response) => {
      response.writeHead(200, { 'content-encoding': 'gzip' });
      response.end(broken);
    });
    expect((await call(url)).fault?.kind).toBe('garbled');
  });

  it('T-7: pauses the upstream when told to and goes on when resumed', async () => {
    const block = Buffer.alloc(64 * 1024, 0x62);
    let written = 0;
    const url = await http((_request, response) => {
      response.writeHead(200);
      const more = (): void => {
        while (written < 64 * 1024 * 1024) {
          written += block.length;
          if (!response.write(block)) {
            response.once('drain', more);
            return;
          }
        }
        response.end();
      };
      more();
    });
    let received = 0;
    await new Promise<void>((resolve, reject) => {
      let paused = false;
      const handle = transport.call(
        { url, headers: [], body: Buffer.from('{}'), connectTimeoutMs: 5000, proxy: null, guard: null },
        {
          onSent: () => undefined,
          onHead: () => undefined,
          onData(chunk) {
            received += chunk.length;
            if (paused) return true;
            paused = true;
            // Long enough for the socket buffers to fill: a reader that ignored the pause would have it all.
            setTimeout(() => {
              expect(written).toBeLessThan(32 * 1024 * 1024);
              handle.resume();
            }, 100);
            return false;
          },
          onEnd: resolve,
          onFault: (fault) => reject(new Error(fault.kind)),
        },
      );
    });
    expect(received).toBe(64 * 1024 * 1024);
  });

  it('T-6: abort closes the socket and tells nothing more', async () => {
    let closed: () => void = () => undefined;
    const gone = new Promise<void>((resolve) => {
      closed = resolve;
    });
    const url = await http((request, response) => {
      response.writeHead(200);
      response.write('a');
      request.socket.once('close', closed);
    });
    const told: string[] = [];
    await new Promise<void>((resolve) => {
      const handle = transport.call(
        { url, headers: [], body: Buffer.from('{}'), connectTimeoutMs: 5000, proxy: null, guard: null },
        {
          onSent: () => told.push('sent'),
          onHead: () => told.push('head'),
          onData() {
            told.push('data');
            handle.abort();
            resolve();
            return true;
          },
          onEnd: () => told.push('end'),
          onFault: () => told.push('fault'),
        },
      );
    });
    await gone;
    expect(told).toEqual(['sent', 'head', 'data']);
  });
});
