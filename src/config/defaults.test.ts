import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { withModel } from './build/with-model.ts';
import { DEFAULTS_NAME, environmentConfig, providersInEnvironment, SIM_MODELS } from './defaults.ts';
import { FIRST_RUN_FILE, knownHalves, openFirstRun, withdrawFirstRun } from './first-run.ts';
import { loadConfig, needsSimulator } from './load.ts';
import { secretHash } from './secret-hash.ts';

function load(env: Record<string, string>) {
  const result = loadConfig({ text: environmentConfig(env), file: DEFAULTS_NAME, env });
  if (!result.ok) throw new Error(JSON.stringify(result.problems));
  return result.snapshot;
}

describe('without a file', () => {
  it('takes a provider from each well-known variable that is set, with all its models', () => {
    const snapshot = load({ DEEPSEEK_API_KEY: 'key-deepseek', GROQ_API_KEY: 'key-groq', MISTRAL_API_KEY: ' ' });
    expect([...snapshot.wildcards!.byProvider.keys()]).toEqual(['deepseek', 'groq']);
    expect(snapshot.models).toEqual([]);
    const grown = withModel(snapshot, 'groq/some-model');
    const channel = grown.channels.at(-1)!;
    expect(channel.upstreamModel).toBe('some-model');
    expect(grown.credentials[channel.credentials[0]!]!.secret.reveal()).toBe('key-groq');
    expect(needsSimulator(snapshot)).toBe(false);
  });

  it('writes no secret into the configuration text', () => {
    expect(environmentConfig({ OPENAI_API_KEY: 'sk-hush' })).not.toContain('sk-hush');
  });

  it('X-1: starts the simulator when there is no provider, also when the only one named has no address of its own', () => {
    for (const env of [{}, { AZURE_OPENAI_API_KEY: 'x' }]) {
      const snapshot = load(env);
      expect(needsSimulator(snapshot)).toBe(true);
      expect(snapshot.models.map(({ id }) => id)).toEqual(SIM_MODELS);
      expect(withModel(snapshot, 'sim/ok:a').modelById.has('sim/ok:a')).toBe(true);
    }
    expect(providersInEnvironment({ ANTHROPIC_API_KEY: 'x', GEMINI_API_KEY: 'y' })).toEqual([
      { type: 'anthropic', variable: 'ANTHROPIC_API_KEY' },
      { type: 'gemini', variable: 'GEMINI_API_KEY' },
    ]);
  });

  it('takes an admin token from the environment', () => {
    expect(load({ UNDERSTUDY_ADMIN_TOKEN: 'tok' }).adminTokenHash).toBe(secretHash('tok'));
    expect(load({}).adminTokenHash).toBeNull();
  });
});

describe('openFirstRun', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'understudy-first-run-'));
  });
  afterEach(() => rm(folder, { recursive: true }));

  it('G-9: makes key and token once, keeps hashes only, in a file for its owner', async () => {
    const data = join(folder, 'deep', 'data');
    const first = await openFirstRun(data);
    expect(first.fresh?.clientKey).toMatch(/^us-[\w-]{32}$/);
    expect(first.hashes).toEqual({
      clientKeyHash: secretHash(first.fresh!.clientKey),
      adminTokenHash: secretHash(first.fresh!.adminToken),
    });
    const file = join(data, FIRST_RUN_FILE);
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    const text = await readFile(file, 'utf8');
    expect(text).not.toContain(first.fresh!.clientKey);
    expect(text).not.toContain(first.fresh!.adminToken);
    expect(await openFirstRun(data)).toEqual({ hashes: first.hashes, fresh: null });
  });

  it('G-9: halves that nobody was shown are taken back and made anew; the other half stays', async () => {
    const first = await openFirstRun(folder);
    await withdrawFirstRun(folder, { clientKey: true, adminToken: false });
    expect(await knownHalves(folder)).toEqual({ clientKey: false, adminToken: true });
    const second = await openFirstRun(folder);
    expect(second.hashes.adminTokenHash).toBe(first.hashes.adminTokenHash);
    expect(second.fresh?.adminToken).toBe('');
    expect(second.hashes.clientKeyHash).toBe(secretHash(second.fresh!.clientKey));
    await withdrawFirstRun(folder, { clientKey: true, adminToken: true });
    expect(await knownHalves(folder)).toEqual({ clientKey: false, adminToken: false });
    expect((await openFirstRun(folder)).fresh?.clientKey).toMatch(/^us-/);
    await withdrawFirstRun(join(folder, 'none'), { clientKey: true, adminToken: true });
  });

  it('a damaged file is an error that says what to do', async () => {
    for (const text of ['{"client_key_sha256":"zz"}', '', '[]', '{"admin_token_sha256":5}']) {
      await writeFile(join(folder, FIRST_RUN_FILE), text);
      await expect(openFirstRun(folder)).rejects.toThrow(/damaged; delete it/);
    }
  });
});
