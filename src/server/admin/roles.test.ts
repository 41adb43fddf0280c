/** The role matrix: every route with every role. A route without a row here fails. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type AdminRig, recordOf, startAdminRig, WALL } from '../../../test/support/admin-rig.ts';
import type { DeliveryRecord } from '../../ports/events.ts';
import { adminRoutes } from './admin-routes.ts';

const CONFIG = `
workspaces: { acme: { enabled_models: ["up/*"] }, beta: { balance_usd: 5 } }
providers: { up: { type: sim } }
credentials:
  platform: { provider: up, secret: p-secret-000000 }
  acme-own: { provider: up, secret: a-secret-000000, kind: byok, workspace: acme }
  beta-own: { provider: up, secret: b-secret-000000, kind: byok, workspace: beta }
models: { up/one: {}, other/two: { channels: [{ provider: up, model: x }] } }
keys: [{ name: acme-key, workspace: acme, secret: client-key-0123456789 }, { name: old, secret: old-key-0123456789, expires_at: 2020-01-01 }]
webhooks:
  thing: { url: https://hooks.example/, secret: whsec_MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIz }
  of-acme: { url: https://hooks.example/a, secret: whsec_MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIz, workspace: acme }
  of-beta: { url: https://hooks.example/b, secret: whsec_MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIz, workspace: beta }
members:
  boss: { role: account_admin, token: token-boss-0123456789 }
  lead: { role: workspace_admin, workspace: acme, token: token-lead-0123456789 }
  user: { role: member, workspace: acme, token: token-user-0123456789 }
`;
const TOKENS = {
  account: 'token-boss-0123456789',
  own: 'token-lead-0123456789',
  member: 'token-user-0123456789',
} as const;

/** `all`: everywhere; `own`: in its own workspace; `no`: 403. Account admins may all of it, members none of it. */
type WorkspaceAdmin = 'all' | 'own' | 'no';

const MATRIX: Readonly<Record<string, WorkspaceAdmin>> = {
  'GET /v1/overview': 'own',
  'GET /v1/requests': 'own',
  'GET /v1/requests/export': 'own',
  'GET /v1/requests/{id}': 'own',
  'GET /v1/requests/running': 'own',
  'GET /v1/requests/running/{id}': 'own',
  'GET /v1/health/targets': 'own',
  'GET /v1/alerts': 'own',
  'POST /v1/health/targets/{id}/reset': 'no',
  'POST /v1/health/targets/{id}/drain': 'no',
  'POST /v1/health/targets/{id}/undrain': 'no',
  'POST /v1/plan': 'own',
  'GET /v1/usage': 'own',
  'GET /v1/workspaces': 'own',
  'POST /v1/workspaces': 'no',
  'GET /v1/workspaces/{id}': 'own',
  'PUT /v1/workspaces/{id}': 'own',
  'PATCH /v1/workspaces/{id}': 'own',
  'DELETE /v1/workspaces/{id}': 'no',
  'GET /v1/workspaces/{id}/balance': 'own',
  'GET /v1/workspaces/{id}/balance/entries': 'own',
  'POST /v1/workspaces/{id}/balance': 'no',
  'GET /v1/keys': 'own',
  'POST /v1/keys': 'own',
  'GET /v1/keys/{id}': 'own',
  'PATCH /v1/keys/{id}': 'own',
  'DELETE /v1/keys/{id}': 'own',
  'POST /v1/keys/{id}/lift': 'no',
  'GET /v1/credentials': 'own',
  'POST /v1/credentials': 'own',
  'GET /v1/credentials/{id}': 'own',
  'PATCH /v1/credentials/{id}': 'own',
  'DELETE /v1/credentials/{id}': 'own',
  'POST /v1/credentials/reorder': 'own',
  'GET /v1/members': 'no',
  'POST /v1/members': 'no',
  'GET /v1/members/{id}': 'no',
  'PATCH /v1/members/{id}': 'no',
  'DELETE /v1/members/{id}': 'no',
  'GET /v1/models': 'own',
  'GET /v1/channels': 'own',
  'GET /v1/virtual-models': 'own',
  'PUT /v1/virtual-models/{workspace}/{name}': 'own',
  'DELETE /v1/virtual-models/{workspace}/{name}': 'own',
  'GET /v1/policies': 'all',
  'POST /v1/policies/what-if': 'own',
  'GET /v1/webhooks': 'own',
  'POST /v1/webhooks': 'own',
  'GET /v1/webhooks/{id}': 'own',
  'PATCH /v1/webhooks/{id}': 'own',
  'DELETE /v1/webhooks/{id}': 'own',
  'POST /v1/webhooks/{id}/renew-secret': 'own',
  'DELETE /v1/webhooks/{id}/previous-secret': 'own',
  'POST /v1/webhooks/{id}/test': 'own',
  'GET /v1/webhooks/{id}/deliveries': 'own',
  'POST /v1/deliveries/{id}/replay': 'own',
  'GET /v1/audit': 'own',
  'POST /v1/seal/rotate': 'no',
  'GET /v1/entitlement/keys': 'all',
  'POST /v1/entitlement/rotate': 'no',
  'POST /v1/entitlement/revoke': 'no',
  'POST /v1/apply': 'no',
};

/** A body that each route with one accepts. */
const BODIES: Readonly<Record<string, object>> = {
  'POST /v1/plan': { key: 'acme-key', request: {} },
  'POST /v1/policies/what-if': { policy: 'strict' },
  'POST /v1/workspaces': { name: 'new' },
  'PUT /v1/workspaces/{id}': { auto: [] },
  'PATCH /v1/workspaces/{id}': { auto: [] },
  'POST /v1/workspaces/{id}/balance': { topup_usd: 1 },
  'POST /v1/keys': { name: 'new' },
  'PATCH /v1/keys/{id}': { models: ['*'] },
  'POST /v1/credentials': { name: 'new', provider: 'up', secret: 's-new-0123456789' },
  'PATCH /v1/credentials/{id}': { order: 3 },
  'POST /v1/credentials/reorder': { names: ['thing'] },
  'POST /v1/members': { name: 'new', role: 'account_admin' },
  'PATCH /v1/members/{id}': { role: 'account_admin', workspace: null },
  'POST /v1/webhooks': { name: 'new', url: 'https://hooks.example/' },
  'PATCH /v1/webhooks/{id}': { enabled: false },
  'PUT /v1/virtual-models/{workspace}/{name}': { models: ['up/one'] },
};

let rig: AdminRig;
beforeEach(async () => {
  rig = await startAdminRig(CONFIG);
});
afterEach(() => rig.close());

const routes = () =>
  adminRoutes(rig.deps).map(({ method, path, status = 200 }) => ({ method, path, status, name: `${method} ${path}` }));

/** Puts an object of every kind into `workspace`, all named `thing` but the workspace itself. */
function fill(workspace: string): void {
  rig.objects.forgetAll();
  rig.objects.have('workspace', workspace, { virtual_models: { v: { models: ['up/one'] } } });
  rig.objects.have('key', 'thing', { workspace });
  rig.objects.have('credential', 'thing', { provider: 'up', kind: 'byok', workspace });
  rig.objects.have('member', 'thing', { role: 'member', workspace });
  rig.objects.have('webhook', 'thing', { url: 'https://hooks.example/', workspace });
  rig.webhooks.records.splice(0, 1, deliveryOf(workspace));
  rig.audit.entries.splice(0);
}

function deliveryOf(workspace: string): DeliveryRecord {
  return {
    id: 'thing',
    hook: `of-${workspace}`,
    workspace,
    eventIds: ['evt_1'],
    types: ['key.banned'],
    state: 'given_up',
    tries: 8,
    nextAt: null,
    status: 500,
    answer: 'oops',
    tookMs: 7,
    at: WALL,
    doneAt: WALL + 1000,
  };
}

/** The address of a route for an object of `workspace`. */
function addressOf(path: string, workspace: string): string {
  const id = path.startsWith('/v1/workspaces/')
    ? workspace
    : path.startsWith('/v1/requests/')
      ? recordOf(1).id
      : 'thing';
  return `/admin${path.replace('{id}', id).replace('{workspace}', workspace).replace('{name}', 'v')}`;
}

const send = (route: { method: string; path: string; name: string }, workspace: string, token: string) => {
  const written = BODIES[route.name];
  const body = route.path.endsWith('/reorder') ? { ...written, workspace } : written;
  return rig.call(route.method, addressOf(route.path, workspace), { token, ...(body === undefined ? {} : { body }) });
};

describe('roles', () => {
  it('G-8: every route has its row in the matrix, and no row is left over', () => {
    const known = routes().map(({ name }) => name);
    expect(known.filter((name) => !(name in MATRIX))).toEqual([]);
    expect(new Set(known).size).toBe(known.length);
  });

  it('G-7: every route that changes something says what the audit log is told of it', () => {
    const silent = adminRoutes(rig.deps).filter(({ method, audit }) => (method === 'GET') !== (audit === undefined));
    expect(silent.map(({ method, path }) => `${method} ${path}`)).toEqual([]);
  });

  it('G-8: an account admin reaches everything, by the admin token and by its own', async () => {
    for (const route of routes().filter(({ name }) => name !== 'POST /v1/apply')) {
      fill('beta');
      const answer = await send(route, 'beta', TOKENS.account);
      // The board of the rig has no target.
      const good = route.path.startsWith('/v1/health/targets/') ? 404 : route.status;
      expect(answer.status, `${route.name} ${JSON.stringify(answer.body)}`).toBe(good);
    }
  });

  it('G-8: a member reaches nothing of the admin plane', async () => {
    for (const route of routes()) {
      fill('acme');
      const answer = await send(route, 'acme', TOKENS.member);
      expect([answer.status, (answer.body['error'] as { code: string }).code], route.name).toEqual([
        403,
        'permission_denied',
      ]);
    }
    expect(rig.objects.puts).toEqual([]);
  });

  it('G-8: a workspace admin reaches what the matrix says, in its own workspace', async () => {
    for (const route of routes()) {
      fill('acme');
      const { status, body } = await send(route, 'acme', TOKENS.own);
      const allowed = MATRIX[route.name] !== 'no';
      expect(status === 403, `${route.name} ${JSON.stringify(body)}`).toBe(!allowed);
      if (allowed) expect(status, `${route.name} ${JSON.stringify(body)}`).toBeLessThan(300);
    }
  });

  it('G-8: of another workspace it sees nothing: 404 as if it were not there, and lists without it', async () => {
    fill('beta');
    const nowhere = await rig.call('GET', '/admin/v1/keys/nothing', { token: TOKENS.own });
    for (const route of routes().filter(({ name }) => MATRIX[name] === 'own')) {
      const { status, body } = await send(route, 'beta', TOKENS.own);
      if (route.path.startsWith('/v1/requests/')) continue;
      if (route.path.includes('{')) {
        expect([status, route.name]).toEqual([404, route.name]);
        expect(Object.keys(body)).toEqual(Object.keys(nowhere.body));
      } else if (route.method === 'GET') expect(JSON.stringify(body), route.name).not.toContain('beta');
    }
    const put = rig.objects.puts.filter(({ body, name }) => body['workspace'] === 'beta' || name === 'beta');
    expect(put).toEqual([]);
  });

  it('G-8: the answer for another workspace’s object is that for none at all, word for word but the name', async () => {
    fill('beta');
    for (const list of ['keys', 'credentials', 'workspaces']) {
      const theirs = list === 'workspaces' ? 'beta' : 'thing';
      const there = await rig.call('GET', `/admin/v1/${list}/${theirs}`, { token: TOKENS.own });
      const none = await rig.call('GET', `/admin/v1/${list}/xxxx`, { token: TOKENS.own });
      const message = (answer: typeof there) => (answer.body['error'] as { message: string }).message;
      expect(message(there).replace(theirs, 'xxxx')).toBe(message(none));
      expect(there.status).toBe(404);
    }
  });

  it('G-8: a taken name is told in the same words, whoever has it', async () => {
    fill('acme');
    rig.objects.have('key', 'theirs', { workspace: 'beta' });
    rig.objects.have('key', 'filed', { workspace: 'beta' }, 'file');
    rig.objects.have('credential', 'theirs', { provider: 'up', kind: 'byok', workspace: 'beta' });
    const made = async (list: string, body: { name: string }, token: string) => {
      const { status, body: answer } = await rig.call('POST', `/admin/v1/${list}`, { token, body });
      return [status, (answer['error'] as { message: string }).message.replace(body.name, 'NAME')];
    };
    const taken = [409, 'The name `NAME` is taken; choose another.'];
    for (const name of ['thing', 'theirs', 'filed']) expect(await made('keys', { name }, TOKENS.own)).toEqual(taken);
    for (const name of ['thing', 'theirs']) {
      const body = { name, provider: 'up', secret: 's-new-0123456789' };
      expect(await made('credentials', body, TOKENS.own)).toEqual(taken);
    }
    expect((await made('keys', { name: 'theirs' }, TOKENS.account))[1]).toMatch(/^There is a key NAME already/);
  });

  it('G-8: a workspace’s admin makes no model by naming one; an account admin does', async () => {
    const tries = (name: string) =>
      [
        ['PATCH', '/v1/workspaces/acme', { auto: [name] }],
        ['PUT', '/v1/virtual-models/acme/new', { models: [name] }],
        ['POST', '/v1/keys', { name: `k-${name.length}`, failover_defaults: { models: [name] } }],
        ['PATCH', '/v1/keys/thing', { failover_defaults: { models: [name] } }],
      ] as const;
    const statuses = async (name: string, token: string) => {
      const found: number[] = [];
      for (const [method, path, body] of tries(name)) {
        fill('acme');
        found.push((await rig.call(method, `/admin${path}`, { token, body })).status);
      }
      return found;
    };
    expect(await statuses('up/unlisted', TOKENS.own)).toEqual([403, 403, 403, 403]);
    expect(await statuses('up/one', TOKENS.own)).toEqual([200, 200, 201, 200]);
    expect(await statuses('up/unlisted-too', TOKENS.account)).toEqual([200, 200, 201, 200]);
  });

  it('G-8: a workspace’s admin is not let out by naming another workspace', async () => {
    fill('acme');
    const asked = [
      ['POST', '/v1/keys', { name: 'k', workspace: 'beta' }],
      ['POST', '/v1/keys', { name: 'k', workspace: 'no-such-place' }],
      ['PATCH', '/v1/keys/thing', { workspace: 'beta' }],
      ['PATCH', '/v1/keys/thing', { workspace: null }],
      ['POST', '/v1/credentials', { name: 'c', provider: 'up', secret: 's-0123456789', kind: 'platform' }],
      [
        'POST',
        '/v1/credentials',
        { name: 'c', provider: 'up', secret: 's-0123456789', kind: 'byok', workspace: 'beta' },
      ],
      ['PATCH', '/v1/credentials/thing', { kind: 'platform', workspace: null }],
      ['PATCH', '/v1/credentials/thing', { kind: null }],
      ['PATCH', '/v1/workspaces/acme', { default_model: 'up/one' }],
      ['PATCH', '/v1/workspaces/acme', { balance_usd: 1000 }],
      ['PATCH', '/v1/workspaces/acme', { enabled_models: ['*'] }],
      ['PATCH', '/v1/workspaces/acme', { limits: { rpm: 5 } }],
      ['PUT', '/v1/workspaces/acme', { ceilings: { max_attempts: 20 } }],
    ] as const;
    for (const [method, path, body] of asked) {
      const answer = await rig.call(method, `/admin${path}`, { token: TOKENS.own, body });
      expect([answer.status, path, body]).toEqual([403, path, body]);
    }
    expect(rig.objects.puts).toEqual([]);
  });

  it('G-8: what a workspace’s admin makes belongs to its workspace without being told so', async () => {
    await rig.call('POST', '/admin/v1/keys', { token: TOKENS.own, body: { name: 'k' } });
    const body = { name: 'c', provider: 'up', secret: 's-0123456789' };
    await rig.call('POST', '/admin/v1/credentials', { token: TOKENS.own, body });
    expect(rig.objects.puts.map(({ body, options }) => [body, options.by, options.inside])).toEqual([
      [{ workspace: 'acme' }, 'lead', 'acme'],
      [{ provider: 'up', kind: 'byok', workspace: 'acme' }, 'lead', 'acme'],
    ]);
  });

  it('G-8: models, channels and targets are shown as far as the workspace may use them', async () => {
    const seen = async (path: string, token: string) => JSON.stringify((await rig.call('GET', path, { token })).body);
    for (const path of ['/admin/v1/models', '/admin/v1/channels']) {
      const own = await seen(path, TOKENS.own);
      expect(own).toContain('up/one');
      expect(own).toContain('acme-own');
      expect(own).toContain('platform');
      expect(own).not.toContain('other/two');
      expect(own).not.toContain('beta-own');
      const all = await seen(path, TOKENS.account);
      expect(all).toContain('other/two');
      expect(all).toContain('beta-own');
    }
  });

  it('G-8: requests and usage are asked for one workspace alone, whatever the query says', async () => {
    await rig.call('GET', '/admin/v1/requests?key=x', { token: TOKENS.own });
    await rig.call('GET', '/admin/v1/requests?workspace=acme', { token: TOKENS.own });
    const other = await rig.call('GET', '/admin/v1/requests?workspace=beta', { token: TOKENS.own });
    expect(other.body).toEqual({ data: [], next_cursor: null });
    expect(rig.records.asked.map(({ workspace }) => workspace)).toEqual(['acme', 'acme']);
    await rig.call('GET', '/admin/v1/usage', { token: TOKENS.own });
    await rig.call('GET', '/admin/v1/usage?workspace=beta', { token: TOKENS.own });
    await rig.call('GET', '/admin/v1/usage', { token: TOKENS.account });
    expect(rig.records.usageAsked.map(({ workspace }) => workspace)).toEqual(['acme', undefined]);
  });
});

describe('who calls', () => {
  it('G-8: a client key is 403, an expired or unknown one 401', async () => {
    const code = async (token: string) => {
      const { status, body } = await rig.call('GET', '/admin/v1/requests', { token });
      return [status, (body['error'] as { code: string }).code];
    };
    expect(await code('client-key-0123456789')).toEqual([403, 'permission_denied']);
    expect(await code('old-key-0123456789')).toEqual([401, 'invalid_api_key']);
    expect(await code('no-key-0123456789')).toEqual([401, 'invalid_api_key']);
  });

  it('G-8: members open the plane also where no admin token is configured', async () => {
    rig.state.adminTokenHash = null;
    expect((await rig.call('GET', '/admin/v1/keys', { token: TOKENS.own })).status).toBe(200);
    expect((await rig.call('GET', '/admin/v1/keys', { token: 'x' })).status).toBe(401);
  });

  it('G-8: who may not is refused before the body is read', async () => {
    const answer = await rig.call('POST', '/admin/v1/members', { token: TOKENS.own, body: '{broken' });
    expect(answer.status).toBe(403);
  });
});
