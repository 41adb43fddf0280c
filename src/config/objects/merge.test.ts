import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { StoredObject } from '../../ports/object-store.ts';
import { SealBroken } from '../../ports/sealer.ts';
import { buildSnapshot } from '../build/build-snapshot.ts';
import { readConfig, type SoundConfig } from '../load.ts';
import { secretHash } from '../secret-hash.ts';
import type { ObjectKind } from './config-objects.ts';
import { mergeObjects, OWNED_BY_FILE } from './merge.ts';
import { inWords, isSealed, readStored, type StoredEntry } from './stored-entry.ts';

const sealer = {
  open(sealed: string, context: string): string {
    if (!sealed.startsWith(`${context}:`)) throw new SealBroken('it was sealed for something else');
    return sealed.slice(context.length + 1);
  },
};

function file(config: object): SoundConfig {
  const read = readConfig(JSON.stringify({ version: 1, ...config }), {});
  if (!read.ok) throw new Error(JSON.stringify(read.problems));
  return read;
}

function stored(kind: ObjectKind, name: string, body: StoredObject['body'] = {}): StoredEntry {
  const plain = kind === 'webhook' ? `whsec_${Buffer.alloc(24, name).toString('base64')}` : `sk-${name}`;
  const secret = isSealed(kind) ? { sealed: `${kind}:${name}:${plain}` } : { hash: secretHash(`${kind} ${name}`) };
  const full = kind === 'workspace' ? body : { ...secret, ...body };
  return readStored({ kind, name, body: full, version: 1, createdAt: 0, updatedAt: 0, updatedBy: 'admin' }, sealer);
}

const FILE = file({
  providers: { up: { type: 'openai' } },
  models: { 'up/a': {} },
  workspaces: { filed: {} },
  keys: [{ name: 'file-key', secret: 'file-secret' }],
  members: { filed: { role: 'account_admin', token: 'file-token' } },
  admin: { token: 'admin-token' },
});

function asideOf(...entries: StoredEntry[]): Record<string, string> {
  const { aside } = mergeObjects(FILE, entries);
  return Object.fromEntries([...aside].map(([{ kind, name }, problem]) => [`${kind} ${name}`, inWords(problem)]));
}

describe('file and store as one', () => {
  it('G-9: what fits is there, by its own owner and in its own order', () => {
    const entries = [
      stored('workspace', 'acme', { enabled_models: ['up/a'] }),
      stored('credential', 'mine', { provider: 'up', kind: 'byok', workspace: 'acme' }),
      stored('key', 'dev', { workspace: 'acme', expires_at: '2030-01-01' }),
      stored('member', 'mia', { role: 'workspace_admin', workspace: 'acme' }),
    ];
    const { config, stored: parts, aside } = mergeObjects(FILE, entries);
    expect([...aside]).toEqual([]);
    const snapshot = buildSnapshot(config, { version: 1, stored: parts });
    expect([...snapshot.keys.values()].map(({ name, managedBy, hash }) => [name, managedBy, hash])).toEqual([
      ['file-key', 'file', secretHash('file-secret')],
      ['dev', 'store', secretHash('key dev')],
    ]);
    expect(snapshot.keys.get(secretHash('key dev'))).toMatchObject({
      workspace: 'acme',
      expiresAt: Date.UTC(2030, 0, 1),
    });
    expect(snapshot.members.get(secretHash('member mia'))).toMatchObject({ workspace: 'acme', managedBy: 'store' });
    expect(snapshot.credentials[0]?.secret.reveal()).toBe('sk-mine');
    expect(snapshot.workspaces.get('acme')?.managedBy).toBe('store');
    expect(snapshot.workspaces.get('filed')?.managedBy).toBe('file');
    // Nobody's key or token is the text that stands in for it.
    expect([...snapshot.keys.keys(), ...snapshot.members.keys()]).not.toContain(secretHash('store:key:dev'));
  });

  it('G-9: the file alone is left as it is', () => {
    expect(mergeObjects(FILE, []).config).toEqual(FILE.config);
  });

  it("G-9: a name of the file is the file's, per kind", () => {
    const all = [
      stored('workspace', 'filed'),
      stored('member', 'filed', { role: 'account_admin' }),
      stored('key', 'filed'),
    ];
    expect(asideOf(...all)).toEqual({ 'workspace filed': OWNED_BY_FILE, 'member filed': OWNED_BY_FILE });
  });

  it('G-9: what needs a set-aside object is set aside with it, to any depth', () => {
    const found = asideOf(
      stored('key', 'dev', { workspace: 'acme' }),
      stored('credential', 'mine', { provider: 'up', kind: 'byok', workspace: 'acme' }),
      stored('workspace', 'acme', { default_model: 'none/none' }),
      stored('key', 'other'),
    );
    expect(Object.keys(found).sort()).toEqual(['credential mine', 'key dev', 'workspace acme']);
    expect(found['key dev']).toMatch(/^workspace: there is no workspace `acme`/);
  });

  it.each([
    ['file-secret', 'key'],
    ['file-token', 'member'],
    ['admin-token', 'key'],
  ] as const)('G-8: a secret that opens something already (%s) opens nothing else', (secret, kind) => {
    const body = { hash: secretHash(secret), ...(kind === 'member' ? { role: 'account_admin' } : {}) };
    expect(asideOf(stored(kind, 'twin', body))).toEqual({
      [`${kind} twin`]: expect.stringMatching(/is in use already/),
    });
  });

  it('G-9: of two of the store with one secret the older keeps it', () => {
    const hash = secretHash('the same');
    const found = asideOf(stored('key', 'b', { hash }), stored('member', 'a', { hash, role: 'account_admin' }));
    expect(Object.keys(found)).toEqual(['member a']);
  });

  it.each([
    ['without its hash', stored('key', 'k', { hash: 5 }), 'secret: is missing'],
    ['without its seal', stored('credential', 'c', { sealed: null, provider: 'up' }), 'secret: is missing'],
    [
      'sealed for another',
      stored('credential', 'c', { sealed: 'credential:d:x', provider: 'up' }),
      /secret: cannot be opened/,
    ],
    [
      'of a provider that is gone',
      stored('credential', 'c', { provider: 'down' }),
      /provider: there is no provider `down`/,
    ],
    ['with a field of another version', stored('workspace', 'w', { futures: {} }), /^futures: unknown key/],
    ['with a name that is none', stored('workspace', 'a b'), /^name: must be/],
  ])('G-9: one %s is set aside with its reason', (_, entry, reason) => {
    expect(Object.values(asideOf(entry))).toEqual([expect.stringMatching(reason)]);
  });

  it('G-9: whatever the store holds, the merge ends, keeps the file, and what it takes makes a configuration', () => {
    const name = fc.constantFrom('a', 'b', 'filed', 'file-key', 'x.y', '__proto__', '');
    const value = fc.oneof(
      fc.constantFrom('a', 'b', 'filed', 'up', 'up/a', 'byok', 'account_admin', 'member', null, 7),
      fc.array(fc.constantFrom('up/a', '*', 'gone'), { maxLength: 2 }),
    );
    const fields = [
      'workspace',
      'provider',
      'kind',
      'role',
      'models',
      'enabled_models',
      'default_model',
      'limits',
      'order',
    ];
    const body = fc.dictionary(fc.constantFrom(...fields), value, { maxKeys: 4 });
    const entry = fc
      .tuple(fc.constantFrom<ObjectKind>('workspace', 'key', 'credential', 'member', 'webhook'), name, body)
      .map(([kind, ...rest]) => stored(kind, ...rest));
    fc.assert(
      fc.property(
        fc.uniqueArray(entry, { maxLength: 8, selector: ({ kind, name: own }) => `${kind} ${own}` }),
        (entries) => {
          const { config, stored: parts, aside } = mergeObjects(FILE, entries);
          const snapshot = buildSnapshot(config, { version: 1, stored: parts });
          expect(snapshot.keys.get(secretHash('file-secret'))?.managedBy).toBe('file');
          expect(snapshot.workspaces.get('filed')?.managedBy).toBe('file');
          const sizes = [parts.workspaces, parts.credentials, parts.keys, parts.members, parts.webhooks ?? new Set()];
          const taken = sizes.reduce((all, { size }) => all + size, 0);
          expect(taken + aside.size).toBe(entries.length);
          expect(snapshot.keys.size).toBe(1 + parts.keys.size);
          for (const key of snapshot.keys.values()) expect(snapshot.workspaces.has(key.workspace)).toBe(true);
        },
      ),
      { numRuns: 300, seed: 20261129 },
    );
  });
});

describe('webhooks of the store', () => {
  it('G-7: one takes part with both its secrets while it is renewed', () => {
    const before = `whsec_${Buffer.alloc(24, 9).toString('base64')}`;
    const body = { url: 'https://hooks.example/a', sealed_previous: `webhook:ops:${before}` };
    const { config, stored: parts, aside } = mergeObjects(FILE, [stored('webhook', 'ops', body)]);
    expect([...aside]).toEqual([]);
    const hook = buildSnapshot(config, { version: 1, stored: parts }).webhooks.get('ops');
    expect(hook).toMatchObject({ url: 'https://hooks.example/a', events: ['*'], enabled: true, ofFile: false });
    expect(hook?.secrets.map((secret) => secret.reveal())).toEqual([
      `whsec_${Buffer.alloc(24, 'ops').toString('base64')}`,
      before,
    ]);
  });

  it('G-9: a private address is refused', () => {
    const refused = asideOf(stored('webhook', 'ops', { url: 'http://169.254.169.254/latest' }));
    expect(refused['webhook ops']).toMatch(/^url: must be a public address/);
  });
});

describe('a change of some objects', () => {
  const NAMES = ['x', 'y', 'z', 'filed'];
  const workspace = fc.constantFrom('filed', 'x', 'y', 'nowhere');
  const model = fc.constantFrom('up/a', 'up/implied', 'up/other', 'no/model', 'alias');
  const hash = fc.constantFrom(...NAMES.map((name) => secretHash(`key ${name}`)), secretHash('file-secret'));
  const body: Readonly<Record<ObjectKind, fc.Arbitrary<Record<string, unknown>>>> = {
    workspace: fc.record(
      { enabled_models: fc.array(model, { minLength: 1, maxLength: 2 }), auto: fc.array(model, { maxLength: 2 }) },
      { requiredKeys: [] },
    ),
    key: fc.record(
      {
        workspace,
        hash,
        models: fc.array(model, { minLength: 1, maxLength: 2 }),
        failover_defaults: fc.record({ models: fc.uniqueArray(model, { maxLength: 2 }) }),
      },
      { requiredKeys: [] },
    ),
    credential: fc.record(
      { provider: fc.constantFrom('up', 'down'), kind: fc.constantFrom('byok', 'platform'), workspace },
      { requiredKeys: ['provider'] },
    ),
    member: fc.record(
      { role: fc.constantFrom('member', 'account_admin'), workspace, hash },
      { requiredKeys: ['role'] },
    ),
    webhook: fc.record(
      { url: fc.constantFrom('https://hooks.example/', 'http://127.0.0.1/', 'nowhere'), workspace },
      { requiredKeys: ['url'] },
    ),
  };
  const change = fc
    .constantFrom<ObjectKind>('workspace', 'key', 'key', 'credential', 'member', 'webhook')
    .chain((kind) => fc.tuple(fc.constant(kind), fc.constantFrom(...NAMES), fc.option(body[kind])));

  it('H-5: is checked alone with the result that checking everything has', () => {
    fc.assert(
      fc.property(fc.array(change, { minLength: 1, maxLength: 25 }), (changes) => {
        let entries: StoredEntry[] = [];
        let before = mergeObjects(FILE, entries);
        for (const [kind, name, next] of changes) {
          const others = entries.filter((one) => one.kind !== kind || one.name !== name);
          entries = next === null ? others : [...others, stored(kind, name, next)];
          const whole = mergeObjects(FILE, entries);
          before = mergeObjects(FILE, entries, before);
          expect([...before.aside].map(([entry, problem]) => [entry.name, problem])).toEqual(
            [...whole.aside].map(([entry, problem]) => [entry.name, problem]),
          );
          expect(before.config).toEqual(whole.config);
          expect([before.stored, [...before.sound]]).toEqual([whole.stored, [...whole.sound]]);
        }
      }),
      { numRuns: 150 },
    );
  });
});
