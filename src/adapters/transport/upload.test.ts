import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Transport, UploadBody, UpstreamRequest } from '../../ports/transport.ts';
import { createUndiciTransport } from './undici-transport.ts';

let transport: Transport;
const servers: Server[] = [];

beforeEach(() => {
  transport = createUndiciTransport();
});

afterEach(async () => {
  await transport.close();
  for (const server of servers.splice(0)) server.close();
});

async function listen(handler: (request: IncomingMessage, response: ServerResponse) => void): Promise<string> {
  const server = createServer(handler);
  servers.push(server);
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1/x`;
}

function call(request: Pick<UpstreamRequest, 'url' | 'body' | 'method'>): Promise<string> {
  return new Promise((resolve) => {
    let body = '';
    transport.call(
      { headers: ['x-a', '1'], connectTimeoutMs: 5000, proxy: null, guard: null, ...request },
      {
        onSent: () => undefined,
        onHead: () => undefined,
        onData(chunk) {
          body += Buffer.from(chunk).toString();
          return true;
        },
        onEnd: () => resolve(body),
        onFault: (fault) => resolve(`fault ${fault.kind}`),
      },
    );
  });
}

/** Ten pieces of a kilobyte; `read` counts how many were asked for. */
function tenPieces(): UploadBody & { read: number } {
  return {
    length: 10 * 1024,
    read: 0,
    async *open() {
      for (let i = 0; i < 10; i++) {
        this.read++;
        yield new Uint8Array(1024).fill(i);
      }
    },
  };
}

describe('bodies read while they are sent', () => {
  it('announces the length and gives every call all bytes anew', async () => {
    const url = await listen((request, response) => {
      const parts: Buffer[] = [];
      request.on('data', (part: Buffer) => parts.push(part));
      request.on('end', () => {
        const bytes = Buffer.concat(parts);
        const whole = bytes.every((byte, at) => byte === Math.floor(at / 1024));
        const { 'content-length': length, 'transfer-encoding': chunked } = request.headers;
        response.end(`${request.method} ${length} ${chunked} ${bytes.length} ${whole}`);
      });
    });
    const body = tenPieces();
    expect(await call({ url, body })).toBe('POST 10240 undefined 10240 true');
    expect(await call({ url, body })).toBe('POST 10240 undefined 10240 true');
  });

  it('reads no further once the upstream has refused the rest', async () => {
    const url = await listen((request, response) => {
      response.writeHead(413, { connection: 'close' });
      response.end('too large');
      request.socket.destroySoon();
    });
    let read = 0;
    const body: UploadBody = {
      length: 1024 * 1024 * 1024,
      async *open() {
        for (; read < 1024; read++) {
          yield new Uint8Array(1024 * 1024);
          await pause(1);
        }
      },
    };
    await call({ url, body });
    const atEnd = read;
    await pause(50);
    expect(read - atEnd).toBeLessThan(3);
    expect(read).toBeLessThan(1024);
  });

  it('sends the head alone with other methods', async () => {
    const url = await listen((request, response) => {
      const { 'content-length': length, 'transfer-encoding': chunked } = request.headers;
      response.end(`${request.method} ${length} ${chunked}`);
    });
    const body = new Uint8Array();
    expect(await call({ url, body, method: 'GET' })).toBe('GET undefined undefined');
    expect(await call({ url, body, method: 'DELETE' })).toMatch(/^DELETE (0|undefined) undefined$/);
  });
});
