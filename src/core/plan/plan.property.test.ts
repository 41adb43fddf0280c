import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { SkipReason } from '../failover/plan-types.ts';
import type { HealthKeys } from '../health/keys.ts';
import { STANDS_WELL, type Standing } from '../health/standing.ts';
import type { Chain } from '../request/chain.ts';
import { optionDefaults } from '../request/option-defaults.ts';
import type { HealthReader } from './draft.ts';
import { buildPlan } from './plan.ts';
import { PlanCatalogue, type PlanSource } from './plan-catalogue.ts';
import { Rotation } from './rotation.ts';

const NOW = 5000;
const WALL = 9_000_000;
const WORKSPACES = ['acme', 'other'] as const;

const standing: fc.Arbitrary<Standing> = fc.oneof(
  { weight: 4, arbitrary: fc.constant(STANDS_WELL) },
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

const credential = fc.record({
  kind: fc.constantFrom('platform' as const, 'byok' as const),
  workspace: fc.constantFrom(...WORKSPACES),
  order: fc.nat({ max: 2 }),
});

const world = fc
  .record({
    credentials: fc.array(credential, { maxLength: 6 }),
    channels: fc.array(
      fc.record({ model: fc.nat({ max: 2 }), use: fc.uniqueArray(fc.nat({ max: 5 }), { maxLength: 5 }) }),
      { minLength: 1, maxLength: 8 },
    ),
    chain: fc.uniqueArray(fc.nat({ max: 2 }), { minLength: 1, maxLength: 3 }),
    standings: fc.array(standing, { minLength: 48, maxLength: 48 }),
    workspace: fc.constantFrom(...WORKSPACES, 'none'),
    crossModel: fc.boolean(),
    turns: fc.nat({ max: 5 }),
  })
  .map(({ credentials, channels, ...rest }) => ({ ...rest, source: sourceOf(credentials, channels) }));

function sourceOf(
  credentials: readonly { kind: 'platform' | 'byok'; workspace: string; order: number }[],
  channels: readonly { model: number; use: readonly number[] }[],
): PlanSource {
  return {
    version: 1,
    credentials: credentials.map(({ kind, workspace, order }, ix) => ({
      name: `k${ix}`,
      kind,
      workspace: kind === 'byok' ? workspace : null,
      order,
    })),
    channels: channels.map(({ model, use }, ix) => ({
      ix,
      model,
      id: `c${ix}`,
      healthKey: `m${model}#c${ix}`,
      upstreamModel: 'up',
      contextWindow: null,
      credentials: use.filter((each) => each < credentials.length),
    })),
    models: [0, 1, 2].map((ix) => ({
      ix,
      id: `m${ix}`,
      contextWindow: null,
      capabilities: { features: null },
      channels: channels.flatMap(({ model }, channel) => (model === ix ? [channel] : [])),
    })),
  };
}

/** Health that is what the dice say, the same for every question about one target. */
class Dice implements HealthReader {
  readonly #known = new Map<string, Standing>();
  readonly #dice: readonly Standing[];
  constructor(dice: readonly Standing[]) {
    this.#dice = dice;
  }
  standing({ id }: HealthKeys): Standing {
    const known = this.#known.get(id) ?? this.#dice[this.#known.size % this.#dice.length]!;
    this.#known.set(id, known);
    return known;
  }
}

function chainOf(models: readonly number[]): Chain {
  return {
    explicit: models.length > 1,
    requestedModel: `m${models[0]}`,
    entries: models.map((model) => ({
      model,
      name: `m${model}`,
      requestedName: `m${model}`,
      timeoutMs: null,
      firstTokenTimeoutMs: null,
      degrade: null,
      origin: 'request',
    })),
  };
}

const BASE = optionDefaults({
  key: { failoverDefaults: null, redundancy: {}, ceilings: {} },
  workspace: null,
  defaults: {},
  policies: {},
  backoff: { baseMs: 500, capMs: 8000 },
}).options;

/** P-1 by brute force: what a workspace may call at a channel, equals as one set. */
function allowedAt(source: PlanSource, channel: number, workspace: string): (string | null)[][] {
  const uses = source.channels[channel]!.credentials.map((ix) => ({ ix, ...source.credentials[ix]! }));
  if (uses.length === 0) return [[null]];
  const own = uses.filter(({ kind, workspace: owner }) => kind === 'byok' && owner === workspace);
  const orders = [0, 1, 2].map((order) => uses.filter((use) => use.kind === 'platform' && use.order === order));
  return [...own.map((use) => [use]), ...orders]
    .filter((set) => set.length > 0)
    .map((set) => set.map(({ name }) => name));
}

function planOf({
  source,
  chain,
  standings,
  workspace,
  crossModel,
  turns,
}: typeof world extends fc.Arbitrary<infer W> ? W : never) {
  const catalogue = new PlanCatalogue(source);
  const health = new Dice(standings);
  const rotation = new Rotation();
  const options = { ...BASE, crossModel };
  const context = { now: NOW, wall: WALL, workspace, options, rotation };
  for (let i = 0; i < turns; i++) buildPlan(chainOf(chain), catalogue, health, context);
  const plan = buildPlan(chainOf(chain), catalogue, health, context);
  const stands = (target: { channel: number; credential: number | null }) =>
    health.standing(catalogue.keysOf({ model: 0, ...target }));
  return { plan, stands };
}

describe('plans of random worlds', () => {
  it('P-1, P-7: every allowed target is a candidate exactly once, in the specified order; nothing forbidden is', () => {
    fc.assert(
      fc.property(world, (dice) => {
        const { plan, stands } = planOf(dice);
        expect(plan.candidates.map(({ rank }) => rank)).toEqual(plan.candidates.map((_, i) => i + 1));
        for (const model of dice.chain) {
          const mine = plan.candidates.filter(({ target }) => target.model === model);
          const behind = (target: { channel: number; credential: number | null }) => {
            const { state, probeInFlight } = stands(target);
            return state === 'open' || (state === 'half_open' && probeInFlight);
          };
          // Open circuits stand behind all others; within each part the order is P-1's.
          const split = mine.map(({ target }) => behind(target));
          expect(split).toEqual([...split].sort((a, b) => Number(a) - Number(b)));
          const sets = dice.source.models[model]!.channels.flatMap((channel) =>
            allowedAt(dice.source, channel, dice.workspace).map((names) => ({ channel, names })),
          );
          const seen = mine.map(({ target: { channel, credential } }) => ({
            channel,
            name: credential === null ? null : dice.source.credentials[credential]!.name,
            back: behind({ channel, credential }),
          }));
          expect(seen.length).toBe(sets.reduce((sum, { names }) => sum + names.length, 0));
          for (const back of [false, true]) {
            const part = seen.filter((each) => each.back === back);
            const places = part.map(({ channel, name }) =>
              sets.findIndex((set) => set.channel === channel && set.names.includes(name)),
            );
            expect(places).not.toContain(-1);
            expect(places).toEqual([...places].sort((a, b) => a - b));
          }
          expect(new Set(seen.map(({ channel, name }) => `${channel} ${name}`)).size).toBe(seen.length);
        }
        expect(plan.candidates.every(({ target }) => dice.chain.includes(target.model))).toBe(true);
      }),
      { numRuns: 500 },
    );
  });

  it('P-4, P-5: what stands well is planned; what rests is not, but for one where nothing else is left', () => {
    fc.assert(
      fc.property(world, (dice) => {
        const { plan, stands } = planOf(dice);
        const planned = plan.models.flatMap(({ targets }) => targets);
        const ranks = new Set(planned.map(({ rank }) => rank));
        let forced = 0;
        for (const { rank, target, skip } of plan.candidates) {
          const { state, reason, until, backoffCallInFlight } = stands(target);
          expect(ranks.has(rank)).toBe(skip === null);
          if (state === 'cooling' || state === 'drained') {
            if (skip === null) {
              forced++;
              expect([reason, backoffCallInFlight]).toEqual(['cooling_backoff', false]);
            } else {
              expect(skip).toEqual({ reason, availableAt: until === null ? null : WALL + until - NOW });
            }
          } else {
            expect(skip).toBeNull();
          }
        }
        expect(forced).toBeLessThanOrEqual(1);
        const first = plan.models[0]!;
        const reachable = dice.crossModel ? planned : first.targets;
        if (reachable.length === 0) {
          // Refused only if no unstated backoff could be tried.
          const inReach = plan.candidates.filter(({ target }) => dice.crossModel || target.model === first.model);
          for (const { target } of inReach) {
            const { reason, backoffCallInFlight } = stands(target);
            expect(reason !== 'cooling_backoff' || backoffCallInFlight).toBe(true);
          }
        }
        if (forced === 1) {
          expect(reachable).toHaveLength(1);
          const soonest = plan.candidates
            .filter(({ target }) => dice.crossModel || target.model === first.model)
            .map(({ target }) => stands(target))
            .filter(({ reason, backoffCallInFlight }) => reason === 'cooling_backoff' && !backoffCallInFlight)
            .map(({ until }) => until!);
          expect(stands(reachable[0]!.target).until).toBe(Math.min(...soonest));
        }
        for (const { target, throughOpenCircuit } of planned) {
          const { state, probeInFlight } = stands(target);
          expect(throughOpenCircuit).toBe(state === 'open' || (state === 'half_open' && probeInFlight));
        }
        // Models move only behind others, never out, and not at all within a request that stays on its model.
        expect(plan.models.map(({ model }) => model).sort()).toEqual([...dice.chain].sort());
        if (!dice.crossModel) expect(plan.models.map(({ model }) => model)).toEqual(dice.chain);
      }),
      { numRuns: 1000 },
    );
  });
});
