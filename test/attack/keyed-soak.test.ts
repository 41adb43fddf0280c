/** Many clients, few keys, bad luck of every kind drawn from a seed: whatever happens, one result for each key (I-11). */
import { readdirSync, readlinkSync } from 'node:fs';
import { expect, it } from 'vitest';
import type { Step } from '../../sim/index.ts';
import { StateStoreUnavailable } from '../../src/ports/object-store.ts';
import { DONE, delta, errorStep, finish, okBody, okStream, role, sseStep } from '../faults/answers.ts';
import type { RawAnswer } from '../faults/raw-client.ts';
import { readStream } from '../faults/stream-reader.ts';
import { type RulesRig, withRules } from '../rules/rules-rig.ts';
import { expectOrderly } from './keyed-audit.ts';

/** Mulberry32: equal seeds, equal luck. */
function luck(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

const REQUESTS = 120;
const KEYS = 5;
const CHANNELS = ['A', 'B'].map((up) => ({ up, more: { price: { input: 1, output: 10 } } }));
const GRANT = 100n * 1_000_000_000n;
const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

function upstream(draw: () => number, stream: boolean): Step[] {
  const large = 'l'.repeat(400_000);
  return Array.from({ length: 200 }, (_, n): Step => {
    const delay_ms = Math.floor(draw() * 150);
    const kind = draw() ** 2;
    const said = `answer ${n}`;
    const step = ((): Step => {
      if (kind < 0.25) return errorStep(kind < 0.1 ? 429 : 503, { message: 'down' });
      if (kind < 0.3) return { status: 504, body: '' };
      if (!stream) return kind < 0.4 ? sseStep([], { end: 'rst' }) : okBody(said);
      if (kind < 0.4) return sseStep([role(), delta('half'), { wait_ms: 50 }, delta('gone')], { end: 'rst' });
      if (kind < 0.5) return sseStep([role(), delta('never said so'), DONE]);
      if (kind < 0.7) return okStream(said, ...Array.from({ length: 6 }, () => large));
      return sseStep([role(), delta(said), { wait_ms: 100 }, delta(' and on'), finish(), DONE]);
    })();
    return { delay_ms, times: 1, ...step };
  });
}

/** Its disk is slow, and now and then takes nothing. */
function troubleStore(rig: RulesRig, draw: () => number): void {
  const { store } = rig.gateway.inside.keyed;
  const { claim, startAttempt, succeed } = store;
  const troubled = async <T>(carryOut: () => Promise<T>): Promise<T> => {
    if (draw() < 0.5) await pause(draw() * 40);
    if (draw() < 0.03) throw new StateStoreUnavailable('full');
    const result = await carryOut();
    if (draw() < 0.3) await pause(draw() * 40);
    return result;
  };
  store.claim = (asked) => troubled(() => claim.call(store, asked));
  store.startAttempt = (start) => troubled(() => startAttempt.call(store, start));
  store.succeed = (success) => troubled(() => succeed.call(store, success));
}

async function client(
  rig: RulesRig,
  draw: () => number,
): Promise<{ readonly key: string; readonly answer: RawAnswer }> {
  const key = `k${Math.floor(draw() * KEYS)}`;
  const stream = key > 'k2';
  const redundancy = {
    retries: 0,
    ...(draw() < 0.3 && { finish_on_disconnect: false }),
    ...(draw() < 0.2 && { on_duplicate: 'reject' }),
    ...(draw() < 0.2 && { commit: 'complete' }),
    ...(draw() < 0.2 && { hedge_after_ms: 100 }),
  };
  const leaves = draw() < 0.4 ? { leaveAfterMs: Math.floor(draw() * 300) } : {};
  await pause(draw() * 3000);
  const answer = await rig.ask(
    stream ? 's' : 'm',
    { stream, redundancy },
    { headers: { 'idempotency-key': key }, ...leaves },
  );
  return { key, answer };
}

function isSuccess({ status, end, text }: RawAnswer): boolean {
  return status === 200 && end === 'complete' && !text.includes('stream_interrupted') && !text.includes('"error"');
}

/** Spools that are still open, by what the system calls them. */
function openSpools(): string[] {
  return readdirSync('/proc/self/fd').flatMap((fd) => {
    try {
      const path = readlinkSync(`/proc/self/fd/${fd}`);
      return path.includes('.spool') ? [path] : [];
    } catch {
      return [];
    }
  });
}

const SEEDS = [1, 6];

it.each(SEEDS)('I-11, I-8, I-6: whatever happens: seed %i', async (seed) => {
  const draw = luck(seed);
  const over = {
    workspaces: { main: { balance_usd: 100 } },
    idempotency: { max_attempts_per_key: 100 },
    health: { circuit: { consecutive: 1000, min_calls: 1000 } },
  };
  const routes = {
    m: { channels: CHANNELS, up: { A: upstream(draw, false), B: upstream(draw, false) } },
    s: { channels: CHANNELS, up: { A: upstream(draw, true), B: upstream(draw, true) } },
  };
  await withRules(
    routes,
    async (rig) => {
      troubleStore(rig, draw);
      const done = await Promise.all(Array.from({ length: REQUESTS }, () => client(rig, draw)));
      const successes = new Map<string, Set<string>>();
      for (const { key, answer } of done) {
        if (!isSuccess(answer)) continue;
        if (key > 'k2') expect(readStream(answer).done).toBe(1);
        successes.set(key, (successes.get(key) ?? new Set()).add(answer.text));
      }
      expect(successes.size).toBe(KEYS);
      for (const texts of successes.values()) expect(texts.size).toBe(1);
      const kept = await expectOrderly(rig);
      expect(kept.map(({ row }) => row.state)).toEqual(kept.map(() => 'succeeded'));
      const costs = (await rig.gateway.records(200)).map((record) => record.cost_nano_usd ?? 0);
      const { accounts } = rig.gateway.inside;
      const left = GRANT - BigInt(costs.reduce((sum, cost) => sum + cost, 0));
      expect([accounts.balance('main'), accounts.available('main')]).toEqual([left, left]);
      if (process.platform === 'linux') expect(openSpools()).toEqual([]);
    },
    { over },
  );
});
