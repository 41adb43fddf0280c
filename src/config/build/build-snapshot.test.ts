import { createHash } from 'node:crypto';
import { inspect } from 'node:util';
import { describe, expect, it } from 'vitest';
import { loadConfig, needsSimulator } from '../load.ts';
import type { Snapshot } from '../snapshot.ts';
import type { BuildOptions } from './build-snapshot.ts';
import { MAX_WILDCARD_MODELS, withModel, withModels } from './with-model.ts';

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

function load(text: string, options: Partial<BuildOptions> = {}): Snapshot {
  const result = loadConfig({ text: `version: 1\n${text}`, file: 'test.yaml', env: {}, ...options });
  if (!result.ok) throw new Error(JSON.stringify(result.problems));
  return result.snapshot;
}

const TWO = `
providers:
  up: { type: openai, base_url: "http://127.0.0.1:1/v1/", organization: org-1, headers: { X-Team: a, X-Api-Token: "tok-123456" }, proxy: "http://user:pass%20word@proxy:3128" }
  other: { type: openai-compatible, base_url: http://127.0.0.1:2 }
credentials:
  late: { provider: up, secret: secret-late, order: 2 }
  own-b: { provider: up, secret: secret-own-b, kind: byok, workspace: acme, order: 2 }
  early: { provider: up, secret: secret-early, order: 1 }
  own-a: { provider: up, secret: secret-own-a, kind: byok, workspace: acme, order: 1 }
  early-too: { provider: up, secret: secret-early-too, order: 1 }
models:
  up/nano:
    price: { input: 0.05, output: 0.4, cached_input: 0.005 }
    context_window: 400000
    max_output_tokens: 9
    capabilities: { apis: [chat], features: [tools] }
    channels:
      - { id: last, provider: up, priority: 3, region: eu, max_privacy: internal, weight: 2, price: { input: 1, audio_in: 2 }, capabilities: { input: [text] }, max_output_tokens: 7 }
      - { id: first, provider: other, model: nano-x, context_window: 1000 }
      - { id: second, provider: up }
  other/plain: {}
aliases: { nano: up/nano, n: nano }
workspaces: { acme: { enabled_models: ["up/*"], redundancy: { timeout_ms: 2000 }, ceilings: { max_attempts: 3 } } }
keys:
  - { name: k, workspace: acme, secret: client-key-1, models: ["up/*"], expires_at: 2027-12-31, failover_defaults: { models: [n, other/plain, up/nano], timeout_ms: 3000, on: [timeout] }, redundancy: { retries: 1 } }
`;

describe('buildSnapshot', () => {
  it('P-1: channels by priority then file order; BYOK credentials first, then platform, each by order', () => {
    const snapshot = load(TWO);
    const model = snapshot.models[snapshot.modelById.get('up/nano')!]!;
    expect(model.channels.map((ix) => snapshot.channels[ix]!.id)).toEqual(['first', 'second', 'last']);
    const second = snapshot.channels[model.channels[1]!]!;
    expect(second.credentials.map((ix) => snapshot.credentials[ix]!.name)).toEqual([
      'own-a',
      'own-b',
      'early',
      'early-too',
      'late',
    ]);
    expect(snapshot.channels[model.channels[0]!]!.credentials).toEqual([]);
  });

  it('P-1: ids are dense and point at themselves', () => {
    const snapshot = load(TWO);
    for (const table of [snapshot.models, snapshot.channels, snapshot.credentials]) {
      expect(table.map((entry) => entry.ix)).toEqual(table.map((_, index) => index));
    }
    for (const model of snapshot.models) {
      for (const channel of model.channels) expect(snapshot.channels[channel]!.model).toBe(model.ix);
    }
  });

  it('P-1: a model PROVIDER/NAME without channels gets one implied channel', () => {
    const snapshot = load(TWO);
    const model = snapshot.models[snapshot.modelById.get('other/plain')!]!;
    expect(model.channels.map((ix) => snapshot.channels[ix])).toMatchObject([
      {
        id: 'other',
        healthKey: 'other/plain#other',
        upstreamModel: 'plain',
        priority: 1,
        credentials: [],
        maxPrivacy: 'restricted',
      },
    ]);
  });

  it('keeps what a channel and a model say of themselves', () => {
    const snapshot = load(TWO);
    const model = snapshot.models[0]!;
    expect(model).toMatchObject({
      id: 'up/nano',
      contextWindow: 400_000,
      capabilities: { apis: ['chat'], input: null, features: ['tools'] },
      price: { input: 50_000_000n, output: 400_000_000n, cachedInput: 5_000_000n },
    });
    const [first, second, last] = model.channels.map((ix) => snapshot.channels[ix]!);
    expect(first).toMatchObject({ upstreamModel: 'nano-x', contextWindow: 1000 });
    expect(second).toMatchObject({ upstreamModel: 'nano', contextWindow: 400_000, healthKey: 'up/nano#second' });
    expect(last).toMatchObject({ region: 'eu', maxPrivacy: 'internal', weight: 2, priority: 3 });
    expect(last).toMatchObject({
      price: { input: 1_000_000_000n, output: null, audioIn: 2_000_000_000n },
      capabilities: { apis: null, input: ['text'] },
      maxOutputTokens: 7,
    });
    expect(model.maxOutputTokens).toBe(9);
    expect(first).not.toHaveProperty('price');
    expect(first!.provider).toMatchObject({
      name: 'other',
      dialects: ['openai-chat'],
      baseUrl: 'http://127.0.0.1:2',
      connectTimeoutMs: 5000,
      proxy: null,
    });
    expect(second!.provider.baseUrl).toBe('http://127.0.0.1:1/v1');
    expect(second!.provider.headers).toEqual({
      'x-team': 'a',
      'x-api-token': 'tok-123456',
      'openai-organization': 'org-1',
    });
  });

  it('G-9: client keys and the admin token are kept as hashes only', () => {
    const snapshot = load(`${TWO}admin: { token: the-admin-token }`);
    const key = snapshot.keys.get(sha256('client-key-1'));
    expect(key).toMatchObject({
      name: 'k',
      workspace: 'acme',
      hash: sha256('client-key-1'),
      expiresAt: Date.UTC(2027, 11, 31),
    });
    expect(snapshot.adminTokenHash).toBe(sha256('the-admin-token'));
    const shown = inspect(snapshot, { depth: null }) + JSON.stringify([...snapshot.keys.values()]);
    expect(shown).not.toMatch(/client-key-1|the-admin-token|secret-late|pass word/);
  });

  it('E-5: secrets that are kept are listed for the masker: credentials, secret headers, proxy passwords, metrics token', () => {
    const snapshot = load(`${TWO}server: { metrics_token: metrics-token }`);
    const secrets = snapshot.secrets.map((secret) => secret.reveal()).sort();
    expect(secrets).toEqual(
      [
        'metrics-token',
        'pass word',
        'secret-early',
        'secret-early-too',
        'secret-late',
        'secret-own-a',
        'secret-own-b',
        'tok-123456',
      ].sort(),
    );
  });

  it('C-9: aliases lead to the model at the end, short names to every model that ends in them', () => {
    const snapshot = load(`${TWO.replace('other/plain: {}', 'other/plain: {}\n  other/nano: {}')}`);
    expect([...snapshot.aliases]).toEqual([
      ['nano', 'up/nano'],
      ['n', 'up/nano'],
    ]);
    expect(snapshot.modelsByTail.get('nano')?.map((ix) => snapshot.models[ix]!.id)).toEqual(['up/nano', 'other/nano']);
    expect(snapshot.modelsByTail.get('plain')).toHaveLength(1);
  });

  it('C-5: failover_defaults keep distinct model ids and their own options', () => {
    const key = [...load(TWO).keys.values()][0]!;
    expect(key.failoverDefaults).toEqual({
      models: ['up/nano', 'other/plain'],
      options: { timeout_ms: 3000, on: ['timeout'] },
    });
    expect(key.redundancy).toEqual({ retries: 1 });
  });

  it('C-3: workspaces keep redundancy and ceilings; `default` is always there', () => {
    const snapshot = load(TWO);
    expect(snapshot.workspaces.get('acme')).toMatchObject({
      name: 'acme',
      enabledModels: ['up/*'],
      redundancy: { timeout_ms: 2000 },
      ceilings: { max_attempts: 3 },
    });
    expect(snapshot.workspaces.get('default')).toMatchObject({ enabledModels: ['*'] });
  });

  it('D-12, D-3, H-1, D-6, T-11: figures of the file beat the built-in ones, which hold where it is silent', () => {
    const snapshot = load(
      'policies: { strict: { auth: [next_channel, stop] } }\nbackoff: { cap_ms: 60000 }\nhealth: { circuit: { ratio: 0.25 } }\nretry_budget: { min: 0 }\nstreaming: { max_event_bytes: 64kb }\nserver: { drain_timeout: 2m }',
    );
    expect(snapshot.policies).toEqual({ strict: { auth: ['next_channel', 'stop'] } });
    expect(snapshot.backoff).toEqual({ baseMs: 500, capMs: 60_000 });
    expect(snapshot.health).toMatchObject({ quotaMs: 300_000, circuit: { ratio: 0.25, minCalls: 20 } });
    expect(snapshot.retryBudget).toEqual({ ratio: 0.2, windowMs: 10_000, min: 0 });
    expect(snapshot.streaming).toEqual({
      keepAliveAfterMs: 15_000,
      keepAliveEveryMs: 15_000,
      maxEventBytes: 65_536,
      maxPreludeBytes: 1_048_576,
    });
    expect(snapshot.server).toMatchObject({
      host: '127.0.0.1',
      port: 4000,
      bodyLimit: 33_554_432,
      drainTimeoutMs: 120_000,
    });
    expect(snapshot.storePath).toBe('./data/understudy.db');
  });

  it('X-1: a simulator without address waits for the one the assembly starts', () => {
    const text = 'providers: { sim: { type: sim } }\nmodels: { "sim/*": {}, "sim/ok": {} }';
    const waiting = load(text);
    expect(needsSimulator(waiting)).toBe(true);
    expect(waiting.channels[0]!.provider.baseUrl).toBe('sim:');
    const running = load(text, { simUrl: 'http://127.0.0.1:9/v1' });
    expect(needsSimulator(running)).toBe(false);
    expect(withModel(running, 'sim/x').channels.map((channel) => channel.provider.baseUrl)).toEqual([
      'http://127.0.0.1:9/v1',
      'http://127.0.0.1:9/v1',
    ]);
    expect(
      needsSimulator(
        load('providers: { sim: { type: sim, base_url: "http://127.0.0.1:9" } }\nmodels: { "sim/*": {} }'),
      ),
    ).toBe(false);
  });

  it('generated hashes stand in only where the configuration names no keys, no admin token', () => {
    const generated = { clientKeyHash: sha256('made'), adminTokenHash: sha256('made-too') };
    expect(load('', { generated })).toMatchObject({ adminTokenHash: generated.adminTokenHash });
    expect(load('', { generated }).keys.get(generated.clientKeyHash)).toMatchObject({
      workspace: 'default',
      models: ['*'],
    });
    const own = load('keys: [{ name: k, secret: s }]\nadmin: { token: t }', { generated });
    expect([...own.keys.keys()]).toEqual([sha256('s')]);
    expect(own.adminTokenHash).toBe(sha256('t'));
    expect(load('').adminTokenHash).toBeNull();
  });
});

describe('withModel', () => {
  const text =
    'providers: { up: { type: openai } }\ncredentials: { c: { provider: up, secret: sssssss } }\nmodels: { "up/*": { context_window: 5, price: { input: 1 } }, up/listed: {} }\naliases: { up/alias: up/listed, x: up/by-alias }';

  it('C-9: a file without wildcards has none to look names up in', () => {
    expect(load('providers: { p: { type: openai } }\nmodels: { p/m: {} }').wildcards).toBeUndefined();
  });

  it('C-9: makes a model of a wildcard: a new version, old ids unchanged, the old snapshot untouched', () => {
    const before = load(text, { version: 7 });
    const after = withModel(before, 'up/new:free');
    expect(after.version).toBe(8);
    expect(before.modelById.has('up/new:free')).toBe(false);
    expect(after.models.slice(0, before.models.length)).toEqual(before.models);
    const model = after.models[after.modelById.get('up/new:free')!]!;
    expect(model).toMatchObject({ contextWindow: 5, price: { input: 1_000_000_000n }, wildcard: true });
    expect(after.channels[model.channels[0]!]).toMatchObject({
      model: model.ix,
      upstreamModel: 'new:free',
      credentials: [0],
      healthKey: 'up/new:free#up',
    });
    expect(after.modelsByTail.has('new:free')).toBe(false);
  });

  it('C-9: leaves the snapshot alone when there is nothing to make', () => {
    const snapshot = load(text);
    for (const name of [
      'up/listed',
      'up/alias',
      'up/by-alias',
      'other/x',
      'plain',
      'up/',
      '/x',
      'up/a*',
      'up/a b',
      'up/a\nb',
      `up/${'x'.repeat(300)}`,
    ]) {
      expect(withModel(snapshot, name)).toBe(snapshot);
    }
    expect(snapshot.models.map((model) => [model.id, model.wildcard])).toEqual([
      ['up/listed', undefined],
      ['up/by-alias', undefined],
    ]);
  });

  it('C-9: made-up names are bounded, and the newest one always works', () => {
    const base = load(text);
    let snapshot = base;
    for (let i = 0; i < MAX_WILDCARD_MODELS + 5; i++) snapshot = withModel(snapshot, `up/m${i}`);
    expect(snapshot.models.length).toBe(base.models.length + 5);
    expect(snapshot.models.map((model) => model.ix)).toEqual(snapshot.models.map((_, index) => index));
    expect(snapshot.channels.map((channel) => channel.ix)).toEqual(snapshot.channels.map((_, index) => index));
    expect(snapshot.modelById.has(`up/m${MAX_WILDCARD_MODELS + 4}`)).toBe(true);
    expect(snapshot.models.slice(0, base.models.length)).toEqual(base.models);
  });

  it('C-1: a whole chain at once', () => {
    const snapshot = withModels(load(text), ['up/p', 'up/listed', 'up/q']);
    expect(['up/p', 'up/q'].every((id) => snapshot.modelById.has(id))).toBe(true);
  });
});
