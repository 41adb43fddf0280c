import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type AdminRig, startAdminRig, WALL } from '../../../test/support/admin-rig.ts';
import type { DeliveryRecord } from '../../ports/events.ts';
import { StateStoreUnavailable } from '../../ports/object-store.ts';

const CONFIG = `
workspaces: { acme: {}, beta: {} }
webhooks:
  ops: { url: https://hooks.example/, secret: whsec_MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIz }
  off: { url: https://hooks.example/, secret: whsec_MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIz, enabled: false }
  mine: { url: https://hooks.example/, secret: whsec_MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIz, workspace: acme }
members:
  lead: { role: workspace_admin, workspace: acme, token: token-lead-0123456789 }
`;
const LEAD = { token: 'token-lead-0123456789' };

let rig: AdminRig;
beforeEach(async () => {
  rig = await startAdminRig(CONFIG);
  for (const name of ['ops', 'off']) rig.objects.have('webhook', name, { url: 'https://hooks.example/' });
  rig.objects.have('webhook', 'mine', { url: 'https://hooks.example/', workspace: 'acme' });
});
afterEach(() => rig.close());

const call = (method: string, path: string, options = {}) => rig.call(method, `/admin/v1${path}`, options);
const message = ({ body }: { readonly body: object }) => (body as { error: { message: string } }).error.message;
const actions = () => rig.audit.entries.map(({ action }) => action).filter((action) => action !== 'admin.login');

function delivery(change: Partial<DeliveryRecord> = {}): DeliveryRecord {
  return {
    id: 'msg_1',
    hook: 'ops',
    workspace: null,
    eventIds: ['evt_1', 'evt_2'],
    types: ['key.banned'],
    state: 'given_up',
    tries: 8,
    nextAt: null,
    status: 500,
    answer: 'oops',
    tookMs: 7,
    at: WALL,
    doneAt: WALL + 1000,
    ...change,
  };
}

describe('webhooks', () => {
  it('G-7: the gateway makes the secret, which is in this answer and nowhere else', async () => {
    const made = await call('POST', '/webhooks', {
      body: { name: 'new', url: 'https://a.example/', events: ['key.*'] },
    });
    expect(made).toMatchObject({
      status: 201,
      body: { webhook: { name: 'new', url: 'https://a.example/', renewing: false } },
    });
    const secret = String(made.body['secret']);
    expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    expect(rig.objects.puts[0]).toMatchObject({ kind: 'webhook', options: { create: true, secret } });
    expect(JSON.stringify([await call('GET', '/webhooks'), await call('GET', '/webhooks/new')])).not.toContain('whsec');
  });

  it('G-7: a renewed secret is another one, beside the one before, until that is removed', async () => {
    const renewed = await call('POST', '/webhooks/ops/renew-secret');
    const secret = String(renewed.body['secret']);
    expect(rig.objects.puts.at(-1)).toMatchObject({
      name: 'ops',
      body: { url: 'https://hooks.example/' },
      options: { secret, renewal: 'begin', expectedVersion: 1 },
    });
    expect((await call('DELETE', '/webhooks/ops/previous-secret')).status).toBe(200);
    expect(rig.objects.puts.at(-1)?.options).toMatchObject({ renewal: 'end' });
    expect(rig.objects.puts.at(-1)?.options.secret).toBeUndefined();
  });

  it('G-7: one that belongs to the file is renewed in the file', async () => {
    rig.objects.have('webhook', 'filed', { url: 'https://hooks.example/' }, 'file');
    expect((await call('POST', '/webhooks/filed/renew-secret')).status).toBe(409);
    expect((await call('DELETE', '/webhooks/filed/previous-secret')).status).toBe(409);
  });

  it.each([
    [{ name: 'x', url: 'nowhere' }, 'url'],
    [{ name: 'x', url: 'https://a.example/', secret: 'whsec_x' }, 'secret'],
    [{ name: 'x', url: 'https://a.example/', events: 'all' }, 'events'],
  ])('G-7: %j is refused', async (body, param) => {
    expect(await call('POST', '/webhooks', { body })).toMatchObject({ status: 400, body: { error: { param } } });
  });

  it('G-8: a workspace’s admin makes and keeps them in its own workspace', async () => {
    const own = { name: 'x', url: 'https://a.example/' };
    expect((await call('POST', '/webhooks', { ...LEAD, body: own })).status).toBe(201);
    expect(rig.objects.puts[0]?.body).toMatchObject({ workspace: 'acme' });
    for (const workspace of ['beta', 'nowhere']) {
      expect((await call('POST', '/webhooks', { ...LEAD, body: { ...own, workspace } })).status).toBe(403);
    }
    expect((await call('PATCH', '/webhooks/mine', { ...LEAD, body: { workspace: null } })).status).toBe(403);
    for (const path of ['', '/deliveries']) expect((await call('GET', `/webhooks/ops${path}`, LEAD)).status).toBe(404);
    expect((await call('POST', '/webhooks/ops/test', LEAD)).status).toBe(404);
    expect((await call('POST', '/webhooks/ops/renew-secret', LEAD)).status).toBe(404);
  });

  it('G-7: what waits for one that is removed is given up', async () => {
    expect((await call('DELETE', '/webhooks/ops')).status).toBe(200);
    expect((await call('DELETE', '/webhooks/none')).status).toBe(404);
    expect(rig.webhooks.gone).toEqual(['ops']);
  });

  it('G-7: a test tells what came of it', async () => {
    expect((await call('POST', '/webhooks/ops/test')).body).toEqual({
      id: 'msg_1',
      delivered: true,
      status: 204,
      answer: null,
      took_ms: 12,
    });
    rig.webhooks.answer = { status: null, answer: 'no answer within 15 s', retryAfterMs: null, tookMs: 15_000 };
    expect((await call('POST', '/webhooks/off/test')).body).toMatchObject({ delivered: false, status: null });
    expect(rig.webhooks.tested).toEqual(['ops', 'off']);
    rig.objects.have('webhook', 'aside', { url: 'https://hooks.example/' });
    expect(await call('POST', '/webhooks/aside/test')).toMatchObject({ status: 409 });
  });
});

describe('deliveries', () => {
  it('G-7: are listed with what became of them', async () => {
    rig.webhooks.records.push(delivery());
    const { body } = await call('GET', '/webhooks/ops/deliveries?state=given_up&limit=5&cursor=9');
    expect(body).toEqual({
      data: [
        {
          id: 'msg_1',
          webhook: 'ops',
          events: ['evt_1', 'evt_2'],
          types: ['key.banned'],
          state: 'given_up',
          tries: 8,
          at: '2026-11-29T10:00:00.000Z',
          next_at: null,
          done_at: '2026-11-29T10:00:01.000Z',
          status: 500,
          answer: 'oops',
          took_ms: 7,
        },
      ],
      next_cursor: null,
    });
    await call('GET', '/webhooks/mine/deliveries', LEAD);
    expect(rig.webhooks.asked).toEqual([
      { hook: 'ops', state: 'given_up', limit: 5, cursor: '9' },
      { hook: 'mine', workspace: 'acme', limit: 50 },
    ]);
    for (const query of ['state=lost', 'cursor=x', 'limit=0', 'limit=501']) {
      expect((await call('GET', `/webhooks/ops/deliveries?${query}`)).status, query).toBe(400);
    }
  });

  it('G-7: one is sent again, and that is written down', async () => {
    rig.webhooks.records.push(delivery());
    expect((await call('POST', '/deliveries/msg_1/replay')).status).toBe(200);
    expect(rig.audit.entries.at(-1)).toMatchObject({
      actor: 'admin',
      action: 'delivery.replay',
      object: 'webhook ops',
      after: { delivery: 'msg_1' },
      requestId: expect.stringContaining('req_'),
      ip: '127.0.0.1',
    });
  });

  it('G-7: not while it is on its way, without its events, or without its webhook', async () => {
    rig.webhooks.records.push(delivery());
    rig.webhooks.replays = 'under_way';
    expect(message(await call('POST', '/deliveries/msg_1/replay'))).toContain('being sent');
    rig.webhooks.replays = 'gone';
    expect(message(await call('POST', '/deliveries/msg_1/replay'))).toContain('retention.events');
    expect((await call('POST', '/deliveries/msg_9/replay')).status).toBe(404);
    rig.webhooks.records.splice(0, 1, delivery({ hook: 'off' }));
    expect(message(await call('POST', '/deliveries/msg_1/replay'))).toContain('switched off');
    rig.webhooks.records.splice(0, 1, delivery({ hook: 'mine', workspace: 'beta' }));
    expect(message(await call('POST', '/deliveries/msg_1/replay'))).toContain('is gone');
    expect(actions()).toEqual([]);
  });

  it('G-8: another workspace’s delivery is not there', async () => {
    rig.webhooks.records.push(delivery());
    expect((await call('POST', '/deliveries/msg_1/replay', LEAD)).status).toBe(404);
    rig.webhooks.records.splice(0, 1, delivery({ hook: 'mine', workspace: 'acme' }));
    expect((await call('POST', '/deliveries/msg_1/replay', LEAD)).status).toBe(200);
  });

  it('H-5: a store that is away is 503', async () => {
    rig.webhooks.deliveries = () => Promise.reject(new StateStoreUnavailable('away'));
    expect(await call('GET', '/webhooks/ops/deliveries')).toMatchObject({
      status: 503,
      body: { error: { code: 'store_unavailable' } },
    });
  });
});
