/** The console's sessions and pages on one running gateway, as somebody who means harm would use them (G-8, G-9). */
import { mkdirSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ADMIN, AdminE2e, FILE_KEY, fileConfig } from '../e2e/admin-rig.ts';
import { chatRequest, type RawAnswer, sendRaw } from '../faults/raw-client.ts';

let rig: AdminE2e;
const tokens: Record<string, string> = {};

beforeAll(async () => {
  rig = await AdminE2e.make();
  const consoleFolder = join(rig.dataDir, '..', 'console');
  mkdirSync(join(consoleFolder, 'assets'), { recursive: true });
  writeFileSync(join(consoleFolder, 'index.html'), '<!doctype html><script nonce="__CSP_NONCE__"></script>');
  writeFileSync(join(consoleFolder, 'assets', 'a-1.js'), 'a');
  await rig.start(fileConfig(), { consoleFolder });
  await rig.admin('POST', '/workspaces', { name: 'acme' });
  for (const [name, role, workspace] of [
    ['boss', 'account_admin', undefined],
    ['user', 'member', 'filed'],
    ['other', 'member', 'acme'],
  ] as const) {
    const { body } = await rig.admin('POST', '/members', { name, role, ...(workspace ? { workspace } : {}) });
    tokens[name] = String(body['token']);
  }
});
afterAll(() => rig.remove());

type Headers = Readonly<Record<string, string>>;

const send = (method: string, path: string, headers: Headers = {}, body?: object): Promise<RawAnswer> =>
  sendRaw({ url: `${rig.gateway.url}${path}`, method, headers, ...(body === undefined ? {} : { body }) });

interface Session {
  readonly cookie: string;
  readonly csrf: Headers;
}

async function signIn(token: string): Promise<Session> {
  const answer = await send('POST', '/admin/v1/session', {}, { token });
  expect(answer.status).toBe(200);
  const cookie = String(answer.headers['set-cookie']).split(';')[0] ?? '';
  const { csrf_token: csrf } = JSON.parse(answer.text) as { csrf_token: string };
  return { cookie, csrf: { 'x-understudy-csrf': csrf } };
}
const status = async (path: string, { cookie }: Session): Promise<number> =>
  (await send('GET', path, { cookie })).status ?? 0;

/** A finished request of the file's key, in the workspace `filed`. */
async function request(): Promise<string> {
  const answer = await sendRaw({
    url: `${rig.gateway.url}/v1/chat/completions`,
    headers: { authorization: `Bearer ${FILE_KEY}` },
    body: chatRequest('ok'),
  });
  const id = String(answer.headers['x-request-id']);
  await expect.poll(async () => (await rig.admin('GET', `/requests/${id}`)).status).toBe(200);
  return id;
}

describe('a member’s session', () => {
  it('G-8: shows its workspace’s requests without their trace, and reaches no trace by address', async () => {
    const id = await request();
    const user = await signIn(tokens['user']!);
    const own = await send('GET', `/v1/requests/${id}`, { cookie: user.cookie });
    expect(own.status).toBe(200);
    expect(JSON.parse(own.text)).toMatchObject({ id, served_model: 'ok' });
    expect(own.text).not.toMatch(/attempts|candidates|stages|credential/);
    expect(own.headers['content-security-policy']).toContain("default-src 'none'");
    for (const path of [`/admin/v1/requests/${id}`, '/admin/v1/requests', '/admin/v1/requests?limit=1']) {
      expect(await status(path, user)).toBe(403);
    }
  });

  it('G-8: another workspace’s member sees it no more than one that never was', async () => {
    const id = await request();
    const other = await signIn(tokens['other']!);
    const look = async (which: string) => {
      const answer = await send('GET', `/v1/requests/${which}`, { cookie: other.cookie });
      const { error } = JSON.parse(answer.text) as { error: { message: string } };
      return [answer.status, error.message.replace(which, 'ID')];
    };
    expect(await look(id)).toEqual(await look('req_none'));
    const { headers, text } = await send('GET', `/v1/requests/${id}`, { cookie: 'understudy_session=x' });
    expect([JSON.parse(text), headers['set-cookie']]).toMatchObject([
      { error: { code: 'missing_api_key' } },
      undefined,
    ]);
  });

  it('G-8: an account admin’s sees all of them', async () => {
    const id = await request();
    for (const token of [ADMIN, tokens['boss']!]) {
      expect(await status(`/v1/requests/${id}`, await signIn(token))).toBe(200);
    }
  });

  it('G-9: opens nothing of the data plane', async () => {
    const { cookie, csrf } = await signIn(ADMIN);
    for (const path of ['/v1/chat/completions', '/v1/plan']) {
      expect((await send('POST', path, { cookie, ...csrf }, chatRequest('ok'))).status).toBe(401);
    }
    for (const path of ['/v1/models', '/v1/key']) expect((await send('GET', path, { cookie })).status).toBe(401);
  });
});

describe('the end of a session', () => {
  it('G-8: comes at once with the member', async () => {
    const { body } = await rig.admin('POST', '/members', { name: 'gone', role: 'workspace_admin', workspace: 'acme' });
    const session = await signIn(String(body['token']));
    expect(await status('/admin/v1/keys', session)).toBe(200);
    expect((await rig.admin('DELETE', '/members/gone')).status).toBe(200);
    expect(await status('/admin/v1/keys', session)).toBe(401);
    expect(await status('/admin/v1/session', session)).toBe(401);
    expect(await status('/v1/requests/req_1', session)).toBe(401);
  });

  it('G-8: comes with another admin token, members’ stay; a restart ends none', async () => {
    const [admin, boss] = [await signIn(ADMIN), await signIn(tokens['boss']!)];
    await rig.write(fileConfig({ admin: { token: 'another-token-0123456789' } }));
    expect((await rig.gateway.reload()).ok).toBe(true);
    expect([await status('/admin/v1/keys', admin), await status('/admin/v1/keys', boss)]).toEqual([401, 200]);
    await rig.write(fileConfig());
    expect((await rig.gateway.reload()).ok).toBe(true);
    await rig.start(undefined, { consoleFolder: join(rig.dataDir, '..', 'console') });
    expect([await status('/admin/v1/keys', admin), await status('/admin/v1/keys', boss)]).toEqual([200, 200]);
    await send('DELETE', '/admin/v1/session', { cookie: boss.cookie, ...boss.csrf });
    await rig.start(undefined, { consoleFolder: join(rig.dataDir, '..', 'console') });
    expect(await status('/admin/v1/keys', boss)).toBe(401);
  });
});

describe('forged calls', () => {
  it('G-8: a form of another site changes nothing, whatever it sends', async () => {
    const { cookie } = await signIn(ADMIN);
    for (const headers of [
      { 'content-type': 'text/plain' },
      { 'content-type': 'application/json', origin: 'https://evil.example' },
      { 'content-type': 'application/x-www-form-urlencoded', 'sec-fetch-site': 'cross-site' },
      {},
    ]) {
      const answer = await send('POST', '/admin/v1/workspaces', { cookie, ...headers }, { name: 'forged' });
      expect(answer.status).toBe(403);
    }
    expect((await rig.admin('GET', '/workspaces/forged')).status).toBe(404);
  });

  it('G-8: nobody is signed in by another site’s page', async () => {
    const answer = await send('POST', '/admin/v1/session', { 'sec-fetch-site': 'cross-site' }, { token: ADMIN });
    expect([answer.status, answer.headers['set-cookie']]).toEqual([403, undefined]);
  });

  it('G-9: no other origin may read an answer', async () => {
    const { cookie } = await signIn(ADMIN);
    for (const method of ['GET', 'OPTIONS']) {
      const { headers } = await send(method, '/admin/v1/session', { cookie, origin: 'https://evil.example' });
      expect(Object.keys(headers).filter((name) => name.startsWith('access-control'))).toEqual([]);
      expect(headers['cross-origin-resource-policy']).toBe('same-origin');
    }
  });
});

/** Status, headers and body as they came, of a path that goes out as it is. */
function raw(method: string, path: string, headers: readonly string[] = []): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(Number(new URL(rig.gateway.url).port), '127.0.0.1');
    let text = '';
    socket.setEncoding('utf8');
    socket.on('data', (part: string) => {
      text += part;
    });
    socket.on('close', () => resolve(text));
    socket.on('error', reject);
    socket.write(`${[`${method} ${path} HTTP/1.1`, 'host: x', 'connection: close', ...headers].join('\r\n')}\r\n\r\n`);
  });
}

describe('the console’s pages', () => {
  it.each([
    '/console/../data/understudy.db',
    '/console/%2e%2e/data/state.db',
    '/console/..%2f..%2f..%2fetc%2fpasswd',
    '/console/..%5c..%5cdata%5cstate.db',
    '/console/assets/../../data/state.db',
    '/console/assets/%2e%2e%2f%2e%2e%2fdata%2fstate.db',
    '/console//etc/passwd',
    '/console/%00/etc/passwd',
    '/console/assets/a-1.js%00.css',
    'http://h/console/../data/state.db',
  ])('G-9: %s gives nothing but the page or an error', async (path) => {
    const text = await raw('GET', path);
    expect(text).toMatch(/^HTTP\/1\.1 (200|400|404) /);
    expect(text).not.toMatch(/SQLite format|root:/);
    if (text.startsWith('HTTP/1.1 200')) expect(text).toContain('<!doctype html><script nonce="');
  });

  it('G-9: nothing that is sent becomes a header of the answer', async () => {
    // The second: letters whose lower byte is a line's end.
    for (const path of ['/console?%0d%0aset-cookie:%20a=b', '/console?\u010d\u010aset-cookie:a=b']) {
      const text = await raw('GET', path);
      expect(text).toMatch(/^HTTP\/1\.1 (302|400) /);
      expect(text.toLowerCase()).not.toContain('\nset-cookie');
    }
    const session = await raw('GET', '/admin/v1/session', ['cookie: understudy_session=%0d%0ax-evil:1']);
    expect(session).toMatch(/^HTTP\/1\.1 401/);
    expect(session.toLowerCase()).not.toContain('x-evil');
  });

  it('G-9: pages and files are for everybody, and hold nothing of the gateway', async () => {
    expect(await raw('GET', '/console/')).toMatch(
      /content-security-policy: default-src 'none'; script-src 'self' 'nonce-/,
    );
    expect(await raw('GET', '/console/assets/a-1.js')).toContain('immutable');
    expect(await raw('GET', '/', ['accept: text/html'])).toMatch(/^HTTP\/1\.1 302 [\s\S]*location: \/console\/\r\n/);
    expect(await raw('GET', '/', ['accept: */*'])).toMatch(/^HTTP\/1\.1 404 [\s\S]*"code":"not_found"/);
  });

  it('G-9: no log line holds a cookie, an id or a CSRF token', async () => {
    const { cookie, csrf } = await signIn(ADMIN);
    await send('POST', '/admin/v1/nothing', { cookie, ...csrf }, {});
    await send('DELETE', '/admin/v1/session', { cookie, ...csrf });
    const logged = rig.logged.join('');
    for (const secret of [cookie.split('=')[1]!, csrf['x-understudy-csrf']!, ADMIN])
      expect(logged).not.toContain(secret);
  });
});
