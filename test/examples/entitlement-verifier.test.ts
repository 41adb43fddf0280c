/** The verifier example, run as its page says: gateway → front → simulator. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface, type Interface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Simulator, startSimulator } from '../../sim/index.ts';
import { type RunningGateway, startGateway } from '../../src/assemble.ts';
import { chatRequest, type RawAnswer, sendRaw } from '../faults/raw-client.ts';

const example = (path: string): string =>
  fileURLToPath(new URL(`../../examples/entitlement-verifier/${path}`, import.meta.url));
const HEADER = 'x-understudy-entitlement';

let dataDir: string;
let simulator: Simulator;
let gateway: RunningGateway;
let front: ChildProcess;
let frontUrl: string;
let said: Interface;
const env = { VERIFIER_URL: '' };
const lines: string[] = [];

beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'understudy-verifier-'));
  simulator = await startSimulator();
  // Each needs the other's address.
  const port = await freePort();
  front = spawn(process.execPath, [example('front.mjs')], {
    env: {
      PATH: process.env['PATH'],
      MODEL_URL: simulator.url,
      JWKS_URL: `http://127.0.0.1:${port}/.well-known/jwks.json`,
      PORT: '0',
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  said = createInterface({ input: front.stdout! });
  const died: Promise<never> = once(front, 'exit').then(() => Promise.reject<never>(new Error('the front ended')));
  died.catch(() => undefined);
  [frontUrl] = (await Promise.race([once(said, 'line'), died])) as [string];
  said.on('line', (line) => lines.push(line));
  env.VERIFIER_URL = frontUrl;
  gateway = await startGateway({ configFile: example('gateway.yaml'), port, dataDir, env, log: 'silent' });
});
afterAll(async () => {
  front.kill();
  await gateway.close();
  await simulator.close();
  await rm(dataDir, { recursive: true, force: true });
});

async function freePort(): Promise<number> {
  const taken = await startSimulator();
  const { port } = new URL(taken.url);
  await taken.close();
  return Number(port);
}

const ask = (): Promise<RawAnswer> =>
  sendRaw({
    url: `${gateway.url}/v1/chat/completions`,
    headers: { authorization: 'Bearer key-for-trying-out' },
    body: chatRequest('gpu/ok'),
  });

const atFront = (body: unknown, headers: Record<string, string> = {}): Promise<RawAnswer> =>
  sendRaw({ url: `${frontUrl}/v1/chat/completions`, headers, body });

it('G-5: what the gateway sends is let through, and the model server sees no token', async () => {
  const answer = await ask();
  expect([answer.status, answer.text]).toEqual([200, expect.stringContaining('"content"')]);
  expect(simulator.calls.at(-1)?.headers[HEADER]).toBeUndefined();
  expect(lines.at(-1)).toMatch(/^att_[0-9a-f]{32}_1: default asks ok$/);
});

it('G-5: nothing else is: no token, a token once used, a token for another body', async () => {
  const calls = simulator.calls.length;
  const without = await atFront(chatRequest('ok'));
  expect(without.status).toBe(401);
  const page = await readFile(example('README.md'), 'utf8');
  expect(page).toContain(without.text);
  const used = await capturedToken();
  const again = await atFront(used.body, { [HEADER]: used.token, 'content-type': 'application/json' });
  expect([again.status, again.text]).toEqual([200, expect.any(String)]);
  const twice = await atFront(used.body, { [HEADER]: used.token });
  expect([twice.status, twice.text]).toEqual([401, expect.stringContaining('used before')]);
  const other = await atFront(chatRequest('ok', { temperature: 0 }), { [HEADER]: (await capturedToken()).token });
  expect([other.status, other.text]).toEqual([401, expect.stringContaining('another body')]);
  const forged = await atFront(used.body, { [HEADER]: `${used.token.slice(0, -8)}AAAAAAAA` });
  expect(forged.status).toBe(401);
  // Two whose tokens were taken on the way, and the one that was let through.
  expect(simulator.calls.length - calls).toBe(3);
});

/** A token that never reached its server: for one call the gateway is led to the simulator instead. */
async function capturedToken(): Promise<{ token: string; body: Buffer }> {
  env.VERIFIER_URL = simulator.url;
  await gateway.reload();
  await ask();
  env.VERIFIER_URL = frontUrl;
  await gateway.reload();
  const call = simulator.calls.at(-1)!;
  return { token: String(call.headers[HEADER]), body: call.body! };
}
