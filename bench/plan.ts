/**
 * What the pure part of a request costs: planning over few and many targets, admission, options of a plain request.
 * `npm run build`, then `node dist/bench/plan.js`. Prints the median of several runs.
 */

import { makeFailure } from '../src/core/failure.ts';
import { HealthBoard } from '../src/core/health/board.ts';
import { DEFAULT_HEALTH } from '../src/core/health/settings.ts';
import { buildPlan } from '../src/core/plan/plan.ts';
import { PlanCatalogue, type PlanSource } from '../src/core/plan/plan-catalogue.ts';
import { Rotation } from '../src/core/plan/rotation.ts';
import { callerRules } from '../src/core/request/caller-rules.ts';
import type { Chain } from '../src/core/request/chain.ts';
import { resolveRequest } from '../src/core/request/resolve-request.ts';
import { median } from './statistics.ts';

const RUNS = 9;
const RUN_MS = 150;

/** `models` models of `channels` channels each, all with the same `credentials` credentials of equal order. */
function sourceOf(models: number, channels: number, credentials: number): PlanSource {
  const all = Array.from({ length: credentials }, (_, ix) => ix);
  return {
    version: 1,
    credentials: all.map((ix) => ({ name: `key-${ix}`, kind: 'platform', workspace: null, order: 0 })),
    models: Array.from({ length: models }, (_, ix) => ({
      ix,
      id: `vendor/model-${ix}`,
      contextWindow: 128_000,
      capabilities: { features: null },
      channels: Array.from({ length: channels }, (__, i) => ix * channels + i),
    })),
    channels: Array.from({ length: models * channels }, (_, ix) => {
      const model = Math.floor(ix / channels);
      const id = `channel-${ix}`;
      const healthKey = `vendor/model-${model}#${id}`;
      return { ix, model, id, healthKey, upstreamModel: 'upstream', contextWindow: null, credentials: all };
    }),
  };
}

function chainOf(source: PlanSource): Chain {
  const entries = source.models.map(({ ix, id }) => ({
    model: ix,
    name: id,
    requestedName: id,
    timeoutMs: null,
    firstTokenTimeoutMs: null,
    degrade: null,
    origin: 'request' as const,
  }));
  return { entries, explicit: entries.length > 1, requestedModel: entries[0]!.name };
}

const rules = callerRules(
  {
    models: [{ ix: 0, id: 'vendor/model-0' }],
    modelById: new Map([['vendor/model-0', 0]]),
    modelsByTail: new Map([['model-0', [0]]]),
    aliases: new Map(),
    workspaces: new Map([
      [
        'acme',
        { defaultModel: null, virtualModels: new Map(), auto: [], enabledModels: ['*'], redundancy: {}, ceilings: {} },
      ],
    ]),
    defaults: {},
    policies: {},
    backoff: { baseMs: 500, capMs: 8000 },
  },
  { workspace: 'acme', models: ['*'], failoverDefaults: null, redundancy: {}, ceilings: {} },
);

/** Median µs of processor time per call: other work on the machine does not count. */
function timed(work: () => unknown): number {
  const runs: number[] = [];
  for (let run = 0; run < RUNS; run++) {
    const before = process.cpuUsage();
    const start = performance.now();
    let calls = 0;
    while (performance.now() - start < RUN_MS) {
      for (let i = 0; i < 20; i++) work();
      calls += 20;
    }
    runs.push(process.cpuUsage(before).user / calls);
  }
  return median(runs);
}

interface Planning {
  readonly models: number;
  readonly channels: number;
  readonly credentials: number;
  /** Every how many-th channel has a resting credential or an open circuit; 0 = all is well. */
  readonly illEvery: number;
}

function planning({ models, channels, credentials, illEvery }: Planning): number {
  const source = sourceOf(models, channels, credentials);
  const catalogue = new PlanCatalogue(source);
  const board = new HealthBoard(DEFAULT_HEALTH);
  const keys = catalogue.allKeys();
  board.configureTargets(keys, 0);
  if (illEvery > 0) {
    const failure = makeFailure({ class: 'server_error', message: '' });
    for (let i = 0; i < keys.length; i += credentials * illEvery) {
      for (let call = 0; call < 5; call++) {
        const admission = board.admit(keys[i]!, 0, { throughOpen: true });
        if (admission.ok) board.settle(admission.permit, { kind: 'failure', failure }, 0);
      }
    }
  }
  const chain = chainOf(source);
  const { options } = rules.defaults;
  const rotation = new Rotation();
  const context = { now: 1, wall: 1, workspace: 'acme', options, rotation };
  return timed(() => buildPlan(chain, catalogue, board, context));
}

function admission(): number {
  const catalogue = new PlanCatalogue(sourceOf(1, 2, 2));
  const board = new HealthBoard(DEFAULT_HEALTH);
  const keys = catalogue.allKeys()[0]!;
  let now = 0;
  return timed(() => {
    const admitted = board.admit(keys, now++, { throughOpen: false });
    if (admitted.ok) board.settle(admitted.permit, { kind: 'success' }, now);
  });
}

const ASKED = { model: 'vendor/model-0', models: undefined, fallbackModels: undefined, redundancy: undefined };
const HEADERS = { host: 'localhost', 'x-stainless-timeout': '600', 'content-type': 'application/json' };

const rows: readonly (readonly [string, number])[] = [
  ['plan, 1 target', planning({ models: 1, channels: 1, credentials: 1, illEvery: 0 })],
  ['plan, 3 models of 1 target', planning({ models: 3, channels: 1, credentials: 1, illEvery: 0 })],
  ['plan, 1 model, 3 channels of 1 credential', planning({ models: 1, channels: 3, credentials: 1, illEvery: 0 })],
  ['plan, 200 channels of 5 credentials', planning({ models: 1, channels: 200, credentials: 5, illEvery: 0 })],
  ['the same, every 4th circuit open', planning({ models: 1, channels: 200, credentials: 5, illEvery: 4 })],
  ['admit and settle a call', admission()],
  ['chain and options of a plain request', timed(() => resolveRequest(ASKED, HEADERS, rules))],
  [
    'the same with redundancy',
    timed(() => resolveRequest({ ...ASKED, redundancy: { timeout_ms: 5000, on: ['timeout'] } }, HEADERS, rules)),
  ],
];
for (const [what, us] of rows) process.stdout.write(`${what.padEnd(46)} ${us.toFixed(2).padStart(8)} µs\n`);
