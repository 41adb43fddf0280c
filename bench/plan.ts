/** What the pure part of a request costs: planning over few and many targets, admission, options of a plain request. */

import { makeFailure } from '../src/core/failure.ts';
import { HealthBoard } from '../src/core/health/board.ts';
import { DEFAULT_HEALTH } from '../src/core/health/settings.ts';
import { LimitBoard } from '../src/core/limits/limit-board.ts';
import type { Limits } from '../src/core/limits/limits.ts';
import { UNLIMITED } from '../src/core/limits/unlimited.ts';
import { Affinity } from '../src/core/plan/affinity.ts';
import { Measurements } from '../src/core/plan/measurements.ts';
import { buildPlan } from '../src/core/plan/plan.ts';
import { PlanCatalogue } from '../src/core/plan/plan-catalogue.ts';
import type { PlanSource } from '../src/core/plan/plan-source.ts';
import { Rotation } from '../src/core/plan/rotation.ts';
import { callerRules } from '../src/core/request/caller-rules.ts';
import type { Chain } from '../src/core/request/chain.ts';
import { resolveRequest } from '../src/core/request/resolve-request.ts';
import type { Routing } from '../src/core/request/routing.ts';
import { median } from './statistics.ts';

const RUNS = 9;
const RUN_MS = 150;

const LIMITED: Limits = { ...UNLIMITED, requestsPerMinute: 1_000_000 };
const NO_GUARDRAILS = { denyModels: [], denyChannels: [], allowRegions: null, denyRegions: [], maxPrivacy: null };

/** `models` models of `channels` channels each, all with the same `credentials` credentials of equal order. */
function sourceOf({ models, channels, credentials, strategy = 'priority', limited = false }: Planning): PlanSource {
  const all = Array.from({ length: credentials }, (_, ix) => ix);
  const limits = limited ? LIMITED : null;
  const routing = { strategy, affinity: 'none', channels: new Map() } as const;
  return {
    version: 1,
    credentials: all.map((ix) => ({ name: `key-${ix}`, kind: 'platform', workspace: null, order: 0, limits })),
    models: Array.from({ length: models }, (_, ix) => ({
      ix,
      id: `vendor/model-${ix}`,
      contextWindow: 128_000,
      capabilities: { features: null },
      price: null,
      channels: Array.from({ length: channels }, (__, i) => ix * channels + i),
    })),
    channels: Array.from({ length: models * channels }, (_, ix) => {
      const model = Math.floor(ix / channels);
      const id = `channel-${ix}`;
      const names = { ix, model, id, healthKey: `vendor/model-${model}#${id}`, upstreamModel: 'upstream' };
      const place = { region: null, maxPrivacy: 'restricted', contextWindow: null };
      return { ...names, ...place, weight: 1 + (ix % 5), limits, credentials: all };
    }),
    workspaces: new Map([['acme', { enabledChannels: ['*'], routing, guardrails: NO_GUARDRAILS }]]),
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
  /** Every how many-th channel has a resting credential or an open circuit; absent = all is well. */
  readonly illEvery?: number;
  readonly strategy?: Routing['strategy'];
  /** Every channel and credential has a limit, none is reached. */
  readonly limited?: boolean;
  /** Every target's worst case is asked (max_cost_usd). */
  readonly priced?: boolean;
}

function planning(of: Planning): number {
  const { credentials, illEvery = 0 } = of;
  const source = sourceOf(of);
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
  const measurements = new Measurements();
  const limits = new LimitBoard();
  for (const { healthKey } of source.channels) {
    measurements.started(healthKey);
    const call = { stream: false, firstTokenMs: (healthKey.length * 7919) % 97, tokens: 10, tokensMs: 5 };
    measurements.ended(healthKey, call, 0);
  }
  if (of.limited === true) {
    for (const { ix, model, credentials: own } of source.channels) {
      const scopes = catalogue.limitsOf({ model, channel: ix, credential: own[0]! });
      limits.admit(scopes, { tokens: 1, cost: null }, 0, 0);
    }
  }
  const chain = chainOf(source);
  const { options } = rules.defaults;
  const rotation = new Rotation();
  const sources = { board, rotation, measurements, affinity: new Affinity(), random: Math.random, limits };
  const worstCost = of.priced === true ? () => 1000n : null;
  const context = { now: 1, wall: 1, workspace: 'acme', options, stream: false, worstCost };
  return timed(() => buildPlan(chain, catalogue, sources, context));
}

function admission(): number {
  const catalogue = new PlanCatalogue(sourceOf({ models: 1, channels: 2, credentials: 2 }));
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

const MANY = { models: 1, channels: 200, credentials: 5 };
const STRATEGIES = ['price', 'latency', 'throughput', 'least_busy', 'weighted', 'round_robin'] as const;

export interface PlanningCost {
  readonly what: string;
  /** Median µs of processor time. */
  readonly micros: number;
  /** What is promised; absent = nothing. */
  readonly limit?: number;
}

/** The promise for a thousand targets, however they are ordered. */
const LIMIT = 100;

export function planningCosts(): readonly PlanningCost[] {
  const redundancy = { timeout_ms: 5000, on: ['timeout'] };
  const many = (what: string, change: Partial<Planning>) => ({
    what: `plan, 200 channels × 5 credentials${what}`,
    micros: planning({ ...MANY, ...change }),
    limit: LIMIT,
  });
  return [
    { what: 'plan, 1 target', micros: planning({ models: 1, channels: 1, credentials: 1 }) },
    { what: 'plan, 3 models of 1 target', micros: planning({ models: 3, channels: 1, credentials: 1 }) },
    { what: 'plan, 3 channels × 1 credential', micros: planning({ models: 1, channels: 3, credentials: 1 }) },
    many('', {}),
    many(', every 4th circuit open', { illEvery: 4 }),
    many(', all limited', { limited: true }),
    many(', all priced', { priced: true }),
    ...STRATEGIES.map((strategy) => many(`, by ${strategy}`, { strategy })),
    { what: 'admit and settle a call', micros: admission() },
    { what: 'chain and options of a plain request', micros: timed(() => resolveRequest(ASKED, HEADERS, rules)) },
    {
      what: 'the same with redundancy',
      micros: timed(() => resolveRequest({ ...ASKED, redundancy }, HEADERS, rules)),
    },
  ];
}

export function renderPlanning(costs: readonly PlanningCost[]): string {
  return costs.map(({ what, micros }) => `${what.padEnd(56)} ${micros.toFixed(2).padStart(8)} µs`).join('\n');
}
