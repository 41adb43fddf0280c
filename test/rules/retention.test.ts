/** O-1 over a whole gateway: what was kept long enough is gone after the hour, and nothing else. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { type RunningGateway, startGateway } from '../../src/assemble.ts';
import type { Clock } from '../../src/ports/clock.ts';
import { type HookReceiver, startHookReceiver } from '../support/hook-receiver.ts';
import { REAL_CLOCK } from '../support/real-clock.ts';

type Json = Record<string, unknown>;

const ADMIN = 'admin-token-0123456789';
const DEV = 'dev-key-0123456789';
const SECRET = `whsec_${Buffer.alloc(32, 8).toString('base64')}`;
const DAY = 86_400_000;
const LONG = new Set([60_000, 3_600_000]);

let dataDir: string;
let gateway: RunningGateway;
let receiver: HookReceiver;

beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'understudy-retention-'));
  receiver = await startHookReceiver(() => SECRET);
});
afterEach(async () => {
  await gateway.close();
  await receiver.close();
  await rm(dataDir, { recursive: true, force: true });
});

/** The machine's clock some days on; a minute and an hour pass at once. */
function later(days: number): Clock {
  return {
    now: () => REAL_CLOCK.now(),
    wall: () => REAL_CLOCK.wall() + days * DAY,
    after: (ms, callback) => REAL_CLOCK.after(days > 0 && LONG.has(ms) ? 1 : ms, callback),
  };
}

async function start(days: number, retention: Json = {}): Promise<void> {
  gateway = await startGateway({
    configText: JSON.stringify({
      version: 1,
      admin: { token: ADMIN },
      providers: { up: { type: 'sim' } },
      models: { 'up/ok': {}, 'up/fail-503': {} },
      keys: [{ name: 'dev', secret: DEV }],
      webhooks: { ops: { url: receiver.url, secret: SECRET, events: ['api:*'] } },
      retention,
    }),
    port: 0,
    dataDir,
    env: {},
    log: 'silent',
    clock: later(days),
  });
}

async function moved(): Promise<void> {
  const answer = await fetch(`${gateway.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${DEV}`, 'content-type': 'application/json' },
    body: JSON.stringify({ models: ['up/fail-503', 'up/ok'], messages: [{ role: 'user', content: 'x' }] }),
  });
  await answer.text();
}

const get = async (path: string) =>
  (
    (await (
      await fetch(`${gateway.url}/admin/v1${path}`, { headers: { authorization: `Bearer ${ADMIN}` } })
    ).json()) as { data: Json[] }
  ).data;

async function counts(): Promise<{ requests: number; deliveries: number; failovers: number }> {
  const [requests, deliveries, failovers] = await Promise.all([
    get('/requests'),
    get('/webhooks/ops/deliveries'),
    get('/audit?action=request.failover'),
  ]);
  return { requests: requests!.length, deliveries: deliveries!.length, failovers: failovers!.length };
}

async function deleted(what: string): Promise<number> {
  const page = await (await fetch(`${gateway.url}/metrics`)).text();
  return Number(new RegExp(`understudy_retention_deleted_total\\{what="${what}"\\} (\\d+)`).exec(page)?.[1] ?? 0);
}

async function until(what: string, count: number): Promise<void> {
  while ((await deleted(what)) < count) await new Promise((next) => setTimeout(next, 20));
}

async function oneOfEach(): Promise<void> {
  await start(0);
  await moved();
  await receiver.until(() => receiver.events.length === 1);
  while ((await get('/webhooks/ops/deliveries?state=delivered')).length === 0) {
    await new Promise((next) => setTimeout(next, 20));
  }
  expect(await counts()).toEqual({ requests: 1, deliveries: 1, failovers: 1 });
  await gateway.close();
}

it('O-1: requests, events and deliveries are kept for 30 days, the audit log for 400, unless it is said otherwise', async () => {
  await oneOfEach();
  await start(31);
  await Promise.all(['requests', 'deliveries', 'events'].map((what) => until(what, 1)));
  expect(await counts()).toEqual({ requests: 0, deliveries: 0, failovers: 1 });
  expect(await deleted('audit')).toBe(0);
  await gateway.close();
  await start(401);
  await until('audit', 1);
  expect(await counts()).toMatchObject({ failovers: 0 });
});

it('O-1: longer lengths keep them', async () => {
  await oneOfEach();
  await start(31, { requests: '32d', deliveries: '60d', events: '30d' });
  await until('events', 1);
  // Requests and deliveries come before events.
  expect(await counts()).toEqual({ requests: 1, deliveries: 1, failovers: 1 });
  const [delivery] = await get('/webhooks/ops/deliveries');
  const replay = await fetch(`${gateway.url}/admin/v1/deliveries/${String(delivery!['id'])}/replay`, {
    method: 'POST',
    headers: { authorization: `Bearer ${ADMIN}` },
  });
  expect(replay.status).toBe(409);
});
