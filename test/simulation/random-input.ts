/** Random plans, options, outcomes and noise for one run, from a seed alone. */
import { type Random, seededRandom } from '../../sim/random.ts';
import { layout, type ModelExtras, optionsOf } from '../../sim/virtual/layout.ts';
import { MORE_OUTCOMES, OUTCOMES, type Outcome } from '../../sim/virtual/outcome.ts';
import type { EventBody, RunInput } from '../../sim/virtual/virtual-run.ts';
import type { FailoverState } from '../../src/core/failover/machine.ts';
import type { FailoverOptions } from '../../src/core/failover/options.ts';
import type { Plan, PlannedModel } from '../../src/core/failover/plan-types.ts';
import { POLICY_NAMES } from '../../src/core/failover/policy.ts';
import { makeFailure, OPT_IN_CLASSES, TRIGGERS } from '../../src/core/failure.ts';

const ANY_OUTCOME: readonly Outcome[] = [...Object.values(OUTCOMES), ...Object.values(MORE_OUTCOMES)];
const ORIGINS: readonly PlannedModel['origin'][] = ['request', 'virtual', 'failover_defaults', 'default_model'];

class Dice {
  readonly next: Random;
  constructor(seed: number) {
    this.next = seededRandom(seed);
  }
  chance(share: number): boolean {
    return this.next() < share;
  }
  int(from: number, to: number): number {
    return from + Math.floor(this.next() * (to - from + 1));
  }
  of<T>(list: readonly T[]): T {
    return list[Math.floor(this.next() * list.length)]!;
  }
  some<T>(list: readonly T[], share: number): T[] {
    return list.filter(() => this.chance(share));
  }
}

function planOf(dice: Dice): Plan {
  const models: Record<string, ModelExtras> = {};
  const windows: Record<string, number> = {};
  const costs: Record<string, bigint | null> = {};
  const ownAddresses: string[] = [];
  const priced = dice.chance(0.3);
  const apart = dice.chance(0.3);
  let channel = 0;
  const parts = Array.from({ length: dice.int(1, 4) }, (_, pos) => {
    const name = 'abcd'[pos]!;
    const targets = Array.from({ length: dice.chance(0.15) ? 0 : dice.int(1, 3) }, () => {
      const letter = String.fromCharCode(65 + channel);
      channel += 1;
      if (dice.chance(0.6)) windows[letter] = dice.of([8000, 32_000, 128_000]);
      if (priced) costs[letter] = dice.chance(0.1) ? null : BigInt(dice.int(1, 60));
      const words = Array.from({ length: dice.int(1, 3) }, (_credential, index) => `${letter}${index + 1}`);
      if (apart) ownAddresses.push(...dice.some(words, 0.4));
      return words;
    });
    models[name] = {
      origin: pos === 0 ? 'request' : dice.of(ORIGINS),
      reasons: dice.chance(0.2),
      ...(dice.chance(0.2) ? { firstTokenTimeoutMs: dice.int(500, 3000) } : {}),
      ...(dice.chance(0.2) ? { timeoutMs: dice.int(1000, 5000) } : {}),
    };
    return `${name}:${targets.flat().join(',')}`;
  });
  return layout(parts.join(' '), { models, windows, costs, ownAddresses, explicit: dice.chance(0.7) });
}

function drawOptions(dice: Dice): FailoverOptions {
  const policy = dice.of(POLICY_NAMES);
  const on = dice.chance(0.4) ? [...dice.some(TRIGGERS, 0.6), ...dice.some(OPT_IN_CLASSES, 0.5)] : undefined;
  return optionsOf({
    policy,
    ...(on === undefined ? {} : { on }),
    crossModel: dice.chance(0.85),
    retries: dice.chance(0.4) ? dice.int(0, 3) : null,
    maxAttempts: dice.int(1, 12),
    deadlineMs: dice.chance(0.4) ? dice.int(1000, 20_000) : 570_000,
    maxWaitMs: dice.of([0, 1000, 5000, 60_000]),
    maxCostNanoUsd: dice.chance(0.3) ? BigInt(dice.int(0, 150)) : null,
    firstTokenTimeoutMs: dice.int(500, 60_000),
    firstTokenTimeoutAsked: dice.chance(0.3),
    timeoutMs: dice.int(1000, 300_000),
    hedgeAfterMs: dice.chance(0.3) ? dice.int(50, 2000) : null,
    onTruncated: dice.chance(0.4) ? 'extend' : null,
  });
}

/** Late, doubled and unknown events between the real ones. */
function noiseOf(dice: Dice): (state: FailoverState) => EventBody | null {
  const failure = makeFailure({ class: 'server_error', status: 500, message: 'late' });
  return (state) => {
    if (!dice.chance(0.2)) return null;
    const over = dice.of([...state.history.map(({ no }) => no), 0, 4711]);
    const events: EventBody[] = [
      { type: 'admitted', attempt: over, permits: 1 },
      { type: 'refused', attempt: over, reason: 'limit', availableAt: null, failure: null },
      { type: 'attempt-failed', attempt: over, failure },
      { type: 'attempt-interrupted', attempt: over, failure },
      { type: 'attempt-completed', attempt: over },
      { type: 'attempt-ready', attempt: over, content: 'content', failure: null },
      { type: 'client-gone', detach: true },
      { type: 'hedge-due' },
      ...(state.phase === 'planned' ? [] : [{ type: 'begin' } as const]),
      ...(state.phase === 'waiting' ? [] : [{ type: 'wait-elapsed' } as const]),
    ];
    return dice.of(events);
  };
}

/** The same seed gives the same run. */
export function inputOf(seed: number): RunInput {
  const dice = new Dice(seed);
  const slowAdmission = dice.chance(0.3);
  return {
    plan: planOf(dice),
    options: drawOptions(dice),
    keyed: dice.chance(0.4),
    actsUpstream: dice.chance(0.2),
    attemptOffset: dice.chance(0.1) ? dice.int(1, 6) : 0,
    script: (_rank, { draws, insist }) => {
      const outcome = dice.of(ANY_OUTCOME);
      const unasked = outcome.kind === 'refuse' && outcome.reason === 'retry_budget' && !draws;
      return insist || unasked ? dice.of([OUTCOMES.ok, OUTCOMES.server_error]) : outcome;
    },
    random: dice.next,
    admissionMs: () => (slowAdmission ? dice.of([0, 1, 200, 3000]) : 0),
    noise: noiseOf(dice),
  };
}
