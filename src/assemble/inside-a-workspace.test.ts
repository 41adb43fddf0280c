import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { MemoryObjects } from '../../test/support/memory-objects.ts';
import { openSealer } from '../adapters/sealer/open-sealer.ts';
import type { ObjectKind } from '../config/objects/config-objects.ts';
import { secretHash } from '../config/secret-hash.ts';
import { ClientError } from '../core/errors/catalogue.ts';
import { Configuration } from './configuration.ts';
import { ManagedObjects } from './managed-objects.ts';

const upstream = (n: number) => ({ type: 'openai-compatible', base_url: `http://127.0.0.1:${n}/v1` });
const FILE = {
  version: 1,
  providers: { mine: upstream(1), 'hidden-up': upstream(2) },
  models: {
    'shared/model': {
      channels: [
        { id: 'open', provider: 'mine', model: 'x' },
        { id: 'closed', provider: 'hidden-up', model: 'x' },
      ],
    },
    'shared/denied': { channels: [{ id: 'open', provider: 'mine', model: 'x' }] },
    'hidden/secret-model': { channels: [{ id: 'quiet', provider: 'hidden-up', model: 'x' }] },
  },
  aliases: { 'good-alias': 'shared/model', 'bad-alias': 'hidden/secret-model' },
  workspaces: { other: {}, 'other-rich': {} },
};
const OWN = {
  enabled_models: ['shared/*'],
  enabled_channels: ['shared/model#open', 'shared/denied#open'],
  guardrails: { deny_models: ['shared/denied'] },
};
/** Nothing of it may be told inside. */
const HIDDEN = ['hidden', 'secret-model', 'shared/denied', 'closed', 'quiet', 'other-rich'];
const INSIDE = { by: 'mia', inside: 'acme' };

let dataDir: string;
let store: MemoryObjects;
let configuration: Configuration;
let objects: ManagedObjects;

beforeEach(async () => {
  dataDir = mkdtempSync(path.join(tmpdir(), 'understudy-inside-'));
  store = new MemoryObjects();
  const sealer = await openSealer({ dataDir, env: {} });
  await store.change([{ kind: 'workspace', name: 'acme', body: OWN, expectedVersion: 0, by: 'admin' }], 1);
  await open(sealer, FILE);
});
afterEach(async () => {
  await configuration.close();
  rmSync(dataDir, { recursive: true, force: true });
});

async function open(sealer: Awaited<ReturnType<typeof openSealer>>, file: object): Promise<void> {
  const parts = { objects: store, sealer, wall: () => 1000 };
  configuration = await Configuration.open({ configText: JSON.stringify(file), env: {} }, dataDir, parts);
  objects = new ManagedObjects(configuration);
}

async function refusal(change: Promise<unknown>): Promise<ClientError['error']> {
  const error: unknown = await change.then(
    () => null,
    (reason: unknown) => reason,
  );
  if (!(error instanceof ClientError)) throw new Error(`no refusal: ${String(error)}`);
  return error.error;
}

describe('G-8: what a workspace admin is told of a wrong change', () => {
  const secret = 'us-abcdefghijklmnop';
  const workspace = 'acme';
  const routed = (model: string, channel: string) => ({
    ...OWN,
    routing: { channels: { [model]: { [channel]: { prefer: true } } } },
  });
  const CASES: [ObjectKind, string, Record<string, unknown>, string, string | null][] = [
    ['key', 'dev', { workspace, models: ['hidden/secret-mode'] }, 'there is no model `', 'secret-model'],
    ['key', 'dev', { workspace, models: ['shared/modle'] }, 'did you mean `shared/model`?', null],
    ['key', 'dev', { workspace, models: ['bad-alias'] }, 'is an alias; name the model itself', 'secret-model'],
    ['key', 'dev', { workspace, models: ['good-alias'] }, 'shared/model', null],
    [
      'key',
      'dev',
      { workspace, failover_defaults: { models: ['nothing'] } },
      'known: shared/model, good-alias',
      'hidden',
    ],
    ['key', 'dev', { workspace: 'other-ric' }, 'there is no workspace `other-ric`', 'other-rich'],
    ['credential', 'own', { kind: 'byok', workspace, provider: 'hidden-ub' }, 'known: mine', 'hidden-up'],
    ['workspace', 'acme', { ...OWN, auto: ['bad-alias'] }, '`bad-alias` is not among', 'secret-model'],
    ['workspace', 'acme', routed('shared/model', 'close'), 'known: open', 'closed'],
    ['workspace', 'acme', routed('hidden/secret-model', 'x'), 'there is no channel `x`', 'quiet'],
    [
      'workspace',
      'acme',
      { ...OWN, guardrails: { deny_channels: ['hidden/secret-model#x'] } },
      'known: shared/model#open',
      'quiet',
    ],
  ];

  it.each(CASES)('G-8: %s %s %j: %s', async (kind, name, body, words, others) => {
    const more = kind === 'workspace' ? {} : { secret };
    const told = await refusal(objects.put(kind, name, body, { ...INSIDE, ...more }));
    expect(told).toMatchObject({ status: 400, code: 'invalid_parameter' });
    expect(told.message).toContain(words);
    // What the caller wrote himself may be said again.
    const written = JSON.stringify(body);
    for (const hidden of HIDDEN) if (!written.includes(hidden)) expect(told.message).not.toContain(hidden);
    if (others !== null) {
      const full = await refusal(objects.put(kind, name, body, { by: 'admin', ...more }));
      expect(full.message).toContain(others);
    }
  });

  it('G-8: the reason an object is set aside for tells its admins nothing more', async () => {
    const key = { workspace, models: ['hidden/secret-mode'], hash: secretHash(secret) };
    await store.change([{ kind: 'key', name: 'dev', body: key, expectedVersion: 0, by: 'admin' }], 1);
    await configuration.close();
    await open(await openSealer({ dataDir, env: {} }), FILE);
    for (const shown of [objects.get('key', 'dev'), objects.list('key').find(({ name }) => name === 'dev')]) {
      expect(shown?.problem).toContain('there is no model `hidden/secret-mode`');
      expect(shown?.problem).not.toContain('secret-model');
    }
  });
});

describe('G-8: how much a workspace admin may make', () => {
  async function fill(kind: 'key' | 'credential', count: number): Promise<void> {
    const sealer = await openSealer({ dataDir, env: {} });
    const made = Array.from({ length: count }, (_, n) => {
      const name = `${kind}-${n}`;
      const own = {
        kind: 'byok',
        workspace: 'acme',
        provider: 'mine',
        sealed: sealer.seal('sk-123456', `credential:${name}`),
      };
      const body = kind === 'key' ? { workspace: 'acme', hash: secretHash(name) } : own;
      return { kind, name, body, expectedVersion: 0, by: 'admin' };
    });
    await store.change(made, 1);
    await configuration.close();
    await open(sealer, FILE);
  }

  it.each([
    ['key', 1000, { workspace: 'acme' }],
    ['credential', 100, { kind: 'byok', workspace: 'acme', provider: 'mine' }],
  ] as const)('G-8: %s %d, then 400; an account admin goes on', async (kind, most, body) => {
    await fill(kind, most);
    const secret = 'us-abcdefghijklmnop';
    const told = await refusal(objects.put(kind, 'more', body, { ...INSIDE, create: true, secret }));
    expect(told).toMatchObject({ status: 400, code: 'invalid_parameter', param: null });
    expect(told.message).toContain(`has ${most} ${kind}s`);
    await objects.put(kind, `${kind}-1`, body, INSIDE);
    await objects.put(kind, 'more', body, { by: 'admin', create: true, secret });
    await objects.remove(kind, 'more', INSIDE);
    await objects.remove(kind, `${kind}-1`, INSIDE);
    await objects.put(kind, 'more', body, { ...INSIDE, create: true, secret });
  });
});
