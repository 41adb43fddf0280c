import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ADMIN_TOKEN, type AdminRig, startAdminRig, WALL } from '../../../test/support/admin-rig.ts';
import { healthKeys } from '../../core/health/keys.ts';
import { StateStoreUnavailable } from '../../ports/object-store.ts';

const CONFIG = `
workspaces: { acme: { balance_usd: 5 }, beta: {} }
keys: [{ name: dev, workspace: acme, secret: client-key-0123456789 }]
members:
  lead: { role: workspace_admin, workspace: acme, token: token-lead-0123456789 }
`;
const LEAD = { token: 'token-lead-0123456789' };

let rig: AdminRig;
beforeEach(async () => {
  rig = await startAdminRig(CONFIG);
});
afterEach(() => rig.close());

const call = (method: string, path: string, options = {}) => rig.call(method, `/admin/v1${path}`, options);
const entries = () => rig.audit.entries.filter(({ action }) => !action.startsWith('admin.'));
const doors = () => rig.audit.entries.filter(({ action }) => action.startsWith('admin.'));

describe('reading the audit log', () => {
  it('G-7: tells entries as they were', async () => {
    rig.audit.append({
      at: WALL,
      actor: 'mia',
      action: 'key.change',
      object: 'key dev',
      workspace: 'acme',
      requestId: 'req_9',
      before: { models: ['a'] },
      after: { models: ['b'] },
      ip: '192.0.2.1',
    });
    const { body } = await call('GET', '/audit');
    const entry = {
      seq: '1',
      at: '2026-11-29T10:00:00.000Z',
      actor: 'mia',
      action: 'key.change',
      object: 'key dev',
      workspace: 'acme',
      request_id: 'req_9',
      before: { models: ['a'] },
      after: { models: ['b'] },
      ip: '192.0.2.1',
    };
    expect((body['data'] as object[]).at(-1)).toEqual(entry);
    const inside = await call('GET', '/audit', LEAD);
    expect((inside.body['data'] as object[]).at(-1)).toEqual({ ...entry, ip: null });
  });

  it('G-8: every filter goes to the log; a workspace’s admin asks for its own workspace, whatever it says', async () => {
    const filters = 'actor=mia&action=key.change&object=key%20dev&request_id=req_1&limit=7&cursor=5-9';
    await call('GET', `/audit?${filters}&workspace=beta&from=2026-11-29&to=2026-11-30T00:00:00Z`);
    expect(rig.audit.asked).toEqual([
      {
        actor: 'mia',
        action: 'key.change',
        object: 'key dev',
        requestId: 'req_1',
        workspace: 'beta',
        from: Date.UTC(2026, 10, 29),
        to: Date.UTC(2026, 10, 30),
        limit: 7,
        cursor: '5-9',
      },
    ]);
    await call('GET', '/audit', LEAD);
    await call('GET', '/audit?workspace=acme', LEAD);
    expect((await call('GET', '/audit?workspace=beta', LEAD)).body).toEqual({ data: [], next_cursor: null });
    expect(rig.audit.asked.slice(1)).toEqual([
      { workspace: 'acme', limit: 100 },
      { workspace: 'acme', limit: 100 },
    ]);
  });

  it('G-7: wrong filters are 400, and nothing but reading is there', async () => {
    for (const query of ['cursor=x', 'cursor=9', 'from=soon', 'limit=0', 'who=mia']) {
      expect((await call('GET', `/audit?${query}`)).status, query).toBe(400);
    }
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE']) expect((await call(method, '/audit')).status).toBe(405);
  });

  it('H-5: a store that is away is 503', async () => {
    rig.audit.list = () => Promise.reject(new StateStoreUnavailable('away'));
    expect((await call('GET', '/audit')).status).toBe(503);
  });
});

describe('what is written down', () => {
  it('G-7: balances, lifts, seals: who did it, to what, by which call', async () => {
    rig.objects.have('workspace', 'acme', { balance_usd: 5 });
    rig.objects.have('key', 'dev', { workspace: 'acme' });
    rig.keyBreaker.restore([{ key: 'dev', since: 1 }]);
    await call('POST', '/workspaces/acme/balance', { body: { topup_usd: 2, note: 'paid' } });
    await call('POST', '/workspaces/acme/balance', { body: { adjust_usd: -1 } });
    await call('POST', '/keys/dev/lift');
    await call('POST', '/keys/dev/lift');
    await call('POST', '/seal/rotate');
    const common = { at: WALL, actor: 'admin', before: null, ip: '127.0.0.1' };
    expect(entries()).toMatchObject([
      {
        ...common,
        action: 'balance.topup',
        object: 'workspace acme',
        workspace: 'acme',
        after: { topup_usd: 2, note: 'paid', balance_nano_usd: '7000000000' },
      },
      { action: 'balance.adjust', after: { adjust_usd: -1, balance_nano_usd: '6000000000' } },
      { ...common, action: 'key.lift', object: 'key dev', workspace: 'acme' },
      { action: 'seal.rotate', workspace: null, after: { key_id: 'k2', resealed: 3 } },
    ]);
    expect(new Set(entries().map(({ requestId }) => requestId)).size).toBe(4);
  });

  it('G-7: drains and resets of a target that is there', async () => {
    const keys = { model: 'm', channelId: 'c', channel: 'm#c', credential: 'k', upstreamModel: 'up' };
    rig.board.configureTargets([healthKeys(keys)], 0);
    const [target] = rig.board.list(0, WALL);
    for (const action of ['drain', 'undrain', 'reset']) {
      expect((await call('POST', `/health/targets/${encodeURIComponent(target!.id)}/${action}`)).status).toBe(200);
      expect((await call('POST', `/health/targets/none/${action}`)).status).toBe(404);
    }
    expect(entries().map(({ action, object }) => [action, object])).toEqual(
      ['drain', 'undrain', 'reset'].map((action) => [`target.${action}`, `target ${target!.id}`]),
    );
  });

  it('G-7: nothing of what was refused or only looked at', async () => {
    await call('GET', '/keys');
    await call('POST', '/workspaces/none/balance', { body: { topup_usd: 2 } });
    await call('POST', '/seal/rotate', LEAD);
    await call('POST', '/plan', { body: { key: 'dev', request: {} } });
    expect(entries()).toEqual([]);
  });
});

describe('who came in', () => {
  it('G-7: each caller once per address, with its role', async () => {
    await call('GET', '/keys');
    await call('GET', '/keys');
    await call('GET', '/keys', LEAD);
    expect(doors()).toMatchObject([
      { action: 'admin.login', actor: 'admin', after: { role: 'account_admin' }, ip: '127.0.0.1', workspace: null },
      { action: 'admin.login', actor: 'lead', after: { role: 'workspace_admin' } },
    ]);
  });

  it('G-7: who was kept out, once a minute and address; never what they sent', async () => {
    for (const token of ['wrong-token-0123456789', 'other-token-0123456789', 'client-key-0123456789', null]) {
      await call('GET', '/keys', { token });
    }
    expect(doors()).toMatchObject([
      { action: 'admin.login_refused', actor: '(unknown)', after: { code: 'invalid_api_key' }, ip: '127.0.0.1' },
    ]);
    expect(JSON.stringify(rig.audit.entries)).not.toContain('0123456789');
    expect(ADMIN_TOKEN).toContain('0123456789');
  });

  it('G-7: guessing from many addresses does not fill the log', async () => {
    for (let n = 0; n < 100; n += 1) {
      await rig.app.inject({
        method: 'GET',
        url: '/admin/v1/keys',
        remoteAddress: `192.0.2.${n}`,
        headers: { authorization: 'Bearer wrong-token-0123456789' },
      });
    }
    expect(doors()).toHaveLength(20);
  });
});
