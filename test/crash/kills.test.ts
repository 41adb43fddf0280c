/** The whole gateway, killed again and again under keyed requests: every key answers, and answers one thing. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'libsql';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { seededRandom } from '../../sim/random.ts';
import { verifyLedger } from '../../src/assemble/verify-ledger.ts';
import { startGateway } from '../../src/assemble.ts';
import { keyHashOf } from '../../src/core/idempotency/derive.ts';
import { TestShell } from '../cli/test-shell.ts';
import { Crowd, type Errand } from './crowd.ts';
import { type CrowdUpstream, startCrowdUpstream } from './crowd-upstream.ts';
import { buildProgram, GatewayProcess, type Program } from './gateway-lives.ts';
import { type Life, POINTS, planLives } from './life-plan.ts';

/** How many requests run at once; two clients wait for each. */
const WIDTH = 6;
/** Upstream calls a key may cost. */
const BUDGET = 12;
/** 10 × 1000 + 5 × 2000 nano-dollars. */
const COST = 20_000n;
const GRANTED = 1_000_000_000n;
const PREPAID = 'acme-client-key-0123456789';
const FREE = 'free-client-key-0123456789';
/** A life whose faults are not reached in this time, once it serves, is ended. */
const LONGEST_LIFE_MS = 3000;
/** For a machine that does much else; alone on two cores it takes well under two minutes. */
const GUARD_MS = 900_000;
const VERIFY_EVERY = 20;

const draws = seededRandom(20_261_130);
const draw = (below: number): number => Math.floor(draws() * below);

let program: Program;
let dataDir: string;
let upstream: CrowdUpstream;
beforeAll(async () => {
  program = await buildProgram();
  dataDir = mkdtempSync(join(tmpdir(), 'understudy-kills-'));
  upstream = await startCrowdUpstream((key, call) => key.startsWith('down') || (key.startsWith('shaky') && call === 1));
});
afterAll(async () => {
  await upstream.close();
  program.remove();
  rmSync(dataDir, { recursive: true, force: true });
});

function configText(): string {
  const priced = { price: { input: 1, output: 2 }, max_output_tokens: 50, context_window: 4000 };
  return JSON.stringify({
    version: 1,
    server: { host: '127.0.0.1', port: 0 },
    providers: { p: { type: 'openai-compatible', base_url: `${upstream.url}/v1` } },
    models: { m: { ...priced, channels: [{ provider: 'p' }] } },
    workspaces: { acme: { balance_usd: 1 } },
    keys: [
      { name: 'acme', workspace: 'acme', secret: PREPAID },
      { name: 'free', secret: FREE },
    ],
    defaults: { redundancy: { retries: 0 } },
    health: { circuit: { consecutive: 100_000, min_calls: 100_000 } },
    idempotency: { max_attempts_per_key: BUDGET },
  });
}

/** What the state says of the prepaid workspace, read behind the gateway's back. */
function money(): { readonly reservations: number; readonly charges: readonly bigint[]; readonly unknown: number } {
  const db = new Database(join(dataDir, 'state.db'));
  const column = (sql: string): unknown[] => (db.prepare(sql).raw().all() as unknown[][]).map(([value]) => value);
  try {
    return {
      reservations: Number(column('SELECT COUNT(*) FROM reservations')[0]),
      charges: column(`SELECT CAST(amount AS TEXT) FROM ledger_entries WHERE kind = 'charge'`).map((text) =>
        BigInt(String(text)),
      ),
      unknown: Number(
        column(
          `SELECT COUNT(*) FROM ledger_entries WHERE kind = 'charge' AND REPLACE(attempt_id || '$', '.1$', '') NOT IN
             (SELECT a.value ->> 'attemptId' FROM idempotency_keys k, json_each(k.attempts) a WHERE k.scope LIKE 'key:acme#%')`,
        )[0],
      ),
    };
  } finally {
    db.close();
  }
}

/** Lets some keys expire that nobody will ask for again, so that there is something to forget. */
function letExpire(keys: readonly string[]): void {
  const db = new Database(join(dataDir, 'state.db'));
  const statement = db.prepare(
    "UPDATE idempotency_keys SET expires_at = 1 WHERE key_hash = ? AND row ->> 'state' = 'succeeded'",
  );
  for (const key of keys) statement.run(keyHashOf(key));
  db.close();
}

/** What a paid call belonged to is not forgotten here: charges are compared with attempts. */
const isFree = ({ client, kind }: Errand): boolean => client === FREE && kind !== 'down';

async function violations(): Promise<unknown[]> {
  const report = await verifyLedger({ dataDir, logFile: 'understudy.db', env: {} });
  // A dead process leaves what the next one closes; nothing else.
  return report.violations.filter(({ kind }) => kind !== 'orphaned_round' && kind !== 'orphaned_attempt');
}

describe('kill -9 of the whole gateway', () => {
  it(
    'I-11, I-8, I-7, I-2, G-4: over 200 lives every key answers one thing, within its budget, for its price',
    async () => {
      let arrived = (_url: string): void => {};
      let address = new Promise<string>(() => {});
      const nextAddress = (): void => {
        address = new Promise((resolve) => {
          arrived = resolve;
        });
      };
      nextAddress();
      let deliveries = 0;
      let killAt: (() => void) | null = null;
      const crowd = new Crowd({
        address: () => address,
        draw,
        clients: [PREPAID, FREE],
        onDelivery: () => {
          deliveries -= 1;
          if (deliveries === 0) killAt?.();
        },
      });
      const forgotten = new Set<string>();
      const reached = new Map<string, number>();
      const config = configText();
      const lives = planLives(draw);
      const spawn = (life: Life | undefined): GatewayProcess => new GatewayProcess(program, life?.faults ?? '');

      const running = crowd.run(WIDTH);
      let kills = 0;
      let next = spawn(lives[0]);
      for (const [at, life] of lives.entries()) {
        const process = next;
        next = spawn(lives[at + 1]);
        if (life.forgets) {
          const keys = [...crowd.outcomes.keys()].filter(
            (key) => isFree(crowd.errands.get(key)!) && !forgotten.has(key),
          );
          letExpire(keys.slice(0, 3));
          for (const key of keys.slice(0, 3)) forgotten.add(key);
        }
        deliveries = life.deliveries ?? 0;
        killAt = () => process.child.kill('SIGKILL');
        if (life.startMs !== null) setTimeout(killAt, life.startMs);
        const url = await process.start({ configText: config, dataDir });
        if (url !== null) arrived(url);
        const guard = setTimeout(killAt, LONGEST_LIFE_MS);
        await process.dead;
        clearTimeout(guard);
        killAt = null;
        if (url !== null) nextAddress();
        kills += 1;
        if (process.fault !== null) reached.set(process.fault, (reached.get(process.fault) ?? 0) + 1);
        if (kills % VERIFY_EVERY === 0) {
          expect(await violations()).toEqual([]);
          expect(money().unknown).toBe(0);
          expect(crowd.surprises).toEqual([]);
        }
      }

      // The last one lives: everybody gets an answer, and asked once more the same one, for nothing.
      const url = await next.start({ configText: config, dataDir });
      arrived(url!);
      crowd.finish();
      await running;
      const before = [...upstream.calls.values()].reduce((sum, count) => sum + count, 0);
      const kept = [...crowd.outcomes.keys()].filter((key) => !forgotten.has(key));
      const queue = [...kept];
      await Promise.all(
        Array.from({ length: WIDTH }, async () => {
          for (let key = queue.pop(); key !== undefined; key = queue.pop()) await crowd.again({ key });
        }),
      );
      expect([...upstream.calls.values()].reduce((sum, count) => sum + count, 0)).toBe(before);
      await next.stop();
      crowd.close();
      console.info(
        `${kills} kills, ${crowd.outcomes.size} keys`,
        Object.fromEntries(reached),
        Object.fromEntries(crowd.seen),
      );

      expect(crowd.surprises).toEqual([]);
      expect(kills).toBeGreaterThanOrEqual(200);
      for (const point of POINTS) expect(reached.get(point) ?? 0, point).toBeGreaterThanOrEqual(2);
      for (const [key, count] of upstream.calls) expect(count, key).toBeLessThanOrEqual(BUDGET);
      const exhausted = [...crowd.outcomes].filter(([, how]) => how === 'exhausted').map(([key]) => key);
      expect(exhausted.filter((key) => !key.startsWith('down'))).toEqual([]);
      expect(crowd.outcomes.size).toBeGreaterThan(kills);

      const shell = new TestShell();
      expect(await shell.run('verify-ledger', '--data', dataDir), shell.printed.join('\n')).toBe(0);
      await expectExactMoney(config);
    },
    GUARD_MS,
  );
});

/** What is left is what was given less what was charged: each paid call once, and nothing held back. */
async function expectExactMoney(config: string): Promise<void> {
  const { reservations, charges, unknown } = money();
  expect([reservations, unknown]).toEqual([0, 0]);
  expect(new Set(charges)).toEqual(new Set([-COST]));
  const gateway = await startGateway({ configText: config, port: 0, dataDir, env: {}, log: 'silent' });
  try {
    const { accounts } = gateway.gateway;
    expect(accounts.balance('acme')).toBe(GRANTED - BigInt(charges.length) * COST);
    expect(accounts.available('acme')).toBe(accounts.balance('acme'));
  } finally {
    await gateway.close();
  }
}
