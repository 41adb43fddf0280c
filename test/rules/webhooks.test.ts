/** G-7 over the wire: events to a receiver that checks signatures, the delivery log, the audit log, retention. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type RunningGateway, startGateway } from '../../src/assemble.ts';
import { type HookReceiver, startHookReceiver } from '../support/hook-receiver.ts';

type Json = Record<string, unknown>;

const ADMIN = 'admin-token-0123456789';
const LEAD = 'lead-token-0123456789';
const DEV = 'dev-key-0123456789';
const SECRET = `whsec_${Buffer.alloc(32, 5).toString('base64')}`;

let dataDir: string;
let gateway: RunningGateway;
let receiver: HookReceiver;
let secret: string;

beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'understudy-webhooks-'));
  secret = SECRET;
  receiver = await startHookReceiver(() => secret);
});
afterEach(async () => {
  await gateway.close();
  await receiver.close();
  await rm(dataDir, { recursive: true, force: true });
});

/** `more`: sections of the configuration. */
async function start(more: Json = {}): Promise<void> {
  const config = {
    version: 1,
    admin: { token: ADMIN },
    providers: { up: { type: 'sim' } },
    credentials: { platform: { provider: 'up', secret: 'platform-secret-0123456789' } },
    models: { 'up/ok': {}, 'up/fail-503': {}, 'up/fail-401': {} },
    workspaces: { acme: {}, beta: {} },
    keys: [{ name: 'dev', workspace: 'acme', secret: DEV }],
    members: { lead: { role: 'workspace_admin', workspace: 'acme', token: LEAD } },
    ...more,
  };
  gateway = await startGateway({
    configText: JSON.stringify(config),
    port: 0,
    dataDir,
    env: {},
    log: 'silent',
  });
}

const fileHook = (more: Json = {}) => ({ webhooks: { ops: { url: `${receiver.url}/ops`, secret: SECRET, ...more } } });
const PRIVATE = { network: { allow_private: ['127.0.0.1'] } };

async function ask(models: readonly string[]): Promise<number> {
  const answer = await fetch(`${gateway.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${DEV}`, 'content-type': 'application/json' },
    body: JSON.stringify({ models, messages: [{ role: 'user', content: 'top-secret-prompt' }] }),
  });
  await answer.text();
  return answer.status;
}

async function admin(
  method: string,
  path: string,
  body?: Json,
  token = ADMIN,
): Promise<{ status: number; body: Json }> {
  const answer = await fetch(`${gateway.url}/admin/v1${path}`, {
    method,
    headers: {
      authorization: `Bearer ${token}`,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return { status: answer.status, body: (await answer.json()) as Json };
}

const listOf = async (path: string, token = ADMIN) =>
  (await admin('GET', path, undefined, token)).body['data'] as Json[];
const types = () => receiver.events.map(({ type }) => type);

/** Until the outbox has nothing left to do for `hook`. */
async function settled(hook: string): Promise<Json[]> {
  for (;;) {
    const all = await listOf(`/webhooks/${hook}/deliveries`);
    if (all.length > 0 && all.every(({ state }) => state !== 'waiting')) return all;
    await new Promise((next) => setTimeout(next, 20));
  }
}

describe('events over the wire', () => {
  it('G-7: a request that moved to another model is one signed event and one audit entry', async () => {
    await start(fileHook());
    expect(await ask(['up/ok'])).toBe(200);
    expect(await ask(['up/fail-503', 'up/ok'])).toBe(200);
    await receiver.until(() => receiver.events.length > 0);
    await settled('ops');
    const failovers = receiver.events.filter(({ type }) => type === 'api:model_failover');
    expect(failovers).toMatchObject([
      {
        workspace: 'acme',
        data: { key: 'dev', requested_model: 'up/fail-503', served_model: 'up/ok', status: 200, outcome: 'success' },
      },
    ]);
    const id = String(failovers[0]?.request_id);
    const record = (await admin('GET', `/requests/${id}`)).body;
    expect(record).toMatchObject({ id, served_model: 'up/ok' });
    expect(await listOf('/audit?action=request.failover')).toMatchObject([
      { actor: 'key dev', object: `request ${id}`, workspace: 'acme', request_id: id, after: { model: 'up/ok' } },
    ]);
    expect(receiver.told.map(({ path }) => path)).toContain('/ops');
    const all = JSON.stringify(receiver.told);
    for (const hidden of ['top-secret-prompt', 'platform-secret', DEV, SECRET]) expect(all).not.toContain(hidden);
  });

  it('G-7, G-8: a refused credential is told to the account, not to a workspace', async () => {
    const hook = { url: `${receiver.url}/mine`, secret: SECRET, workspace: 'acme' };
    await start({ webhooks: { ...fileHook({ events: ['credential.*', 'alert.upstream.*'] }).webhooks, mine: hook } });
    await ask(['up/fail-401', 'up/ok']);
    await receiver.until(() => types().includes('credential.unhealthy'));
    await settled('ops');
    const of = (path: string) => receiver.told.filter((one) => one.path === path).flatMap(({ events }) => events);
    expect(
      of('/ops')
        .map(({ type }) => type)
        .sort(),
    ).toEqual(['alert.upstream.auth', 'credential.unhealthy']);
    const [unhealthy] = of('/ops').filter(({ type }) => type === 'credential.unhealthy');
    expect(unhealthy).toMatchObject({ workspace: null, data: { credential: 'platform', class: 'auth', status: 401 } });
    expect(of('/mine').filter(({ workspace }) => workspace !== 'acme')).toEqual([]);
  });

  it('G-6: a key that is suspended is told to its workspace, and written down', async () => {
    await start({ webhooks: { mine: { url: `${receiver.url}/mine`, secret: SECRET, workspace: 'acme' } } });
    for (let n = 0; n < 100; n += 10) await Promise.all(Array.from({ length: 10 }, () => ask(['no/model'])));
    await receiver.until(() => types().includes('key.suspended'));
    expect(receiver.events).toMatchObject([
      { type: 'key.suspended', workspace: 'acme', data: { key: 'dev', made_by: 'caller' } },
    ]);
    expect(await listOf('/audit?action=key.suspend', LEAD)).toMatchObject([{ actor: 'gateway', object: 'key dev' }]);
  });

  it('E-4: a queued request that has finished is told', async () => {
    await start({
      ...fileHook({ events: ['job.*'] }),
      backoff: { base_ms: 1, cap_ms: 1 },
    });
    const answer = await fetch(`${gateway.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${DEV}`, 'content-type': 'application/json' },
      body: JSON.stringify({
        model: 'up/fail-503',
        redundancy: { on_exhausted: ['queue'] },
        messages: [{ role: 'user', content: 'x' }],
      }),
    });
    const { id } = (await answer.json()) as { id: string };
    expect(answer.status).toBe(202);
    await receiver.until(() => types().includes('job.finished'));
    expect(receiver.events.find(({ type }) => type === 'job.finished')).toMatchObject({
      workspace: 'acme',
      data: { job: id, status_url: `/v1/jobs/${id}`, key: 'dev', state: 'failed' },
    });
  });
});

describe('webhooks of the store', () => {
  const make = async (more: Json = {}, token = ADMIN) => {
    const made = await admin('POST', '/webhooks', { name: 'hook', url: `${receiver.url}/hook`, ...more }, token);
    if (made.status === 201) secret = String(made.body['secret']);
    return made;
  };

  it('G-9: none may lead to a private address, unless the operator allows it', async () => {
    await start();
    for (const url of [
      receiver.url,
      'http://localhost/',
      'http://169.254.169.254/',
      'http://[::1]/',
      'http://0x7f.1/',
    ]) {
      expect(await make({ url })).toMatchObject({ status: 400, body: { error: { param: 'url' } } });
    }
    expect(await listOf('/webhooks')).toEqual([]);
  });

  it('G-7, G-8: a workspace’s admin makes one, tries it, renews its secret and sees its log', async () => {
    await start(PRIVATE);
    expect((await make({}, LEAD)).status).toBe(201);
    const tested = await admin('POST', '/webhooks/hook/test', undefined, LEAD);
    expect(tested.body).toMatchObject({ delivered: true, status: 204 });
    expect(receiver.events).toMatchObject([{ type: 'webhook.test', workspace: 'acme', data: { webhook: 'hook' } }]);

    const before = secret;
    const renewed = await admin('POST', '/webhooks/hook/renew-secret', undefined, LEAD);
    expect(renewed.body).toMatchObject({ webhook: { renewing: true } });
    for (const one of [before, String(renewed.body['secret'])]) {
      secret = one;
      expect((await admin('POST', '/webhooks/hook/test', undefined, LEAD)).body).toMatchObject({ delivered: true });
    }
    await admin('DELETE', '/webhooks/hook/previous-secret', undefined, LEAD);
    expect((await admin('POST', '/webhooks/hook/test', undefined, LEAD)).body).toMatchObject({ delivered: true });
    secret = before;
    expect((await admin('POST', '/webhooks/hook/test', undefined, LEAD)).body).toMatchObject({ status: 401 });
    secret = String(renewed.body['secret']);

    await ask(['up/fail-503', 'up/ok']);
    await receiver.until(() => types().includes('api:model_failover'));
    const [delivery] = await settled('hook');
    expect(delivery).toMatchObject({ webhook: 'hook', state: 'delivered', status: 204, tries: 1 });
    expect((await listOf('/webhooks/hook/deliveries', LEAD)).map(({ id }) => id)).toEqual([delivery!['id']]);

    const again = await admin('POST', `/deliveries/${String(delivery!['id'])}/replay`, undefined, LEAD);
    expect(again.status).toBe(200);
    await receiver.until(() => receiver.told.filter(({ id }) => id === delivery!['id']).length === 2);
    const [first, second] = receiver.told.filter(({ id }) => id === delivery!['id']);
    expect(second?.body).toBe(first?.body);

    const entries = await listOf('/audit?object=webhook%20hook', LEAD);
    expect(entries.map(({ action }) => action).reverse()).toEqual([
      'webhook.create',
      'webhook.change',
      'webhook.change',
      'delivery.replay',
    ]);
    expect(entries.every(({ actor, workspace }) => actor === 'lead' && workspace === 'acme')).toBe(true);
    expect(JSON.stringify(entries)).not.toContain('whsec');
  });

  it('G-7: a receiver that answers 410 is sent nothing more, also after a restart', async () => {
    await start(PRIVATE);
    await make();
    receiver.answer = (response) => response.writeHead(410).end();
    await ask(['up/fail-503', 'up/ok']);
    await receiver.until(() => receiver.told.length > 0);
    while ((await admin('GET', '/webhooks/hook')).body['enabled'] !== false) {
      await new Promise((next) => setTimeout(next, 20));
    }
    await gateway.close();
    await start(PRIVATE);
    await ask(['up/fail-503', 'up/ok']);
    expect((await admin('GET', '/webhooks/hook')).body).toMatchObject({ enabled: false, updated_by: 'gateway' });
    expect(receiver.told).toHaveLength(1);
    const off = await listOf('/audit?object=webhook%20hook&actor=gateway');
    expect(off).toMatchObject([{ action: 'webhook.change', after: { enabled: false } }]);
  });

  it('G-7, G-9: a redirect is not followed, and counts as a failure', async () => {
    await start(PRIVATE);
    await make({ url: `${receiver.url}/hook` });
    receiver.answer = (response) => response.writeHead(302, { location: `${receiver.url}/elsewhere` }).end();
    const { body } = await admin('POST', '/webhooks/hook/test');
    expect(body).toMatchObject({ delivered: false, status: 302 });
    expect(receiver.told.map(({ path }) => path)).toEqual(['/hook']);
  });
});

describe('the audit log over the wire', () => {
  it('G-7: who changed what, also an apply and a first key that is revoked', async () => {
    await start();
    await admin('POST', '/keys', { name: 'app', workspace: 'beta', limits: { rpm: 5 } });
    await admin('PATCH', '/keys/app', { limits: { rpm: 6 } });
    await admin('POST', '/apply', { text: 'version: 1\nadmin: { token: admin-token-0123456789 }\n', dry_run: false });
    await admin('DELETE', '/keys/app');
    await admin('DELETE', '/keys/first-run');
    const entries = (await listOf('/audit')).filter(({ action }) => action !== 'admin.login').reverse();
    expect(entries.map(({ actor, action, object }) => [actor, action, object])).toEqual([
      ['admin', 'key.create', 'key app'],
      ['admin', 'key.change', 'key app'],
      ['admin', 'configuration.apply', 'configuration'],
      ['admin', 'key.remove', 'key app'],
      ['admin', 'key.remove', 'key first-run'],
    ]);
    expect(entries[1]).toMatchObject({ before: { limits: { rpm: 5 } }, after: { limits: { rpm: 6 } } });
    const { differences } = entries[2]!['after'] as { differences: Json[] };
    expect(differences).toContainEqual({ change: 'removed', kind: 'workspace', name: 'acme', fields: [] });
    for (const token of [DEV, ADMIN, LEAD]) expect(JSON.stringify(entries)).not.toContain(token);
  });

  it('G-7: a reload, with what it changed', async () => {
    const file = join(dataDir, 'understudy.yaml');
    const text = (rpm: number, key: string) =>
      JSON.stringify({ version: 1, admin: { token: ADMIN }, keys: [{ name: 'dev', secret: key, limits: { rpm } }] });
    await writeFile(file, text(5, DEV));
    gateway = await startGateway({ configFile: file, port: 0, dataDir, env: {}, log: 'silent' });
    await writeFile(file, text(6, `${DEV}-new`));
    await gateway.reload();
    await writeFile(file, 'version: 2');
    await gateway.reload();
    const entries = await listOf('/audit?action=configuration.reload');
    expect(entries).toMatchObject([
      {
        actor: 'file',
        object: 'configuration',
        after: {
          differences: [
            {
              change: 'changed',
              kind: 'key',
              name: 'dev',
              fields: [
                { path: 'limits.rpm', from: 5, to: 6 },
                { path: 'secret', secret: true },
              ],
            },
          ],
        },
      },
    ]);
    expect(JSON.stringify(entries)).not.toContain(DEV);
  });

  it('G-8: a workspace’s admin sees its own entries alone', async () => {
    await start();
    for (const workspace of ['acme', 'beta']) await admin('POST', '/keys', { name: `of-${workspace}`, workspace });
    const entries = await listOf('/audit', LEAD);
    expect(entries.map(({ object, ip }) => [object, ip])).toEqual([['key of-acme', null]]);
  });
});
