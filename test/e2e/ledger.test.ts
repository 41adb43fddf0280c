/** Money under load and over a sudden death: no nano-dollar appears or gets lost. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import Database from 'libsql';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Simulator, startSimulator } from '../../sim/index.ts';
import { startGateway } from '../../src/assemble.ts';
import { waitFor } from '../faults/gateway.ts';
import { type RawAnswer, sendRaw } from '../faults/raw-client.ts';
import { answered } from '../rules/money-rig.ts';

const CLIENT_KEY = 'acme-client-key-0123456789';
/** 10 × 1000 + 5 × 2000 nano-dollars. */
const COST = 20_000n;
/** Nothing larger is held back: 4000 input and 50 output tokens, while the requests have about 100 bytes. */
const LARGEST_HOLD = 4_100_000n;
const CHILD = fileURLToPath(new URL('../support/gateway-child.mjs', import.meta.url));

let simulator: Simulator;
let dataDir: string;
const children = new Set<ChildProcess>();

beforeEach(async () => {
  const quick = { ...answered(10, 5), delay_ms: 20 };
  simulator = await startSimulator({ script: { models: { quick: [quick], stuck: [{ delay_ms: 600_000 }] } } });
  dataDir = await mkdtemp(join(tmpdir(), 'understudy-ledger-'));
});
afterEach(async () => {
  for (const child of children) child.kill('SIGKILL');
  children.clear();
  await simulator.close();
  await rm(dataDir, { recursive: true, force: true });
});

function configText(balance: number): string {
  const priced = { price: { input: 1, output: 2 }, max_output_tokens: 50, context_window: 4000 };
  return JSON.stringify({
    version: 1,
    server: { host: '127.0.0.1', port: 0 },
    providers: { p: { type: 'openai-compatible', base_url: `${simulator.url}/v1` } },
    models: Object.fromEntries(['quick', 'stuck'].map((id) => [id, { ...priced, channels: [{ provider: 'p' }] }])),
    workspaces: { acme: { balance_usd: balance } },
    keys: [{ name: 'acme', workspace: 'acme', secret: CLIENT_KEY }],
  });
}

function ask(url: string, model: string): Promise<RawAnswer> {
  return sendRaw({
    url: `${url}/v1/chat/completions`,
    headers: { authorization: `Bearer ${CLIENT_KEY}` },
    body: { model, messages: [{ role: 'user', content: 'hi' }] },
  });
}

interface OnDisk {
  readonly reservations: number;
  readonly charges: readonly bigint[];
  readonly sum: bigint;
}

/** What the file says, read behind the gateway's back. */
function onDisk(): OnDisk {
  const db = new Database(join(dataDir, 'state.db'));
  try {
    const rows = (sql: string): unknown[][] => db.prepare(sql).raw().all() as unknown[][];
    return {
      reservations: rows('SELECT attempt_id FROM reservations').length,
      charges: rows(`SELECT CAST(amount AS TEXT) FROM ledger_entries WHERE kind = 'charge'`).map(([a]) =>
        BigInt(String(a)),
      ),
      sum: BigInt(String(rows('SELECT CAST(SUM(amount) AS TEXT) FROM ledger_entries')[0]?.[0])),
    };
  } finally {
    db.close();
  }
}

describe('G-4: a prepaid balance under load', () => {
  it('200 requests at once, again and again until it is empty: what was served is charged once, nothing else', async () => {
    const granted = 8_000_000n;
    const running = await startGateway({ configText: configText(0.008), port: 0, dataDir, env: {}, log: 'silent' });
    const { accounts } = running.gateway;
    let served = 0;
    let refused = 0;
    let lowest = granted;
    const client = async (): Promise<void> => {
      for (let turn = 0; turn < 40; turn++) {
        const { status } = await ask(running.url, 'quick');
        if (status === 200) {
          served += 1;
        } else {
          expect(status).toBe(402);
          refused += 1;
          // As long as an answer takes: a key of which nearly all requests fail would be suspended (G-6).
          await new Promise((resolve) => setTimeout(resolve, 20));
        }
        const left = accounts.available('acme') ?? 0n;
        if (left < lowest) lowest = left;
        if ((accounts.balance('acme') ?? 0n) <= 0n) return;
      }
    };
    await Promise.all(Array.from({ length: 200 }, client));
    const balance = accounts.balance('acme') ?? 0n;
    expect(balance).toBe(granted - BigInt(served) * COST);
    expect(accounts.available('acme')).toBe(balance);
    expect(refused).toBeGreaterThan(0);
    expect(lowest).toBeGreaterThan(-LARGEST_HOLD);
    expect(simulator.calls).toHaveLength(served);
    await running.close();
    const disk = onDisk();
    expect(disk.reservations).toBe(0);
    expect(disk.charges).toEqual(Array.from({ length: served }, () => -COST));
    expect(disk.sum).toBe(balance);
  });
});

describe('G-4, H-5: kill -9', () => {
  it('reservations are released, charges stay, the balance is what the entries say', async () => {
    const granted = 1_000_000_000n;
    const child = await startChild(1);
    for (let i = 0; i < 5; i++) expect((await ask(child.url, 'quick')).status).toBe(200);
    // In the middle of 20 calls that are being paid for, and of others that are just being settled.
    const stuck = Array.from({ length: 20 }, () => ask(child.url, 'stuck'));
    await waitFor(() => (simulator.calls.length === 25 ? true : null), '20 calls upstream');
    await waitFor(() => (onDisk().charges.length === 5 ? true : null), '5 charges');
    const racing = Array.from({ length: 30 }, () => ask(child.url, 'quick'));
    await Promise.race(racing);
    child.process.kill('SIGKILL');
    await once(child.process, 'exit');
    expect((await Promise.all(stuck)).every(({ status }) => status === null)).toBe(true);
    const served =
      5 + (await Promise.all(racing)).filter(({ status, end }) => status === 200 && end === 'complete').length;

    const dead = onDisk();
    expect(dead.reservations).toBeGreaterThanOrEqual(20);
    expect(dead.charges.length).toBeLessThanOrEqual(served + 30);
    const running = await startGateway({ configText: configText(1), port: 0, dataDir, env: {}, log: 'silent' });
    try {
      const { accounts } = running.gateway;
      expect(accounts.released).toBe(dead.reservations);
      const alive = onDisk();
      expect([alive.reservations, alive.charges]).toEqual([0, dead.charges]);
      expect(new Set(alive.charges)).toEqual(new Set([-COST]));
      expect(accounts.balance('acme')).toBe(granted - BigInt(alive.charges.length) * COST);
      expect(alive.sum).toBe(accounts.balance('acme'));
      expect((await ask(running.url, 'quick')).status).toBe(200);
      expect(accounts.available('acme')).toBe(granted - BigInt(alive.charges.length + 1) * COST);
    } finally {
      await running.close();
    }
  });
});

interface Child {
  readonly process: ChildProcess;
  readonly url: string;
}

async function startChild(balance: number): Promise<Child> {
  const start = JSON.stringify({ configText: configText(balance), port: 0, dataDir });
  const child = spawn(process.execPath, [CHILD], {
    env: { PATH: process.env['PATH'], UNDERSTUDY_TEST_START: start },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  children.add(child);
  for await (const url of createInterface({ input: child.stdout! })) return { process: child, url };
  throw new Error('the gateway did not start');
}
