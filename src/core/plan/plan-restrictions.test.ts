import { describe, expect, it } from 'vitest';
import { routingOf } from '../../../test/support/plan-source.ts';
import { NOW, PlanWorld, WALL } from '../../../test/support/plan-world.ts';
import type { LimitReached } from '../limits/limits.ts';
import { UNLIMITED } from '../limits/unlimited.ts';
import { PlanCatalogue } from './plan-catalogue.ts';

const at = (availableAt: number | null): LimitReached => ({ limit: 'requests_per_minute', availableAt });

describe('P-4: limits', () => {
  const spec = {
    credentials: { k1: { order: 1, limits: UNLIMITED }, k2: { order: 2 } },
    models: { m: { a: { use: ['k1', 'k2'], limits: UNLIMITED }, b: { use: ['k2'] } } },
  };

  it('P-4: a credential’s limit leaves out its targets, a channel’s all of its', () => {
    const world = new PlanWorld(spec);
    world.reached.set('credential k1', at(WALL + 10.2));
    const one = world.plan({ models: ['m'] });
    expect(world.targets(one)).toEqual(['m#a/k2', 'm#b/k2']);
    expect(one.candidates[0]!.skip).toEqual({ reason: 'limit', availableAt: WALL + 11 });
    world.reached.set('channel m#a', at(WALL + 5));
    const two = world.plan({ models: ['m'] });
    expect(world.targets(two)).toEqual(['m#b/k2']);
    expect(two.candidates.map(({ skip }) => skip?.availableAt)).toEqual([WALL + 11, WALL + 5, undefined]);
  });

  it('P-4: of several limits and a cooldown the last one to end counts; one without a known end has none', () => {
    const world = new PlanWorld(spec);
    const returns = () => world.plan({ models: ['m'] }).candidates[0]!.skip?.availableAt;
    world.reached.set('channel m#a', at(WALL + 500));
    world.reached.set('credential k1', at(WALL + 100));
    expect(returns()).toBe(WALL + 500);
    world.fail('m#a/k1', 'rate_limit', 20_000);
    expect(returns()).toBe(WALL + 20_000);
    world.reached.set('channel m#a', at(null));
    expect(returns()).toBeNull();
  });

  it('P-4: what is at a limit is not the one that is let through', () => {
    const world = new PlanWorld({ ...spec, models: { m: { a: { use: ['k1', 'k2'] } } } });
    world.fail('m#a/k1', 'rate_limit');
    world.reached.set('credential k1', at(WALL + 9000));
    world.fail('m#a/k2', 'rate_limit', null, 1);
    const plan = world.plan({ models: ['m'] });
    expect(world.targets(plan)).toEqual(['m#a/k2']);
    expect(plan.models[0]!.targets[0]!.throughBackoff).toBe(true);
  });

  it('P-1, P-4: turns of a credential at its limit go to all others alike', () => {
    const world = new PlanWorld({
      credentials: { k1: {}, k2: { limits: UNLIMITED }, k3: {} },
      models: { m: { a: { use: ['k1', 'k2', 'k3'] } } },
    });
    world.reached.set('credential k2', at(null));
    const firsts = Array.from({ length: 12 }, () => world.targets(world.plan({ models: ['m'] }))[0]);
    expect(firsts.filter((name) => name === 'm#a/k1')).toHaveLength(6);
    expect(firsts.filter((name) => name === 'm#a/k3')).toHaveLength(6);
  });

  it('P-4: each scope is asked by its stable name', () => {
    const world = new PlanWorld(spec);
    const names = world.catalogue.limitsOf(world.targetOf('m#a/k1')).map(({ kind, id }) => `${kind} ${id}`);
    expect(names).toEqual(['channel m#a', 'credential k1']);
    expect(world.catalogue.limitsOf(world.targetOf('m#b/k2'))).toEqual([]);
  });
});

describe('G-2: forbidden models', () => {
  const models = { a: { x: {} }, b: { x: {} }, c: { x: {} }, d: { x: {} } };
  const denied = (name: string) => ({ models, workspaces: { acme: { guardrails: { denyModels: [name] } } } });
  const order = (world: PlanWorld, names: readonly string[]) =>
    world.plan({ models: names }).models.map(({ name }) => name);

  it('G-2: a forbidden model has no targets and says so; others are as they were', () => {
    const world = new PlanWorld(denied('b'));
    const plan = world.plan({ models: ['a', 'b', 'c'] });
    expect(world.targets(plan)).toEqual(['a#x', 'c#x']);
    expect(plan.models[1]).toMatchObject({ targets: [], skipped: { reason: 'guardrail', availableAt: null } });
    expect(world.reasons(plan)).toEqual([
      ['a#x', null],
      ['b#x', 'guardrail'],
      ['c#x', null],
    ]);
  });

  it('P-5, G-2: no model is passed over for one that follows a forbidden model', () => {
    const world = new PlanWorld(denied('b'));
    world.open('a#x');
    expect(order(world, ['a', 'b', 'c'])).toEqual(['a', 'b', 'c']);
    expect(order(world, ['a', 'c', 'b', 'd'])).toEqual(['c', 'a', 'b', 'd']);
  });

  it('P-4, G-2: before a forbidden model a rest without a stated wait lets one through; behind it none', () => {
    const world = new PlanWorld(denied('b'));
    world.fail('a#x', 'rate_limit');
    expect(world.targets(world.plan({ models: ['a', 'b'] }))).toEqual(['a#x']);
    expect(world.targets(world.plan({ models: ['b', 'a'] }))).toEqual([]);
  });

  it('G-2: channels alone forbidden: the model is forbidden where nothing else could have been called', () => {
    const world = new PlanWorld({
      credentials: { k: {}, own: { workspace: 'acme' } },
      models: { m: { a: { use: ['k', 'own'] }, b: { use: ['k'] } } },
      workspaces: { acme: { enabled: ['m#a'], guardrails: { denyChannels: ['m#a'] } }, other: {} },
    });
    const plan = world.plan({ models: ['m'] });
    expect(world.reasons(plan)).toEqual([
      ['m#a/own', 'guardrail'],
      ['m#a/k', 'guardrail'],
      ['m#b/k', 'channel_not_enabled'],
    ]);
    expect(plan.models[0]!.skipped?.reason).toBe('guardrail');
    expect(world.targets(world.plan({ models: ['m'], workspace: 'other' }))).toEqual(['m#a/k', 'm#b/k']);
  });

  it('G-2: a channel that only rests is no guardrail’s', () => {
    const world = new PlanWorld({
      models: { m: { a: {}, b: {} } },
      workspaces: { acme: { guardrails: { denyChannels: ['*#a'] } } },
    });
    world.fail('m#b', 'rate_limit', 20_000);
    const { skipped } = world.plan({ models: ['m'] }).models[0]!;
    expect(skipped).toEqual({ reason: 'cooling_rate_limit', availableAt: WALL + 20_000 });
  });

  it('G-2: a level that is none lets nothing private through', () => {
    const world = new PlanWorld({ models: { m: { a: { privacy: 'whatever' } } } });
    const targets = (privacyLevel: 'public' | 'internal') =>
      world.targets(world.plan({ models: ['m'], options: { privacyLevel } }));
    expect(targets('public')).toEqual(['m#a']);
    expect(targets('internal')).toEqual([]);
  });
});

describe('P-3: own credentials only', () => {
  const spec = {
    credentials: { k: {}, own: { workspace: 'acme' } },
    models: { m: { a: { use: ['k'] }, b: { use: ['own', 'k'] } }, n: { a: { use: ['k'] } }, d: { a: { use: ['k'] } } },
    workspaces: { acme: { routing: { channels: { m: { b: { byokOnly: true } } } } }, other: {} },
  };

  it('P-3: another workspace is not bound by it', () => {
    const world = new PlanWorld(spec);
    expect(world.targets(world.plan({ models: ['m'], workspace: 'other' }))).toEqual(['m#a/k', 'm#b/k']);
  });

  it('P-3: the default model is barred behind it, not before it, and needs no turn of its own', () => {
    const world = new PlanWorld(spec);
    const behind = world.plan({ models: ['m', 'd'], origin: 'default_model' });
    expect(world.targets(behind)).toEqual(['m#b/own']);
    expect(behind.models[1]!.skipped?.reason).toBe('byok_only');
    const alone = world.plan({ models: ['n', 'd'], origin: 'default_model' });
    expect(world.targets(alone)).toEqual(['n#a/k', 'd#a/k']);
  });

  it('P-3: a default model that is itself so restricted uses its own credentials', () => {
    const world = new PlanWorld(spec);
    expect(world.targets(world.plan({ models: ['n', 'm'], origin: 'default_model' }))).toEqual(['n#a/k', 'm#b/own']);
  });

  it('P-3, C-6: a virtual model’s routing never lifts it, whichever channel it prefers', () => {
    const world = new PlanWorld(spec);
    for (const said of [{ a: { prefer: true } }, { b: { prefer: true, byokOnly: false } }, {}]) {
      const routing = routingOf({ strategy: 'round_robin', channels: { m: said } });
      expect(world.targets(world.plan({ models: ['m'], chain: { routing } }))).toEqual(['m#b/own']);
    }
    const more = routingOf({ channels: { n: { a: { byokOnly: true } } } });
    expect(world.targets(world.plan({ models: ['n', 'm'], chain: { routing: more } }))).toEqual(['m#b/own']);
  });

  it('P-1: an own credential that belongs to nobody is nobody’s', () => {
    const { source } = new PlanWorld({ ...spec, workspaces: { other: {} } });
    const orphaned = source.credentials.map((one) => ({ ...one, workspace: null }));
    const view = new PlanCatalogue({ ...source, credentials: orphaned }).view('other');
    const names = view.model(0).channels.flatMap(({ groups }) => groups.flat().map(({ keys }) => keys.credential));
    expect(names).toEqual(['k', 'k']);
  });

  it('P-3, C-6: a virtual model’s routing holds for its members, not for the default model', () => {
    const world = new PlanWorld({
      models: { m: { a: {}, b: {} }, d: { a: {}, b: {} } },
      workspaces: { acme: { routing: { channels: { d: { b: { prefer: true } } } } } },
    });
    const routing = routingOf({ channels: { m: { b: { prefer: true } }, d: { a: { prefer: true } } } });
    const plan = world.plan({ models: ['m', 'd'], origin: 'default_model', chain: { routing } });
    expect(world.targets(plan)).toEqual(['m#b', 'm#a', 'd#b', 'd#a']);
  });
});

describe('G-4: prices', () => {
  it('G-4: a target of unknown price is left out, the others carry their worst case', () => {
    const world = new PlanWorld({ models: { m: { a: {}, b: {}, c: {} } } });
    const costs = [null, 7n, undefined];
    const plan = world.plan({ models: ['m'], context: { worstCost: ({ channel }) => costs[channel] } });
    expect(world.reasons(plan)[0]).toEqual(['m#a', 'price_unknown']);
    expect(plan.models[0]!.targets.map(({ worstCost }) => worstCost)).toEqual([7n, undefined]);
  });

  it('G-4, G-2: with the rest forbidden, the unknown price is what stood in the way', () => {
    const world = new PlanWorld({
      models: { m: { a: {}, b: {} } },
      workspaces: { acme: { guardrails: { denyChannels: ['m#b'] } } },
    });
    const plan = world.plan({ models: ['m'], context: { worstCost: () => null } });
    expect(plan.models[0]!.skipped?.reason).toBe('price_unknown');
  });
});

describe('P-2: affinity', () => {
  const asked = { models: ['m'], context: { callerMark: (): string | null => 'me' } };
  const world = () =>
    new PlanWorld({
      models: { m: { a: {}, b: {}, c: {} } },
      workspaces: { acme: { routing: { strategy: 'round_robin', affinity: 'user' } } },
    });

  it('P-2: a channel that can not be called gives way to another one, which is kept from then on', () => {
    const one = world();
    const first = () => one.targets(one.plan(asked))[0];
    expect([first(), first()]).toEqual(['m#a', 'm#a']);
    one.open('m#a');
    const next = first();
    expect(next).not.toBe('m#a');
    expect([first(), first()]).toEqual([next, next]);
  });

  it('P-2: nobody is kept on a channel that is only the least bad', () => {
    const one = world();
    for (const name of ['m#a', 'm#b', 'm#c']) one.open(name);
    one.plan(asked);
    expect(one.sources.affinity.channelOf('acme\u0000m\u0000me', NOW)).toBeNull();
  });

  it('P-2: marks that are absent, empty or endless keep nobody', () => {
    const one = world();
    for (const mark of [null, '', 'x'.repeat(513)]) {
      const before = one.targets(one.plan({ ...asked, context: { callerMark: () => mark } }))[0];
      expect(one.targets(one.plan({ ...asked, context: { callerMark: () => mark } }))[0]).not.toBe(before);
    }
  });
});
