/** Sessions of the console over HTTP, as a browser uses them and as an attacker would (G-8). */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ADMIN_TOKEN, type AdminRig, type Answer, startAdminRig, WALL } from '../../../test/support/admin-rig.ts';
import { secretHash } from '../../config/secret-hash.ts';

const CONFIG = `
workspaces: { acme: {} }
keys: [{ name: dev, workspace: acme, secret: client-key-0123456789 }]
members:
  lead: { role: workspace_admin, workspace: acme, token: token-lead-0123456789 }
  user: { role: member, workspace: acme, token: token-user-0123456789 }
  admin: { role: member, workspace: acme, token: token-name-0123456789 }
`;
const HOUR = 60 * 60 * 1000;

let rig: AdminRig;
beforeEach(async () => {
  rig = await startAdminRig(CONFIG);
});
afterEach(() => rig.close());

type Headers = Readonly<Record<string, string>>;

const signIn = (token: unknown, headers: Headers = {}): Promise<Answer> =>
  rig.call('POST', '/admin/v1/session', { token: null, body: { token }, headers });
const call = (method: string, path: string, headers: Headers, body?: unknown): Promise<Answer> =>
  rig.call(method, `/admin/v1${path}`, { token: null, headers, ...(body === undefined ? {} : { body }) });

/** Its members go out as headers where a test asks with all of it; but the cookie, they say nothing there. */
type Browser = Readonly<Record<'id' | 'cookie' | 'csrf', string>>;

/** What a browser holds after it. */
async function browser(token: string = ADMIN_TOKEN): Promise<Browser> {
  const answer = await signIn(token);
  expect(answer.status).toBe(200);
  const [, id = ''] = /^understudy_session=([\w-]{43});/.exec(String(answer.headers['set-cookie'])) ?? [];
  return { id, cookie: `understudy_session=${id}`, csrf: String(answer.body['csrf_token']) };
}

const told = () => rig.audit.entries.map(({ action, actor }) => `${actor} ${action}`);
/** The clock of the gateway and its store moves on. */
function passes(ms: number): void {
  const { clock, storeClock } = rig.deps.gateway;
  for (const one of [clock, storeClock]) Object.assign(one, { wall: () => WALL + ms });
}

describe('signing in', () => {
  it('G-8: with the admin token or a member’s; the answer says who one is, the cookie is out of reach of scripts', async () => {
    const admin = await signIn(ADMIN_TOKEN);
    expect(admin).toMatchObject({
      status: 200,
      body: { name: 'admin', role: 'account_admin', workspace: null, expires_at: '2026-11-29T22:00:00.000Z' },
      headers: { 'cache-control': 'no-store' },
    });
    expect(admin.headers['set-cookie']).toMatch(
      /^understudy_session=[\w-]{43}; Path=\/; HttpOnly; SameSite=Strict; Max-Age=604800$/,
    );
    expect((await signIn(' token-lead-0123456789\n')).body).toMatchObject({ name: 'lead', workspace: 'acme' });
    expect((await signIn('token-user-0123456789')).body).toMatchObject({ role: 'member' });
  });

  it.each([
    [{ 'x-forwarded-proto': 'https' }, true],
    [{ 'x-forwarded-proto': 'https, http' }, true],
    [{ forwarded: 'for=1.2.3.4;proto=https' }, true],
    [{ 'x-forwarded-proto': 'http' }, false],
    [{ forwarded: 'for=1.2.3.4;proto=http;by=https' }, false],
  ])('G-8: the cookie is for TLS alone where the browser came by it: %j', async (headers: Headers, isSecure) => {
    const { headers: got } = await signIn(ADMIN_TOKEN, headers);
    expect(String(got['set-cookie']).endsWith('; Secure')).toBe(isSecure);
  });

  it('G-9: what is kept opens nothing: the hash of the id, and of the token', async () => {
    const { id, csrf } = await browser();
    const [kept] = [...rig.sessions.all.values()];
    expect(kept).toMatchObject({ idHash: secretHash(id), person: 'admin', csrfToken: csrf });
    expect(JSON.stringify([...rig.sessions.all, ...rig.audit.entries])).not.toContain(ADMIN_TOKEN);
    expect(JSON.stringify([...rig.sessions.all, ...rig.audit.entries])).not.toContain(id);
  });

  it('G-8: a session of somebody’s choice is not taken, and an earlier one of the same browser ends', async () => {
    const chosen = `understudy_session=${'A'.repeat(43)}`;
    const answer = await signIn(ADMIN_TOKEN, { cookie: chosen });
    expect(answer.headers['set-cookie']).not.toContain('AAAA');
    expect((await call('GET', '/session', { cookie: chosen })).status).toBe(401);
    const first = await browser();
    await signIn('token-lead-0123456789', { cookie: first.cookie });
    expect((await call('GET', '/session', { cookie: first.cookie })).status).toBe(401);
  });

  it('G-8: a wrong token is 401 in the same words whatever it is near to; a client key is told apart', async () => {
    const wrong = await Promise.all(['x', 'lead', 'admin', `${ADMIN_TOKEN}x`].map((token) => signIn(token)));
    expect(new Set(wrong.map(({ body }) => (body['error'] as { message: string }).message)).size).toBe(1);
    expect(wrong.map(({ status }) => status)).toEqual([401, 401, 401, 401]);
    expect(wrong.every(({ headers }) => headers['set-cookie'] === undefined)).toBe(true);
    expect((await signIn('client-key-0123456789')).body).toMatchObject({
      error: { code: 'invalid_api_key', message: expect.stringContaining('client key') },
    });
    expect(rig.sessions.all.size).toBe(0);
  });

  it('G-9: every token takes the same steps, whether it is known, another’s or nobody’s', async () => {
    const looks: string[] = [];
    const counting = <T>(name: string, map: ReadonlyMap<string, T>): ReadonlyMap<string, T> => {
      const get = (key: string): T | undefined => {
        looks.push(name);
        return map.get(key);
      };
      return Object.assign(new Map(map), { get });
    };
    const snapshot = rig.deps.gateway.snapshot();
    const doors = { members: counting('members', snapshot.members), keys: counting('keys', snapshot.keys) };
    Object.assign(rig.deps.gateway, { snapshot: () => ({ ...snapshot, ...doors }) });
    for (const token of [ADMIN_TOKEN, 'token-lead-0123456789', 'client-key-0123456789', 'x', 'x'.repeat(4000)]) {
      await signIn(token);
      expect(looks.splice(0), token).toEqual(['members', 'keys']);
    }
  });

  it.each([
    [{}, 'token'],
    [{ token: 7 }, 'token'],
    [{ token: '' }, 'token'],
    [{ token: 'x'.repeat(4097) }, 'token'],
    [{ token: ADMIN_TOKEN, remember: true }, 'remember'],
  ])('G-8: the body %j is 400 and names %s', async (body: object, param) => {
    const answer = await rig.call('POST', '/admin/v1/session', { token: null, body });
    expect(answer).toMatchObject({ status: 400, body: { error: { param } } });
  });

  it('G-8: too large a body is 413, another type 415, another method 405', async () => {
    const ask = (method: string, body: string, type: string) =>
      rig.call(method, '/admin/v1/session', { body, headers: { 'content-type': type } });
    expect((await ask('POST', 'x'.repeat(20_000), 'application/json')).status).toBe(413);
    expect((await ask('POST', 'token=x', 'text/plain')).status).toBe(415);
    expect(await ask('PUT', '{}', 'application/json')).toMatchObject({
      status: 405,
      headers: { allow: 'DELETE, GET, POST' },
    });
  });

  it('G-8: after five failures the address waits, whatever it sends; the answer says how long', async () => {
    for (let n = 0; n < 5; n += 1) expect((await signIn('wrong')).status).toBe(401);
    expect(await signIn(ADMIN_TOKEN)).toMatchObject({
      status: 429,
      headers: { 'retry-after': '1' },
      body: {
        error: {
          code: 'sign_in_delayed',
          message: expect.stringContaining('in 1 s'),
          retry_at: '2026-11-29T10:00:01.000Z',
        },
      },
    });
    expect((await signIn(ADMIN_TOKEN, { 'x-forwarded-for': '1.2.3.4' })).status).toBe(200);
  });

  it('H-5: a store that is away is 503, and costs no try', async () => {
    rig.sessions.isAway = true;
    for (let n = 0; n < 7; n += 1) {
      expect(await signIn(ADMIN_TOKEN)).toMatchObject({ status: 503, body: { error: { code: 'store_unavailable' } } });
    }
    rig.sessions.isAway = false;
    expect((await signIn(ADMIN_TOKEN)).status).toBe(200);
    expect(told()).toEqual(['admin admin.sign_in']);
  });

  it('G-7: who signed in, who signed out, who was refused', async () => {
    const { cookie, csrf } = await browser('token-lead-0123456789');
    await call('GET', '/keys', { cookie });
    await call('DELETE', '/session', { cookie, 'x-understudy-csrf': csrf });
    await signIn('wrong');
    expect(rig.audit.entries).toMatchObject([
      { action: 'admin.sign_in', actor: 'lead', object: 'admin lead', after: { role: 'workspace_admin' } },
      { action: 'admin.sign_out', actor: 'lead', ip: '127.0.0.1' },
      { action: 'admin.login_refused', actor: '(unknown)', after: { code: 'invalid_api_key' } },
    ]);
  });
});

describe('a session', () => {
  it('G-8: opens what its token opens, and nothing else; the token beats the cookie', async () => {
    const lead = await browser('token-lead-0123456789');
    expect((await call('GET', '/keys', lead)).status).toBe(200);
    expect((await call('GET', '/members', lead)).status).toBe(403);
    const both = { ...lead, authorization: `Bearer ${ADMIN_TOKEN}` };
    expect((await call('GET', '/members', both)).status).toBe(200);
    expect((await call('GET', '/keys', { ...lead, authorization: 'Bearer wrong' })).status).toBe(401);
    // As a proxy with a password of its own in front would send it.
    expect((await call('GET', '/keys', { ...lead, authorization: 'Basic eDp5' })).status).toBe(200);
  });

  it('G-8: a member reaches no trace by it, as by its token', async () => {
    const user = await browser('token-user-0123456789');
    expect((await call('GET', '/session', user)).body).toMatchObject({ name: 'user', role: 'member' });
    for (const path of ['/requests', '/requests/req_1', '/keys', '/usage', '/audit', '/policies', '/alerts']) {
      expect((await call('GET', path, user)).status, path).toBe(403);
    }
  });

  it('G-8: a member who is called admin is none', async () => {
    const { cookie } = await browser('token-name-0123456789');
    expect([...rig.sessions.all.values()].map(({ person }) => person)).toEqual(['member admin']);
    expect((await call('GET', '/keys', { cookie })).status).toBe(403);
  });

  it('G-8: GET tells the same again; without one it is 401, and nobody writes that down', async () => {
    const { cookie, csrf } = await browser();
    expect((await call('GET', '/session', { cookie })).body).toMatchObject({ name: 'admin', csrf_token: csrf });
    for (const headers of [{}, { cookie: '' }, { cookie: 'understudy_session=x' }, { cookie: 'other=1' }]) {
      expect((await call('GET', '/session', headers)).status).toBe(401);
      expect((await call('GET', '/keys', headers)).status).toBe(401);
    }
    expect(told()).toEqual(['admin admin.sign_in']);
  });

  it('G-8: of two cookies of our name none is taken', async () => {
    const [one, other] = [await browser(), await browser('token-lead-0123456789')];
    expect((await call('GET', '/keys', { cookie: `${one.cookie}; ${other.cookie}` })).status).toBe(401);
    expect((await call('GET', '/keys', { cookie: `a=b; ${one.cookie}; ${one.cookie}` })).status).toBe(200);
  });

  it('G-8: ends with the admin token that opened it', async () => {
    const { cookie } = await browser();
    rig.state.adminTokenHash = secretHash('another-token-0123456789');
    expect((await call('GET', '/keys', { cookie })).status).toBe(401);
    expect((await call('GET', '/session', { cookie })).status).toBe(401);
  });

  it('G-8: ends with its member, or its member’s token, at once', async () => {
    const { cookie } = await browser('token-lead-0123456789');
    const snapshot = rig.deps.gateway.snapshot();
    const lead = snapshot.members.get(secretHash('token-lead-0123456789'))!;
    for (const members of [
      new Map(),
      new Map([[secretHash('renewed'), lead]]),
      // The token is somebody else's by now.
      new Map([[lead.hash, { ...lead, name: 'other' }]]),
    ]) {
      Object.assign(rig.deps.gateway, { snapshot: () => ({ ...snapshot, members }) });
      expect((await call('GET', '/keys', { cookie })).status).toBe(401);
    }
    Object.assign(rig.deps.gateway, { snapshot: () => snapshot });
    expect((await call('GET', '/keys', { cookie })).status).toBe(200);
  });

  it('G-8: what its role may is asked at every call', async () => {
    const { cookie } = await browser('token-lead-0123456789');
    const snapshot = rig.deps.gateway.snapshot();
    const lead = snapshot.members.get(secretHash('token-lead-0123456789'))!;
    const members = new Map([[lead.hash, { ...lead, role: 'member' as const }]]);
    Object.assign(rig.deps.gateway, { snapshot: () => ({ ...snapshot, members }) });
    expect((await call('GET', '/keys', { cookie })).status).toBe(403);
  });

  it('G-8: ends after twelve hours unused, and after seven days in any case; use is written once a minute', async () => {
    const idle = await browser();
    const used = await browser();
    for (let ms = 0; ms < 7 * 24 * HOUR; ms += 6 * HOUR) {
      passes(ms);
      expect((await call('GET', '/keys', used)).status).toBe(200);
      expect((await call('GET', '/keys', used)).status).toBe(200);
    }
    expect(rig.sessions.touched).toHaveLength(27);
    expect((await call('GET', '/keys', idle)).status).toBe(401);
    passes(7 * 24 * HOUR - 1);
    expect((await call('GET', '/session', used)).body).toMatchObject({ expires_at: '2026-12-06T10:00:00.000Z' });
    passes(7 * 24 * HOUR);
    expect((await call('GET', '/keys', used)).status).toBe(401);
  });

  it('G-8: a person has twenty, the oldest go; another’s stay', async () => {
    const other = await browser('token-lead-0123456789');
    const all: Browser[] = [];
    for (let n = 0; n < 21; n += 1) {
      passes(n);
      all.push(await browser());
    }
    expect((await call('GET', '/session', all[0]!)).status).toBe(401);
    expect((await call('GET', '/session', all[1]!)).status).toBe(200);
    expect((await call('GET', '/session', other)).status).toBe(200);
  });

  it('H-5: while the store is away it is 503, not 401: nobody is signed out by that', async () => {
    const { cookie, csrf } = await browser();
    rig.sessions.isAway = true;
    for (const [method, path] of [
      ['GET', '/keys'],
      ['GET', '/session'],
      ['DELETE', '/session'],
    ] as const) {
      const answer = await call(method, path, { cookie, 'x-understudy-csrf': csrf });
      expect(answer).toMatchObject({ status: 503, headers: { 'retry-after': '1' } });
      expect(answer.headers['set-cookie']).toBeUndefined();
    }
    rig.sessions.isAway = false;
    expect((await call('GET', '/keys', { cookie })).status).toBe(200);
    expect(told()).toEqual(['admin admin.sign_in']);
  });
});

describe('signing out', () => {
  it('G-8: ends the session and takes the cookie away; a second time is as good', async () => {
    const { cookie, csrf } = await browser();
    for (let n = 0; n < 2; n += 1) {
      const answer = await call('DELETE', '/session', { cookie, 'x-understudy-csrf': csrf });
      expect(answer).toMatchObject({ status: 200, body: {} });
      expect(answer.headers['set-cookie']).toBe('understudy_session=; Path=/; HttpOnly; SameSite=Strict; Max-Age=0');
    }
    expect((await call('GET', '/keys', { cookie })).status).toBe(401);
    expect(told()).toEqual(['admin admin.sign_in', 'admin admin.sign_out']);
  });

  it('G-8: a foreign page signs nobody out', async () => {
    const { cookie } = await browser();
    const answer = await call('DELETE', '/session', { cookie });
    expect([answer.status, answer.headers['set-cookie']]).toEqual([403, undefined]);
    expect((await call('GET', '/keys', { cookie })).status).toBe(200);
  });
});

describe('changes by a session', () => {
  const make = (headers: Headers): Promise<Answer> => call('POST', '/workspaces', headers, { name: 'new' });

  it.each(['', 'x', 'A'.repeat(43), null])('G-8: with the CSRF token %j they are refused', async (csrf) => {
    const { cookie } = await browser();
    const answer = await make({ cookie, ...(csrf === null ? {} : { 'x-understudy-csrf': csrf }) });
    expect(answer).toMatchObject({ status: 403, body: { error: { code: 'permission_denied' } } });
    expect(rig.objects.puts).toEqual([]);
  });

  it('G-8: another session’s CSRF token is as good as none', async () => {
    const [one, other] = [await browser(), await browser()];
    expect((await make({ cookie: one.cookie, 'x-understudy-csrf': other.csrf })).status).toBe(403);
    expect((await make({ cookie: one.cookie, 'x-understudy-csrf': one.csrf })).status).toBe(201);
  });

  it('G-8: every route that changes something needs it', async () => {
    const { cookie } = await browser();
    const changing = rig.routed.filter((one) => /^(POST|PUT|PATCH|DELETE) \/admin/.test(one));
    expect(changing.length).toBeGreaterThan(30);
    for (const one of changing) {
      const [method = '', url = ''] = one.split(' ');
      if (one === 'POST /admin/v1/session') continue;
      const answer = await rig.call(method, url, { token: null, headers: { cookie } });
      expect(answer.status, one).toBe(403);
    }
  });

  it.each([
    [{ 'sec-fetch-site': 'cross-site' }, 403],
    [{ 'sec-fetch-site': 'same-site' }, 403],
    [{ 'sec-fetch-site': 'same-origin', origin: 'https://behind.a.proxy' }, 201],
    [{ 'sec-fetch-site': 'none' }, 201],
    [{ origin: 'https://evil.example' }, 403],
    [{ origin: 'null' }, 403],
    [{ origin: 'https://console.example', host: 'console.example' }, 201],
    [{ origin: 'https://console.example', host: 'console.example:443' }, 201],
    [{ origin: 'https://console.example:8443', host: 'console.example' }, 403],
    [{ origin: 'https://console.example', host: '10.0.0.7:4000', 'x-forwarded-host': 'console.example' }, 201],
    [{ origin: 'https://console.example.evil.example', host: 'console.example' }, 403],
    [{}, 201],
  ])('G-8: with %j they are answered with %i', async (headers: Headers, status) => {
    const { cookie, csrf } = await browser();
    expect((await make({ cookie, 'x-understudy-csrf': csrf, ...headers })).status).toBe(status);
    const again = await signIn(ADMIN_TOKEN, headers);
    expect(again.status).toBe(status === 201 ? 200 : 403);
  });
});

describe('what a browser makes of an answer', () => {
  it('E-5: none of the plane is ever a page, whatever text is in it', async () => {
    const { cookie } = await browser();
    for (const [method, path] of [
      ['GET', '/admin/v1/keys'],
      ['GET', '/admin/v1/session'],
      ['GET', '/admin/v1/%3Cscript%3Ealert(1)%3C%2Fscript%3E'],
      ['DELETE', '/admin/v1/keys/none'],
    ] as const) {
      const { headers } = await rig.call(method, path, { token: null, headers: { cookie } });
      expect(headers, path).toMatchObject({
        'content-type': expect.stringContaining('application/json'),
        'x-content-type-options': 'nosniff',
        'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
        'cache-control': 'no-store',
      });
      expect(headers['access-control-allow-origin']).toBeUndefined();
    }
  });
});
