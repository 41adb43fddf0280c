import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { MemoryObjects } from '../../test/support/memory-objects.ts';
import { openSealer } from '../adapters/sealer/open-sealer.ts';
import { keyIdOfBytes } from '../adapters/sealer/sealed-bytes.ts';
import { secretHash } from '../config/secret-hash.ts';
import type { Snapshot } from '../config/snapshot.ts';
import { ClientError } from '../core/errors/catalogue.ts';
import type { GatewayError } from '../core/errors/gateway-error.ts';
import { StateStoreUnavailable } from '../ports/object-store.ts';
import type { RotatingSealer } from '../ports/sealer.ts';
import { asideNotes } from './candidate.ts';
import { Configuration } from './configuration.ts';
import { ManagedObjects } from './managed-objects.ts';

const SECRET = 'us-abcdefghijklmnop';
const OTHER = 'us-ponmlkjihgfedcba';
const BY = { by: 'admin' };
/** Providers, models, one workspace, one key, one credential of the file. */
const FILE = {
  version: 1,
  providers: { up: { type: 'openai-compatible', base_url: 'http://127.0.0.1:1/v1' } },
  models: { 'up/a': {}, 'up/b': {} },
  workspaces: { filed: { enabled_models: ['up/a'] } },
  credentials: { ours: { provider: 'up', secret: 'sk-file-0123456789' } },
  keys: [{ name: 'file-key', workspace: 'filed', secret: 'file-key-0123456789', limits: {} }],
};

let dataDir: string;
let file: string;
let store: MemoryObjects;
let sealer: RotatingSealer;
let bytesKeys: readonly string[];
let wall: number;
let configuration: Configuration;
let objects: ManagedObjects;

beforeEach(async () => {
  dataDir = mkdtempSync(path.join(tmpdir(), 'understudy-managed-'));
  file = path.join(dataDir, 'understudy.yaml');
  store = new MemoryObjects();
  sealer = await openSealer({ dataDir, env: {} });
  wall = 1000;
  bytesKeys = [];
  await open(FILE);
});
afterEach(async () => {
  await configuration.close();
  rmSync(dataDir, { recursive: true, force: true });
});

/** As a start of the process. Without `written`: no file. */
async function open(written: object | null): Promise<void> {
  if (written !== null) writeFileSync(file, JSON.stringify(written));
  const source = written === null ? { env: {} } : { configFile: file, env: {} };
  configuration = await Configuration.open(source, dataDir, {
    objects: store,
    sealer,
    wall: () => wall,
    keysOfBytes: () => Promise.resolve(bytesKeys),
  });
  objects = new ManagedObjects(configuration);
}

async function reload(written: object): Promise<readonly string[]> {
  writeFileSync(file, JSON.stringify(written));
  const result = await configuration.reload();
  if (!result.ok) throw new Error(JSON.stringify(result.problems));
  return result.notes;
}

async function refusal(change: Promise<unknown>): Promise<Pick<GatewayError, 'status' | 'code' | 'param' | 'message'>> {
  const error: unknown = await change.then(
    () => null,
    (reason: unknown) => reason,
  );
  if (!(error instanceof ClientError)) throw new Error(`no refusal: ${String(error)}`);
  const { status, code, param, message } = error.error;
  return { status, code, param, message };
}

const snapshot = (): Snapshot => configuration.snapshot();
const keyNames = () => [...snapshot().keys.values()].map(({ name }) => name).sort();
const names = (kind: 'workspace' | 'key' | 'credential' | 'member') => objects.list(kind).map(({ name }) => name);

const HOOK_SECRET = `whsec_${Buffer.alloc(32, 1).toString('base64')}`;
const NEW_HOOK_SECRET = `whsec_${Buffer.alloc(32, 2).toString('base64')}`;

describe('webhooks', () => {
  const hook = () => configuration.snapshot().webhooks.get('ops');
  const secrets = () => hook()?.secrets.map((secret) => secret.reveal());
  const body = { url: 'https://hooks.example/a', events: ['key.*'] };

  it('G-7, G-9: its secret is sealed, kept over changes and restarts, and never shown', async () => {
    const made = await objects.put('webhook', 'ops', body, { ...BY, secret: HOOK_SECRET });
    expect(made.body).toEqual(body);
    await objects.put('webhook', 'ops', { ...body, url: 'https://hooks.example/b' }, BY);
    await open(FILE);
    expect(hook()).toMatchObject({ url: 'https://hooks.example/b', events: ['key.*'], ofFile: false });
    expect(secrets()).toEqual([HOOK_SECRET]);
    expect(JSON.stringify([store.all, objects.list('webhook'), store.audit])).not.toContain('whsec_');
    expect(configuration.snapshot().secrets.map((secret) => secret.reveal())).toContain(HOOK_SECRET);
  });

  it('G-7: while its secret is renewed it has both', async () => {
    await objects.put('webhook', 'ops', body, { ...BY, secret: HOOK_SECRET });
    await objects.put('webhook', 'ops', body, { ...BY, secret: NEW_HOOK_SECRET, renewal: 'begin' });
    await objects.put('webhook', 'ops', { ...body, enabled: true }, BY);
    await open(FILE);
    expect(secrets()).toEqual([NEW_HOOK_SECRET, HOOK_SECRET]);
    await objects.put('webhook', 'ops', body, { ...BY, renewal: 'end' });
    expect(secrets()).toEqual([NEW_HOOK_SECRET]);
    expect(store.audit.map(({ action, after }) => [action, after?.['secret']])).toEqual([
      ['webhook.create', undefined],
      ['webhook.change', '(changed)'],
      ['webhook.change', undefined],
      ['webhook.change', '(changed)'],
    ]);
  });

  it('G-9: both secrets are sealed again when the key is exchanged', async () => {
    await objects.put('webhook', 'ops', body, { ...BY, secret: HOOK_SECRET });
    await objects.put('webhook', 'ops', body, { ...BY, secret: NEW_HOOK_SECRET, renewal: 'begin' });
    expect(await objects.withSealed((texts) => sealer.rotate(texts))).toMatchObject({ resealed: 2, broken: [] });
    for (const field of ['sealed', 'sealed_previous']) {
      expect(sealer.isCurrent(String(store.all[0]?.body[field]))).toBe(true);
    }
    await open(FILE);
    expect(secrets()).toEqual([NEW_HOOK_SECRET, HOOK_SECRET]);
  });

  it.each([
    [{ url: 'http://10.0.0.1/' }, 'url', /public address/],
    [{ url: 'ftp://hooks.example/' }, 'url', /https/],
    [{ ...body, events: [] }, 'events', /./],
    [{ ...body, workspace: 'nowhere' }, 'workspace', /nowhere/],
    [{ ...body, previous_secret: HOOK_SECRET }, 'previous_secret', /unknown/],
    [{ ...body, sealed_previous: 'x' }, 'sealed_previous', /unknown/],
  ])('G-9: %j is refused', async (wrong, param, message) => {
    const told = await refusal(objects.put('webhook', 'ops', wrong, { ...BY, secret: HOOK_SECRET }));
    expect(told).toMatchObject({ status: 400, param });
    expect(told.message).toMatch(message);
    expect([store.all, store.audit]).toEqual([[], []]);
  });

  it('G-9: those of the file are shown without their secrets', async () => {
    await open({ ...FILE, webhooks: { filed: { ...body, secret: HOOK_SECRET, previous_secret: NEW_HOOK_SECRET } } });
    expect(objects.list('webhook')).toMatchObject([{ name: 'filed', body, managedBy: 'file' }]);
    expect(objects.get('webhook', 'filed')?.body).toEqual(body);
    expect((await refusal(objects.put('webhook', 'filed', body, BY))).status).toBe(409);
  });

  it('G-7: a workspace that a webhook tells of can not go before it', async () => {
    await objects.put('workspace', 'acme', {}, BY);
    await objects.put('webhook', 'ops', { ...body, workspace: 'acme' }, { ...BY, secret: HOOK_SECRET });
    const told = await refusal(objects.remove('workspace', 'acme', BY));
    expect([told.status, told.message]).toEqual([409, expect.stringContaining('webhook `ops`')]);
  });

  it('G-9: a secret that signs nothing is refused', async () => {
    const short = await refusal(objects.put('webhook', 'ops', body, { ...BY, secret: 'whsec_abcdefghijklmnop' }));
    expect(short).toMatchObject({ status: 400, param: 'secret' });
  });
});

describe('the audit log', () => {
  const call = { requestId: 'req_7', ip: '192.0.2.7' };

  it('G-7: each change is told with what it changed, who did it and by which call', async () => {
    const given = { ...BY, call };
    await objects.put('key', 'k', { workspace: 'filed', limits: { rpm: 5 } }, { ...given, secret: SECRET });
    wall = 2000;
    await objects.put('key', 'k', { workspace: 'filed', limits: { rpm: 6 } }, given);
    await objects.put('key', 'k', { workspace: 'filed', limits: { rpm: 6 } }, { ...given, secret: OTHER });
    await objects.remove('key', 'k', { by: 'mia', call });
    const common = { actor: 'admin', object: 'key k', workspace: 'filed', requestId: 'req_7', ip: '192.0.2.7' };
    const [five, six] = [5, 6].map((rpm) => ({ workspace: 'filed', limits: { rpm } }));
    expect(store.audit).toEqual([
      { ...common, at: 1000, action: 'key.create', before: null, after: five },
      { ...common, at: 2000, action: 'key.change', before: five, after: six },
      { ...common, at: 2000, action: 'key.change', before: six, after: { ...six, secret: '(changed)' } },
      { ...common, at: 2000, actor: 'mia', action: 'key.remove', before: six, after: null },
    ]);
  });

  it('G-9: no secret, hash or password is in it', async () => {
    await objects.put('credential', 'c', { provider: 'up' }, { ...BY, secret: 'sk-0123456789abcdef' });
    await objects.put('webhook', 'ops', { url: 'https://us:hush@hooks.example/' }, { ...BY, secret: HOOK_SECRET });
    await objects.put('member', 'm', { role: 'account_admin' }, { ...BY, secret: OTHER });
    await objects.remove('credential', 'c', BY);
    const text = JSON.stringify(store.audit);
    for (const secret of ['hush', 'sk-0123456789abcdef', HOOK_SECRET, OTHER, secretHash(OTHER), 'sealed', 'hash']) {
      expect(text).not.toContain(secret);
    }
    expect(store.audit[1]?.after).toMatchObject({ url: 'https://us:***@hooks.example/' });
  });

  it('G-8: a workspace is told of its own objects, and not of members', async () => {
    await objects.put('workspace', 'acme', {}, BY);
    await objects.put('credential', 'c', { provider: 'up' }, { ...BY, secret: 'sk-0123456789abcdef' });
    await objects.put('member', 'm', { role: 'member', workspace: 'acme' }, { ...BY, secret: OTHER });
    expect(store.audit.map(({ object, workspace }) => [object, workspace])).toEqual([
      ['workspace acme', 'acme'],
      ['credential c', null],
      ['member m', null],
    ]);
  });

  it('G-7: what was refused is not told', async () => {
    await refusal(objects.put('key', 'k', { workspace: 'nowhere' }, { ...BY, secret: SECRET }));
    store.before = () => {
      throw new StateStoreUnavailable('away');
    };
    await refusal(objects.put('key', 'k', { workspace: 'filed' }, { ...BY, secret: SECRET }));
    expect(store.audit).toEqual([]);
  });
});

describe('a key of the store', () => {
  it('G-9: works at once, is kept as a hash alone, and is there after a restart', async () => {
    const made = await objects.put('key', 'dev', { workspace: 'filed', models: ['up/a'] }, { ...BY, secret: SECRET });
    expect(made).toEqual({
      kind: 'key',
      name: 'dev',
      body: { workspace: 'filed', models: ['up/a'] },
      managedBy: 'store',
      version: 1,
      createdAt: 1000,
      updatedAt: 1000,
      updatedBy: 'admin',
      problem: null,
    });
    expect(JSON.stringify(store.all)).not.toContain(SECRET);
    for (const restart of [false, true]) {
      if (restart) await open(FILE);
      expect(snapshot().keys.get(secretHash(SECRET))).toMatchObject({
        name: 'dev',
        workspace: 'filed',
        managedBy: 'store',
        hash: secretHash(SECRET),
      });
      expect(snapshot().keys.get(secretHash('file-key-0123456789'))).toMatchObject({ managedBy: 'file' });
      expect(objects.get('key', 'dev')).toEqual(made);
    }
  });

  it('G-9: is no longer known once it is removed', async () => {
    await objects.put('key', 'dev', {}, { ...BY, secret: SECRET });
    await objects.remove('key', 'dev', { by: 'admin' });
    expect(snapshot().keys.has(secretHash(SECRET))).toBe(false);
    expect(store.all).toEqual([]);
    expect(objects.get('key', 'dev')).toBeNull();
  });

  it('G-9: a change keeps the secret it has, or takes a new one', async () => {
    await objects.put('key', 'dev', {}, { ...BY, secret: SECRET });
    wall = 2000;
    const changed = await objects.put('key', 'dev', { models: ['up/b'] }, { by: 'mia' });
    expect(changed).toMatchObject({ version: 2, createdAt: 1000, updatedAt: 2000, updatedBy: 'mia' });
    expect(snapshot().keys.get(secretHash(SECRET))?.models).toEqual(['up/b']);
    await objects.put('key', 'dev', {}, { ...BY, secret: OTHER });
    expect(snapshot().keys.has(secretHash(SECRET))).toBe(false);
    expect(snapshot().keys.has(secretHash(OTHER))).toBe(true);
  });

  it('G-9: its body may be what the file has, name and secret inside', async () => {
    const made = await objects.put('key', 'dev', { name: 'dev', secret: SECRET, workspace: 'filed' }, BY);
    expect(made.body).toEqual({ workspace: 'filed' });
    expect(snapshot().keys.has(secretHash(SECRET))).toBe(true);
  });

  it.each([
    [{ limits: { rmp: 5 } }, 'limits.rmp', /unknown key; did you mean `rpm`/],
    [{ models: 'up/a' }, 'models', /must be a list/],
    [{ models: ['up/x'] }, 'models[0]', /there is no model `up\/x`/],
    [{ workspace: 'filled' }, 'workspace', /no workspace `filled`.*did you mean `filed`/],
    [{ expires_at: 'soon' }, 'expires_at', /must be a date/],
    [{ name: 'other' }, 'name', /must be the name the object has/],
    [{ hash: 'x' }, 'hash', /is unknown/],
    [{ sealed: 'x' }, 'sealed', /is unknown/],
    [{ secret: 'short' }, 'secret', /at least 16/],
    [{ secret: 5 }, 'secret', /must be a text/],
    [{ secret: 'with a space in it' }, 'secret', /visible ASCII/],
    [{ secret: `\${DEV_KEY:-something}` }, 'secret', /the environment is read for files only/],
    [{ secret: 'file-key-0123456789' }, 'secret', /in use already/],
  ])('G-9: %j is refused, naming the field', async (body, param, message) => {
    const secret = 'secret' in body ? {} : { secret: SECRET };
    const error = await refusal(objects.put('key', 'dev', body as Record<string, unknown>, { ...BY, ...secret }));
    expect(error).toMatchObject({ status: 400, code: 'invalid_parameter', param });
    expect(error.message).toMatch(message);
    expect(error.message).not.toContain('file-key-0123456789');
    expect(store.all).toEqual([]);
    expect(keyNames()).toEqual(['file-key']);
  });

  it.each(['', 'a b', '../x', '-x', 'x'.repeat(129), '__proto__'])('G-9: the name %j is refused', async (name) => {
    expect(await refusal(objects.put('key', name, {}, { ...BY, secret: SECRET }))).toMatchObject({
      status: 400,
      param: 'name',
    });
  });

  it('G-9: none is made without a secret', async () => {
    expect(await refusal(objects.put('key', 'dev', {}, BY))).toMatchObject({
      status: 400,
      code: 'missing_required_parameter',
      param: 'secret',
    });
  });
});

describe('versions', () => {
  it('H-5: of changes from the same version at the same time one is taken, the others are 409', async () => {
    await objects.put('workspace', 'acme', {}, BY);
    const all = await Promise.allSettled(
      Array.from({ length: 10 }, (_, n) =>
        objects.put('workspace', 'acme', { redundancy: { retries: n % 5 } }, { ...BY, expectedVersion: 1 }),
      ),
    );
    expect(all.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    expect(objects.get('workspace', 'acme')?.version).toBe(2);
    const late = objects.put('workspace', 'acme', {}, { ...BY, expectedVersion: 1 });
    expect(await refusal(late)).toMatchObject({
      status: 409,
      code: 'conflict',
      message: expect.stringContaining('2, not 1'),
    });
    expect(await refusal(objects.remove('workspace', 'acme', { by: 'admin', expectedVersion: 1 }))).toMatchObject({
      status: 409,
    });
    await objects.remove('workspace', 'acme', { by: 'admin', expectedVersion: 2 });
  });

  it('H-5: creating what exists is 409, changing what does not exist is 404', async () => {
    await objects.put('workspace', 'acme', {}, { ...BY, create: true });
    expect(await refusal(objects.put('workspace', 'acme', {}, { ...BY, create: true }))).toMatchObject({ status: 409 });
    expect(await refusal(objects.put('workspace', 'nobody', {}, { ...BY, create: false }))).toMatchObject({
      status: 404,
    });
    expect(await refusal(objects.remove('workspace', 'nobody', { by: 'admin' }))).toMatchObject({ status: 404 });
  });
});

describe('ownership of the file', () => {
  it.each([
    ['workspace', 'filed'],
    ['key', 'file-key'],
    ['credential', 'ours'],
  ] as const)('G-9: the %s %s of the file is shown without its secret and is read-only', async (kind, name) => {
    expect(objects.get(kind, name)).toMatchObject({ managedBy: 'file', version: 0, problem: null });
    expect(JSON.stringify(objects.list(kind))).not.toMatch(/0123456789/);
    for (const change of [
      objects.put(kind, name, {}, { ...BY, secret: SECRET }),
      objects.remove(kind, name, { by: 'admin' }),
    ]) {
      expect(await refusal(change)).toMatchObject({
        status: 409,
        code: 'conflict',
        message: expect.stringContaining('belongs to the configuration file'),
      });
    }
  });

  it('G-9: an object that the file takes over waits, and comes back when the file lets go of it', async () => {
    await objects.put('key', 'dev', {}, { ...BY, secret: SECRET });
    const taken = { ...FILE, keys: [...FILE.keys, { name: 'dev', workspace: 'filed', secret: OTHER }] };
    expect(await reload(taken)).toEqual([]);
    expect(snapshot().keys.get(secretHash(OTHER))).toMatchObject({ workspace: 'filed', managedBy: 'file' });
    expect(snapshot().keys.has(secretHash(SECRET))).toBe(false);
    expect(objects.list('key').filter(({ name }) => name === 'dev')).toMatchObject([{ managedBy: 'file' }]);
    await reload(FILE);
    expect(snapshot().keys.get(secretHash(SECRET))).toMatchObject({ workspace: 'default', managedBy: 'store' });
    expect(objects.get('key', 'dev')).toMatchObject({ managedBy: 'store', version: 1 });
  });
});

describe('objects that no longer fit', () => {
  beforeEach(async () => {
    await objects.put('workspace', 'acme', { enabled_models: ['up/b'] }, BY);
    await objects.put('key', 'dev', { workspace: 'acme' }, { ...BY, secret: SECRET });
    await objects.put('key', 'free', {}, { ...BY, secret: OTHER });
  });

  it('G-9: are set aside with what needs them, with a note, and the rest works', async () => {
    const { 'up/b': _gone, ...models } = FILE.models;
    const notes = await reload({ ...FILE, models });
    expect(notes).toEqual([
      expect.stringContaining(
        'the workspace `acme` of the store is set aside: enabled_models[0]: there is no model `up/b`',
      ),
      expect.stringContaining('the key `dev` of the store is set aside: workspace: there is no workspace `acme`'),
    ]);
    expect(objects.get('workspace', 'acme')?.problem).toMatch(/there is no model `up\/b`/);
    expect(snapshot().keys.has(secretHash(SECRET))).toBe(false);
    expect(snapshot().keys.has(secretHash(OTHER))).toBe(true);
    // And so does a restart.
    await open({ ...FILE, models });
    expect(asideNotes(configuration.state().merged)).toHaveLength(2);
    expect(keyNames()).toEqual(['file-key', 'free']);
    await reload(FILE);
    expect(keyNames()).toEqual(['dev', 'file-key', 'free']);
    expect(objects.get('workspace', 'acme')?.problem).toBeNull();
  });

  it('G-9: others can be changed meanwhile, and the broken one repaired or removed', async () => {
    await reload({ ...FILE, models: { 'up/a': {} } });
    await objects.put('key', 'free', { models: ['up/a'] }, BY);
    await objects.put('workspace', 'acme', { enabled_models: ['up/a'] }, BY);
    expect(keyNames()).toEqual(['dev', 'file-key', 'free']);
    await objects.remove('key', 'dev', { by: 'admin' });
    await objects.remove('workspace', 'acme', { by: 'admin' });
    expect(names('workspace')).toEqual(['default', 'filed']);
  });

  it('G-9: what others still need cannot go: 409 naming them', async () => {
    const error = await refusal(objects.remove('workspace', 'acme', { by: 'admin' }));
    expect(error).toMatchObject({ status: 409, code: 'conflict' });
    expect(error.message).toBe('The workspace `acme` is still needed by key `dev`. Change or remove it first.');
    expect(snapshot().workspaces.has('acme')).toBe(true);
  });

  it('G-9: a secret that no key opens sets its credential aside and no other', async () => {
    await objects.put('credential', 'mine', { provider: 'up' }, { ...BY, secret: 'sk-1' });
    await objects.put('credential', 'yours', { provider: 'up' }, { ...BY, secret: 'sk-2' });
    const at = store.all.findIndex(({ name }) => name === 'mine');
    // As if somebody had swapped the two in the database.
    store.all[at] = { ...store.all[at]!, body: { ...store.all.find(({ name }) => name === 'yours')!.body } };
    await open(FILE);
    expect(objects.get('credential', 'mine')?.problem).toMatch(
      /secret: cannot be opened: it was sealed for something else/,
    );
    expect(snapshot().credentials.map(({ name }) => name)).toEqual(['ours', 'yours']);
  });
});

describe('credentials of the store', () => {
  it('G-9: are sealed, opened for calls, and never shown', async () => {
    const made = await objects.put('credential', 'mine', { provider: 'up', order: 3 }, { ...BY, secret: 'sk-live-1' });
    expect(made.body).toEqual({ provider: 'up', order: 3 });
    expect(JSON.stringify([store.all, objects.list('credential')])).not.toContain('sk-live-1');
    await open(FILE);
    const entry = snapshot().credentials.find(({ name }) => name === 'mine');
    expect(entry?.secret.reveal()).toBe('sk-live-1');
    expect(entry?.managedBy).toBe('store');
    expect(snapshot().secrets.map((secret) => secret.reveal())).toContain('sk-live-1');
  });

  it('G-9: a rotation seals all of them again, and nothing else changes', async () => {
    await objects.put('credential', 'mine', { provider: 'up' }, { ...BY, secret: 'sk-live-1' });
    const before = store.all[0]?.body['sealed'];
    const rotation = await objects.withSealed((texts) => sealer.rotate(texts));
    expect(rotation).toMatchObject({ resealed: 1, broken: [], olderKeys: 0 });
    expect(store.all[0]?.body['sealed']).not.toBe(before);
    await open(FILE);
    expect(
      snapshot()
        .credentials.find(({ name }) => name === 'mine')
        ?.secret.reveal(),
    ).toBe('sk-live-1');
  });
});

describe('bytes of the store', () => {
  it('G-9, I-4: a rotation asks which keys they need, and keeps those', async () => {
    const sealed = sealer.sealBytes(Buffer.from('an answer'), 'answer');
    bytesKeys = [keyIdOfBytes(sealed)!];
    expect(await objects.withSealed((texts) => sealer.rotate(texts))).toMatchObject({ olderKeys: 1 });
    expect(Buffer.from(sealer.openBytes(sealed, 'answer')).toString()).toBe('an answer');
  });
});

describe('what is built in', () => {
  it('G-8: the workspace `default` can be given fields and let go of again, not removed', async () => {
    expect(objects.get('workspace', 'default')).toMatchObject({ version: 0, managedBy: 'store', body: {} });
    expect(await refusal(objects.remove('workspace', 'default', { by: 'admin' }))).toMatchObject({ status: 409 });
    await objects.put('workspace', 'default', { enabled_models: ['up/b'] }, BY);
    expect(snapshot().workspaces.get('default')).toMatchObject({ enabledModels: ['up/b'], managedBy: 'store' });
    await objects.remove('workspace', 'default', { by: 'admin' });
    expect(snapshot().workspaces.get('default')).toMatchObject({ enabledModels: ['*'] });
  });

  it('G-9: the key of the first start goes on beside others until it is revoked, for good', async () => {
    const { keys: _keys, ...without } = FILE;
    await open(without);
    const first = configuration.firstRun.hashes.clientKeyHash ?? '';
    expect(names('key')).toEqual(['first-run']);
    await objects.put('key', 'dev', {}, { ...BY, secret: SECRET });
    expect(keyNames()).toEqual(['dev', 'first-run']);
    expect(await refusal(objects.put('key', 'first-run', {}, { ...BY, secret: OTHER }))).toMatchObject({ status: 400 });
    await objects.remove('key', 'first-run', { by: 'admin' });
    expect(snapshot().keys.has(first)).toBe(false);
    await objects.remove('key', 'dev', { by: 'admin' });
    await open(without);
    expect(keyNames()).toEqual([]);
    expect(await refusal(objects.remove('key', 'first-run', { by: 'admin' }))).toMatchObject({ status: 404 });
    // One that was lost and made anew is another one.
    rmSync(path.join(dataDir, 'first-run.json'));
    await open(without);
    expect(keyNames()).toEqual(['first-run']);
    await objects.remove('key', 'first-run', { by: 'admin' });
    expect(keyNames()).toEqual([]);
  });
});

describe('trouble of the store', () => {
  const broken = () => {
    throw new StateStoreUnavailable('the state cannot be read or written: the disk is full');
  };

  it('H-5: is 503 store_unavailable, and the running configuration stays', async () => {
    await objects.put('key', 'dev', {}, { ...BY, secret: SECRET });
    const before = snapshot();
    store.before = broken;
    for (const change of [
      () => objects.put('key', 'more', {}, { ...BY, secret: OTHER }),
      () => objects.remove('key', 'dev', { by: 'admin' }),
    ]) {
      expect(await refusal(change())).toMatchObject({
        status: 503,
        code: 'store_unavailable',
        message: expect.stringContaining('the disk is full'),
      });
      expect(snapshot()).toBe(before);
    }
    store.before = () => undefined;
    await objects.remove('key', 'dev', { by: 'admin' });
    expect(keyNames()).toEqual(['file-key']);
  });

  it('H-5: a change whose answer got lost is found in the store, and is in force', async () => {
    store.after = broken;
    await objects.put('key', 'dev', {}, { ...BY, secret: SECRET });
    expect(keyNames()).toEqual(['dev', 'file-key']);
    await objects.remove('key', 'dev', { by: 'admin' });
    expect(keyNames()).toEqual(['file-key']);
  });

  it('H-5: when nobody can say whether it was written, the store is read before the next change', async () => {
    store.after = broken;
    store.beforeLoad = broken;
    expect(await refusal(objects.put('key', 'dev', {}, { ...BY, secret: SECRET }))).toMatchObject({ status: 503 });
    expect(keyNames()).toEqual(['file-key']);
    expect(await refusal(objects.put('key', 'x', {}, { ...BY, secret: OTHER }))).toMatchObject({ status: 503 });
    store.after = () => undefined;
    store.beforeLoad = () => undefined;
    expect(await refusal(objects.put('key', 'dev', {}, { ...BY, create: true, secret: SECRET }))).toMatchObject({
      status: 409,
    });
    expect(keyNames()).toEqual(['dev', 'file-key']);
  });
});

describe('a running snapshot', () => {
  it('H-5: versions grow with every change, and models made on demand stay made', async () => {
    await open({ ...FILE, models: { ...FILE.models, 'up/*': {} } });
    const made = configuration.snapshotFor(['up/new'], () => undefined);
    await objects.put('key', 'dev', {}, { ...BY, secret: SECRET });
    expect(snapshot().version).toBeGreaterThan(made.version);
    expect(snapshot().modelById.has('up/new')).toBe(true);
  });

  it('G-9: a thousand keys: one more is made in a moment, and each is found', async () => {
    for (let n = 0; n < 1000; n += 1) {
      store.all.push({
        kind: 'key',
        name: `k${n}`,
        body: { workspace: 'filed', hash: secretHash(`us-0123456789-${n}`) },
        version: 1,
        createdAt: 1,
        updatedAt: 1,
        updatedBy: 'admin',
      });
    }
    await open(FILE);
    await objects.put('key', 'dev', {}, { ...BY, secret: SECRET });
    expect(snapshot().keys.size).toBe(1002);
    expect(snapshot().keys.get(secretHash('us-0123456789-999'))?.name).toBe('k999');
  });
});
