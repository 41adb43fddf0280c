/** Routings drawn from a seed, over three models at three upstreams, with requests to try them with. */
import { okBody } from '../faults/answers.ts';
import type { RulesSettings } from './rules-rig.ts';

type Json = Record<string, unknown>;

const fine = [okBody('fine')];

export const ROUTES = {
  one: { up: { A: fine } },
  two: { up: { A: fine, B: fine } },
  three: { up: { A: fine, B: fine, C: fine } },
};

const STRATEGIES = ['priority', 'price', 'latency', 'throughput', 'least_busy', 'weighted', 'round_robin'];

/** mulberry32: the same seed, the same draws. */
function drawer(seed: number): () => number {
  let state = seed * 0x9e3779b1;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}

export function drawSettings(seed: number): { readonly settings: RulesSettings; readonly requests: readonly Json[] } {
  const draw = drawer(seed);
  const pick = <T>(all: readonly T[]): T => all[Math.floor(draw() * all.length)]!;
  const chance = (part: number): boolean => draw() < part;

  const credentials: Json = {};
  for (const provider of ['p-one-a', 'p-two-a', 'p-two-b', 'p-three-a', 'p-three-b', 'p-three-c']) {
    const count = pick([1, 1, 2, 3]);
    for (let i = 0; i < count; i += 1) {
      const own = chance(0.3) ? { kind: 'byok', workspace: 'main' } : {};
      credentials[`${provider}-${i}`] = { provider, secret: `sk-${provider}-${i}`, order: pick([0, 0, 1]), ...own };
    }
  }
  const main: Json = {
    routing: {
      strategy: pick(STRATEGIES),
      affinity: pick(['none', 'none', 'user']),
      channels: {
        two: { b1: { prefer: chance(0.5), byok_only: chance(0.2) } },
        three: { c2: { prefer: chance(0.3) } },
      },
    },
    virtual_models: { smart: { models: ['three', 'one'], redundancy: { policy: pick(['standard', 'permissive']) } } },
    ...(chance(0.5) ? { default_model: 'one' } : {}),
    ...(chance(0.3) ? { enabled_channels: ['one#*', 'two#*', 'three#a0', 'three#b1'] } : {}),
  };
  const redundancy = (): Json => ({
    policy: pick(['standard', 'strict', 'permissive']),
    ...(chance(0.5) ? { max_attempts: pick([1, 2, 3, 9, 20]) } : {}),
    ...(chance(0.4) ? { retries: pick([0, 1, 2]) } : {}),
    ...(chance(0.3) ? { on: pick([[], ['timeout'], ['rate_limit', 'server_error']]) } : {}),
    ...(chance(0.2) ? { cross_model: false } : {}),
  });
  const requests = [
    { model: 'three', redundancy: redundancy() },
    { models: ['two', 'three', 'one'], redundancy: redundancy(), user: 'somebody' },
    { model: 'smart', stream: chance(0.5), redundancy: redundancy() },
  ];
  // A rehearsed silence lasts as long as its attempt may.
  return { settings: { redundancy: { timeout_ms: 30 }, over: { workspaces: { main }, credentials } }, requests };
}
