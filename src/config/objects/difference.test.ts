import { describe, expect, it } from 'vitest';
import { readConfig } from '../load.ts';
import type { Config } from '../schema/config-schema.ts';
import { differences } from './difference.ts';

const HOOK = `whsec_${Buffer.alloc(24, 1).toString('base64')}`;
const BASE = {
  version: 1,
  providers: { up: { type: 'openai-compatible', base_url: 'http://up.test/v1', headers: { 'x-team': 'a' } } },
  credentials: { mine: { provider: 'up', secret: 'sk-one', order: 1 } },
  models: {
    m: {
      context_window: 1000,
      channels: [
        { id: 'a', provider: 'up', weight: 1 },
        { id: 'b', provider: 'up' },
      ],
    },
  },
  aliases: { short: 'm' },
  workspaces: { acme: { enabled_models: ['m'] } },
  keys: [{ name: 'k', secret: 'key-one' }],
  members: { mia: { role: 'account_admin', token: 'token-one' } },
  admin: { token: 'admin-one' },
};
type Base = typeof BASE;

function config(edit: (base: Base & Record<string, unknown>) => void = () => undefined): Config {
  const written = structuredClone(BASE) as Base & Record<string, unknown>;
  edit(written);
  const read = readConfig(JSON.stringify(written), {});
  if (!read.ok) throw new Error(JSON.stringify(read.problems));
  return read.config;
}
const from = (edit: Parameters<typeof config>[0]) => differences(config(), config(edit));

describe('differences of configurations', () => {
  it('X-5: none between equal ones, whatever is left to the defaults', () => {
    expect(
      from(
        (base) =>
          void Object.assign(base, { backoff: { base_ms: 500 }, streaming: {}, server: { body_limit: '32mb' } }),
      ),
    ).toEqual([]);
    expect(from((base) => void Object.assign(base.credentials.mine, { kind: 'platform' }))).toEqual([]);
  });

  it.each([
    ['provider', (base: Base) => Object.assign(base.providers, { x: { type: 'openai' } })],
    ['credential', (base: Base) => Object.assign(base.credentials, { x: { provider: 'up', secret: 'sk-two' } })],
    ['model', (base: Base) => Object.assign(base.models, { x: { channels: [{ provider: 'up' }] } })],
    ['alias', (base: Base) => Object.assign(base.aliases, { x: 'm' })],
    ['workspace', (base: Base) => Object.assign(base.workspaces, { x: {} })],
    ['key', (base: Base) => base.keys.push({ name: 'x', secret: 'key-two' })],
    ['member', (base: Base) => Object.assign(base.members, { x: { role: 'account_admin', token: 'token-two' } })],
    ['webhook', (base: Base) => Object.assign(base, { webhooks: { x: { url: 'https://a.test/', secret: HOOK } } })],
  ] as const)('X-5: a new %s is one line, a dropped one too', (kind, add) => {
    expect(from((base) => void add(base))).toEqual([{ change: 'added', kind, name: 'x', fields: [] }]);
    expect(
      differences(
        config((base) => void add(base)),
        config(),
      ),
    ).toEqual([{ change: 'removed', kind, name: 'x', fields: [] }]);
  });

  it('X-5: a changed object names its fields, from and to', () => {
    const found = from((base) => {
      base.models.m.context_window = 2000;
      base.workspaces.acme.enabled_models = ['*'];
      Object.assign(base.workspaces.acme, { redundancy: { retries: 2 } });
    });
    expect(found).toEqual([
      { change: 'changed', kind: 'model', name: 'm', fields: [{ path: 'context_window', from: 1000, to: 2000 }] },
      {
        change: 'changed',
        kind: 'workspace',
        name: 'acme',
        fields: [
          { path: 'enabled_models', from: ['m'], to: ['*'] },
          { path: 'redundancy.retries', to: 2 },
        ],
      },
    ]);
  });

  it('X-5: channels are told by their name, and their order counts', () => {
    const weights = from((base) => {
      base.models.m.channels[0]!.weight = 5;
    });
    expect(weights).toMatchObject([{ fields: [{ path: 'channels.a.weight', from: 1, to: 5 }] }]);
    const turned = from((base) => {
      base.models.m.channels.reverse();
    });
    expect(turned).toMatchObject([{ fields: [{ path: 'channels', from: ['a', 'b'], to: ['b', 'a'] }] }]);
  });

  it('X-5: the order of keys and of names does not count', () => {
    const two = (base: Base) => base.keys.push({ name: 'a', secret: 'key-two' });
    const before = config((base) => void two(base));
    const after = config((base) => {
      two(base);
      base.keys.reverse();
    });
    expect(differences(before, after)).toEqual([]);
  });

  it('E-5: secrets are only said to change, wherever they stand', () => {
    const found = from((base) => {
      base.credentials.mine.secret = 'sk-two';
      base.keys[0]!.secret = 'key-two';
      base.members.mia.token = 'token-two';
      base.admin.token = 'admin-two';
      Object.assign(base.providers.up, { headers: { 'x-team': 'b' }, proxy: 'http://user:pass@proxy.test' });
      Object.assign(base, { server: { metrics_token: 'metrics-two' } });
    });
    expect(JSON.stringify(found)).not.toMatch(/-one|-two|pass|"b"/);
    expect(found.flatMap(({ kind, fields }) => fields.map(({ path, secret }) => [kind, path, secret]))).toEqual([
      ['provider', 'headers.x-team', true],
      ['provider', 'proxy', true],
      ['credential', 'secret', true],
      ['key', 'secret', true],
      ['member', 'token', true],
      ['setting', '', true],
      ['setting', '', true],
    ]);
  });

  it('X-5: settings by their path, added, changed and removed', () => {
    const late = (base: Record<string, unknown>) =>
      Object.assign(base, { health: { auth_ms: 5 }, defaults: { redundancy: { retries: 1 } } });
    expect(from((base) => void late(base))).toEqual([
      { change: 'added', kind: 'setting', name: 'defaults.redundancy.retries', fields: [{ path: '', to: 1 }] },
      { change: 'changed', kind: 'setting', name: 'health.auth_ms', fields: [{ path: '', from: 300_000, to: 5 }] },
    ]);
    expect(
      differences(
        config((base) => void late(base)),
        config(),
      ),
    ).toMatchObject([
      { change: 'removed', name: 'defaults.redundancy.retries', fields: [{ path: '', from: 1 }] },
      { change: 'changed' },
    ]);
  });

  it('E-5: secrets of webhooks and addresses of shared stores are only said to change', () => {
    const hooks = (secret: string, url: string) => ({ webhooks: { x: { url, secret, previous_secret: HOOK } } });
    const other = `whsec_${Buffer.alloc(24, 2).toString('base64')}`;
    const before = config((base) => void Object.assign(base, hooks(HOOK, 'https://a.test/')));
    const after = config((base) => void Object.assign(base, hooks(other, 'https://b.test/')));
    expect(differences(before, after)).toEqual([
      {
        change: 'changed',
        kind: 'webhook',
        name: 'x',
        fields: [
          { path: 'secret', secret: true },
          { path: 'url', from: 'https://a.test/', to: 'https://b.test/' },
        ],
      },
    ]);
    const shared = from((base) => void Object.assign(base, { shared: 'redis://:hush-hush@r:6379' }));
    expect(shared).toMatchObject([{ name: 'shared', fields: [{ path: '', secret: true }] }]);
    expect(JSON.stringify(shared)).not.toContain('hush');
  });
});
