/** Objects of the store through the admin plane of a running gateway: keys, credentials, workspaces. */
import { readdirSync, readFileSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ADMIN, AdminE2e, FILE_KEY, fileConfig } from './admin-rig.ts';

let rig: AdminE2e;
beforeEach(async () => {
  rig = await AdminE2e.make();
});
afterEach(() => rig.remove());

async function makeKey(name: string, fields: object = {}): Promise<string> {
  const made = await rig.admin('POST', '/keys', { name, ...fields });
  expect(made.status, JSON.stringify(made.body)).toBe(201);
  return String(made.body['secret']);
}

describe('a key', () => {
  it('G-9: works at once, survives a restart, and is 401 from the moment it is revoked', async () => {
    await rig.start(fileConfig());
    const key = await makeKey('dev', { workspace: 'filed' });
    expect(key).toMatch(/^us-[0-9A-Za-z]{43}$/);
    expect(await rig.ask(key)).toBe(200);
    await rig.start();
    expect(await rig.ask(key)).toBe(200);
    expect((await rig.admin('DELETE', '/keys/dev')).status).toBe(200);
    expect(await rig.ask(key)).toBe(401);
    await rig.start();
    expect(await rig.ask(key)).toBe(401);
    expect(await rig.ask(FILE_KEY)).toBe(200);
  });

  it('G-9: a request under way when its key is revoked finishes; the next is 401', async () => {
    await rig.start(fileConfig({ models: { slow: { channels: [{ id: 'c', provider: 'up', model: 'slow-300' }] } } }));
    const key = await makeKey('dev');
    const underWay = rig.ask(key, 'slow');
    while (rig.gateway.gateway.live.size === 0) await new Promise((done) => setTimeout(done, 5));
    await rig.admin('DELETE', '/keys/dev');
    expect(await rig.ask(key, 'slow')).toBe(401);
    expect(await underWay).toBe(200);
  });

  it('G-9: neither key nor secret is in any file of the data folder, nor in the log', async () => {
    await rig.start(fileConfig());
    const key = await makeKey('dev');
    const secret = 'sk-provider-Zx9Qw8Er7Ty6';
    const made = await rig.admin('POST', '/credentials', { name: 'mine', provider: 'up', secret });
    expect(made.status, JSON.stringify(made.body)).toBe(201);
    expect(await rig.ask(key)).toBe(200);
    await rig.stop();
    const bytes = readdirSync(rig.dataDir).map((name) => readFileSync(join(rig.dataDir, name)).toString('latin1'));
    expect(bytes.join('')).toContain('mine');
    for (const hidden of [key, secret, ADMIN]) {
      expect(bytes.join('')).not.toContain(hidden);
      expect(rig.logged.join('')).not.toContain(hidden);
    }
  });
});

describe('the file and the store', () => {
  it('G-9: what the file names is read-only; what it takes over waits and comes back', async () => {
    await rig.start(fileConfig());
    expect(await rig.admin('DELETE', '/keys/file-key')).toMatchObject({
      status: 409,
      body: { error: { code: 'conflict' } },
    });
    const key = await makeKey('dev');
    const own = 'e2e-dev-of-the-file-0123456789';
    const keys = [
      { name: 'file-key', workspace: 'filed', secret: FILE_KEY },
      { name: 'dev', workspace: 'filed', secret: own },
    ];
    await rig.write(fileConfig({ keys }));
    expect(await rig.gateway.reload()).toMatchObject({ ok: true, notes: [] });
    expect([await rig.ask(key), await rig.ask(own)]).toEqual([401, 200]);
    await rig.write(fileConfig());
    await rig.gateway.reload();
    expect([await rig.ask(key), await rig.ask(own)]).toEqual([200, 401]);
  });

  it('G-9: an object whose ground is gone is set aside, noted in log and listing; the gateway starts', async () => {
    await rig.start(fileConfig());
    expect((await rig.admin('POST', '/workspaces', { name: 'acme' })).status).toBe(201);
    const key = await makeKey('dev', { workspace: 'acme', models: ['ok'] });
    const models = { other: { channels: [{ id: 'c', provider: 'up', model: 'ok' }] } };
    const note = /the key `dev` of the store is set aside/g;
    await rig.write(fileConfig({ models }));
    expect(await rig.gateway.reload()).toMatchObject({ ok: true, notes: [expect.stringMatching(note)] });
    expect(rig.logged.join('').match(note)).toHaveLength(1);
    await rig.start(fileConfig({ models }));
    expect(rig.logged.join('')).toMatch(/the key `dev` of the store is set aside: models\[0\]: there is no model `ok`/);
    expect((await rig.admin('GET', '/keys/dev')).body['problem']).toMatch(/there is no model `ok`/);
    expect(await rig.ask(key, 'other')).toBe(401);
    expect(await rig.ask(FILE_KEY, 'other')).toBe(200);
    const mended = await rig.admin('PATCH', '/keys/dev', { models: ['*'] });
    expect(mended).toMatchObject({ status: 200, body: { problem: null } });
    expect(await rig.ask(key, 'other')).toBe(200);
  });
});

describe('the first start', () => {
  it('G-9: its key works beside others until it is revoked, over restarts', async () => {
    const { keys: _keys, ...without } = fileConfig();
    await rig.start(without);
    const first = rig.gateway.firstRun?.clientKey ?? '';
    expect(await rig.ask(first)).toBe(200);
    const key = await makeKey('dev');
    expect([await rig.ask(first), await rig.ask(key)]).toEqual([200, 200]);
    expect((await rig.admin('DELETE', '/keys/first-run')).status).toBe(200);
    expect([await rig.ask(first), await rig.ask(key)]).toEqual([401, 200]);
    await rig.start();
    expect([await rig.ask(first), await rig.ask(key)]).toEqual([401, 200]);
  });
});

describe('trouble of the store', () => {
  it('H-5: 503 store_unavailable with Retry-After, nothing changed, and well again by itself', async () => {
    await rig.start(fileConfig());
    const key = await makeKey('dev');
    const before = rig.gateway.gateway.snapshot();
    const state = join(rig.dataDir, 'state.db');
    renameSync(state, `${state}.away`);
    for (const [method, path, body] of [
      ['POST', '/keys', { name: 'more' }],
      ['DELETE', '/keys/dev', undefined],
      ['POST', '/apply', { text: JSON.stringify(fileConfig({ keys: [] })), dry_run: false }],
    ] as const) {
      const answer = await rig.admin(method, path, body);
      expect(answer).toMatchObject({
        status: 503,
        headers: { 'retry-after': '1' },
        body: { error: { code: 'store_unavailable' } },
      });
      expect(JSON.stringify(answer.body)).toContain('deleted or replaced');
    }
    expect(rig.gateway.gateway.snapshot()).toBe(before);
    expect(await rig.ask(key)).toBe(200);
    renameSync(`${state}.away`, state);
    expect((await rig.admin('DELETE', '/keys/dev')).status).toBe(200);
    expect(await rig.ask(key)).toBe(401);
    expect(rig.logged.join('')).toMatch(/the state cannot be read or written/);
    expect(rig.logged.join('')).toMatch(/the state is well again/);
  });

  it('H-5: of two changes from the same version one is 409', async () => {
    await rig.start(fileConfig());
    await rig.admin('POST', '/workspaces', { name: 'acme' });
    const change = (retries: number) =>
      rig.admin('PATCH', '/workspaces/acme', { redundancy: { retries } }, { 'if-match': '1' });
    const answers = await Promise.all([change(1), change(2), change(3)]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409]);
    expect((await rig.admin('GET', '/workspaces/acme')).body['version']).toBe(2);
  });
});

describe('health of a credential', () => {
  it('H-1: one that was benched for auth is tried again once its secret is replaced', async () => {
    const config = fileConfig({
      providers: { up: { type: 'sim' } },
      models: { m: { channels: [{ id: 'c', provider: 'up', model: 'fail-401' }] } },
    });
    await rig.start(config);
    await rig.admin('POST', '/credentials', { name: 'mine', provider: 'up', secret: 'sk-old-0123456789' });
    const states = async () => {
      const { body } = await rig.admin('GET', '/health/targets');
      return (body['data'] as { credential: string | null; state: string }[]).map(({ state }) => state);
    };
    const { gateway } = rig.gateway;
    expect(await rig.ask(FILE_KEY, 'm')).toBe(502);
    expect(await states()).toContain('cooling');
    const credential = await rig.admin('PATCH', '/credentials/mine', { secret: 'sk-new-0123456789' });
    expect(credential.status, JSON.stringify(credential.body)).toBe(200);
    expect(
      gateway
        .snapshot()
        .credentials.find(({ name }) => name === 'mine')
        ?.secret.reveal(),
    ).toBe('sk-new-0123456789');
    expect(await states()).not.toContain('cooling');
  });
});
