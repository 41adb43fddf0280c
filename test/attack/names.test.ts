/** Names are given out again: what one owner had under a name is none of the next one's. */
import { afterEach, describe, expect, it } from 'vitest';
import { http, okAnswer } from './raw-upstream.ts';
import { startTenants, type TenantsRig } from './tenants-rig.ts';

let rig: TenantsRig;
afterEach(() => rig.close());

const start = async (): Promise<void> => {
  rig = await startTenants(({ socket }) => void socket.write(http(200, okAnswer('hi'))));
};
const secretsInForce = () =>
  rig.admin.gateway.gateway
    .snapshot()
    .credentials.map(({ name, workspace, secret }) => [name, workspace, secret.reveal()]);

describe('a name that another workspace had before', () => {
  it('G-6, G-8: its key begins without use and without suspension, also over a restart', async () => {
    await start();
    const old = await rig.newKey('beta', 'app');
    for (let n = 0; n < 3; n += 1) await rig.ask(old);
    for (let n = 0; n < 110; n += 1) await rig.as(old, 'POST', '/v1/chat/completions', {});
    expect((await rig.ask(old)).status).toBe(429);
    await rig.as('beta', 'DELETE', '/admin/v1/keys/app');
    const made = await rig.as('acme', 'POST', '/admin/v1/keys', { name: 'app', limits: { rpd: 3 } });
    const nothing = { requests: 0, tokens: 0, spend_usd: 0 };
    const fresh = { usage: { day: nothing, month: nothing, in_flight: 0 }, breaker: { state: 'ok', until: null } };
    expect(made.body).toMatchObject({ key: fresh });
    expect((await rig.ask(String(made.body['secret']))).status).toBe(200);
    await rig.admin.start();
    const after = await rig.as('acme', 'GET', '/admin/v1/keys/app');
    expect(after.body).toMatchObject({ usage: { day: { requests: 1 } }, breaker: { state: 'ok' } });
  });

  it('G-6: a ban does not pass to the next owner', async () => {
    await start();
    await rig.newKey('beta', 'app');
    const { keyBreaker, bans, clock } = rig.admin.gateway.gateway;
    keyBreaker.restore([{ key: 'app', since: clock.wall() }]);
    bans.ban('app', clock.wall());
    expect((await rig.as('beta', 'GET', '/admin/v1/keys/app')).body).toMatchObject({ breaker: { state: 'banned' } });
    await rig.as('beta', 'DELETE', '/admin/v1/keys/app');
    const key = await rig.newKey('acme', 'app');
    expect((await rig.ask(key)).status).toBe(200);
    await rig.admin.start();
    expect((await rig.ask(key)).status).toBe(200);
  });

  it('G-11: a request of the old key that still runs is not counted on the new one', async () => {
    const waiting: (() => void)[] = [];
    rig = await startTenants(({ socket }) => void waiting.push(() => socket.write(http(200, okAnswer('hi')))));
    const old = await rig.newKey('beta', 'app');
    const running = rig.ask(old);
    while (waiting.length === 0) await new Promise((done) => setTimeout(done, 5));
    await rig.as('beta', 'DELETE', '/admin/v1/keys/app');
    await rig.newKey('acme', 'app');
    waiting[0]?.();
    expect((await running).status).toBe(200);
    const { body } = await rig.as('acme', 'GET', '/admin/v1/keys/app');
    expect(body).toMatchObject({ usage: { day: { requests: 0, tokens: 0 }, in_flight: 0 } });
  });
});

describe('a name that changes hands while a change of it waits for its turn', () => {
  // The first change keeps the others waiting: each of them is allowed by what is there when it comes in.
  const racing = (last: [string, string, string, object?]) =>
    Promise.all([
      rig.as('acme', 'POST', '/admin/v1/keys', { name: 'slow' }),
      rig.as('acme', 'DELETE', '/admin/v1/credentials/x'),
      rig.as('beta', 'POST', '/admin/v1/credentials', { name: 'x', provider: 'up', secret: 'betas-own-2222222222' }),
      rig.as(...last),
    ]);

  it.each([
    ['changed', ['acme', 'PATCH', '/admin/v1/credentials/x', { order: 3 }]],
    ['removed', ['acme', 'DELETE', '/admin/v1/credentials/x']],
    ['put in order', ['acme', 'POST', '/admin/v1/credentials/reorder', { names: ['y', 'x'] }]],
  ] as const)("G-8: another workspace's credential is not %s, nor its secret taken over", async (_, last) => {
    await start();
    for (const name of ['x', 'y']) {
      const mine = { name, provider: 'up', secret: 'acmes-own-1111111111' };
      expect((await rig.as('acme', 'POST', '/admin/v1/credentials', mine)).status).toBe(201);
    }
    const answers = await racing([...last] as [string, string, string, object?]);
    expect(answers.slice(0, 3).map(({ status }) => status)).toEqual([201, 200, 201]);
    expect([400, 404, 409]).toContain(answers[3]!.status);
    expect(secretsInForce()).toContainEqual(['x', 'beta', 'betas-own-2222222222']);
    expect((await rig.as('beta', 'GET', '/admin/v1/credentials/x')).body).toMatchObject({ version: 1, order: 0 });
  });
});
