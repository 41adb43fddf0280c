/** Two workspaces that distrust each other, on one running gateway: what one learns of the other, and can do to it. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ADMIN, AdminE2e, fileConfig } from '../e2e/admin-rig.ts';
import { chatRequest, sendRaw } from '../faults/raw-client.ts';

/** Names of everything beta has: none of them may reach acme. */
const BETA = /beta|zebra/;

interface Answer {
  readonly status: number;
  readonly text: string;
  readonly body: Readonly<Record<string, unknown>>;
}

let rig: AdminE2e;
/** Tokens and keys by their names. */
const secrets: Record<string, string> = {};

async function as(who: string, method: string, path: string, body?: object): Promise<Answer> {
  const headers = { authorization: `Bearer ${secrets[who] ?? who}` };
  const answer = await sendRaw({
    url: `${rig.gateway.url}${path}`,
    method,
    headers,
    ...(body === undefined ? {} : { body }),
  });
  return { status: answer.status ?? 0, text: answer.text, body: bodyOf(answer.text) };
}

/** Of an export, which is no JSON: nothing. */
function bodyOf(text: string): Answer['body'] {
  return text.startsWith('{') && !text.includes('\n{') ? (JSON.parse(text) as Answer['body']) : {};
}

beforeAll(async () => {
  rig = await AdminE2e.make();
  await rig.start(fileConfig({ credentials: { shared: { provider: 'up', secret: 'shared-secret-0123456789' } } }));
  for (const [workspace, animal] of [
    ['acme', 'aardvark'],
    ['beta', 'zebra'],
  ] as const) {
    await rig.admin('POST', '/workspaces', {
      name: workspace,
      balance_usd: 5,
      virtual_models: { [`${animal}-model`]: { models: ['ok'] } },
    });
    for (const role of ['workspace_admin', 'member']) {
      const made = await rig.admin('POST', '/members', { name: `${workspace}-${role}`, role, workspace });
      secrets[`${workspace}-${role}`] = String(made.body['token']);
    }
    const key = await rig.admin('POST', '/keys', { name: `${animal}-key`, workspace });
    secrets[`${animal}-key`] = String(key.body['secret']);
    const credential = {
      name: `${animal}-credential`,
      provider: 'up',
      kind: 'byok',
      workspace,
      secret: `${animal}-secret-0123456789`,
    };
    expect((await rig.admin('POST', '/credentials', credential)).status).toBe(201);
  }
  await ask('aardvark-key');
  await ask('zebra-key');
});
afterAll(() => rig.remove());

/** Asks once; the request's id. */
async function ask(key: string): Promise<string> {
  const answer = await sendRaw({
    url: `${rig.gateway.url}/v1/chat/completions`,
    body: chatRequest('ok'),
    headers: { authorization: `Bearer ${secrets[key]}` },
  });
  expect(answer.status).toBe(200);
  return String(answer.headers['x-request-id']);
}

type Document = { readonly paths: Readonly<Record<string, Readonly<Record<string, object>>>> };
/** Every route behind a role. Signing in and out is everybody's, and tells who one is oneself. */
async function documented(): Promise<{ method: string; path: string }[]> {
  const { paths } = (await as('nobody', 'GET', '/openapi.json')).body as unknown as Document;
  return Object.entries(paths)
    .filter(([path]) => path.startsWith('/admin') && path !== '/admin/v1/session')
    .flatMap(([path, operations]) => Object.keys(operations).map((method) => ({ method: method.toUpperCase(), path })));
}

describe('two workspaces', () => {
  it('G-8: no list of the plane tells one of the other', async () => {
    const lists = (await documented()).filter(({ method, path }) => method === 'GET' && !path.includes('{'));
    expect(lists.length).toBeGreaterThan(8);
    for (const { path } of lists) {
      const answer = await as('acme-workspace_admin', 'GET', path);
      if (answer.status === 403) continue;
      expect(answer.status, path).toBe(200);
      expect(answer.text, path).not.toMatch(BETA);
    }
    const usage = await as('acme-workspace_admin', 'GET', '/admin/v1/usage?by=workspace');
    expect(usage.body['data']).toEqual([expect.objectContaining({ name: 'acme' })]);
  });

  it('G-8, P-7: a trace names every candidate of the request, and none of another workspace', async () => {
    const trace = await as(
      'acme-workspace_admin',
      'GET',
      `/admin/v1/requests/${await ask('aardvark-key')}?include=events`,
    );
    expect(trace.status).toBe(200);
    expect(trace.text).toContain('aardvark-credential');
    expect(trace.text).not.toMatch(BETA);
    const other = await ask('zebra-key');
    expect((await as('acme-workspace_admin', 'GET', `/admin/v1/requests/${other}`)).status).toBe(404);
    expect((await as('acme-member', 'GET', `/v1/requests/${other}`)).status).toBe(404);
    expect((await as('aardvark-key', 'GET', `/v1/requests/${other}`)).status).toBe(404);
  });

  it('G-8: nothing of the other can be read, changed or removed, by any route there is', async () => {
    const before = (await rig.admin('GET', '/workspaces/beta')).body;
    const bodies = [
      undefined,
      {},
      { models: ['ok'] },
      { topup_usd: 5 },
      { order: 1 },
      { role: 'account_admin', workspace: null },
    ];
    for (const { method, path } of await documented()) {
      if (!path.includes('{') || path.includes('/requests/')) continue;
      for (const name of ['beta', 'zebra-key', 'zebra-credential', 'beta-member']) {
        const at = path.replace('{workspace}', 'beta').replace('{name}', 'zebra-model').replace('{id}', name);
        for (const body of bodies) {
          const answer = await as('acme-workspace_admin', method, at, body);
          // A body the route does not take may be refused before the object is looked for.
          expect([400, 403, 404], `${method} ${at} ${JSON.stringify(body)} ${answer.text}`).toContain(answer.status);
        }
      }
    }
    expect((await rig.admin('GET', '/workspaces/beta')).body).toEqual(before);
    expect((await rig.admin('GET', '/credentials/zebra-credential')).status).toBe(200);
    expect((await as('zebra-key', 'GET', '/v1/key')).body).toMatchObject({ balance: { balance_usd: 5 } });
  });

  it('G-8: a member and a client key reach no route of the plane', async () => {
    for (const { method, path } of await documented()) {
      const at = path.replace('{workspace}', 'acme').replace('{name}', 'aardvark-model').replace('{id}', 'acme');
      for (const who of ['acme-member', 'aardvark-key']) {
        const answer = await as(who, method, at, { name: 'x' });
        expect([answer.status, `${who} ${method} ${path}`]).toEqual([403, `${who} ${method} ${path}`]);
      }
      expect((await as('no-such-token', method, at)).status).toBe(401);
      expect((await as('', method, at)).status).toBe(401);
    }
  });

  it('G-8: an admin of one workspace does not become more than that', async () => {
    for (const [method, path, body] of [
      ['POST', '/members', { name: 'me', role: 'account_admin' }],
      ['PATCH', '/members/acme-workspace_admin', { role: 'account_admin', workspace: null }],
      ['POST', '/apply', { text: 'version: 1' }],
      ['POST', '/seal/rotate', {}],
      ['POST', '/workspaces', { name: 'third' }],
      ['PATCH', '/workspaces/acme', { balance_usd: 1_000_000 }],
      ['POST', '/workspaces/acme/balance', { topup_usd: 1 }],
      ['POST', '/keys/aardvark-key/lift', {}],
    ] as const) {
      expect((await as('acme-workspace_admin', method, `/admin/v1${path}`, body)).status, path).toBe(403);
    }
  });

  it('G-8: a taken name is told as taken, not by whom', async () => {
    const credential = { name: 'zebra-credential', provider: 'up', secret: 'mine-0123456789' };
    for (const [path, body] of [
      ['/keys', { name: 'zebra-key' }],
      ['/credentials', credential],
    ] as const) {
      const answer = await as('acme-workspace_admin', 'POST', `/admin/v1${path}`, body);
      expect([answer.status, (answer.body['error'] as { code: string }).code]).toEqual([409, 'conflict']);
      expect(answer.text).not.toMatch(/beta/);
    }
    expect((await as('zebra-key', 'GET', '/v1/key')).status).toBe(200);
  });

  it('G-8: removing a member or changing its role counts from the next call on', async () => {
    const made = await rig.admin('POST', '/members', { name: 'brief', role: 'workspace_admin', workspace: 'acme' });
    secrets['brief'] = String(made.body['token']);
    expect((await as('brief', 'GET', '/admin/v1/keys')).status).toBe(200);
    await rig.admin('PATCH', '/members/brief', { role: 'member' });
    expect((await as('brief', 'GET', '/admin/v1/keys')).status).toBe(403);
    await rig.admin('DELETE', '/members/brief');
    expect((await as('brief', 'GET', '/admin/v1/keys')).status).toBe(401);
  });

  it('G-9, E-5: no token, key or secret is in any answer, nor in the log', async () => {
    const all = [
      ...Object.values(secrets),
      'aardvark-secret-0123456789',
      'zebra-secret-0123456789',
      'shared-secret-0123456789',
    ];
    const texts = [rig.logged.join('')];
    for (const { method, path } of await documented()) {
      if (method !== 'GET') continue;
      for (const id of ['acme', 'aardvark-key', 'aardvark-credential', 'acme-member']) {
        texts.push((await as('acme-workspace_admin', method, path.replace('{id}', id))).text);
        texts.push((await as(ADMIN, method, path.replace('{id}', id))).text);
      }
    }
    for (const secret of all) expect(texts.some((text) => text.includes(secret.slice(0, 16)))).toBe(false);
  });
});
