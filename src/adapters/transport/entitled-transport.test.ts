/** G-5: what is said of a call's bytes is said of those that are sent, whatever else happens to them on the way. */
import { createHash } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { REAL_CLOCK } from '../../../test/support/real-clock.ts';
import type { Transport, UpstreamRequest } from '../../ports/transport.ts';
import { authOf } from '../../providers/auth.ts';
import { AccessTokens } from '../access-tokens/access-tokens.ts';
import { uploadSpools } from '../spool-file.ts';
import { authorizedTransport } from './authorized-transport.ts';
import { createUndiciTransport } from './undici-transport.ts';

interface Got {
  readonly method: string | undefined;
  readonly headers: IncomingHttpHeaders;
  readonly digest: string;
}

const got: Got[] = [];
let server: Server;
let url: string;
let transport: Transport;

beforeEach(async () => {
  got.length = 0;
  server = createServer((incoming, answer) => {
    const hash = createHash('sha256');
    incoming.on('data', (bytes: Buffer) => hash.update(bytes));
    incoming.on('end', () => {
      got.push({ method: incoming.method, headers: incoming.headers, digest: hash.digest('hex') });
      answer.end('{}');
    });
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/model/m/converse`;
  const plain = createUndiciTransport();
  transport = authorizedTransport(plain, new AccessTokens(plain, REAL_CLOCK, () => undefined), REAL_CLOCK);
});
afterEach(async () => {
  await transport.close();
  server.close();
});

/** What the hook was told, call by call. */
let told: string[] = [];
beforeEach(() => {
  told = [];
});
const entitle = (digest: string): string[] => ['x-proof', `of ${told.push(digest)}`];

function send(part: Partial<UpstreamRequest>, seen: { abort?: () => void } = {}): Promise<string> {
  return new Promise((resolve) => {
    const call = transport.call(
      {
        url,
        headers: ['content-type', 'application/json'],
        body: Buffer.from('{"a":1}'),
        entitle,
        connectTimeoutMs: 1000,
        proxy: null,
        guard: null,
        ...part,
      },
      {
        onSent() {},
        onHead() {},
        onData: () => true,
        onEnd: () => resolve('end'),
        onFault: ({ kind }) => resolve(kind),
      },
    );
    seen.abort = () => {
      call.abort();
      resolve('aborted');
    };
  });
}

describe('G-5: the digest is that of the bytes the upstream gets', () => {
  it('of a body in memory', async () => {
    expect(await send({})).toBe('end');
    expect(got).toMatchObject([{ headers: { 'x-proof': 'of 1' }, digest: told[0] }]);
  });

  it('of the body that had to be waited for, not of the one before', async () => {
    const before = (): Promise<Uint8Array> => Promise.resolve(Buffer.from('{"file":"inline"}'));
    expect(await send({ before })).toBe('end');
    expect(told).toEqual([createHash('sha256').update('{"file":"inline"}').digest('hex')]);
    expect(got[0]?.digest).toBe(told[0]);
  });

  it('of a body that is signed: the signature holds, the token is beside it', async () => {
    const place = { auth: 'aws', dialect: 'bedrock', version: '', region: 'eu-west-1', operators: true } as const;
    const sign = authOf(place, 'AKIDEXAMPLE0000000000:wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY').order!;
    expect(await send({ sign })).toBe('end');
    expect(got[0]?.digest).toBe(told[0]);
    expect(got[0]?.headers['x-proof']).toBe('of 1');
    expect(got[0]?.headers.authorization).toMatch(/^AWS4-HMAC-SHA256 .*SignedHeaders=[^,]*\bhost\b/);
    expect(got[0]?.headers.authorization).not.toContain('x-proof');
  });

  it('of an upload on disk, each call anew; it is sent whole all the same', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'understudy-entitled-'));
    const spool = uploadSpools({ folder, newName: () => 'upload' })();
    const bytes = Buffer.alloc(3_000_000, 'a sound of its own ');
    await spool.push(bytes);
    const body = { length: bytes.length, open: () => spool.read(0, bytes.length) };
    expect([await send({ body }), await send({ body })]).toEqual(['end', 'end']);
    const digest = createHash('sha256').update(bytes).digest('hex');
    expect(told).toEqual([digest, digest]);
    expect(got.map((one) => [one.digest, one.headers['x-proof'], one.headers['content-length']])).toEqual([
      [digest, 'of 1', String(bytes.length)],
      [digest, 'of 2', String(bytes.length)],
    ]);
    spool.close();
    await rm(folder, { recursive: true, force: true });
  });

  it('of nothing, where nothing but a head is sent', async () => {
    expect(await send({ method: 'GET', body: new Uint8Array(0) })).toBe('end');
    expect(got).toMatchObject([{ method: 'GET', digest: told[0], headers: { 'x-proof': 'of 1' } }]);
  });
});

describe('G-5: what is not sent', () => {
  it('a token that cannot be signed any more: nobody is reached', async () => {
    const sent = await send({
      entitle() {
        throw new Error('no key');
      },
    });
    expect([sent, got]).toEqual(['refused', []]);
  });

  it('a call that is broken off while its body is read is neither read on nor told of', async () => {
    const seen: { abort?: () => void } = {};
    let read = 0;
    const body = {
      length: 3,
      async *open() {
        for (; read < 3; read += 1) {
          if (read === 1) seen.abort?.();
          yield Buffer.from('x');
        }
      },
    };
    expect(await send({ body }, seen)).toBe('aborted');
    await new Promise((turn) => setImmediate(turn));
    expect([read, told, got]).toEqual([1, [], []]);
  });
});
