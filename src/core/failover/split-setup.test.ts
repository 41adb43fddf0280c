import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { layout, optionsOf } from '../../../sim/virtual/layout.ts';
import { type ChannelSpec, planSource, planSources } from '../../../test/support/plan-source.ts';
import { STANDS_WELL, type Standing } from '../health/standing.ts';
import type { HealthReader } from '../plan/draft.ts';
import { buildPlan } from '../plan/plan.ts';
import { PlanCatalogue } from '../plan/plan-catalogue.ts';
import { optionDefaults } from '../request/option-defaults.ts';
import { resolveOptions } from '../request/options.ts';
import type { RunSetup } from './begin.ts';
import { type Json, toJson } from './json-form.ts';
import { packPlan, unpackPlan } from './pack-plan.ts';
import type { Plan, Target } from './plan-types.ts';
import { setupFromJson, setupToJson } from './replay.ts';
import { joinSetup, splitSetup } from './split-setup.ts';

function throughText<T extends Json | undefined>(json: T): T {
  return (json === undefined ? json : JSON.parse(JSON.stringify(json))) as T;
}

const DEFAULTS = optionDefaults({
  key: { failoverDefaults: null, redundancy: { max_cost_usd: 0.5 }, ceilings: {} },
  workspace: null,
  defaults: {},
  policies: { standard: { timeout: ['stop'] } },
  backoff: { baseMs: 500, capMs: 8000 },
});

const WALL = 1_700_000_000_000;

const standing = fc.oneof(
  { weight: 3, arbitrary: fc.constant(STANDS_WELL) },
  fc.constantFrom<Standing>(
    { ...STANDS_WELL, state: 'cooling', reason: 'cooling_rate_limit', until: 1030.5 },
    { ...STANDS_WELL, state: 'cooling', reason: 'cooling_backoff', until: 1030.5 },
    { ...STANDS_WELL, state: 'drained', reason: 'drained' },
    { ...STANDS_WELL, state: 'open', until: 1010 },
  ),
);

/** Plans as requests get them, in any health: three models of three channels with two credentials each, or none. */
const plan = fc
  .record({
    standings: fc.array(standing, { minLength: 18, maxLength: 18 }),
    models: fc.uniqueArray(fc.nat({ max: 2 }), { minLength: 1, maxLength: 3 }),
    window: fc.constantFrom(null, 128_000),
    channels: fc.nat({ max: 3 }),
    timeoutMs: fc.constantFrom(null, 1500),
    priced: fc.boolean(),
  })
  .map(({ standings, models, window, channels, timeoutMs, priced }): Plan => {
    const channel = (at: number): ChannelSpec => ({
      use: at === 2 ? [] : ['k0', 'k1'],
      ...(at === 1 ? { window: 4096 } : window === null ? {} : { window }),
    });
    const channelsOf = () => Object.fromEntries([0, 1, 2].slice(0, channels).map((at) => [`c${at}`, channel(at)]));
    const source = planSource({
      credentials: { k0: { order: 0 }, k1: { order: 1 } },
      models: { m0: channelsOf(), m1: channelsOf(), m2: channelsOf() },
      reasoning: ['m1'],
    });
    const catalogue = new PlanCatalogue(source);
    let asked = 0;
    const board: HealthReader = { standing: () => standings[asked++ % standings.length]! };
    const entries = models.map((model, position) => {
      const names = { name: `m${model}`, requestedName: `m${model}` };
      const origin = position === 0 ? ('request' as const) : ('failover_defaults' as const);
      return { model, ...names, timeoutMs, firstTokenTimeoutMs: null, degrade: null, origin };
    });
    const chain = { explicit: models.length > 1, requestedModel: entries[0]!.name, entries };
    // Cheap, dearer than a number can say exactly, and nobody knows what.
    const worstCost = priced ? ({ channel: ix }: Target) => [1n, 2n ** 60n, null][ix % 3]! : null;
    const context = { now: 1000, wall: WALL, workspace: 'acme', options: DEFAULTS.options, stream: false, worstCost };
    return buildPlan(chain, catalogue, planSources(board), context);
  });

function setupOf(change: Partial<RunSetup>): RunSetup {
  const usual = { keyed: false, actsUpstream: false, attemptOffset: 0, now: 1234.5678 };
  return { plan: layout('a:A1'), options: DEFAULTS.options, ...usual, ...change };
}

/** Split, written, read and joined. */
function roundTrip(setup: RunSetup, recurs = false): Json | null {
  const { shared, own } = splitSetup(setup, DEFAULTS.options, recurs);
  return joinSetup(
    throughText(own),
    shared.map((part) => throughText(toJson(part))),
  );
}

function asked(redundancy: Record<string, unknown>): RunSetup['options'] {
  const entry = { model: 0, name: 'm', requestedName: 'm', timeoutMs: null, firstTokenTimeoutMs: null };
  const chain = {
    explicit: false,
    requestedModel: 'm',
    entries: [{ ...entry, degrade: null, origin: 'request' as const }],
  };
  const read = resolveOptions({ redundancy, headerRedundancy: undefined, headers: {}, chain }, DEFAULTS);
  if (!read.ok) throw new Error(read.error.message);
  return read.value.options;
}

describe('O-1: a setup in two parts', () => {
  it('O-1: every plan of a request is written short, and comes back as it was', () => {
    fc.assert(
      fc.property(plan, (made) => {
        const packed = packPlan(made);
        expect(Array.isArray(packed)).toBe(true);
        expect(unpackPlan(throughText(packed) as Json[])).toEqual(toJson(made));
        const setup = setupOf({ plan: made });
        expect(roundTrip(setup)).toEqual(setupToJson(setup));
        expect(roundTrip(setup, true)).toEqual(setupToJson(setup));
      }),
    );
  });

  it('O-1: a plain request shares its options with others and has few bytes of its own', () => {
    const [made] = fc.sample(
      plan.filter(({ models, candidates }) => models.length === 1 && candidates.every(({ skip }) => skip === null)),
      { numRuns: 1, seed: 5 },
    );
    const { shared, own } = splitSetup(setupOf({ plan: made! }), DEFAULTS.options, false);
    expect(shared).toEqual([DEFAULTS.options]);
    expect(shared[0]).toBe(DEFAULTS.options);
    expect(JSON.stringify(own).length).toBeLessThan(250);
    expect(JSON.stringify(setupToJson(setupOf({ plan: made! }))).length).toBeGreaterThan(2500);
  });

  it('O-1: own options are written as their difference; another policy brings its table by object', () => {
    const options = asked({ timeout_ms: 1234, on: ['timeout'], policy: 'strict' });
    const setup = setupOf({ options, keyed: true, actsUpstream: true, attemptOffset: 3 });
    const { shared, own } = splitSetup(setup, DEFAULTS.options, false);
    expect(shared[1]).toBe(DEFAULTS.tables.strict);
    expect(own['options']).toEqual({ timeoutMs: 1234, policy: 'strict', on: { $set: ['timeout'] }, onSent: true });
    expect(setupFromJson(roundTrip(setup)!)).toEqual(setup);
    const same = splitSetup(setupOf({ options: asked({ retries: 2 }) }), DEFAULTS.options, false);
    expect(same.shared).toHaveLength(1);
    expect(same.own['options']).toEqual({ retries: 2 });
  });

  it('O-1: a plan that comes again is shared by its object, beside whatever options', () => {
    for (const options of [DEFAULTS.options, asked({ retries: 2 }), asked({ policy: 'strict' })]) {
      const setup = setupOf({ options });
      const { shared, own } = splitSetup(setup, DEFAULTS.options, true);
      expect(shared.at(-1)).toBe(setup.plan);
      expect(own['plan']).toBeUndefined();
      expect(roundTrip(setup, true)).toEqual(setupToJson(setup));
    }
    expect(splitSetup(setupOf({}), DEFAULTS.options, true).own).toEqual({ now: 1234.5678 });
  });

  it('O-1: a field nobody here knows is carried along', () => {
    const known = fc.sample(plan, { numRuns: 1, seed: 5 })[0]!;
    const rows = known.candidates.map((row) => Object.assign(row, { worstCost: 5n, later: { a: [1] } }));
    const models = known.models.map((model) => ({ ...model, later: 'x' }));
    const setup = Object.assign(setupOf({ plan: { ...known, candidates: rows, models } }), { later: 7 });
    expect(Array.isArray(splitSetup(setup, DEFAULTS.options, false).own['plan'])).toBe(true);
    expect(roundTrip(setup)).toEqual(setupToJson(setup));
  });

  it('O-1: a plan of another make is written whole', () => {
    const costs = { A: 5n, B: null };
    for (const other of [layout('a:A1,A2 b:B1 c:', { costs }), { ...layout('a:A1'), candidates: [] }]) {
      expect(packPlan(other)).toBeNull();
      const setup = setupOf({ plan: other, options: optionsOf({ maxCostNanoUsd: 9n }) });
      expect(roundTrip(setup)).toEqual(setupToJson(setup));
    }
  });

  it.each<[string, Json, readonly (Json | undefined)[]]>([
    ['no options', { now: 1, plan: [[], [], {}] }, []],
    ['options that are gone', { now: 1, plan: [[], [], {}] }, [undefined]],
    ['a table that is gone', { now: 1, plan: [[], [], {}] }, [{}, undefined]],
    ['no plan', { now: 1 }, [{}]],
    ['a shared plan that is gone', { now: 1 }, [{}, undefined]],
    ['a plan that is none', { now: 1, plan: [[], [3], {}] }, [{}]],
    ['a plan with targets missing', { now: 1, plan: [[{ targets: 2 }], [[0, 0, 0]], {}] }, [{}]],
    ['text', 'x', [{}]],
  ])('O-1: %s can not be joined', (_name, own, shared) => {
    expect(joinSetup(own, shared)).toBeNull();
  });
});
