/** `/console` over HTTP: what a browser gets, and what nobody gets out of it. */
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import fastify, { type FastifyInstance, type LightMyRequestResponse } from 'fastify';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { consoleFolder, readConsole } from './console-files.ts';
import { registerConsole } from './register-console.ts';

const SCRIPT = `export const words = ${JSON.stringify('understudy '.repeat(200))};`;
const PAGE =
  '<!doctype html><meta property="csp-nonce" nonce="__CSP_NONCE__"><script nonce="__CSP_NONCE__" src="/console/assets/main-a1b2.js"></script>';

let parent: string;
let folder: string;
let app: FastifyInstance;

function write(name: string, content: string): void {
  mkdirSync(join(folder, name, '..'), { recursive: true });
  writeFileSync(join(folder, name), content);
}

async function start(): Promise<void> {
  app = fastify({ routerOptions: { ignoreTrailingSlash: true } });
  app.setNotFoundHandler((_request, reply) => reply.code(404).send({ error: 'as ever' }));
  const files = readConsole(folder);
  await files;
  registerConsole(app, { files });
  await app.ready();
}

beforeEach(async () => {
  parent = mkdtempSync(join(tmpdir(), 'console-'));
  folder = join(parent, 'console');
  write('index.html', PAGE);
  write('assets/main-a1b2.js', SCRIPT);
  write('assets/small-c3d4.css', 'a{}');
  write('icon.svg', '<svg xmlns="http://www.w3.org/2000/svg"/>');
  write('assets/main-a1b2.js.map', '{}');
  write('.vite/manifest.json', '{}');
  write('notes.html', '<p>');
  writeFileSync(join(parent, 'secret.txt'), 'secret');
  symlinkSync(join(parent, 'secret.txt'), join(folder, 'link.txt'));
  await start();
});
afterEach(async () => {
  await app.close();
  rmSync(parent, { recursive: true, force: true });
});

const get = (url: string, headers: Record<string, string> = {}, method: 'GET' | 'HEAD' = 'GET') =>
  app.inject({ method, url, headers });

const isPage = ({ statusCode, body, headers }: LightMyRequestResponse): boolean =>
  statusCode === 200 &&
  body.startsWith('<!doctype html><meta') &&
  headers['content-type'] === 'text/html; charset=utf-8';

describe('the page', () => {
  it('has a nonce of its own in every answer, and a policy that lets nothing else run', async () => {
    const [one, other] = [await get('/console/'), await get('/console/requests/req_1?tab=2')];
    expect([isPage(one), isPage(other)]).toEqual([true, true]);
    const nonces = [one, other].map(({ headers }) => {
      return /script-src 'self' 'nonce-([\w+/=]{24})'/.exec(String(headers['content-security-policy']))?.[1] ?? '';
    });
    expect(new Set(nonces).size).toBe(2);
    expect(one.body).toBe(PAGE.replaceAll('__CSP_NONCE__', nonces[0]!));
    expect(one.headers).toMatchObject({
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
      'cross-origin-opener-policy': 'same-origin',
      'permissions-policy': expect.stringContaining('camera=()'),
    });
    const policy = String(one.headers['content-security-policy']).split('; ');
    expect(policy.sort()).toEqual(
      [
        "default-src 'none'",
        `script-src 'self' 'nonce-${nonces[0]}'`,
        `style-src 'self' 'nonce-${nonces[0]}'`,
        "img-src 'self' data:",
        "font-src 'self'",
        "connect-src 'self'",
        "manifest-src 'self'",
        "base-uri 'none'",
        "form-action 'none'",
        "frame-ancestors 'none'",
        'trusted-types default',
        "require-trusted-types-for 'script'",
      ].sort(),
    );
    expect(one.headers['etag']).toBeUndefined();
  });

  it.each([
    '/console/models/vendor%2Fgpt-4.1',
    '/console/%3Cscript%3E',
    '/console/..%2f..%2fsecret.txt',
    '/console//etc/passwd',
    '/console/link.txt',
    '/console/notes.html',
    '/console/.vite/manifest.json',
    '/console/__proto__',
    '/console/index.html',
  ])('is what stands at %s, and no other file', async (url) => {
    expect(isPage(await get(url))).toBe(true);
  });

  it.each(['/console/../secret.txt', '/console/%2e%2e/secret.txt', '/console/%00', '/consoles', '/console/%'])(
    '%s leads to nothing',
    async (url) => {
      const { statusCode, body } = await get(url);
      expect(body).not.toContain('secret');
      expect([200, 400, 404]).toContain(statusCode);
    },
  );

  it('HEAD is the same without a body', async () => {
    const { statusCode, headers, body } = await get('/console/', {}, 'HEAD');
    expect([statusCode, headers['content-type'], body]).toEqual([200, 'text/html; charset=utf-8', '']);
    expect(Number(headers['content-length'])).toBeGreaterThan(100);
  });

  it('is not asked for in another way', async () => {
    for (const method of ['POST', 'PUT', 'DELETE'] as const) {
      expect((await app.inject({ method, url: '/console/' })).statusCode).toBe(404);
    }
  });
});

describe('files of the build', () => {
  it.each([
    ['br, gzip;q=0.8, *;q=0.1', 'br', brotliDecompressSync],
    ['GZIP, br;q=0', 'gzip', gunzipSync],
    ['gzip;q=0.0, deflate', undefined, (bytes: Buffer) => bytes],
    ['', undefined, (bytes: Buffer) => bytes],
  ])('come as the browser takes them: %s', async (accepted, encoding, open) => {
    for (let n = 0; n < 2; n += 1) {
      const { headers, rawPayload } = await get('/console/assets/main-a1b2.js', { 'accept-encoding': accepted });
      expect(headers).toMatchObject({
        'content-type': 'text/javascript; charset=utf-8',
        'cache-control': 'public, max-age=31536000, immutable',
        vary: 'accept-encoding',
        'x-content-type-options': 'nosniff',
        'content-length': String(rawPayload.length),
      });
      expect(headers['content-encoding']).toBe(encoding);
      expect(open(rawPayload).toString()).toBe(SCRIPT);
    }
  });

  it('are asked for again by their tag, one for each encoding; what has no hash in its name each time', async () => {
    const plain = await get('/console/assets/main-a1b2.js');
    const gzip = await get('/console/assets/main-a1b2.js', { 'accept-encoding': 'gzip' });
    expect(plain.headers.etag).not.toBe(gzip.headers.etag);
    for (const tag of [String(plain.headers.etag), `W/${plain.headers.etag}`, `"x", ${plain.headers.etag}`, '*']) {
      const again = await get('/console/assets/main-a1b2.js', { 'if-none-match': tag });
      expect([again.statusCode, again.body, again.headers.etag]).toEqual([304, '', plain.headers.etag]);
    }
    expect((await get('/console/assets/main-a1b2.js', { 'if-none-match': '"x"' })).statusCode).toBe(200);
    const icon = await get('/console/icon.svg', { 'accept-encoding': 'br' });
    expect(icon.headers).toMatchObject({ 'cache-control': 'no-cache', 'content-type': 'image/svg+xml' });
    // A drawing that is opened by itself runs nothing either.
    expect(icon.headers['content-security-policy']).toContain("default-src 'none'");
    expect(icon.headers['content-encoding']).toBeUndefined();
  });

  it('of another build are 404, not a page in a script’s place; maps of sources are not there', async () => {
    for (const name of ['main-old.js', 'main-a1b2.js.map']) {
      const { statusCode, headers } = await get(`/console/assets/${name}`);
      expect([statusCode, headers['cache-control']]).toEqual([404, 'no-store']);
    }
  });

  it('are those of the start: a build that comes later changes nothing until then', async () => {
    write('index.html', 'other');
    rmSync(join(folder, 'assets'), { recursive: true });
    expect(isPage(await get('/console/'))).toBe(true);
    expect((await get('/console/assets/main-a1b2.js')).body).toBe(SCRIPT);
    await app.close();
    await start();
    expect((await get('/console/')).body).toBe('other');
  });
});

describe('the ways in', () => {
  it('/console leads to /console/, and people at / as well', async () => {
    const html = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' };
    const at = async (url: string, headers = {}) => {
      const answer = await get(url, headers);
      return [answer.statusCode, answer.headers.location];
    };
    expect(await at('/console')).toEqual([302, '/console/']);
    expect(await at('/console?a=1')).toEqual([302, '/console/?a=1']);
    expect(await at('/console?//evil.example')).toEqual([302, '/console/?//evil.example']);
    expect(await at('/', html)).toEqual([302, '/console/']);
  });

  it('whoever calls the API at / is told what it always was', async () => {
    for (const headers of [{}, { accept: '*/*' }, { accept: 'application/json' }]) {
      expect((await get('/', headers)).json()).toEqual({ error: 'as ever' });
    }
  });
});

describe('without a build', () => {
  it('says how it is built, as a page that runs nothing', async () => {
    await app.close();
    rmSync(folder, { recursive: true });
    await start();
    for (const url of ['/console/', '/console/assets/main-a1b2.js', '/console/requests']) {
      const { statusCode, headers, body } = await get(url);
      expect([statusCode, headers['content-type']]).toEqual([404, 'text/html; charset=utf-8']);
      expect(headers['content-security-policy']).not.toContain('script-src');
      expect(body).toContain('npm run build');
    }
  });

  it('its place is told from the sources and from what was compiled of them', () => {
    const from = (path: string) => consoleFolder(`file:///app/${path}`);
    expect(from('src/server/console/console-files.ts')).toBe('/app/dist/console/');
    expect(from('dist/src/server/console/console-files.js')).toBe('/app/dist/console/');
  });

  it('a folder that is no console is refused before it fills the memory', async () => {
    write('big.txt', 'x'.repeat(33 * 1024 * 1024));
    await expect(readConsole(folder)).rejects.toThrow('is no console');
  });
});
