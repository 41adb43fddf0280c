/** Kept answers (E-4) over restarts, changed configurations and a new sealing key. */
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'libsql';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { type Simulator, startSimulator } from '../../sim/index.ts';
import { type RunningGateway, startGateway } from '../../src/assemble.ts';
import { errorStep, okBody } from '../faults/answers.ts';
import { type RawAnswer, sendRaw } from '../faults/raw-client.ts';

const CLIENT_KEY = 'kept-client-key-0123456789';
const ADMIN_TOKEN = 'kept-admin-token-0123456789';
const KEEP = { answers: { keep: true } };
const down = errorStep(503, { message: 'down' });

let dataDir: string;
let simulator: Simulator;
let running: RunningGateway | null = null;

beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'understudy-kept-'));
  simulator = await startSimulator({ script: { models: { m: [down], n: [okBody('a secret answer'), down] } } });
});
afterEach(async () => {
  await running?.close();
  running = null;
  await simulator.close();
  await rm(dataDir, { recursive: true, force: true });
});

async function restart(workspace: Record<string, unknown>, secret = CLIENT_KEY): Promise<void> {
  await running?.close();
  const configText = JSON.stringify({
    version: 1,
    admin: { token: ADMIN_TOKEN },
    providers: { p: { type: 'openai-compatible', base_url: `${simulator.url}/v1` } },
    models: { m: { channels: [{ provider: 'p' }] }, n: { channels: [{ provider: 'p' }] } },
    workspaces: { acme: workspace },
    keys: [{ name: 'acme', workspace: 'acme', secret }],
    defaults: { redundancy: { retries: 0 } },
  });
  running = await startGateway({ configText, port: 0, dataDir, env: {}, log: 'silent' });
}

function ask(on: string[] | undefined, secret = CLIENT_KEY): Promise<RawAnswer> {
  const redundancy = { on_exhausted: [{ cache: { max_age_s: 3600 } }], ...(on === undefined ? {} : { on }) };
  return sendRaw({
    url: `${running!.url}/v1/chat/completions`,
    headers: { authorization: `Bearer ${secret}` },
    body: { models: ['m', 'n'], messages: [{ role: 'user', content: 'hi' }], redundancy },
  });
}

const rows = (): number => {
  const db = new Database(join(dataDir, 'state.db'));
  const [row] = db.prepare('SELECT COUNT(*) AS n FROM kept_answers').all() as { n: number }[];
  db.close();
  return row!.n;
};

it('E-4: they survive a restart, encrypted', async () => {
  await restart(KEEP);
  expect((await ask(undefined)).status).toBe(200);
  await restart(KEEP);
  const again = await ask([]);
  expect(again.status).toBe(200);
  expect(again.text).toContain('a secret answer');
  await running?.close();
  running = null;
  for (const name of ['state.db', 'state.db-wal']) {
    const bytes = await readFile(join(dataDir, name)).catch(() => Buffer.alloc(0));
    expect(bytes.includes('a secret answer')).toBe(false);
  }
});

it('G-2, E-4: not of a model that a guardrail forbids by now', async () => {
  await restart(KEEP);
  await ask(undefined);
  await restart({ ...KEEP, guardrails: { deny_models: ['n'] } });
  expect((await ask([])).status).toBe(502);
});

it('E-4: where a workspace keeps no more, they are deleted', async () => {
  await restart(KEEP);
  await ask(undefined);
  await restart({});
  expect((await ask([])).status).toBe(502);
  expect(rows()).toBe(0);
});

it('E-4, G-8: a new secret of the same name finds nothing of the old one', async () => {
  await restart(KEEP);
  await ask(undefined);
  const other = 'another-client-key-0123456789';
  await restart(KEEP, other);
  expect((await ask([], other)).status).toBe(502);
});

it('E-4, G-9: they stay readable when the sealing key is replaced', async () => {
  await restart(KEEP);
  await ask(undefined);
  const rotated = await sendRaw({
    url: `${running!.url}/admin/v1/seal/rotate`,
    method: 'POST',
    headers: { authorization: `Bearer ${ADMIN_TOKEN}` },
  });
  expect(rotated.status).toBe(200);
  await restart(KEEP);
  expect((await ask([])).text).toContain('a secret answer');
});
