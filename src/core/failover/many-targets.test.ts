/** A plan may have a thousand targets and each be refused at its turn: nobody looks at all of them for each. */
import { describe, expect, it } from 'vitest';
import { optionsOf } from '../../../sim/virtual/layout.ts';
import { type Failure, makeFailure } from '../failure.ts';
import { decide, initialState } from './decide.ts';
import type { EngineEvent, RefusalReason } from './machine.ts';
import type { FailoverOptions } from './options.ts';
import type { Plan, PlannedModel, PlannedTarget } from './plan-types.ts';

interface Shape {
  readonly models?: number;
  readonly perChannel?: number;
  readonly worstCost?: (rank: number) => bigint | null;
}

/** A plan of so many targets that counts how often one of them is looked at. */
function countedPlan(count: number, { models = 1, perChannel = 1, worstCost }: Shape): { plan: Plan; looks(): number } {
  let looks = 0;
  const each = count / models;
  const built = Array.from({ length: models }, (_model, model): PlannedModel => {
    const targets = Array.from({ length: each }, (_target, place): PlannedTarget => {
      const rank = model * each + place + 1;
      return {
        get rank() {
          looks += 1;
          return rank;
        },
        target: { model, channel: Math.floor(rank / perChannel), credential: rank },
        contextWindow: null,
        throughOpenCircuit: false,
        ...(worstCost === undefined ? {} : { worstCost: worstCost(rank) }),
      };
    });
    const name = `m${model}`;
    const rest = { timeoutMs: null, firstTokenTimeoutMs: null, reasons: false, contextWindow: null, skipped: null };
    return { model, name, targets, origin: 'request', ...rest };
  });
  return { plan: { snapshotVersion: 1, models: built, candidates: [], explicit: false }, looks: () => looks };
}

/** What becomes of the nth admission. */
type Fate = (nth: number, insist: boolean) => RefusalReason | Failure;

/** Runs until the end; how many admissions were asked for. */
function runOut(plan: Plan, options: FailoverOptions, fate: Fate): number {
  const at = { now: 1, wall: 1, random: 0 };
  let state = initialState({ plan, options, keyed: false, actsUpstream: false, attemptOffset: 0, now: 0 });
  const events: EngineEvent[] = [{ type: 'begin', ...at }];
  let asked = 0;
  for (let event = events.shift(); event !== undefined; event = events.shift()) {
    const step = decide(state, event);
    state = step.state;
    for (const action of step.actions) {
      if (action.type !== 'admit-attempt') continue;
      asked += 1;
      const { attempt, insist } = action;
      const what = fate(asked, insist);
      if (typeof what === 'string') {
        events.push({ type: 'refused', attempt, reason: what, availableAt: null, failure: null, ...at });
      } else {
        events.push({ type: 'admitted', attempt, permits: 1, ...at });
        events.push({ type: 'attempt-failed', attempt, failure: what, ...at });
      }
    }
  }
  expect(state.phase).toBe('done');
  return asked;
}

const BROKEN = makeFailure({ class: 'server_error', status: 500, message: '' });
const LIMITED = makeFailure({ class: 'rate_limit', status: 429, message: '' });
const LONG = makeFailure({ class: 'context_length', status: 400, message: '' });
const first =
  (failure: Failure): Fate =>
  (nth) =>
    nth === 1 ? failure : 'limit';
const standard = optionsOf({ maxAttempts: 20 });
const permissive = optionsOf({ maxAttempts: 20, policy: 'permissive' });
const costly = optionsOf({ maxAttempts: 20, maxCostNanoUsd: 10n });

const CASES: readonly [string, Shape, FailoverOptions, Fate, (count: number) => number][] = [
  ['all at their limit', {}, standard, () => 'limit', (n) => n],
  ['the rest after a broken one', {}, standard, first(BROKEN), (n) => n],
  ['the rest of a channel after a rate limit', { perChannel: 10_000 }, standard, first(LIMITED), (n) => n],
  ['the rest after a rate limit, permissive', { perChannel: 2 }, permissive, first(LIMITED), (n) => n],
  ['the rest after a long input, permissive', {}, permissive, first(LONG), (n) => n],
  ['ten models', { models: 10 }, standard, () => 'limit', (n) => n],
  [
    'all by their circuits, then by limits',
    {},
    standard,
    (_nth, insist) => (insist ? 'limit' : 'circuit_open'),
    (n) => 2 * n,
  ],
  [
    'all by their circuits, again and again',
    {},
    standard,
    (_nth, insist) => (insist ? 'probe_in_flight' : 'circuit_open'),
    (n) => 2 * n,
  ],
  [
    'those that have a price',
    { worstCost: (rank) => (rank % 2 === 0 ? 1n : null) },
    costly,
    () => 'limit',
    (n) => n / 2,
  ],
];

describe('D-1, P-4, P-5: a thousand targets', () => {
  it.each(CASES)('%s: each is asked for, and few looks are taken', (_name, shape, options, fate, expected) => {
    const run = (count: number): number => {
      const { plan, looks } = countedPlan(count, shape);
      expect(runOut(plan, options, fate)).toBe(expected(count));
      return looks();
    };
    const [few, many] = [run(200), run(1600)];
    // Eight times as many: by halves some more, each for each sixty-four times.
    expect(many / few).toBeLessThan(13);
  });
});
