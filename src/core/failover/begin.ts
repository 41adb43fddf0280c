/** The state a request starts from. */
import { GrownList } from './grown-list.ts';
import type { FailoverState, Refusal } from './machine.ts';
import type { FailoverOptions } from './options.ts';
import type { Plan } from './plan-types.ts';
import { SpentRanks } from './spent-ranks.ts';

export interface RunSetup {
  readonly plan: Plan;
  readonly options: FailoverOptions;
  /** The request carries an idempotency key (D-10). */
  readonly keyed: boolean;
  /** The call creates or acts upstream (D-11). */
  readonly actsUpstream: boolean;
  /** Attempts made in earlier rounds of the same key: numbers go on from there (I-7). */
  readonly attemptOffset: number;
  /** Monotonic ms; the deadline counts from here. */
  readonly now: number;
}

const NO_REFUSALS = GrownList.none<Refusal>();
const NOTHING: ReadonlySet<string> = new Set();
const NO_RANKS: ReadonlySet<number> = new Set();

/** Nothing has happened yet; the first event is `begin`. */
export function initialState(setup: RunSetup): FailoverState {
  const { plan, options, keyed, actsUpstream, attemptOffset, now } = setup;
  return {
    plan,
    options,
    keyed,
    actsUpstream,
    budgets: {
      maxAttempts: options.maxAttempts,
      deadlineAt: now + options.deadlineMs,
      costLeft: options.maxCostNanoUsd,
    },
    nextAttemptNo: attemptOffset + 1,
    attemptOffset,
    phase: 'planned',
    modelPos: 0,
    live: [],
    history: [],
    skippedModels: [],
    refusals: NO_REFUSALS,
    spent: SpentRanks.none,
    heads: [],
    passedOver: NOTHING,
    repeats: new Map(),
    barred: new Set(),
    bared: NO_RANKS,
    cause: null,
    pending: null,
    retryBudgetRefused: false,
    verdict: null,
    at: { now, wall: 0 },
  };
}
