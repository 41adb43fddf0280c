/** The receiver of webhooks, run as its page says: gateway → receiver. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface, type Interface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { signedHeaders } from '../../src/adapters/webhooks/signer.ts';
import { type RunningGateway, startGateway } from '../../src/assemble.ts';

const example = (path: string): string =>
  fileURLToPath(new URL(`../../examples/webhook-receiver/${path}`, import.meta.url));
const SECRET = `whsec_${Buffer.alloc(32, 6).toString('base64')}`;
const OTHER = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;

let dataDir: string;
let receiver: ChildProcess;
let url: string;
let said: Interface;
let gateway: RunningGateway;
const lines: string[] = [];

beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'understudy-receiver-'));
  receiver = spawn(process.execPath, [example('receiver.mjs')], {
    env: { PATH: process.env['PATH'], HOOK_SECRET: SECRET, PORT: '0' },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  said = createInterface({ input: receiver.stdout! });
  [url] = (await once(said, 'line')) as [string];
  said.on('line', (line) => lines.push(line));
  const env = { HOOK_URL: url, HOOK_SECRET: SECRET };
  gateway = await startGateway({ configFile: example('gateway.yaml'), port: 0, dataDir, env, log: 'silent' });
});
afterAll(async () => {
  await gateway.close();
  receiver.kill();
  await rm(dataDir, { recursive: true, force: true });
});

async function until(count: number): Promise<void> {
  while (lines.length < count) await once(said, 'line');
}

it('G-7: prints what the gateway tells', async () => {
  const answer = await fetch(`${gateway.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: 'Bearer app-key-0123456789', 'content-type': 'application/json' },
    body: JSON.stringify({ models: ['up/fail-503', 'up/ok'], messages: [{ role: 'user', content: 'hello' }] }),
  });
  expect(answer.status).toBe(200);
  await until(1);
  expect(lines[0]).toMatch(/^\d{4}-.*Z api:model_failover default \{.*"served_model":"up\/ok"/);
});

it('G-7: takes either signature while the secret is renewed, each message once, and nobody else’s', async () => {
  lines.length = 0;
  const event = { id: 'evt_1', type: 'key.banned', timestamp: 't1', workspace: 'acme', data: {} };
  const send = async (id: string, secrets: readonly string[], message: object, wall = Date.now()) => {
    const body = JSON.stringify(message);
    const answer = await fetch(url, {
      method: 'POST',
      headers: { ...signedHeaders({ id, body }, secrets, wall) },
      body,
    });
    return answer.status;
  };
  expect(await send('msg_1', [SECRET], event)).toBe(204);
  expect(await send('msg_1', [SECRET], event)).toBe(204);
  expect(await send('msg_2', [OTHER, SECRET], { type: 'batch', timestamp: 't', data: [event, event] })).toBe(204);
  expect(await send('msg_3', [OTHER], event)).toBe(401);
  expect(await send('msg_4', [SECRET], event, Date.now() - 600_000)).toBe(401);
  expect(await (await fetch(url, { method: 'POST', body: '{}' })).status).toBe(401);
  await until(3);
  expect(lines).toEqual(Array.from({ length: 3 }, () => 't1 key.banned acme {}'));
});
