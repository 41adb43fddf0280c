/** G-7: what is in the outbox is told, whoever is killed when. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { type HookReceiver, startHookReceiver } from '../support/hook-receiver.ts';
import { buildProgram, GatewayProcess, type Program } from './gateway-lives.ts';

const ADMIN = 'admin-token-0123456789';
const DEV = 'dev-key-0123456789';
const SECRET = `whsec_${Buffer.alloc(32, 3).toString('base64')}`;
const GUARD_MS = 120_000;

let program: Program;
let dataDir: string;
let receiver: HookReceiver;
let process_: GatewayProcess;

beforeAll(async () => {
  program = await buildProgram();
}, GUARD_MS);
afterAll(() => program.remove());
beforeEach(async () => {
  dataDir = mkdtempSync(join(tmpdir(), 'understudy-hooks-'));
  receiver = await startHookReceiver(() => SECRET);
});
afterEach(async () => {
  await process_.stop();
  await receiver.close();
  rmSync(dataDir, { recursive: true, force: true });
});

async function start(): Promise<string> {
  process_ = new GatewayProcess(program, '');
  const configText = JSON.stringify({
    version: 1,
    server: { host: '127.0.0.1', port: 0 },
    admin: { token: ADMIN },
    providers: { up: { type: 'sim' } },
    models: { 'up/ok': {}, 'up/fail-503': {} },
    health: { circuit: { min_calls: 10_000, consecutive: 1000 } },
    keys: [{ name: 'dev', secret: DEV }],
    webhooks: { ops: { url: receiver.url, secret: SECRET, events: ['api:model_failover'] } },
  });
  const url = await process_.start({ configText, dataDir });
  if (url === null) throw new Error('it did not start');
  return url;
}

async function kill(): Promise<void> {
  process_.child.kill('SIGKILL');
  await process_.dead;
}

/** Resolves with the id of a request that moved to another model. */
async function moved(url: string): Promise<string> {
  const answer = await fetch(`${url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${DEV}`, 'content-type': 'application/json' },
    body: JSON.stringify({ models: ['up/fail-503', 'up/ok'], messages: [{ role: 'user', content: 'x' }] }),
  });
  expect(answer.status).toBe(200);
  await answer.text();
  return answer.headers.get('x-request-id') ?? '';
}

async function waiting(url: string): Promise<number> {
  const answer = await fetch(`${url}/admin/v1/webhooks/ops/deliveries?state=waiting`, {
    headers: { authorization: `Bearer ${ADMIN}` },
  });
  const { data } = (await answer.json()) as { data: { events: string[] }[] };
  return data.reduce((all, { events }) => all + events.length, 0);
}

it(
  'G-7: a message that was under way when the process was killed is sent again by the next one, as the same',
  async () => {
    receiver.answer = () => undefined;
    const id = await moved(await start());
    await receiver.until(() => receiver.told.length === 1);
    await kill();
    receiver.answer = (response) => response.writeHead(204).end();
    await start();
    await receiver.until(() => receiver.told.length === 2);
    const [first, second] = receiver.told;
    expect(second).toMatchObject({ id: first!.id, body: first!.body });
    expect(second?.events.map(({ request_id }) => request_id)).toEqual([id]);
  },
  GUARD_MS,
);

it(
  'G-7: everything in the outbox is told after kills in a row, each event by one message alone',
  async () => {
    receiver.answer = (response) => response.destroy();
    const ids = new Set<string>();
    for (let life = 0; life < 3; life += 1) {
      const url = await start();
      for (let n = 0; n < 10; n += 1) ids.add(await moved(url));
      while ((await waiting(url)) < ids.size) await new Promise((next) => setTimeout(next, 20));
      await kill();
    }
    receiver.answer = (response) => response.writeHead(200).end('thanks');
    await start();
    const told = new Set<string>();
    await receiver.until(() => {
      for (const { request_id } of receiver.events) told.add(request_id ?? '');
      return told.size === ids.size && receiver.told.length > 0;
    });
    expect(told).toEqual(ids);
    const messages = new Map<string, Set<string>>();
    for (const { id, events } of receiver.told) {
      for (const event of events) messages.set(event.id, (messages.get(event.id) ?? new Set()).add(id));
    }
    expect(messages.size).toBe(ids.size);
    expect([...messages.values()].filter(({ size }) => size !== 1)).toEqual([]);
  },
  GUARD_MS,
);
