/** G-6 over the wire: a key nearly all of whose requests fail rests, is banned in the end, and can be lifted. */
import { mkdtemp, rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Simulator, startSimulator } from '../../sim/index.ts';
import { type RunningGateway, startGateway } from '../../src/assemble.ts';
import { liftKey } from '../../src/runtime/key-rests.ts';
import { errorStep, okBody } from '../faults/answers.ts';
import { errorOf } from '../faults/invariants.ts';
import { chatRequest, type RawAnswer, sendRaw } from '../faults/raw-client.ts';
import { JumpingClock } from '../support/jumping-clock.ts';

const KEYS = { wild: 'wild-key-0123456789', calm: 'calm-key-0123456789' };
type KeyName = keyof typeof KEYS;

let dataDir: string;
let simulator: Simulator;
let clock: JumpingClock;
let running: RunningGateway;

beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'understudy-breaker-'));
  const models = {
    good: [okBody('fine')],
    down: [errorStep(503, { message: 'down' })],
    limited: [errorStep(429, { message: 'slow down', code: 'rate_limit_exceeded' }, { 'retry-after': '100' })],
  };
  simulator = await startSimulator({ script: { models } });
  clock = new JumpingClock();
  await start();
});

afterEach(async () => {
  await running.close();
  await simulator.close();
  await rm(dataDir, { recursive: true, force: true });
});

async function start(): Promise<void> {
  const channel = (model: string) => ({ channels: [{ id: 'c', provider: 'up', model }] });
  const config = {
    version: 1,
    providers: { up: { type: 'openai-compatible', base_url: `${simulator.url}/v1` } },
    models: { good: channel('good'), down: channel('down'), limited: channel('limited') },
    workspaces: { main: {} },
    keys: Object.entries(KEYS).map(([name, secret]) => ({ name, workspace: 'main', secret })),
  };
  const configText = JSON.stringify(config);
  running = await startGateway({ configText, port: 0, dataDir, env: {}, log: 'silent', clock });
}

function ask(model: string, key: KeyName = 'wild', fields: Record<string, unknown> = {}): Promise<RawAnswer> {
  return sendRaw({
    url: `${running.url}/v1/chat/completions`,
    headers: { authorization: `Bearer ${KEYS[key]}` },
    body: chatRequest(model, fields),
  });
}

/** So many requests, eight at a time; their statuses. */
async function flood(times: number, model: string, fields: Record<string, unknown> = {}): Promise<(number | null)[]> {
  const statuses: (number | null)[] = [];
  for (let left = times; left > 0; left -= 8) {
    const answers = await Promise.all(Array.from({ length: Math.min(8, left) }, () => ask(model, 'wild', fields)));
    statuses.push(...answers.map(({ status }) => status));
  }
  return statuses;
}

function alerts(): string[] {
  const told: string[] = [];
  const raise = running.gateway.alerts.raise.bind(running.gateway.alerts);
  running.gateway.alerts.raise = (alert) => {
    told.push(alert.kind);
    raise(alert);
  };
  return told;
}

describe('suspension', () => {
  it('G-6: after 100 of the gateway’s own 4xx the key rests for 60 s, and no other key', async () => {
    const told = alerts();
    expect(new Set(await flood(100, 'unknown'))).toEqual(new Set([404]));
    const refused = await ask('good');
    expect(refused.status).toBe(429);
    expect(errorOf(refused)).toMatchObject({ code: 'api_key_suspended', type: 'rate_limit_error' });
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(50);
    expect(refused.headers['x-should-retry']).toBe('true');
    expect((await ask('good', 'calm')).status).toBe(200);
    expect(told).toEqual(['key.suspended']);
    clock.jump(60_000);
    expect((await ask('good')).status).toBe(200);
    expect(simulator.calls).toHaveLength(2);
  });

  it('G-6: refusals while it rests do not prolong it; their records say so', async () => {
    await flood(100, 'unknown');
    expect(new Set(await flood(120, 'unknown'))).toEqual(new Set([429]));
    const refused = await ask('good');
    await running.gateway.records.flush();
    const record = await running.gateway.records.get(String(refused.headers['x-request-id']));
    expect(record).toMatchObject({ ending: 'rejected', error_code: 'api_key_suspended', key: 'wild', attempts: [] });
    clock.jump(60_000);
    expect((await ask('good')).status).toBe(200);
  });

  it('G-6: ten successes in a hundred are enough to go on', async () => {
    await flood(11, 'good');
    await flood(89, 'unknown');
    expect((await ask('good')).status).toBe(200);
  });

  it('G-6: broken bodies count, what names no known key does not', async () => {
    const broken = (key: string) =>
      sendRaw({ url: `${running.url}/v1/chat/completions`, headers: { authorization: `Bearer ${key}` }, body: '{' });
    for (let i = 0; i < 100; i += 1) expect((await broken('nobody')).status).toBe(401);
    expect((await ask('good')).status).toBe(200);
    for (let i = 0; i < 100; i += 1) await broken(KEYS.wild);
    expect((await ask('good')).status).toBe(429);
  });

  it.each([
    ['a path that is not served', 'POST', '/v1/chat/completion', 404],
    ['a method that is not', 'GET', '/v1/chat/completions', 405],
    ['an endpoint of a later version', 'POST', '/v1/videos/x/remix', 400],
    ['a dry run without sense', 'POST', '/v1/plan', 400],
  ])('G-6: %s counts for the key that asked, and for nobody else', async (_what, method, path, status) => {
    const send = (key: string) =>
      sendRaw({
        url: running.url + path,
        method,
        headers: { authorization: `Bearer ${key}` },
        ...(method === 'POST' ? { body: '{' } : {}),
      });
    for (let i = 0; i < 100; i += 1) await send('nobody');
    expect((await ask('good')).status).toBe(200);
    for (let i = 0; i < 100; i += 1) expect((await send(KEYS.wild)).status).toBe(status);
    expect(errorOf(await ask('good'))).toMatchObject({ code: 'api_key_suspended' });
    expect((await ask('good', 'calm')).status).toBe(200);
    expect((await send(KEYS.wild)).status).toBe(status);
  });

  it('G-6: a chain at rest (rate_limited) is nobody’s fault', async () => {
    expect((await ask('limited')).status).toBe(429);
    const answers = await flood(120, 'limited');
    expect(new Set(answers)).toEqual(new Set([429]));
    expect((await ask('good')).status).toBe(200);
  });

  it('G-6: a suspended key is answered before its body has come', async () => {
    await flood(100, 'unknown');
    const { port } = new URL(running.url);
    const text = await new Promise<string>((resolve, reject) => {
      const socket = connect(Number(port), '127.0.0.1', () => {
        const head = `host: x\r\nauthorization: Bearer ${KEYS.wild}\r\ncontent-type: application/json\r\ncontent-length: 1000000`;
        socket.write(`POST /v1/chat/completions HTTP/1.1\r\n${head}\r\n\r\n{"model"`);
      });
      let got = '';
      socket.on('data', (chunk) => {
        got += String(chunk);
        if (got.includes('api_key_suspended')) {
          socket.destroy();
          resolve(got);
        }
      });
      socket.on('error', reject);
    });
    expect(text).toMatch(/^HTTP\/1\.1 429 /);
  });
});

describe('upstream faults', () => {
  it('G-6: suspend as well, and do not double', async () => {
    for (let i = 0; i < 2; i += 1) {
      await flood(100, 'down', { redundancy: { retries: 0 } });
      const refused = await ask('good');
      expect(errorOf(refused)).toMatchObject({ code: 'api_key_suspended' });
      expect(Number(refused.headers['retry-after-ms'])).toBeLessThanOrEqual(60_000);
      clock.jump(60_000);
    }
    expect((await ask('good')).status).toBe(200);
  });
});

describe('ban', () => {
  /** Five suspensions, each waited for, then one more time. */
  async function earnBan(): Promise<number[]> {
    const waits: number[] = [];
    for (let i = 0; i < 6; i += 1) {
      await flood(100, 'unknown');
      const refused = await ask('good');
      if (refused.status === 403) break;
      const until = Date.parse(String(errorOf(refused)['retry_at']));
      const wait = until - clock.wall();
      waits.push(Math.round(wait / 1000));
      // `retry_at` is in whole milliseconds, time is not.
      clock.jump(wait + 1);
    }
    return waits;
  }

  it('G-6: suspensions double; the sixth in 24 h is a ban that outlives a restart, until an admin lifts it', async () => {
    clock.stop();
    const told = alerts();
    expect(await earnBan()).toEqual([60, 120, 240, 480, 960]);
    const banned = await ask('good');
    expect(banned.status).toBe(403);
    expect(errorOf(banned)).toMatchObject({ code: 'api_key_banned', type: 'permission_error' });
    expect(banned.headers['x-should-retry']).toBe('false');
    expect(told.filter((kind) => kind.startsWith('key.'))).toEqual([...Array(5).fill('key.suspended'), 'key.banned']);

    await running.close();
    await start();
    clock.jump(48 * 3_600_000);
    expect((await ask('good')).status).toBe(403);
    expect((await ask('good', 'calm')).status).toBe(200);

    expect(liftKey(running.gateway, 'wild')).toBe(true);
    expect((await ask('good')).status).toBe(200);
    await running.close();
    await start();
    expect((await ask('good')).status).toBe(200);
  }, 60_000);
});
