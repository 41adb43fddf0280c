/** Random configurations with random health, limits, prices and measurements, and the plan that is made of them. */
import fc from 'fast-check';
import { optionsOf } from '../../sim/virtual/layout.ts';
import type { FailoverOptions } from '../../src/core/failover/options.ts';
import type { Plan, SkipReason, Target } from '../../src/core/failover/plan-types.ts';
import { POLICY_NAMES } from '../../src/core/failover/policy.ts';
import { STANDS_WELL, type Standing } from '../../src/core/health/standing.ts';
import type { LimitReached } from '../../src/core/limits/limits.ts';
import { UNLIMITED } from '../../src/core/limits/unlimited.ts';
import { buildPlan } from '../../src/core/plan/plan.ts';
import { PlanCatalogue } from '../../src/core/plan/plan-catalogue.ts';
import type { Chain } from '../../src/core/request/chain.ts';
import { PRIVACY_LEVELS } from '../../src/core/request/ranges.ts';
import type { World } from './naive-plan.ts';
import { type ChannelSpec, planSource, planSources, type WorkspaceSpec } from './plan-source.ts';

export interface RandomWorld extends World {
  readonly options: FailoverOptions;
  /** Plans made before, which have taken their turns. */
  readonly turns: number;
  readonly dice: readonly number[];
}

export const NOW = 5000;
export const WALL = 9_000_000;

const MODELS = ['m0', 'm1', 'm2'] as const;
const CHANNELS = ['a', 'b', 'c', 'd'] as const;
const STRATEGIES = ['priority', 'price', 'latency', 'throughput', 'least_busy', 'weighted', 'round_robin'] as const;

const standing: fc.Arbitrary<Standing> = fc.oneof(
  { weight: 5, arbitrary: fc.constant(STANDS_WELL) },
  fc.record({
    ...Object.fromEntries(Object.entries(STANDS_WELL).map(([name, value]) => [name, fc.constant(value)])),
    state: fc.constant('cooling' as const),
    reason: fc.constantFrom<SkipReason>('cooling_rate_limit', 'cooling_backoff', 'cooling_backoff', 'cooling_auth'),
    until: fc.integer({ min: NOW + 1, max: NOW + 50 }),
    backoffCallInFlight: fc.boolean(),
  }) as fc.Arbitrary<Standing>,
  fc.constant<Standing>({ ...STANDS_WELL, state: 'drained', reason: 'drained' }),
  fc.constant<Standing>({ ...STANDS_WELL, state: 'open', until: NOW + 10 }),
  fc.boolean().map<Standing>((probeInFlight) => ({ ...STANDS_WELL, state: 'half_open', until: NOW, probeInFlight })),
);

const price = fc.option(fc.bigInt({ min: 0n, max: 5n }), { nil: null });
const limited = fc.boolean().map((has) => (has ? { limits: UNLIMITED } : {}));

const channel: fc.Arbitrary<ChannelSpec> = fc
  .record({
    use: fc.uniqueArray(fc.constantFrom('k0', 'k1', 'k2', 'k3', 'k4', 'k5'), { maxLength: 5 }),
    weight: fc.nat({ max: 3 }),
    region: fc.constantFrom(undefined, undefined, 'eu', 'us'),
    privacy: fc.constantFrom(...PRIVACY_LEVELS),
    price: fc.option(fc.tuple(price, price), { nil: undefined }),
    limited,
  })
  .map(({ limited: limits, region, price: both, ...rest }) => ({
    ...rest,
    ...limits,
    ...(region === undefined ? {} : { region }),
    ...(both === undefined ? {} : { price: both }),
  }));

const credential = fc
  .record({ order: fc.nat({ max: 2 }), workspace: fc.constantFrom(undefined, undefined, 'acme', 'other'), limited })
  .map(({ order, workspace, limited: limits }) => ({
    order,
    ...limits,
    ...(workspace === undefined ? {} : { workspace }),
  }));

/** Seldom `value`, else `nil`: worlds in which everything is forbidden prove little. */
const seldom = <T>(value: fc.Arbitrary<T>, nil: T): fc.Arbitrary<T> =>
  fc.oneof({ weight: 4, arbitrary: fc.constant(nil) }, { weight: 1, arbitrary: value });

const preference = fc.record({ prefer: fc.boolean(), byokOnly: seldom(fc.boolean(), false) });

const workspace: fc.Arbitrary<WorkspaceSpec> = fc.record({
  enabled: seldom(fc.subarray(['m0#*', '*#a', 'm1#b', '*#c']), ['*']),
  routing: fc.record({
    strategy: fc.constantFrom(...STRATEGIES),
    channels: seldom(
      fc.dictionary(fc.constantFrom(...MODELS), fc.dictionary(fc.constantFrom(...CHANNELS), preference), {
        noNullPrototype: true,
      }),
      {},
    ),
  }),
  guardrails: fc.record({
    denyModels: seldom(fc.subarray(['m0', 'm2', '*1']), []),
    denyChannels: seldom(fc.subarray(['m0#a', '*#b', 'm1#*']), []),
    allowRegions: seldom(fc.option(fc.subarray(['eu', 'us']), { nil: null }), null),
    denyRegions: seldom(fc.subarray(['eu', 'us']), []),
    maxPrivacy: seldom(fc.option(fc.constantFrom(...PRIVACY_LEVELS), { nil: null }), null),
  }),
});

const channels = fc.dictionary(fc.constantFrom(...CHANNELS), channel, { minKeys: 1, noNullPrototype: true });

/** The same answer to every question about one name. */
function ask<T>(dice: readonly number[], pool: readonly T[], name: string): T {
  let sum = 7;
  for (const letter of name) sum = (sum * 31 + letter.charCodeAt(0)) >>> 0;
  return pool[dice[sum % dice.length]! % pool.length]!;
}

export const anyWorld: fc.Arbitrary<RandomWorld> = fc
  .record({
    credentials: fc.tuple(credential, credential, credential, credential, credential, credential),
    models: fc.tuple(channels, channels, channels),
    workspaces: fc.tuple(workspace, workspace),
    workspace: fc.constantFrom('acme', 'other'),
    chain: fc.uniqueArray(fc.nat({ max: 2 }), { minLength: 1, maxLength: 3 }),
    withDefault: fc.boolean(),
    privacy: seldom(fc.constantFrom(null, ...PRIVACY_LEVELS), null),
    standings: fc.array(standing, { minLength: 12, maxLength: 12 }),
    reached: fc.array(seldom(fc.constantFrom<number | null>(null, WALL + 10, WALL + 500), -1), {
      minLength: 8,
      maxLength: 8,
    }),
    figures: fc.array(fc.option(fc.nat({ max: 9 }), { nil: null }), { minLength: 8, maxLength: 8 }),
    costs: seldom(fc.array(fc.constantFrom(1n, 5n, null, undefined), { minLength: 6, maxLength: 6 }), [undefined]),
    dice: fc.array(fc.nat({ max: 999 }), { minLength: 23, maxLength: 23 }),
    policy: fc.constantFrom(...POLICY_NAMES),
    crossModel: fc.boolean(),
    turns: fc.nat({ max: 5 }),
  })
  .map((drawn) => {
    const { credentials, models, workspaces, dice, standings, reached, figures, costs, ...rest } = drawn;
    const [m0, m1, m2] = models;
    const source = planSource({
      credentials: Object.fromEntries(credentials.map((spec, ix) => [`k${ix}`, spec] as const)),
      models: { m0, m1, m2 },
      workspaces: { acme: workspaces[0], other: workspaces[1] },
    });
    const options = optionsOf({
      policy: drawn.policy,
      crossModel: drawn.crossModel,
      privacyLevel: drawn.privacy,
      maxAttempts: 12,
    });
    const least = workspaces[drawn.workspace === 'acme' ? 0 : 1].routing!.strategy === 'least_busy';
    return {
      ...rest,
      source,
      dice,
      options,
      withDefault: drawn.withDefault && drawn.chain.length > 1,
      standing: ({ channel: ix, credential: of }: Target) => ask(dice, standings, `stands ${ix} ${of}`),
      reached: (scope: string): LimitReached | null => {
        const availableAt = isLimited(source, scope) ? ask(dice, reached, scope) : -1;
        return availableAt === -1 ? null : { limit: 'requests_per_minute', availableAt };
      },
      figure: (key: string) => ask(dice, figures, key) ?? (least ? 0 : null),
      cost: ({ channel: ix }: Target) => ask(dice, costs, `cost ${ix}`),
    };
  });

function isLimited({ credentials, channels: all }: World['source'], scope: string): boolean {
  const [kind, name] = scope.split(' ');
  const found =
    kind === 'channel'
      ? all.find(({ healthKey }) => healthKey === name)
      : credentials.find((credential_) => credential_.name === name);
  return found?.limits != null;
}

export function chainOf(world: RandomWorld): Chain {
  const { chain, withDefault } = world;
  const entries = chain.map((model, at) => ({
    model,
    name: `m${model}`,
    requestedName: `m${model}`,
    timeoutMs: null,
    firstTokenTimeoutMs: null,
    degrade: null,
    origin: withDefault && at === chain.length - 1 ? ('default_model' as const) : ('request' as const),
  }));
  return { explicit: chain.length > 1, requestedModel: entries[0]!.name, entries };
}

/** The plan of the world's request, after its turns. Nobody explores unmeasured channels: the draw says no. */
export function planOf(world: RandomWorld): Plan {
  const catalogue = new PlanCatalogue(world.source);
  const byKeys = new Map<string, Target>();
  for (const { ix, model, credentials } of world.source.channels) {
    for (const credential_ of credentials.length === 0 ? [null] : credentials) {
      const target = { model, channel: ix, credential: credential_ };
      byKeys.set(catalogue.keysOf(target).id, target);
    }
  }
  let draws = 0;
  const sources = planSources(
    { standing: ({ id }) => world.standing(byKeys.get(id)!) },
    {
      limits: { reached: ({ kind, id }) => world.reached(`${kind} ${id}`) },
      measurements: {
        timeToFirstToken: (key) => world.figure(key),
        tokensPerSecond: (key) => world.figure(key),
        inFlight: (key) => world.figure(key) ?? 0,
      },
      random: () => (world.dice[draws++ % world.dice.length]! + 25) / 1025,
    },
  );
  const context = {
    now: NOW,
    wall: WALL,
    workspace: world.workspace,
    options: world.options,
    stream: false,
    worstCost: (target: Target) => world.cost(target),
  };
  for (let i = 0; i < world.turns; i += 1) buildPlan(chainOf(world), catalogue, sources, context);
  return buildPlan(chainOf(world), catalogue, sources, context);
}
