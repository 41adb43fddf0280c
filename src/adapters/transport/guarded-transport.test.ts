import type { LookupAddress } from 'node:dns';
import { createServer, type Server } from 'node:http';
import { type AddressInfo, connect, createServer as createTcpServer, type Server as TcpServer } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { type NetworkRules, networkRules, PUBLIC_ONLY } from '../../core/net/network-rules.ts';
import type { Transport, TransportFault, UpstreamRequest } from '../../ports/transport.ts';
import type { ResolveAll } from './guarded-lookup.ts';
import { createUndiciTransport } from './undici-transport.ts';

/** What a name answers, one list after the other; the last repeats. Counts how often it was asked. */
function resolver(...answers: string[][]): ResolveAll & { asked: string[] } {
  const asked: string[] = [];
  const resolve: ResolveAll = (host, _options, done) => {
    const list = answers[Math.min(asked.length, answers.length - 1)]!;
    asked.push(host);
    const found: LookupAddress[] = list.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));
    queueMicrotask(() => done(null, found));
  };
  return Object.assign(resolve, { asked });
}

let transport: Transport;
const servers: (Server | TcpServer)[] = [];

afterEach(async () => {
  await transport.close();
  for (const server of servers.splice(0)) server.close();
});

interface Seen {
  status: number | null;
  location: string | undefined;
  fault: TransportFault | null;
  sent: boolean;
}

function call(url: string, guard: NetworkRules | null, proxy: string | null = null): Promise<Seen> {
  const request: UpstreamRequest = { url, headers: [], body: Buffer.from('{}'), connectTimeoutMs: 1000, proxy, guard };
  return new Promise((resolve) => {
    const seen: Seen = { status: null, location: undefined, fault: null, sent: false };
    const handle = transport.call(request, {
      onSent: () => undefined,
      onHead(status, headers) {
        seen.status = status;
        seen.location = headers['location'];
      },
      onData: () => true,
      onEnd: () => resolve({ ...seen, sent: handle.sent }),
      onFault: (fault) => resolve({ ...seen, fault, sent: handle.sent }),
    });
  });
}

/** A server on loopback that counts connections and requests. */
async function upstream(answer: Parameters<typeof createServer>[1] = (_request, response) => response.end('ok')) {
  const seen = { connections: 0, requests: 0, hosts: [] as string[], port: 0 };
  const server = createServer((request, response) => {
    seen.requests += 1;
    seen.hosts.push(request.headers.host ?? '');
    answer?.(request, response);
  });
  server.on('connection', () => {
    seen.connections += 1;
  });
  servers.push(server);
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  seen.port = (server.address() as AddressInfo).port;
  return seen;
}

const LOOPBACK = networkRules(['127.0.0.1']);

describe('guarded connections', () => {
  it.each(['127.0.0.1', '127.1', '0x7f.0.0.1', '2130706433', 'localhost', 'app.localhost', '[::ffff:127.0.0.1]'])(
    'G-9: %s is refused before any connection, and nothing is sent',
    async (host) => {
      const resolve = resolver(['127.0.0.1']);
      transport = createUndiciTransport({ resolve });
      const server = await upstream();
      const seen = await call(`http://${host}:${server.port}/v1/x`, PUBLIC_ONLY);
      expect(seen).toMatchObject({ status: null, fault: { kind: 'forbidden' }, sent: false });
      expect(server.connections).toBe(0);
      expect(resolve.asked).toEqual([]);
    },
  );

  it('G-9: a public name that leads to a private address is refused', async () => {
    transport = createUndiciTransport({ resolve: resolver(['127.0.0.1']) });
    const server = await upstream();
    const seen = await call(`http://rebind.example.com:${server.port}/`, PUBLIC_ONLY);
    expect(seen).toMatchObject({ fault: { kind: 'forbidden' }, sent: false });
    expect(server.connections).toBe(0);
  });

  it.each([
    [['8.8.8.8', '10.0.0.1']],
    [['10.0.0.1', '8.8.8.8']],
    [['2606:4700:4700::1111', '::1']],
    [['::ffff:169.254.169.254']],
    [['fe80::1%eth0']],
  ])('G-9: one private address among %j spoils the name', async (addresses) => {
    transport = createUndiciTransport({ resolve: resolver(addresses) });
    expect(await call('http://api.example.com/', PUBLIC_ONLY)).toMatchObject({ fault: { kind: 'forbidden' } });
    expect(await call('https://api.example.com/', PUBLIC_ONLY)).toMatchObject({ fault: { kind: 'forbidden' } });
  });

  it('G-9: rebinding: connected is the address that was judged; the next answer is judged anew', async () => {
    // 127.0.0.1 stands for the public address here, so that there is something to connect to.
    const resolve = resolver(['127.0.0.1'], ['127.0.0.2']);
    transport = createUndiciTransport({ resolve });
    const server = await upstream((_request, response) => {
      response.setHeader('connection', 'close');
      response.end('ok');
    });
    const url = `http://rebind.example.com:${server.port}/`;
    expect(await call(url, LOOPBACK)).toMatchObject({ status: 200, fault: null });
    expect(resolve.asked).toEqual(['rebind.example.com']);
    expect(await call(url, LOOPBACK)).toMatchObject({ status: null, fault: { kind: 'forbidden' } });
    expect(resolve.asked).toHaveLength(2);
    expect(server.requests).toBe(1);
  });

  it('G-9: a kept-alive connection is used again under the same rules only', async () => {
    const resolve = resolver(['127.0.0.1']);
    transport = createUndiciTransport({ resolve });
    const server = await upstream();
    const url = `http://127.0.0.1:${server.port}/`;
    const again = () => new Promise((done) => setImmediate(done));
    expect((await call(url, null)).status).toBe(200);
    await again();
    expect(await call(url, PUBLIC_ONLY)).toMatchObject({ fault: { kind: 'forbidden' } });
    expect((await call(url, LOOPBACK)).status).toBe(200);
    await again();
    expect((await call(url, networkRules(['127.0.0.1']))).status).toBe(200);
    expect(server).toMatchObject({ requests: 3, connections: 2 });
  });

  it('G-9: the exception opens the address, an excepted name whatever it leads to', async () => {
    transport = createUndiciTransport({ resolve: resolver(['127.0.0.1']) });
    const server = await upstream();
    expect((await call(`http://127.0.0.1:${server.port}/`, LOOPBACK)).status).toBe(200);
    expect((await call(`http://model.corp.example:${server.port}/`, networkRules(['model.corp.example']))).status).toBe(
      200,
    );
    expect(
      (await call(`http://Other.corp.example:${server.port}/`, networkRules(['model.corp.example']))).fault,
    ).toEqual({
      kind: 'forbidden',
    });
  });

  it("G-9: without rules the operator's own private address is called", async () => {
    transport = createUndiciTransport();
    const server = await upstream();
    expect((await call(`http://127.0.0.1:${server.port}/`, null)).status).toBe(200);
  });

  it('G-9: a name that does not resolve is a DNS fault as ever', async () => {
    const failing: ResolveAll = (_host, _options, done) =>
      queueMicrotask(() => done(Object.assign(new Error('no such host'), { code: 'ENOTFOUND' }), []));
    transport = createUndiciTransport({ resolve: failing });
    expect(await call('http://nobody.example.com/', PUBLIC_ONLY)).toMatchObject({ fault: { kind: 'dns' } });
    const empty: ResolveAll = (_host, _options, done) => queueMicrotask(() => done(null, []));
    transport = createUndiciTransport({ resolve: empty });
    expect(await call('http://nobody.example.com/', PUBLIC_ONLY)).toMatchObject({ fault: { kind: 'forbidden' } });
  });
});

describe('redirects', () => {
  it.each([301, 302, 303, 307, 308])('G-9: %i is an answer, never followed', async (status) => {
    transport = createUndiciTransport({ resolve: resolver(['127.0.0.1']) });
    const inner = await upstream();
    const location = `http://127.0.0.1:${inner.port}/latest/meta-data`;
    const outer = await upstream((_request, response) => response.writeHead(status, { location }).end());
    for (const guard of [LOOPBACK, null]) {
      expect(await call(`http://127.0.0.1:${outer.port}/`, guard)).toMatchObject({ status, location, fault: null });
    }
    expect(inner.connections).toBe(0);
  });
});

describe('through a proxy', () => {
  /** A CONNECT proxy that notes what it was asked for and connects to `port` whatever that was. */
  async function proxyTo(port: number, status = '200 OK') {
    const asked: string[] = [];
    const server = createTcpServer((socket) => {
      socket.on('error', () => undefined);
      socket.once('data', (head) => {
        asked.push(head.toString().split('\r\n\r\n')[0]!);
        socket.write(`HTTP/1.1 ${status}\r\n\r\n`);
        const inner = connect(port, '127.0.0.1');
        inner.on('error', () => undefined);
        socket.pipe(inner).pipe(socket);
      });
    });
    servers.push(server);
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
    const { port: own } = server.address() as AddressInfo;
    return { asked, url: `http://us%65r:p%40ss@127.0.0.1:${own}` };
  }

  it('G-9: the proxy is told the address that was judged, never a name it would resolve itself', async () => {
    const server = await upstream();
    const proxy = await proxyTo(server.port);
    transport = createUndiciTransport({ resolve: resolver(['93.184.216.34']) });
    expect(await call('http://api.example.com/v1', PUBLIC_ONLY, proxy.url)).toMatchObject({ status: 200 });
    expect(proxy.asked[0]).toMatch(/^CONNECT 93\.184\.216\.34:80 HTTP\/1\.1/);
    expect(proxy.asked[0]).not.toContain('example.com');
    expect(proxy.asked[0]?.toLowerCase()).toContain(
      `proxy-authorization: basic ${Buffer.from('user:p@ss').toString('base64').toLowerCase()}`,
    );
    expect(server.hosts).toEqual(['api.example.com']);
  });

  it('G-9: an IPv6 address is told in brackets', async () => {
    const server = await upstream();
    const proxy = await proxyTo(server.port);
    transport = createUndiciTransport({ resolve: resolver(['2606:4700:4700::1111']) });
    expect(await call('http://api.example.com:8080/v1', PUBLIC_ONLY, proxy.url)).toMatchObject({ status: 200 });
    expect(proxy.asked[0]).toMatch(/^CONNECT \[2606:4700:4700::1111\]:8080 /);
  });

  it.each(['http://127.0.0.1/', 'http://localhost/', 'https://api.example.com/'])(
    'G-9: %s is refused before the proxy hears of it',
    async (url) => {
      const proxy = await proxyTo(1);
      transport = createUndiciTransport({ resolve: resolver(['10.0.0.1']) });
      expect(await call(url, PUBLIC_ONLY, proxy.url)).toMatchObject({ fault: { kind: 'forbidden' }, sent: false });
      expect(proxy.asked).toEqual([]);
    },
  );

  it.each([true, false])(
    'G-9: TLS is made out to the name, whatever address was judged (proxied: %s)',
    async (proxied) => {
      const hello: Buffer[] = [];
      const tls = createTcpServer((socket) => {
        socket.on('error', () => undefined);
        socket.once('data', (bytes) => {
          hello.push(bytes);
          socket.destroy();
        });
      });
      servers.push(tls);
      await new Promise<void>((done) => tls.listen(0, '127.0.0.1', done));
      const { port } = tls.address() as AddressInfo;
      const proxy = proxied ? (await proxyTo(port)).url : null;
      transport = createUndiciTransport({ resolve: resolver(['127.0.0.1']) });
      const seen = await call(`https://api.example.com:${port}/`, LOOPBACK, proxy);
      expect(seen).toMatchObject({ status: null, sent: false });
      expect(hello[0]?.includes('api.example.com')).toBe(true);
    },
  );

  it('F-2: a proxy that never answers is given up within the connect timeout', async () => {
    const silent = createTcpServer((socket) => socket.on('error', () => undefined).resume());
    servers.push(silent);
    await new Promise<void>((done) => silent.listen(0, '127.0.0.1', done));
    transport = createUndiciTransport({ resolve: resolver(['93.184.216.34']) });
    const { port } = silent.address() as AddressInfo;
    const seen = await call('http://api.example.com/', PUBLIC_ONLY, `http://127.0.0.1:${port}`);
    expect(seen).toMatchObject({ status: null, fault: { kind: 'connect_timeout' }, sent: false });
  });

  it('F-2: a proxy that will not connect leaves the request unsent', async () => {
    const proxy = await proxyTo(1, '403 Forbidden');
    transport = createUndiciTransport({ resolve: resolver(['93.184.216.34']) });
    const seen = await call('http://api.example.com/', PUBLIC_ONLY, proxy.url);
    expect(seen).toMatchObject({ status: null, fault: { kind: 'unreachable' }, sent: false });
  });
});
