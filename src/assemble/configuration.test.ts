/** The running configuration beside other processes that change the same store (H-5, G-9). */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { MemoryObjects } from '../../test/support/memory-objects.ts';
import { openSealer } from '../adapters/sealer/open-sealer.ts';
import { StateStoreUnavailable, type StoredObject } from '../ports/object-store.ts';
import type { RotatingSealer } from '../ports/sealer.ts';
import { Applier } from './applier.ts';
import { Configuration } from './configuration.ts';
import { ManagedObjects } from './managed-objects.ts';

const BY = { by: 'admin' };
const CALL = { requestId: 'req_1', ip: null };

/** As a database that several processes share. */
class SharedObjects extends MemoryObjects {
  revisionNow = 0;
  isAway = false;

  revision(): Promise<number> {
    if (this.isAway) return Promise.reject(new StateStoreUnavailable('away'));
    return Promise.resolve(this.revisionNow);
  }

  override async change(...sent: Parameters<MemoryObjects['change']>): ReturnType<MemoryObjects['change']> {
    if (this.isAway) throw new StateStoreUnavailable('away');
    const done = await super.change(...sent);
    this.revisionNow += 1;
    return done;
  }
}

let dataDir: string;
let store: SharedObjects;
let sealer: RotatingSealer;
let opened: string[];
let problems: (string | null)[];
let all: Configuration[];

beforeEach(async () => {
  dataDir = mkdtempSync(path.join(tmpdir(), 'understudy-configuration-'));
  store = new SharedObjects();
  const real = await openSealer({ dataDir, env: {} });
  opened = [];
  sealer = Object.assign(Object.create(real) as RotatingSealer, {
    open(text: string, context: string): string {
      opened.push(context);
      return real.open(text, context);
    },
    seal: (text: string, context: string) => real.seal(text, context),
  });
  problems = [];
  all = [];
});
afterEach(async () => {
  for (const one of all) await one.close();
  rmSync(dataDir, { recursive: true, force: true });
});

const TEXT = {
  version: 1,
  admin: { token: 'a-token-of-the-file-0123456789' },
  keys: [{ name: 'own', secret: 'a-key-of-the-file-0123456789' }],
  providers: { up: { type: 'openai-compatible', base_url: 'http://127.0.0.1:9/v1' } },
  models: { m: { channels: [{ provider: 'up' }] } },
};
const text = (more: object = {}): string => JSON.stringify({ ...TEXT, ...more });

async function open(source: { configFile?: string; configText?: string } = { configText: text() }, env = {}) {
  const configuration = await Configuration.open({ ...source, env }, dataDir, {
    objects: store,
    sealer,
    wall: () => 1000,
    onNotTaken: (problem) => void problems.push(problem),
  });
  all.push(configuration);
  return { configuration, objects: new ManagedObjects(configuration), applier: new Applier(configuration) };
}

const versionOf = (configuration: Configuration): number => configuration.snapshot().version;

describe('beside others', () => {
  it('G-9: what is not changed is neither opened nor exchanged again', async () => {
    const one = await open();
    const two = await open();
    await one.objects.put('credential', 'c', { provider: 'up' }, { ...BY, secret: 'sk-sealed-0123456789' });
    expect(await two.configuration.catchUp()).toBe(true);
    const before = [opened.length, versionOf(two.configuration)];
    expect(await two.configuration.catchUp()).toBe(false);
    // A ban is none of the configuration's affair; its own change is known already.
    await store.change([{ kind: 'ban', name: 'own', body: { since: 1 }, expectedVersion: 0, by: 'gateway' }], 1000);
    expect(await two.configuration.catchUp()).toBe(false);
    expect([opened.length, versionOf(two.configuration)]).toEqual(before);
    const own = versionOf(one.configuration);
    expect(await one.configuration.catchUp()).toBe(false);
    expect(versionOf(one.configuration)).toBe(own);
    await one.objects.put('credential', 'd', { provider: 'up' }, { ...BY, secret: 'sk-other-0123456789' });
    opened = [];
    await two.configuration.catchUp();
    expect(opened).toEqual(['credential:d']);
  });

  it('G-8: a change is made from what the store holds by then', async () => {
    const one = await open();
    const two = await open();
    await one.objects.put('workspace', 'acme', {}, { ...BY, create: true });
    await two.objects.put('key', 'k', { workspace: 'acme' }, { ...BY, create: true, secret: 'us-of-acme-0123456789' });
    await expect(one.objects.remove('workspace', 'acme', BY)).rejects.toThrow(/still needed by key `k`/);
    await expect(one.objects.put('key', 'k', {}, { ...BY, create: true, secret: 'us-x-0123456789' })).rejects.toThrow(
      /already/,
    );
  });

  it('H-5: while the store is away a file is loaded again, and changes are refused', async () => {
    const file = path.join(dataDir, 'understudy.yaml');
    writeFileSync(file, text());
    const one = await open({ configFile: file });
    store.isAway = true;
    writeFileSync(file, text({ answers: { calm: { text: 'calm' } } }));
    expect(await one.configuration.reload()).toMatchObject({ ok: true });
    expect(one.configuration.snapshot().answers.get('calm')).toBe('calm');
    await expect(one.objects.put('workspace', 'acme', {}, BY)).rejects.toMatchObject({ error: { status: 503 } });
    await expect(one.configuration.catchUp()).rejects.toThrow(StateStoreUnavailable);
    store.isAway = false;
    await one.objects.put('workspace', 'acme', {}, BY);
    expect(one.configuration.snapshot().workspaces.has('acme')).toBe(true);
  });

  it('H-5: a write whose answer was lost is not taken for another’s of the same version', async () => {
    const one = await open();
    const two = await open();
    store.before = () => {
      store.before = () => undefined;
      // The other one is quicker, and our own word never arrives.
      store.all.push({ ...objectOf('workspace', 'acme'), body: { allowed_models: ['m'] } });
      store.revisionNow += 1;
      throw new StateStoreUnavailable('away');
    };
    await expect(one.objects.put('workspace', 'acme', {}, BY)).rejects.toMatchObject({ error: { status: 503 } });
    await two.configuration.catchUp();
    await one.configuration.catchUp();
    expect(one.configuration.state().objects).toEqual(two.configuration.state().objects);
  });

  it('G-10: what is applied elsewhere is in force, unless this environment lacks what it names', async () => {
    const one = await open({ configText: text() }, { ONLY_ONE: 'calm' });
    const two = await open();
    const apply = (sent: string) =>
      one.applier.apply({ text: sent, name: 'new.yaml', base: null, dryRun: false, by: 'admin', call: CALL });
    await apply(text({ answers: { calm: { text: 'applied' } } }));
    await two.configuration.catchUp();
    expect(two.configuration.snapshot().answers.get('calm')).toBe('applied');
    await apply(text({ answers: { calm: { text: `$${'{ONLY_ONE}'}` } } }));
    await one.objects.put('workspace', 'acme', {}, BY);
    await two.configuration.catchUp();
    expect(two.configuration.snapshot().answers.get('calm')).toBe('applied');
    expect(two.configuration.snapshot().workspaces.has('acme')).toBe(true);
    expect(problems).toEqual([expect.stringContaining('ONLY_ONE')]);
    await apply(text({ answers: { calm: { text: 'again' } } }));
    await two.configuration.catchUp();
    expect(two.configuration.snapshot().answers.get('calm')).toBe('again');
    expect(problems.at(-1)).toBeNull();
  });
});

function objectOf(kind: string, name: string): StoredObject {
  return { kind, name, body: {}, version: 1, createdAt: 0, updatedAt: 0, updatedBy: 'admin' };
}
