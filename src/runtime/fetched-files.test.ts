import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { REAL_CLOCK } from '../../test/support/real-clock.ts';
import { createUndiciTransport } from '../adapters/transport/undici-transport.ts';
import { networkRules, PUBLIC_ONLY } from '../core/net/network-rules.ts';
import { chatCodec } from '../dialects/chat/codec.ts';
import type { ClientRequest } from '../dialects/contract.ts';
import type { Transport } from '../ports/transport.ts';
import { fetchFile, MAX_FILE_BYTES } from './fetch-file.ts';
import { filesOf, isUnsent } from './fetched-files.ts';

const PNG = Buffer.from([0x89, 0x50, 0x4e, 0x47, 1, 2, 3]);
const HERE = networkRules(['127.0.0.1']);

let transport: Transport;
let url: string;
let server: Server;
let asked: string[];
let answer: (request: IncomingMessage, response: ServerResponse) => void;

beforeEach(async () => {
  transport = createUndiciTransport();
  asked = [];
  answer = (_, response) => response.writeHead(200, { 'content-type': 'image/png; x=1' }).end(PNG);
  server = createServer((request, response) => {
    asked.push(request.url ?? '');
    answer(request, response);
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});

afterEach(async () => {
  await transport.close();
  server.closeAllConnections();
  server.close();
});

const fetched = (address: string, rules = HERE) => fetchFile({ transport, clock: REAL_CLOCK, rules }, address);

describe('fetchFile', () => {
  it('gives type and bytes, without a secret of anybody’s', async () => {
    let sent: IncomingMessage['headers'] = {};
    answer = (request, response) => {
      sent = request.headers;
      response.writeHead(200, { 'content-type': 'image/png; x=1' }).end(PNG);
    };
    expect(await fetched(`${url}/a.png`)).toEqual({ mime: 'image/png', base64: PNG.toString('base64') });
    expect(Object.keys(sent).sort()).toEqual(['accept', 'connection', 'host', 'user-agent']);
  });

  it('a type nobody says is told from the first bytes', async () => {
    answer = (_, response) => response.writeHead(200, { 'content-type': 'application/octet-stream' }).end(PNG);
    expect(await fetched(url)).toMatchObject({ mime: 'image/png' });
  });

  it('G-9: private addresses are not asked, nor are they by a redirect', async () => {
    expect(await fetched(url, PUBLIC_ONLY)).toEqual({ refused: '127.0.0.1 is a loopback address' });
    expect(asked).toEqual([]);
    answer = (_, response) => response.writeHead(302, { location: 'http://169.254.169.254/latest' }).end();
    expect(await fetched(url)).toEqual({ refused: expect.stringContaining('169.254.169.254') });
    answer = (_, response) => response.writeHead(302, { location: 'file:///etc/passwd' }).end();
    expect(await fetched(url)).toEqual({ refused: 'it is no web address' });
  });

  it('follows a few redirects', async () => {
    answer = ({ url: path }, response) => {
      if (path === '/2') response.end(PNG);
      else response.writeHead(301, { location: `/${Number(path!.slice(1)) + 1}` }).end();
    };
    expect(await fetched(`${url}/0`)).toMatchObject({ mime: 'image/png' });
    answer = (_, response) => response.writeHead(301, { location: '/again' }).end();
    expect(await fetched(url)).toEqual({ refused: 'it is redirected too often' });
  });

  it('G-9: takes no more than 20 MiB, said in advance or not', async () => {
    answer = (_, response) => {
      response.writeHead(200, { 'content-length': String(MAX_FILE_BYTES + 1) }).write(PNG);
    };
    expect(await fetched(url)).toEqual({ refused: 'it is larger than 20 MiB' });
    answer = (_, response) => {
      const piece = Buffer.alloc(1024 * 1024);
      for (let count = 0; count < 21; count++) response.write(piece);
      response.end();
    };
    expect(await fetched(url)).toEqual({ refused: 'it is larger than 20 MiB' });
  });

  it('says why there is none', async () => {
    answer = (_, response) => response.writeHead(404).end('gone');
    expect(await fetched(url)).toEqual({ refused: 'its server answered 404' });
    answer = (_, response) => response.writeHead(200).end();
    expect(await fetched(url)).toEqual({ refused: 'it is empty' });
    answer = (request) => request.socket.destroy();
    expect(await fetched(url)).toEqual({ refused: 'its server can not be reached' });
  });

  it('waits no longer than its time', async () => {
    const due: (() => void)[] = [];
    const clock = {
      now: () => 0,
      after(_ms: number, callback: () => void) {
        due.push(callback);
        return () => undefined;
      },
    };
    answer = () => due[0]?.();
    expect(await fetchFile({ transport, clock, rules: HERE }, url)).toEqual({
      refused: 'it did not arrive within 10 s',
    });
  });
});

describe('filesOf', () => {
  function request(urls: readonly string[]): ClientRequest {
    const content = urls.map((one) => ({ type: 'image_url', image_url: { url: one } }));
    const read = chatCodec.readRequest(
      Buffer.from(JSON.stringify({ model: 'm', messages: [{ role: 'user', content }] })),
    );
    if (!read.ok) throw new Error(read.error.message);
    return read.value;
  }
  const files = (one: ClientRequest) => filesOf({ transport, clock: REAL_CLOCK }, chatCodec, one, HERE);

  it('is nothing to wait for where no file is named', () => {
    expect(files(request([]))).toBeNull();
    expect(files(request(['data:image/png;base64,AAAA']))).toBeNull();
  });

  it('fetches each once per request, for all its attempts', async () => {
    const one = request([`${url}/a`, `${url}/b`, `${url}/a`]);
    const [first, second] = await Promise.all([files(one)!(), files(one)!()]);
    expect(second).toBe(first);
    expect([...(first as Map<string, unknown>).keys()]).toEqual([`${url}/a`, `${url}/b`]);
    expect(asked.sort()).toEqual(['/a', '/b']);
  });

  it('P-6: what can’t be had, or is too many, is the client’s own fault, and says where it stands', async () => {
    answer = (_, response) => response.writeHead(404).end();
    const gone = await files(request([`${url}/a`]))!();
    if (!isUnsent(gone)) throw new Error('it was fetched');
    expect(gone.status).toBe(400);
    expect(JSON.parse(Buffer.from(gone.body).toString())).toEqual({
      error: {
        message: expect.stringMatching(/^messages\[0\]\.content\[0\].*: the file could not .*its server answered 404$/),
        type: 'invalid_request_error',
        code: 'invalid_parameter',
        param: expect.stringContaining('messages[0].content[0]'),
      },
    });
    const many = await files(request(['1', '2', '3', '4', '5', '6'].map((name) => `${url}/${name}`)))!();
    expect(isUnsent(many) && Buffer.from(many.body).toString()).toMatch(/6 files by URL; at most 5/);
  });
});
