/** H-4, G-11, P-4: three gateways, each a process with a store of its own, over one Redis; demand of 1,000 requests a second. */
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Agent, request } from 'undici';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { buildProgram, GatewayProcess, type Program } from '../crash/gateway-lives.ts';
import { hasRedis, type RedisServer, startRedis } from '../support/servers/redis.ts';

const REPLICAS = 3;
const RPS = 1000;
const ADMIN = 'scale-admin-token-0123456789';
/** How far a limit may be missed, either way. */
const OFF = 0.05;
/** Ten times too wide: nothing that waits for Redis may take as long. */
const NO_HANG_MS = 5000;

const secretOf = (name: string): string => `scale-${name}-key-0123456789`;
const LIMITS = {
  rpm: { rpm: 3000 },
  tpm: { tpm: 45_000 },
  rpd: { rpd: 3000 },
  usd: { usd_per_day: 0.045 },
  away: { rpm: 100 },
  frozen: { rpm: 100_000 },
  healed: { rpm: 1000 },
  free: {},
} as const;
type KeyName = keyof typeof LIMITS | `crowd-${number}`;
/** Keys of a workspace that has a limit: one alone would rest, so much of what it asks is refused (G-6). */
const CROWD: readonly KeyName[] = Array.from({ length: 40 }, (_, i): KeyName => `crowd-${i}`);

let program: Program;
let redis: RedisServer;
let upstream: Upstream;
let gateways: { readonly process: GatewayProcess; readonly url: string; readonly folder: string }[] = [];
const agent = new Agent({ connections: 400 });

/** Answers after as many ms as the message says, 15 tokens each; model `busy` is limited for a minute. */
class Upstream {
  readonly #server: Server = createServer((incoming, response) => void this.#answer(incoming, response));
  inFlight = 0;
  most = 0;
  calls = 0;
  /** Ms that calls lasted here, added up. */
  worked = 0;

  async start(): Promise<string> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/v1`;
  }

  close(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }

  async #answer(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const { model, messages } = JSON.parse((await incoming.setEncoding('utf8').toArray()).join('')) as {
      readonly model: string;
      readonly messages: readonly { readonly content: string }[];
    };
    this.calls += 1;
    this.inFlight += 1;
    this.most = Math.max(this.most, this.inFlight);
    await new Promise((resolve) => setTimeout(resolve, Number(messages[0]!.content)));
    this.inFlight -= 1;
    if (model === 'busy') {
      response.writeHead(429, { 'content-type': 'application/json', 'retry-after': '60' });
      response.end(
        JSON.stringify({ error: { message: 'slow down', type: 'rate_limit_error', code: 'rate_limit_exceeded' } }),
      );
      return;
    }
    const choices = [{ index: 0, message: { role: 'assistant', content: 'a b c' }, finish_reason: 'stop' }];
    const usage = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 };
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ id: 'c', object: 'chat.completion', created: 1, model, choices, usage }));
  }
}

interface Told {
  readonly startedAt: number;
  readonly status: number;
  readonly code: string | null;
  readonly tookMs: number;
}

async function ask(at: number, key: KeyName, workMs: number, model = 'm'): Promise<Told> {
  const started = performance.now();
  const { statusCode: status, body } = await request(`${gateways[at % REPLICAS]!.url}/v1/chat/completions`, {
    method: 'POST',
    dispatcher: agent,
    headers: { authorization: `Bearer ${secretOf(key)}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model, max_tokens: 5, messages: [{ role: 'user', content: String(workMs) }] }),
  });
  const text = await body.text();
  const code = status === 200 ? null : ((JSON.parse(text) as { error: { code: string } }).error.code ?? null);
  return { status, code, startedAt: started, tookMs: performance.now() - started };
}

/** Round robin, `rps` a second as far as this machine can; no more than `atOnce` at the same time, or it would drown. */
async function demand(
  key: KeyName | readonly KeyName[],
  seconds: number,
  { rps = RPS, workMs = 5, atOnce = 150 } = {},
): Promise<readonly Told[]> {
  const all: Promise<Told>[] = [];
  let [open, debt, last] = [0, 0, performance.now()];
  while (all.length < rps * seconds) {
    const now = performance.now();
    debt = Math.min(debt + ((now - last) * rps) / 1000, 50);
    last = now;
    for (; debt >= 1 && open < atOnce && all.length < rps * seconds; debt -= 1) {
      open += 1;
      const one = typeof key === 'string' ? key : key[all.length % key.length]!;
      all.push(ask(all.length, one, workMs).finally(() => (open -= 1)));
    }
    await new Promise((resolve) => setTimeout(resolve, 4));
  }
  return Promise.all(all);
}

const served = (all: readonly Told[]): number => all.filter(({ status }) => status === 200).length;

/** Everything is served or refused by the limit, and what is served is the limit. */
function expectLimit(all: readonly Told[], limit: number, code: string): void {
  expect([...new Set(all.map((one) => one.code))].sort()).toEqual([code, null].sort());
  expect(served(all)).toBeLessThanOrEqual(limit * (1 + OFF));
  expect(served(all)).toBeGreaterThanOrEqual(limit * (1 - OFF));
}

async function until(what: () => Promise<boolean>, ms = 30_000): Promise<void> {
  const over = Date.now() + ms;
  while (!(await what())) {
    if (Date.now() > over) throw new Error('it did not happen');
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

async function admin(
  at: number,
  method: 'GET' | 'POST',
  path: string,
): Promise<{ readonly data: readonly { id: string; state: string; model: string }[] }> {
  const { body } = await request(`${gateways[at]!.url}/admin/v1${path}`, {
    method,
    headers: { authorization: `Bearer ${ADMIN}` },
  });
  return (await body.json()) as { readonly data: readonly { id: string; state: string; model: string }[] };
}

async function stateOf(at: number, model: string): Promise<string> {
  const { data } = await admin(at, 'GET', '/health/targets');
  return data.find((target) => target.model === model)?.state ?? 'unknown';
}

async function isUp(at: number): Promise<boolean> {
  const { body } = await request(`${gateways[at]!.url}/metrics`, { headers: { authorization: `Bearer ${ADMIN}` } });
  return /^understudy_shared_up 1$/m.test(await body.text());
}

const everywhere = async (what: (at: number) => Promise<boolean>): Promise<boolean> =>
  (await Promise.all(gateways.map((_, at) => what(at)))).every((one) => one);

describe.runIf(hasRedis())('H-4: three gateways over one Redis', () => {
  beforeAll(async () => {
    upstream = new Upstream();
    const [base_url, server, built] = await Promise.all([upstream.start(), startRedis(), buildProgram()]);
    redis = server;
    program = built;
    const price = { input: 1, output: 1 };
    const configText = JSON.stringify({
      version: 1,
      server: { host: '127.0.0.1', port: 0, metrics_token: ADMIN },
      shared: redis.url,
      admin: { token: ADMIN },
      providers: { p: { type: 'openai-compatible', base_url } },
      models: {
        m: { price, channels: [{ provider: 'p' }] },
        busy: { price, channels: [{ provider: 'p' }] },
        drained: { price, channels: [{ provider: 'p' }] },
      },
      workspaces: { crowd: { limits: { concurrent: 100 } } },
      keys: [
        ...Object.entries(LIMITS).map(([name, limits]) => ({ name, secret: secretOf(name), limits })),
        ...CROWD.map((name) => ({ name, secret: secretOf(name), workspace: 'crowd' })),
      ],
    });
    gateways = await Promise.all(
      Array.from({ length: REPLICAS }, async () => {
        const process = new GatewayProcess(program, '');
        const folder = mkdtempSync(join(tmpdir(), 'understudy-limits-'));
        const url = await process.start({ configText, dataDir: folder });
        if (url === null) throw new Error('a gateway did not start');
        return { process, url, folder };
      }),
    );
    await until(() => everywhere(isUp));
    await demand('free', 1, { rps: 100 });
  }, 120_000);

  afterAll(async () => {
    await Promise.all(gateways.map(({ process }) => process.stop()));
    for (const { folder } of gateways) rmSync(folder, { recursive: true, force: true });
    await agent.close();
    upstream?.close();
    await redis?.stop();
    program?.remove();
  });

  it('G-11: requests per minute, within 5 % on both sides', async () => {
    expectLimit(await demand('rpm', 6), 3000, 'key_rate_limited');
  }, 60_000);

  it('G-11: tokens per minute, within 5 % on both sides', async () => {
    expectLimit(await demand('tpm', 6), 45_000 / 15, 'key_rate_limited');
  }, 60_000);

  it('G-11: requests per day, within 5 % on both sides', async () => {
    expectLimit(await demand('rpd', 6), 3000, 'key_rate_limited');
  }, 60_000);

  it('G-11: spend per day, within 5 % on both sides', async () => {
    expectLimit(await demand('usd', 6), 0.045 / 0.000_015, 'token_budget_exceeded');
  }, 60_000);

  it('G-11, P-4: requests at the same time, within 5 % on both sides', async () => {
    upstream.most = 0;
    const running = demand(CROWD, 14, { rps: 80, workMs: 3000, atOnce: 300 });
    await new Promise((resolve) => setTimeout(resolve, 4500));
    const moments: number[] = [];
    for (let i = 0; i < 60; i += 1) {
      moments.push(performance.now());
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    const all = (await running).filter(({ status }) => status === 200);
    const seen = moments.map(
      (at) => all.filter(({ startedAt, tookMs }) => startedAt <= at && at < startedAt + tookMs).length,
    );
    expect(upstream.most).toBeLessThanOrEqual(100 * (1 + OFF));
    const mean = seen.reduce((sum, one) => sum + one, 0) / seen.length;
    expect(mean).toBeGreaterThanOrEqual(100 * (1 - OFF));
  }, 60_000);

  it('H-1: what one replica was told to wait for, no replica calls', async () => {
    const before = upstream.calls;
    expect((await ask(0, 'free', 1, 'busy')).status).toBe(429);
    expect(upstream.calls).toBe(before + 1);
    await until(() => everywhere(async (at) => (await stateOf(at, 'busy')) === 'cooling'));
    for (const at of [0, 1, 2]) expect((await ask(at, 'free', 1, 'busy')).status).toBe(429);
    expect(upstream.calls).toBe(before + 1);
  }, 60_000);

  it('H-3: a target drained at one replica is drained at all, and so it is with its end and with a reset', async () => {
    const { data } = await admin(0, 'GET', '/health/targets');
    const [drained, busy] = ['drained', 'busy'].map((model) => data.find((target) => target.model === model)!.id);
    await admin(1, 'POST', `/health/targets/${drained}/drain`);
    await until(() => everywhere(async (at) => (await stateOf(at, 'drained')) === 'drained'));
    await admin(2, 'POST', `/health/targets/${drained}/undrain`);
    await until(() => everywhere(async (at) => (await stateOf(at, 'drained')) === 'ok'));
    await admin(0, 'POST', `/health/targets/${busy}/reset`);
    await until(() => everywhere(async (at) => (await stateOf(at, 'busy')) === 'ok'));
  }, 60_000);

  it('H-4: frozen under load, no request hangs or fails; thawed, it is back by itself', async () => {
    const running = demand('frozen', 5, { rps: 300 });
    await new Promise((resolve) => setTimeout(resolve, 1000));
    redis.freeze();
    await new Promise((resolve) => setTimeout(resolve, 2500));
    redis.thaw();
    const all = await running;
    expect(served(all)).toBe(all.length);
    expect(Math.max(...all.map(({ tookMs }) => tookMs))).toBeLessThan(NO_HANG_MS);
    await until(() => everywhere(isUp));
  }, 60_000);

  it('H-4: killed, each replica goes by its own count and none hangs; back, all count together again', async () => {
    await redis.kill();
    await until(() => everywhere(async (at) => !(await isUp(at))));
    const alone = await demand('away', 3, { rps: 300 });
    expect(served(alone)).toBe(REPLICAS * 100);
    expect(Math.max(...alone.map(({ tookMs }) => tookMs))).toBeLessThan(NO_HANG_MS);
    await redis.start();
    await until(() => everywhere(isUp));
    expectLimit(await demand('healed', 4), 1000, 'key_rate_limited');
  }, 90_000);
});
