import { beforeEach, describe, expect, it } from 'vitest';
import { planSource, type SourceSpec as Spec } from '../../../test/support/plan-source.ts';
import type { FailoverOptions } from '../failover/options.ts';
import type { Plan } from '../failover/plan-types.ts';
import { type FailureClass, makeFailure } from '../failure.ts';
import { HealthBoard } from '../health/board.ts';
import { DEFAULT_HEALTH } from '../health/settings.ts';
import type { Chain, ChainEntry } from '../request/chain.ts';
import { optionDefaults } from '../request/option-defaults.ts';
import { Affinity } from './affinity.ts';
import { Measurements } from './measurements.ts';
import { buildPlan } from './plan.ts';
import { PlanCatalogue } from './plan-catalogue.ts';
import type { PlanSource } from './plan-source.ts';
import { Rotation } from './rotation.ts';

const NOW = 1000;
const WALL = 1_700_000_000_000;

const OPTIONS = optionDefaults({
  key: { failoverDefaults: null, redundancy: {}, ceilings: {} },
  workspace: null,
  defaults: {},
  policies: {},
  backoff: { baseMs: 500, capMs: 8000 },
});

function options(change: Partial<FailoverOptions> = {}): FailoverOptions {
  const policy = change.policy ?? 'standard';
  return { ...OPTIONS.options, table: OPTIONS.tables[policy], ...change };
}

let board: HealthBoard;
let rotation: Rotation;
let measurements: Measurements;
let affinity: Affinity;
beforeEach(() => {
  board = new HealthBoard(DEFAULT_HEALTH);
  rotation = new Rotation();
  measurements = new Measurements();
  affinity = new Affinity();
});

class World {
  readonly source: PlanSource;
  readonly catalogue: PlanCatalogue;
  constructor(spec: Spec) {
    this.source = planSource(spec);
    this.catalogue = new PlanCatalogue(this.source);
  }

  chain(names: readonly string[], origin: ChainEntry['origin'] = 'request'): Chain {
    const entries = names.map((name, position) => ({
      model: this.source.models.findIndex(({ id }) => id === name),
      name,
      requestedName: name,
      timeoutMs: null,
      firstTokenTimeoutMs: null,
      degrade: null,
      origin: position === 0 ? ('request' as const) : origin,
    }));
    return { entries, explicit: names.length > 1, requestedModel: names[0]! };
  }

  plan(chain: Chain, change: Partial<FailoverOptions> = {}, workspace = 'acme', now = NOW): Plan {
    const sources = { board, rotation, measurements, affinity, random: () => 0.5 };
    return buildPlan(chain, this.catalogue, sources, {
      now,
      wall: WALL,
      workspace,
      options: options(change),
      stream: false,
    });
  }

  /** `model#channel/credential`, as in the traces. */
  name({ channel, credential }: { channel: number; credential: number | null }): string {
    const secret = credential === null ? '' : `/${this.source.credentials[credential]!.name}`;
    return `${this.source.channels[channel]!.healthKey}${secret}`;
  }

  targets(plan: Plan): string[] {
    return plan.models.flatMap(({ targets }) => targets.map(({ target }) => this.name(target)));
  }

  fail(name: string, failureClass: FailureClass, hintMs: number | null = null, times = 1): void {
    const keys = this.catalogue.allKeys().find((known) => known.id === this.idOf(name))!;
    const hint = hintMs === null ? null : { ms: hintMs, source: 'header:retry-after' };
    for (let i = 0; i < times; i++) {
      const admission = board.admit(keys, NOW, { throughOpen: true });
      if (!admission.ok) throw new Error(admission.reason);
      const failure = makeFailure({ class: failureClass, message: '', hint });
      board.settle(admission.permit, { kind: 'failure', failure }, NOW);
    }
  }

  drain(name: string): void {
    board.configureTargets(this.catalogue.allKeys(), NOW);
    board.drain(this.idOf(name), NOW);
  }

  idOf(name: string): string {
    const known = this.source.channels.flatMap(({ ix, model, credentials }) =>
      (credentials.length === 0 ? [null] : credentials).map((credential) => ({ model, channel: ix, credential })),
    );
    const target = known.find((candidate) => this.name(candidate) === name);
    if (target === undefined) throw new Error(`no target ${name}`);
    return this.catalogue.keysOf(target).id;
  }
}

describe('P-1: the order', () => {
  const world = new World({
    credentials: {
      late: { order: 5 },
      first: { order: 1 },
      own2: { workspace: 'acme', order: 2 },
      own1: { workspace: 'acme', order: 9 },
      theirs: { workspace: 'other' },
    },
    models: {
      m: { a: { use: ['own2', 'own1', 'theirs', 'first', 'late'] }, b: { use: ['late', 'first'] }, local: {} },
    },
  });

  it('P-1: channels in their order; in each the workspace’s own credentials in theirs, then the platform’s by order', () => {
    expect(world.targets(world.plan(world.chain(['m'])))).toEqual([
      'm#a/own2',
      'm#a/own1',
      'm#a/first',
      'm#a/late',
      'm#b/first',
      'm#b/late',
      'm#local',
    ]);
  });

  it('P-1: credentials of another workspace are neither tried nor shown', () => {
    const seen = (workspace: string) =>
      world.plan(world.chain(['m']), {}, workspace).candidates.map(({ target }) => world.name(target));
    expect(seen('other')).toEqual(['m#a/theirs', 'm#a/first', 'm#a/late', 'm#b/first', 'm#b/late', 'm#local']);
    expect(seen('third')).toEqual(['m#a/first', 'm#a/late', 'm#b/first', 'm#b/late', 'm#local']);
    expect(seen('nobody knows it')).toEqual(seen('third'));
  });

  it('P-1: a channel that has only others’ credentials is not called without any', () => {
    const closed = new World({
      credentials: { theirs: { workspace: 'other' } },
      models: { m: { a: { use: ['theirs'] } } },
    });
    const plan = closed.plan(closed.chain(['m']));
    expect(plan.candidates).toEqual([]);
    expect(plan.models[0]).toMatchObject({ targets: [], skipped: { reason: 'cooling_auth', availableAt: null } });
  });

  it('P-1: platform credentials of equal order take turns, each channel for itself', () => {
    const turning = new World({
      credentials: {
        k1: {},
        k2: {},
        k3: {},
        last: { order: 1 },
        own1: { workspace: 'acme' },
        own2: { workspace: 'acme' },
      },
      models: { m: { a: { use: ['own1', 'own2', 'k1', 'k2', 'k3', 'last'] } }, n: { a: { use: ['k1', 'k2'] } } },
    });
    const firsts: string[] = [];
    for (let i = 0; i < 4; i++) {
      const names = turning.targets(turning.plan(turning.chain(['m']))).map((name) => name.split('/')[1]);
      expect([names[0], names[1], names[5]]).toEqual(['own1', 'own2', 'last']);
      firsts.push(names.slice(2, 5).join());
      // A second model in between does not disturb the turns of the first.
      turning.plan(turning.chain(['n']));
    }
    expect(firsts).toEqual(['k1,k2,k3', 'k2,k3,k1', 'k3,k1,k2', 'k1,k2,k3']);
  });

  it('models follow the chain with what their entries say', () => {
    const two = new World({
      models: { m: { a: {}, b: { window: 5000 } }, n: { a: { window: 10 } } },
      reasoning: ['n'],
    });
    const chain = two.chain(['n', 'm']);
    const [head, ...rest] = chain.entries;
    const entry = { ...head!, timeoutMs: 2000, firstTokenTimeoutMs: 700 };
    const plan = two.plan({ ...chain, entries: [entry, ...rest] });
    expect(plan).toMatchObject({
      snapshotVersion: 7,
      explicit: true,
      models: [
        { name: 'n', timeoutMs: 2000, firstTokenTimeoutMs: 700, reasons: true, contextWindow: 10, skipped: null },
        {
          name: 'm',
          timeoutMs: null,
          firstTokenTimeoutMs: null,
          reasons: false,
          contextWindow: 5000,
          origin: 'request',
        },
      ],
    });
    expect(plan.models[1]!.targets.map(({ contextWindow }) => contextWindow)).toEqual([1000, 5000]);
  });
});

describe('P-4: what rests is left out', () => {
  const spec: Spec = {
    credentials: { k1: { order: 1 }, k2: { order: 2 } },
    models: { m: { a: { use: ['k1', 'k2'] }, b: { use: ['k2'] } }, n: { a: { use: ['k1'] } } },
  };

  it('P-4, P-7: with its reason and return, in its place among the candidates', () => {
    const world = new World(spec);
    world.fail('m#a/k1', 'rate_limit', 30_000);
    const plan = world.plan(world.chain(['m', 'n']));
    expect(world.targets(plan)).toEqual(['m#a/k2', 'm#b/k2', 'n#a/k1']);
    expect(plan.candidates.map(({ rank, target, skip }) => [rank, world.name(target), skip])).toEqual([
      [1, 'm#a/k1', { reason: 'cooling_rate_limit', availableAt: WALL + 30_000 }],
      [2, 'm#a/k2', null],
      [3, 'm#b/k2', null],
      [4, 'n#a/k1', null],
    ]);
    expect(plan.models[0]!.targets.map(({ rank }) => rank)).toEqual([2, 3]);
  });

  it.each([
    ['auth', 'cooling_auth', 300_000],
    ['quota_exhausted', 'cooling_quota', 300_000],
  ] as const)('P-4: %s benches the credential at every model', (failureClass, reason, ms) => {
    const world = new World(spec);
    world.fail('m#a/k1', failureClass);
    const plan = world.plan(world.chain(['n', 'm']));
    expect(plan.models[0]).toMatchObject({ name: 'n', targets: [], skipped: { reason, availableAt: WALL + ms } });
    expect(world.targets(plan)).toEqual(['m#a/k2', 'm#b/k2']);
  });

  it('P-4: a whole chain that rests by stated waits has no targets, and the soonest return of each model', () => {
    const world = new World(spec);
    world.fail('m#a/k1', 'rate_limit', 30_000);
    world.fail('m#a/k2', 'rate_limit', 20_000);
    world.fail('n#a/k1', 'rate_limit', 10_000.4);
    const plan = world.plan(world.chain(['m', 'n']));
    expect(world.targets(plan)).toEqual([]);
    expect(plan.models.map(({ skipped }) => skipped)).toEqual([
      { reason: 'cooling_rate_limit', availableAt: WALL + 20_000 },
      { reason: 'cooling_rate_limit', availableAt: WALL + 10_001 },
    ]);
  });

  it('P-4: reasons that differ read as a rate limit', () => {
    const world = new World(spec);
    world.fail('m#a/k1', 'auth');
    world.fail('m#a/k2', 'quota_exhausted', 1000);
    expect(world.plan(world.chain(['m'])).models[0]!.skipped).toEqual({
      reason: 'cooling_rate_limit',
      availableAt: WALL + 1000,
    });
  });

  it('H-3: drained targets are left out, nobody knows until when', () => {
    const world = new World(spec);
    world.drain('m#a/k2');
    const plan = world.plan(world.chain(['m']));
    expect(world.targets(plan)).toEqual(['m#a/k1', 'm#b/k2']);
    expect(plan.candidates[1]!.skip).toEqual({ reason: 'drained', availableAt: null });
  });
});

describe('P-4: a cooldown without a stated wait never refuses a whole chain', () => {
  const spec: Spec = {
    credentials: { k1: { order: 1 }, k2: { order: 2 } },
    models: { m: { a: { use: ['k1', 'k2'] }, b: { use: ['k2'] } }, n: { a: { use: ['k1'] }, b: { use: ['k2'] } } },
  };
  const backOff = (world: World, name: string, times = 1) => {
    for (let i = 0; i < times; i++) {
      const keys = world.catalogue.allKeys().find(({ id }) => id === world.idOf(name))!;
      const admission = board.admit(keys, NOW, { throughOpen: true, throughBackoff: true });
      if (!admission.ok) throw new Error(admission.reason);
      const failure = makeFailure({ class: 'rate_limit', message: '' });
      board.settle(admission.permit, { kind: 'failure', failure }, NOW);
    }
  };

  it('P-4: the target that is back soonest is planned, marked, with its rank kept', () => {
    const world = new World(spec);
    backOff(world, 'm#a/k1', 3);
    backOff(world, 'm#a/k2', 2);
    const plan = world.plan(world.chain(['m']));
    expect(world.targets(plan)).toEqual(['m#a/k2']);
    expect(plan.models[0]!.targets[0]).toMatchObject({ rank: 2, throughBackoff: true, throughOpenCircuit: false });
    expect(plan.candidates.map(({ skip }) => skip?.reason ?? null)).toEqual([
      'cooling_backoff',
      null,
      'cooling_backoff',
    ]);
  });

  it('P-4: also where it belongs to a later model', () => {
    const world = new World(spec);
    world.fail('m#a/k1', 'rate_limit', 30_000);
    world.fail('m#a/k2', 'rate_limit', 30_000);
    world.fail('n#a/k1', 'rate_limit', 500);
    backOff(world, 'n#b/k2');
    const plan = world.plan(world.chain(['m', 'n']));
    expect(world.targets(plan)).toEqual(['n#b/k2']);
    expect(plan.models[0]!.skipped?.reason).toBe('cooling_rate_limit');
  });

  it('P-4: not while something else is left', () => {
    const world = new World(spec);
    backOff(world, 'm#a/k1');
    backOff(world, 'm#a/k2');
    expect(world.targets(world.plan(world.chain(['m', 'n'])))).toEqual(['n#a/k1', 'n#b/k2']);
  });

  it.each<[string, Partial<FailoverOptions>, ChainEntry['origin']]>([
    ['another model is switched off', { crossModel: false }, 'request'],
    ['`on` is empty', { on: new Set() }, 'request'],
    ['`on` lacks rate_limit', { on: new Set(['timeout']) }, 'request'],
    ['`strict` bars the defaults', { policy: 'strict' }, 'failover_defaults'],
  ])('P-4: what the request could not reach is nothing else: %s', (_why, change, origin) => {
    const world = new World(spec);
    backOff(world, 'm#a/k1');
    backOff(world, 'm#a/k2');
    const plan = world.plan(world.chain(['m', 'n'], origin), change);
    expect(plan.models[0]!.targets).toHaveLength(1);
    expect(plan.models[0]!.targets[0]!.throughBackoff).toBe(true);
  });

  it('P-4: at most one call per channel at a time; another channel’s turn then, and in the end a refusal', () => {
    const world = new World({
      credentials: { k1: { order: 1 }, k2: { order: 2 } },
      models: { m: { a: { use: ['k1'] }, b: { use: ['k2'] } } },
    });
    backOff(world, 'm#a/k1');
    backOff(world, 'm#b/k2', 2);
    const seen: string[][] = [];
    const permits = [];
    for (let i = 0; i < 3; i++) {
      const plan = world.plan(world.chain(['m']));
      seen.push(world.targets(plan));
      const planned = plan.models[0]!.targets[0];
      if (planned === undefined) continue;
      const options = { throughOpen: false, throughBackoff: true };
      const admission = board.admit(world.catalogue.keysOf(planned.target), NOW, options);
      if (admission.ok) permits.push(admission.permit);
    }
    expect(seen).toEqual([['m#a/k1'], ['m#b/k2'], []]);
    board.settle(permits[0]!, { kind: 'neutral' }, NOW);
    expect(world.targets(world.plan(world.chain(['m'])))).toEqual(['m#a/k1']);
  });

  it('P-4: credentials at fault are no backoff', () => {
    const world = new World(spec);
    world.fail('m#a/k1', 'auth');
    world.fail('m#a/k2', 'model_not_found');
    expect(world.targets(world.plan(world.chain(['m'])))).toEqual([]);
  });
});

describe('P-5: open circuits go to the back', () => {
  const spec: Spec = { models: { m: { a: {}, b: {}, c: {} }, n: { a: {} }, o: { a: {} } } };
  const open = (world: World, name: string) => world.fail(name, 'server_error', null, 5);
  const models = (plan: Plan) => plan.models.map(({ name }) => name);

  it('P-5: behind the other channels of their model, marked to be let through', () => {
    const world = new World(spec);
    open(world, 'm#a');
    const plan = world.plan(world.chain(['m', 'n']));
    expect(world.targets(plan)).toEqual(['m#b', 'm#c', 'm#a', 'n#a']);
    expect(plan.models[0]!.targets.map(({ throughOpenCircuit }) => throughOpenCircuit)).toEqual([false, false, true]);
    expect(plan.candidates.map(({ rank, skip }) => [rank, skip])).toEqual([
      [1, null],
      [2, null],
      [3, null],
      [4, null],
    ]);
  });

  it('P-5: health alone never refuses everything', () => {
    const world = new World(spec);
    for (const name of ['m#a', 'm#b', 'm#c']) open(world, name);
    const plan = world.plan(world.chain(['m']));
    expect(world.targets(plan)).toEqual(['m#a', 'm#b', 'm#c']);
    expect(plan.models[0]!.targets.every(({ throughOpenCircuit }) => throughOpenCircuit)).toBe(true);
  });

  it('P-5: a model with nothing but open circuits goes behind the models that have something else', () => {
    const world = new World(spec);
    open(world, 'n#a');
    const plan = world.plan(world.chain(['n', 'o', 'm']));
    expect(models(plan)).toEqual(['o', 'm', 'n']);
    expect(plan.candidates.map(({ rank }) => rank)).toEqual([1, 2, 3, 4, 5]);
    expect(world.targets(plan)).toEqual(['o#a', 'm#a', 'm#b', 'm#c', 'n#a']);
  });

  it('P-5: the order stays where all are open, and several open ones keep theirs', () => {
    const world = new World(spec);
    for (const name of ['n#a', 'o#a']) open(world, name);
    expect(models(world.plan(world.chain(['n', 'o'])))).toEqual(['n', 'o']);
    expect(models(world.plan(world.chain(['n', 'o', 'm'])))).toEqual(['m', 'n', 'o']);
  });

  it.each<[string, Partial<FailoverOptions>, ChainEntry['origin']]>([
    ['another model is switched off', { crossModel: false }, 'request'],
    ['`on` is empty', { on: new Set() }, 'request'],
    ['`on` lacks server_error', { on: new Set(['timeout', 'rate_limit']) }, 'request'],
    ['`strict` bars the defaults', { policy: 'strict' }, 'failover_defaults'],
    ['the other is the default model', {}, 'default_model'],
  ])('P-5: a model is not passed over where D-1 would not leave it: %s', (_why, change, origin) => {
    const world = new World(spec);
    open(world, 'n#a');
    expect(models(world.plan(world.chain(['n', 'm'], origin), change))).toEqual(['n', 'm']);
  });

  it('P-5: strict passes over a model where the request names the next', () => {
    const world = new World(spec);
    open(world, 'n#a');
    expect(models(world.plan(world.chain(['n', 'm']), { policy: 'strict' }))).toEqual(['m', 'n']);
  });

  it('P-5: nor where a resting model would stand in the way', () => {
    const world = new World(spec);
    open(world, 'n#a');
    world.fail('o#a', 'rate_limit', 30_000);
    const chain = world.chain(['n', 'o', 'm']);
    expect(models(world.plan(chain, { on: new Set(['server_error']) }))).toEqual(['n', 'o', 'm']);
    expect(models(world.plan(chain))).toEqual(['o', 'm', 'n']);
  });

  it('H-1: half-open keeps its place for the one probe; while it is out the others go elsewhere first', () => {
    const world = new World(spec);
    open(world, 'm#a');
    const at = NOW + 5000;
    const before = world.plan(world.chain(['m']), {}, 'acme', at);
    expect(world.targets(before)).toEqual(['m#a', 'm#b', 'm#c']);
    expect(before.models[0]!.targets[0]!.throughOpenCircuit).toBe(false);
    const probe = board.admit(world.catalogue.keysOf(before.candidates[0]!.target), at, { throughOpen: false });
    expect(probe.ok).toBe(true);
    const after = world.plan(world.chain(['m']), {}, 'acme', at);
    expect(world.targets(after)).toEqual(['m#b', 'm#c', 'm#a']);
    expect(after.models[0]!.targets[2]!.throughOpenCircuit).toBe(true);
  });
});

it('the health names of a target of another configuration are a fault, not a guess', () => {
  const world = new World({ models: { m: { a: {} } } });
  expect(() => world.catalogue.keysOf({ model: 0, channel: 0, credential: 4 })).toThrow(RangeError);
});
