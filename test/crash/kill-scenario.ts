/** The whole gateway, killed again and again under keyed requests: every key answers, and answers one thing. */
import { expect } from 'vitest';
import { seededRandom } from '../../sim/random.ts';
import { startGateway } from '../../src/assemble.ts';
import { keyHashOf } from '../../src/core/idempotency/derive.ts';
import { TestShell } from '../cli/test-shell.ts';
import { RoundRobin } from '../support/replicas/round-robin.ts';
import { Crowd, type Errand } from './crowd.ts';
import { type CrowdUpstream, startCrowdUpstream } from './crowd-upstream.ts';
import type { Program } from './gateway-lives.ts';
import type { Ground, Money } from './ground.ts';
import { closerLife, POINTS, planLives } from './life-plan.ts';
import { Places } from './places.ts';

/** How many requests run at once; two clients wait for each. */
const WIDTH = 6;
/** Of several replicas: they share the machine with their servers, and who starts is not to wait for who serves. */
const SHARED_WIDTH = 3;
/** Where a dead replica's keys wait for the end of its lease, others take their turn after this time. */
const PATIENCE_MS = 1500;
/** Upstream calls a key may cost. */
const BUDGET = 12;
/** 10 × 1000 + 5 × 2000 nano-dollars. */
const COST = 20_000n;
const GRANTED = 1_000_000_000n;
const PREPAID = 'acme-client-key-0123456789';
const FREE = 'free-client-key-0123456789';
/** A life whose faults are not reached in this time, once it serves, is ended. */
const LONGEST_LIFE_MS = 3000;
/** Of who waits until others may be judged dead (30 s after their last word) and have left something. */
const LONGEST_CLOSER_MS = 90_000;
const VERIFY_EVERY = 20;
const KILLS = 200;

function configText(ground: Ground, upstream: CrowdUpstream): string {
  const priced = { price: { input: 1, output: 2 }, max_output_tokens: 50, context_window: 4000 };
  // Far off, so that every request takes room, where replicas share it, and none is refused.
  const limits = { rpm: 1_000_000, concurrent: 100_000 };
  return JSON.stringify({
    version: 1,
    server: { host: '127.0.0.1', port: 0 },
    ...ground.config,
    providers: { p: { type: 'openai-compatible', base_url: `${upstream.url}/v1` } },
    models: { m: { ...priced, channels: [{ provider: 'p' }] } },
    workspaces: { acme: { balance_usd: 1 } },
    keys: [
      { name: 'acme', workspace: 'acme', secret: PREPAID, limits },
      { name: 'free', secret: FREE, limits },
    ],
    defaults: { redundancy: { retries: 0 } },
    health: { circuit: { consecutive: 100_000, min_calls: 100_000 } },
    idempotency: { max_attempts_per_key: BUDGET },
  });
}

/** What a paid call belonged to is not forgotten here: charges are compared with attempts. */
const isFree = ({ client, kind }: Errand): boolean => client === FREE && kind !== 'down';

async function violations(ground: Ground): Promise<unknown[]> {
  const report = await ground.verify();
  // A dead process leaves what another one closes; nothing else.
  return report.violations.filter(({ kind }) => kind !== 'orphaned_round' && kind !== 'orphaned_attempt');
}

/**
 * Two hundred kills on this ground, and what holds after them. In a place alone each life ends as planned; of several, the
 * first lives until what the others have left is its to close, and dies doing so.
 */
export async function killAndKill(program: Program, ground: Ground): Promise<void> {
  const draws = seededRandom(20_261_130);
  const draw = (below: number): number => Math.floor(draws() * below);
  const upstream = await startCrowdUpstream(
    (key, call) => key.startsWith('down') || (key.startsWith('shaky') && call === 1),
  );
  const config = configText(ground, upstream);
  const front = new RoundRobin();
  const { excused } = ground;
  const crowd = new Crowd({
    front,
    draw,
    excused,
    clients: [PREPAID, FREE],
    onDelivery: (url) => places.delivered(url),
  });
  const forgotten = new Set<string>();
  const places = new Places({
    program,
    ground,
    configText: config,
    front,
    /** Keys that nobody will ask for again, so that there is something to forget. */
    async forget() {
      const settled = [...crowd.outcomes.keys()].filter((key) => isFree(crowd.errands.get(key)!));
      const keys = settled.filter((key) => !forgotten.has(key)).slice(0, 3);
      for (const key of keys) forgotten.add(key);
      // At the first life there is no store yet.
      if (keys.length > 0) await ground.letExpire(keys.map(keyHashOf));
    },
    async onKill(kills) {
      if (kills % VERIFY_EVERY !== 0) return;
      expect(await violations(ground)).toEqual([]);
      expect((await ground.money()).unknown).toBe(0);
      expect(crowd.surprises.slice(0, 5)).toEqual([]);
    },
  });
  try {
    const alone = ground.places.length === 1;
    const running = alone ? crowd.run(WIDTH) : crowd.run(SHARED_WIDTH, PATIENCE_MS);
    await spendLives(places, ground, draw);
    // The last ones live: everybody gets an answer, and asked once more the same one, for nothing.
    crowd.finish();
    await running;
    const before = sum(upstream.calls.values());
    await askAgain(
      crowd,
      [...crowd.outcomes.keys()].filter((key) => !forgotten.has(key)),
    );
    expect(sum(upstream.calls.values())).toBe(before);
    await places.stop();
    const { kills, reached } = places;
    console.info(
      `${kills} kills, ${crowd.outcomes.size} keys`,
      Object.fromEntries(reached),
      Object.fromEntries(crowd.seen),
    );

    expect(crowd.surprises.slice(0, 5)).toEqual([]);
    expect(kills).toBeGreaterThanOrEqual(KILLS);
    for (const point of POINTS) expect(reached.get(point) ?? 0, point).toBeGreaterThanOrEqual(2);
    for (const [key, count] of upstream.calls) expect(count, key).toBeLessThanOrEqual(BUDGET);
    const exhausted = [...crowd.outcomes].filter(([, how]) => how === 'exhausted').map(([key]) => key);
    expect(exhausted.filter((key) => !key.startsWith('down'))).toEqual([]);
    expect(crowd.outcomes.size).toBeGreaterThan(kills);

    const shell = new TestShell();
    shell.env = ground.env;
    expect(await shell.run('verify-ledger', ...ground.verifyArguments), shell.printed.join('\n')).toBe(0);
    await expectExactMoney(ground, config);
  } finally {
    places.close();
    front.close();
    await upstream.close();
  }
}

async function spendLives(places: Places, ground: Ground, draw: (below: number) => number): Promise<void> {
  const [first, ...others] = ground.places;
  const lives = [...planLives(draw, others.length === 0)];
  const nextLife = () => lives.shift() ?? null;
  if (others.length === 0) return places.spend(first!, { nextLife, longestMs: LONGEST_LIFE_MS });
  let closers = 0;
  const spent = others.map((place) => places.spend(place, { nextLife, longestMs: LONGEST_LIFE_MS }));
  const over = Promise.all(spent).then(() => undefined);
  const closer = { nextLife: () => closerLife(closers++), longestMs: LONGEST_CLOSER_MS, over };
  await Promise.all([places.spend(first!, closer), over]);
}

async function askAgain(crowd: Crowd, keys: string[]): Promise<void> {
  const worker = async (): Promise<void> => {
    for (let key = keys.pop(); key !== undefined; key = keys.pop()) await crowd.again({ key });
  };
  await Promise.all(Array.from({ length: WIDTH }, worker));
}

function sum(counts: Iterable<number>): number {
  let all = 0;
  for (const count of counts) all += count;
  return all;
}

/** What is left is what was given less what was charged: each paid call once, and nothing held back. */
async function expectExactMoney(ground: Ground, config: string): Promise<void> {
  const { reservations, charges, unknown }: Money = await ground.money();
  expect([reservations, unknown]).toEqual([0, 0]);
  expect(new Set(charges)).toEqual(new Set([-COST]));
  const { dataDir } = ground.places[0]!;
  const gateway = await startGateway({ configText: config, port: 0, dataDir, env: ground.env, log: 'silent' });
  try {
    const { accounts } = gateway.gateway;
    expect(accounts.balance('acme')).toBe(GRANTED - BigInt(charges.length) * COST);
    expect(accounts.available('acme')).toBe(accounts.balance('acme'));
  } finally {
    await gateway.close();
  }
}
