/** Forms that nobody could hold in memory: taken in, sent on, and sent again to the next channel (S0, I-5). */
import { createHash } from 'node:crypto';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { createServer, type IncomingHttpHeaders, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Readable } from 'node:stream';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { type RunningGateway, startGateway } from '../../src/assemble.ts';

const KEY = 'usk-upload-client-key-0123456789abcdef';
const MEGABYTE = 1024 * 1024;
const BOUNDARY = 'a-boundary-of-the-client-7d29';

interface Got {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly bytes: number;
  readonly digest: string;
  /** Of short bodies. */
  readonly text: string;
}

/** Reads everything, then answers as told. */
class Upstream {
  readonly got: Got[] = [];
  /** Statuses to answer with; the last one stays. */
  statuses: number[] = [200];
  readonly #server: Server;

  constructor() {
    this.#server = createServer((incoming, response) => {
      const hash = createHash('sha256');
      let bytes = 0;
      let text = '';
      incoming.on('data', (part: Buffer) => {
        hash.update(part);
        bytes += part.length;
        if (bytes < 10_000) text += part.toString('latin1');
      });
      incoming.on('end', () => {
        const { url = '', headers } = incoming;
        this.got.push({ path: url, headers, bytes, digest: hash.digest('hex'), text });
        const status = this.statuses.length > 1 ? this.statuses.shift()! : this.statuses[0]!;
        response.writeHead(status, { 'content-type': 'application/json' });
        response.end(
          status === 200 ? '{"text":"what was said"}' : '{"error":{"message":"try again","code":"overloaded"}}',
        );
      });
    });
  }

  async start(): Promise<string> {
    await new Promise<void>((done) => this.#server.listen(0, '127.0.0.1', done));
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  close(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }
}

let upstream: Upstream;
let gateway: RunningGateway;
let dataDir: string;

beforeAll(async () => {
  upstream = new Upstream();
  const url = await upstream.start();
  dataDir = await mkdtemp(path.join(tmpdir(), 'understudy-uploads-'));
  const config = {
    version: 1,
    server: { body_limit: '300mb' },
    providers: {
      a: { type: 'openai-compatible', base_url: `${url}/a/v1` },
      b: { type: 'openai-compatible', base_url: `${url}/b/v1` },
    },
    models: {
      'maker/ears': {
        channels: [
          { id: 'a', provider: 'a', model: 'upstream-ears-a' },
          { id: 'b', provider: 'b', model: 'upstream-ears-b' },
        ],
      },
    },
    workspaces: { main: {} },
    keys: [{ name: 'k', workspace: 'main', secret: KEY }],
  };
  gateway = await startGateway({ configText: JSON.stringify(config), port: 0, dataDir, env: {}, log: 'silent' });
});
afterAll(async () => {
  await gateway.close();
  upstream.close();
  await rm(dataDir, { recursive: true, force: true });
});
afterEach(() => {
  upstream.got.length = 0;
  upstream.statuses = [200];
});

function field(name: string, value: string, boundary = BOUNDARY): string {
  return `--${boundary}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`;
}

function fileHead(boundary = BOUNDARY): string {
  return `--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="talk.wav"\r\nContent-Type: audio/wav\r\n\r\n`;
}

/** A form in pieces; its file is `megabytes` long, each of them the same. */
function* form(
  fields: string,
  megabytes: number,
  megabyte = Buffer.alloc(MEGABYTE, 'a sound of its own '),
): Iterable<Buffer> {
  yield Buffer.from(fields + fileHead());
  for (let i = 0; i < megabytes; i += 1) yield megabyte;
  yield Buffer.from(`\r\n--${BOUNDARY}--\r\n`);
}

interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

function send(
  pieces: Iterable<Buffer>,
  headers: Record<string, string> = {},
  url: string = gateway.url,
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const outgoing = request(`${url}/v1/audio/transcriptions`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${KEY}`,
        'content-type': `multipart/form-data; boundary=${BOUNDARY}`,
        ...headers,
      },
    });
    outgoing.on('response', (response) => {
      let body = '';
      response.on('data', (part: Buffer) => {
        body += part.toString();
      });
      response.on('end', () => resolve({ status: response.statusCode ?? 0, headers: response.headers, body }));
    });
    // The answer counts, also where it came before all was sent.
    outgoing.on('error', (error) => setTimeout(() => reject(error), 100));
    Readable.from(pieces).pipe(outgoing);
  });
}

/** What the upstream is to get of a form. */
function digestOf(fields: string, megabytes: number): { readonly bytes: number; readonly digest: string } {
  const hash = createHash('sha256');
  let bytes = 0;
  for (const piece of form(fields, megabytes)) {
    hash.update(piece);
    bytes += piece.length;
  }
  return { bytes, digest: hash.digest('hex') };
}

/** The most memory the process held meanwhile, over what it holds now. */
async function peakWhile(work: Promise<unknown>): Promise<{ readonly rss: number; readonly buffers: number }> {
  const before = process.memoryUsage();
  let rss = 0;
  let buffers = 0;
  const timer = setInterval(() => {
    const now = process.memoryUsage();
    rss = Math.max(rss, now.rss - before.rss);
    buffers = Math.max(buffers, now.external - before.external);
  }, 10);
  await work.finally(() => clearInterval(timer));
  return { rss, buffers };
}

describe('large forms', () => {
  it('S0, I-5: 200 MiB go to two channels in turn, byte for byte but for the model, and never lie in memory', async () => {
    upstream.statuses = [503, 200];
    const fields = field('model', 'maker/ears') + field('language', 'en');
    const sending = send(form(fields, 200));
    const peak = await peakWhile(sending);
    const answer = await sending;
    expect([answer.status, JSON.parse(answer.body)]).toEqual([200, { text: 'what was said' }]);
    expect(answer.headers['x-understudy-attempts']).toBe('2');
    const [first, second] = ['upstream-ears-a', 'upstream-ears-b'].map((model) =>
      digestOf(field('model', model) + field('language', 'en'), 200),
    );
    expect(upstream.got.map(({ path: to, bytes, digest }) => ({ to, bytes, digest }))).toEqual([
      { to: '/a/v1/audio/transcriptions', ...first },
      { to: '/b/v1/audio/transcriptions', ...second },
    ]);
    expect(upstream.got[0]?.headers).toMatchObject({
      'content-length': String(first?.bytes),
      'content-type': `multipart/form-data; boundary=${BOUNDARY}`,
    });
    // Half of what one copy of it would take.
    expect(peak.buffers).toBeLessThan(100 * MEGABYTE);
    expect(peak.rss).toBeLessThan(160 * MEGABYTE);
    expect((await readdir(dataDir)).filter((name) => name.includes('upload'))).toEqual([]);
  }, 180_000);

  it('C-4: past `server.body_limit` a form is refused as soon as that is known', async () => {
    const announced = await send([], { 'content-length': String(301 * MEGABYTE) }).catch(
      (error: Error) => error.message,
    );
    expect(announced).toMatchObject({ status: 413 });
    expect(JSON.parse((announced as Answer).body)).toMatchObject({ error: { code: 'request_too_large' } });
    expect(upstream.got).toEqual([]);
  });
});

describe('forms that say nothing of their length', () => {
  it('C-4: are refused where they pass the limit, and the connection is closed', async () => {
    const folder = await mkdtemp(path.join(tmpdir(), 'understudy-uploads-'));
    const small = {
      version: 1,
      server: { body_limit: '2mb' },
      keys: [{ name: 'k', workspace: 'main', secret: KEY }],
      workspaces: { main: {} },
    };
    const other = await startGateway({
      configText: JSON.stringify(small),
      port: 0,
      dataDir: folder,
      env: {},
      log: 'silent',
    });
    const answer = await send(form(field('model', 'maker/ears'), 3), {}, other.url);
    expect([answer.status, answer.headers.connection, JSON.parse(answer.body)]).toMatchObject([
      413,
      'close',
      { error: { code: 'request_too_large' } },
    ]);
    await other.close();
    await rm(folder, { recursive: true, force: true });
  });
});

describe('forms', () => {
  const ears = field('model', 'maker/ears');

  it('C-1, S0: what is the gateway’s own is taken out, in whatever form clients write it', async () => {
    const own =
      field('models[]', 'maker/ears') +
      field('redundancy', '{"max_attempts":1}') +
      field('redundancy[policy]', 'strict');
    upstream.statuses = [400];
    await send(form(ears + own + field('prompt', 'names'), 0));
    expect(upstream.got).toHaveLength(1);
    expect(upstream.got[0]?.text).toBe(
      `${field('model', 'upstream-ears-a') + field('prompt', 'names') + fileHead()}\r\n--${BOUNDARY}--\r\n`,
    );
  });

  it('C-4: the gateway’s own fields are judged as in any body', async () => {
    const wrong = await send(form(ears + field('redundancy[timeout_ms]', '5'), 0));
    expect([wrong.status, JSON.parse(wrong.body)]).toMatchObject([400, { error: { code: 'invalid_redundancy' } }]);
    const twice = await send(form(ears + ears, 0));
    expect([twice.status, JSON.parse(twice.body)]).toMatchObject([400, { error: { code: 'invalid_parameter' } }]);
    expect(upstream.got).toEqual([]);
  });

  it.each([
    ['no file', [Buffer.from(`${field('model', 'maker/ears')}--${BOUNDARY}--\r\n`)], 'missing_required_parameter'],
    ['no end', [Buffer.from(field('model', 'maker/ears'))], 'invalid_parameter'],
    ['nothing', [Buffer.from('')], 'invalid_parameter'],
    ['no model', [...form('', 0)], 'missing_required_parameter'],
    ['an unknown model', [...form(field('model', 'maker/nothing'), 0)], 'model_not_found'],
  ])('E-5: a form with %s is refused in words', async (_what, pieces, code) => {
    const answer = await send(pieces);
    expect(JSON.parse(answer.body)).toMatchObject({ error: { code } });
    expect(upstream.got).toEqual([]);
  });

  it('I-4, I-5: the same fields and file are the same request, whatever their boundary and order', async () => {
    const key = { 'idempotency-key': 'one-talk' };
    const first = await send(form(ears + field('language', 'en'), 1), key);
    const boundary = 'another-boundary';
    const again = `${fileHead(boundary)}${Buffer.alloc(MEGABYTE, 'a sound of its own ').toString()}\r\n${field('language', 'en', boundary)}${field('model', 'maker/ears', boundary)}--${boundary}--\r\n`;
    const second = await send([Buffer.from(again)], {
      ...key,
      'content-type': `multipart/form-data; boundary=${boundary}`,
    });
    expect([second.status, second.body, second.headers['idempotent-replayed']]).toEqual([200, first.body, 'true']);
    expect(upstream.got).toHaveLength(1);
    const other = await send(form(ears + field('language', 'en'), 1, Buffer.alloc(MEGABYTE, 'other')), key);
    expect([other.status, JSON.parse(other.body)]).toMatchObject([422, { error: { code: 'idempotency_key_reused' } }]);
  });

  it('E-4: a form is not queued: it would have to be kept', async () => {
    upstream.statuses = [503];
    const answer = await send(form(ears + field('redundancy', '{"on_exhausted":["queue"]}'), 0));
    expect(answer.status).toBe(503);
  });

  it('T-6: a client that leaves while it sends is recorded, and nothing goes on', async () => {
    const outgoing = request(`${gateway.url}/v1/audio/transcriptions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${KEY}`, 'content-type': `multipart/form-data; boundary=${BOUNDARY}` },
    });
    outgoing.on('error', () => undefined);
    outgoing.write(ears + fileHead());
    await vi.waitFor(() => expect(gateway.gateway.live.size).toBe(1));
    outgoing.destroy();
    await vi.waitFor(() => expect(gateway.gateway.live.size).toBe(0));
    expect(upstream.got).toEqual([]);
  });
});
