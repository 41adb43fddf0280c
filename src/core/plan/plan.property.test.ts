/** Plans of random worlds against the naive reading of the rules. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { seededRandom } from '../../../sim/random.ts';
import { MORE_OUTCOMES, OUTCOMES, type Outcome } from '../../../sim/virtual/outcome.ts';
import { runVirtually } from '../../../sim/virtual/virtual-run.ts';
import {
  barOf,
  channelOrderOf,
  channelsOf,
  credentialsAt,
  isBarredDefault,
  isBehind,
  reasonOf,
  type World,
  wsOf,
} from '../../../test/support/naive-plan.ts';
import { anyWorld, planOf, type RandomWorld } from '../../../test/support/random-world.ts';
import type { Candidate, Plan } from '../failover/plan-types.ts';

const RUNS = { numRuns: 600 };

const ofModel = (plan: Plan, model: number): Candidate[] =>
  plan.candidates.filter(({ target }) => target.model === model);

const isForced = ({ rank }: Candidate, plan: Plan): boolean =>
  plan.models.some(({ targets }) => targets.some((one) => one.rank === rank && one.throughBackoff === true));

describe('plans of random worlds', () => {
  it('P-1, P-7: every candidate this workspace may know of appears once, ranked from 1; no other’s', () => {
    fc.assert(
      fc.property(anyWorld, (world) => {
        const plan = planOf(world);
        expect(plan.candidates.map(({ rank }) => rank)).toEqual(plan.candidates.map((_, at) => at + 1));
        for (const model of world.chain) {
          const seen = ofModel(plan, model).map(({ target: { channel, credential } }) => `${channel}/${credential}`);
          const all = channelsOf(world, model).flatMap((channel) =>
            credentialsAt(world, channel).map((one) => {
              const ix = one === null ? null : world.source.credentials.indexOf(one);
              return `${channel.ix}/${ix}`;
            }),
          );
          expect([...seen].sort()).toEqual([...all].sort());
        }
        expect(plan.candidates.every(({ target }) => world.chain.includes(target.model))).toBe(true);
      }),
      RUNS,
    );
  });

  it('P-3, P-4, G-2: what is left out has the reason the rules give it; all others are planned', () => {
    fc.assert(
      fc.property(anyWorld, (world) => {
        const plan = planOf(world);
        const ranks = plan.models.flatMap(({ targets }) => targets.map(({ rank }) => rank));
        expect(ranks).toEqual([...ranks].sort((a, b) => a - b));
        const planned = new Set(ranks);
        let forced = 0;
        for (const candidate of plan.candidates) {
          const expected = reasonOf(world, candidate.target);
          expect(planned.has(candidate.rank)).toBe(candidate.skip === null);
          if (candidate.skip !== null) expect(candidate.skip.reason).toBe(expected);
          else if (isForced(candidate, plan)) {
            forced += 1;
            expect(expected).toBe('cooling_backoff');
          } else expect(expected).toBeNull();
        }
        expect(forced).toBeLessThanOrEqual(1);
      }),
      RUNS,
    );
  });

  it('P-4: a chain is refused only where no cooldown without a stated wait could be tried, and then the soonest one is', () => {
    fc.assert(
      fc.property(anyWorld, (world) => {
        const plan = planOf(world);
        const reach = reachOf(plan, world);
        const backingOff = plan.candidates
          .filter(({ target }) => reach.includes(target.model) && reasonOf(world, target) === 'cooling_backoff')
          .map(({ target }) => world.standing(target))
          .filter(({ backoffCallInFlight }) => !backoffCallInFlight);
        const targets = plan.models.filter(({ model }) => reach.includes(model)).flatMap((model) => model.targets);
        if (targets.length === 0) expect(backingOff).toEqual([]);
        const [forced] = targets.filter(({ throughBackoff }) => throughBackoff === true);
        if (forced === undefined) return;
        expect(targets).toHaveLength(1);
        expect(world.standing(forced.target).until).toBe(Math.min(...backingOff.map(({ until }) => until!)));
      }),
      RUNS,
    );
  });

  it('P-2, P-3: channels stand in the order of the strategy, preferred ones first, open circuits behind', () => {
    fc.assert(
      fc.property(anyWorld, (world) => {
        const plan = planOf(world);
        for (const model of world.chain.filter((one) => !isBarredDefault(world, one))) {
          const mine = ofModel(plan, model);
          const split = mine.map((candidate) => isBehind(world, candidate));
          expect(split).toEqual([...split].sort((a, b) => Number(a) - Number(b)));
          for (const part of [mine.filter((_, at) => !split[at]), mine.filter((_, at) => split[at])]) {
            const channels = part.map(({ target }) => target.channel);
            const runs = channels.filter((channel, at) => channel !== channels[at - 1]);
            expect(new Set(runs).size, 'a channel’s credentials stand together').toBe(runs.length);
            checkOrder(world, model, runs);
          }
        }
      }),
      RUNS,
    );
  });

  it('P-1: within a channel the own credentials in their order, then the platform’s by order', () => {
    fc.assert(
      fc.property(anyWorld, (world) => {
        const plan = planOf(world);
        for (const channel of world.chain.flatMap((model) => channelsOf(world, model))) {
          const all = credentialsAt(world, channel);
          const isOut = (candidate: Candidate): boolean =>
            barOf(world, channel, credentialOf(world, candidate)) !== null;
          for (const back of [false, true]) {
            const mine = plan.candidates.filter(
              (one) => one.target.channel === channel.ix && isBehind(world, one) === back && !isOut(one),
            );
            const places = mine.map((one) => {
              const credential = credentialOf(world, one);
              return credential?.kind === 'byok' ? all.indexOf(credential) : 100 + (credential?.order ?? 0);
            });
            expect(places).toEqual([...places].sort((a, b) => a - b));
          }
        }
      }),
      RUNS,
    );
  });

  it('P-5: models change places only to pass over one whose circuits are all open; the default model stays last', () => {
    fc.assert(
      fc.property(anyWorld, (world) => {
        const plan = planOf(world);
        const order = plan.models.map(({ model }) => model);
        expect([...order].sort()).toEqual([...world.chain].sort());
        if (world.withDefault) expect(order.at(-1)).toBe(world.chain.at(-1));
        const stays = order.filter((model) => !plan.models.find((one) => one.model === model)!.targets.every(isOpen));
        expect(stays).toEqual(world.chain.filter((model) => stays.includes(model)));
      }),
      RUNS,
    );
  });
});

/** Models the request gets to if nothing fails but what can not be called: up to the first that has something else. */
function reachOf(plan: Plan, { options }: RandomWorld): number[] {
  const reach: number[] = [];
  for (const { model, origin, skipped, targets } of plan.models) {
    if (reach.length > 0 && options.policy === 'strict' && origin === 'default_model') continue;
    reach.push(model);
    if (skipped?.reason === 'guardrail' || !options.crossModel) break;
    if (targets.some(({ throughBackoff }) => throughBackoff !== true)) break;
  }
  return reach;
}

const isOpen = ({ throughOpenCircuit }: { readonly throughOpenCircuit: boolean }): boolean => throughOpenCircuit;

function credentialOf(world: World, { target }: Candidate) {
  return target.credential === null ? null : world.source.credentials[target.credential]!;
}

function checkOrder(world: World, model: number, seen: readonly number[]): void {
  const expected = channelOrderOf(world, model);
  if (expected !== null) {
    expect(seen).toEqual(expected.map(({ ix }) => ix).filter((ix) => seen.includes(ix)));
    return;
  }
  const { strategy, channels: said } = wsOf(world).routing;
  const preferences = said.get(world.source.models[model]!.id);
  const place = (ix: number): number => {
    const channel = world.source.channels[ix]!;
    const back = preferences?.get(channel.id)?.prefer === true ? 0 : 2;
    return back + (strategy === 'weighted' && channel.weight === 0 ? 1 : 0);
  };
  const places = seen.map(place);
  expect(places).toEqual([...places].sort((a, b) => a - b));
}

const SCRIPT: readonly Outcome[] = [
  ...Object.values(OUTCOMES).filter(({ kind }) => kind !== 'leave'),
  ...Object.values(MORE_OUTCOMES).filter(({ kind }) => kind !== 'leave'),
];

describe('runs over plans of random worlds', () => {
  it('P-3, P-4, G-2: whatever fails, nothing forbidden is called, and nothing behind a forbidden model', () => {
    const verdicts = new Set<string>();
    fc.assert(
      fc.property(anyWorld, fc.integer({ min: 1, max: 1_000_000 }), (world, seed) => {
        const plan = planOf(world);
        const random = seededRandom(seed);
        const script = (): Outcome => SCRIPT[Math.floor(random() * SCRIPT.length)]!;
        const { calls, state } = runVirtually({
          plan,
          options: world.options,
          keyed: false,
          actsUpstream: false,
          attemptOffset: 0,
          script: (_rank, { draws, insist }) => {
            const outcome = script();
            const unasked = outcome.kind === 'refuse' && outcome.reason === 'retry_budget' && !draws;
            return insist || unasked ? OUTCOMES.server_error : outcome;
          },
          random,
        });
        verdicts.add(state.verdict!.kind);
        const called = calls.map((rank) => plan.candidates[rank - 1]!);
        for (const { target } of called) {
          const channel = world.source.channels[target.channel]!;
          expect(barOf(world, channel, credentialOf(world, { target } as Candidate))).toBeNull();
          expect([null, 'cooling_backoff']).toContain(reasonOf(world, target));
        }
        const models = plan.models.map(({ model }) => model);
        const forbidden = plan.models.findIndex(({ skipped }) => skipped?.reason === 'guardrail');
        const furthest = Math.max(-1, ...called.map(({ target }) => models.indexOf(target.model)));
        if (forbidden !== -1) expect(furthest).toBeLessThan(forbidden);
        const last = world.chain.at(-1)!;
        if (isBarredDefault(world, last)) expect(called.some(({ target }) => target.model === last)).toBe(false);
      }),
      RUNS,
    );
    expect(verdicts.size, 'the worlds are not all alike').toBeGreaterThan(5);
  });
});
