/**
 * The engine's vocabulary: state, events and actions of `decide(state, event) → { state, actions }`.
 * Pure data. Time and chance arrive in every event; the driver has no `if` about policy.
 */
import type { Failure } from '../failure.ts';
import type { NanoUsd } from '../usage/usage.ts';
import type { GrownList } from './grown-list.ts';
import type { FailoverOptions } from './options.ts';
import type { Plan, SkipReason } from './plan-types.ts';
import type { SpentRanks } from './spent-ranks.ts';

/** What a recorded decision says (interface: `decision`). */
export const DECISIONS = ['serve', 'retry', 'next_credential', 'next_channel', 'next_model', 'stop'] as const;
export type Decision = (typeof DECISIONS)[number];

/** Where an attempt stands. Permits = what `admitted` granted, released by the driver on every exit. */
export interface LiveAttempt {
  readonly no: number;
  readonly rank: number;
  readonly modelPos: number;
  /** `held`: it has answered, cut by its length, and waits for a longer answer to be served instead of it (D-5). */
  readonly state: 'admitting' | 'running' | 'held' | 'committed';
  readonly startedAt: number;
  readonly role: AttemptRole;
  /** Worst-case cost held back from `budgets.costLeft` until the attempt ends (D-4); null = no cost budget. */
  readonly reserved: NanoUsd | null;
  /** What a longer answer may have and cost, for role `extend`; what this one was cut at, once it is held. */
  readonly cut?: CutAnswer;
}

/** A whole answer that its length cut off (D-5). Told only where `on_truncated` asks for a longer one. */
export interface CutAnswer {
  /** Bytes of what it says. */
  readonly length: number;
  /** Output tokens to ask for next; null = there is no more to be had of this target. */
  readonly extendTo: number | null;
  /** What asking for that many costs at most; null = price unknown, absent = not computed. */
  readonly worstCost?: NanoUsd | null;
}

/**
 * `retry` = same target again; `hedge` = in parallel; `extend` = same target, longer answer (D-5); `bare` = same target
 * without the reasoning it rejected. Primary/fallback is derived from modelPos (O-3).
 */
export type AttemptRole = 'first' | 'retry' | 'failover' | 'hedge' | 'extend' | 'bare';

/** A finished attempt as the engine remembers it. */
export interface PastAttempt {
  readonly no: number;
  readonly rank: number;
  readonly modelPos: number;
  readonly role: AttemptRole;
  readonly result: 'served' | 'failed' | 'interrupted' | 'cancelled';
  readonly failure: Failure | null;
  readonly startedAt: number;
  readonly endedAt: number;
}

/** A model that was left, in order: E-2's `attempts` and R-2's `failover.attempts` are drawn from these and the history. */
export interface SkippedModel {
  readonly modelPos: number;
  readonly reason: SkipReason;
  readonly availableAt: number | null;
}

/** An admission that was refused: the target is not asked again, unless health alone refused everything (P-5). */
export interface Refusal {
  readonly rank: number;
  readonly modelPos: number;
  readonly reason: RefusalReason;
  /** Wall ms. */
  readonly availableAt: number | null;
}

export interface Budgets {
  readonly maxAttempts: number;
  /** Monotonic ms. Binds until commit. */
  readonly deadlineAt: number;
  readonly costLeft: NanoUsd | null;
}

/** Everything `decide` knows. Immutable; each call returns a new one. */
export interface FailoverState {
  readonly plan: Plan;
  readonly options: FailoverOptions;
  /** The request carries an idempotency key (D-10, strict). */
  readonly keyed: boolean;
  /** The call creates or acts upstream (D-11). */
  readonly actsUpstream: boolean;
  readonly budgets: Budgets;
  /** Number of the next attempt; starts above 1 in later rounds of a key (I-7). */
  readonly nextAttemptNo: number;
  readonly attemptOffset: number;
  readonly phase: 'planned' | 'running' | 'waiting' | 'committed' | 'done';
  readonly modelPos: number;
  readonly live: readonly LiveAttempt[];
  readonly history: readonly PastAttempt[];
  readonly skippedModels: readonly SkippedModel[];
  readonly refusals: GrownList<Refusal>;
  /** Ranks not to be tried (again) in this request, with the reason that goes into the trace. */
  readonly spent: SpentRanks;
  /** By model: its targets before this one are all spent. Saves looking at them again. */
  readonly heads: readonly number[];
  /** Rules that have passed over all they will (`passOver`). */
  readonly passedOver: ReadonlySet<string>;
  /** Repeats made of the current target by backoff, for the exponent and `retries`. */
  readonly repeats: ReadonlyMap<number, number>;
  /** Ranks whose repeat was refused: never repeated again. */
  readonly barred: ReadonlySet<number>;
  /** Ranks that rejected opaque reasoning: it is not sent to them again. */
  readonly bared: ReadonlySet<number>;
  /** The failed attempt whose row is being followed; null at the start and after entering another model. */
  readonly cause: PastAttempt | null;
  /** What is pending while `phase` is `waiting`: the target to repeat. */
  readonly pending: { readonly rank: number; readonly role: AttemptRole } | null;
  readonly retryBudgetRefused: boolean;
  readonly verdict: Verdict | null;
  /** Instant of the last event: the bridge between the two clocks. */
  readonly at: { readonly now: number; readonly wall: number };
}

interface EventBase {
  /** Monotonic ms. */
  readonly now: number;
  /** Wall clock ms, only for `availableAt` and `retry_at`. */
  readonly wall: number;
  /** Uniform in [0, 1). */
  readonly random: number;
}

/** Why `admit` was refused. */
export type RefusalReason = SkipReason | 'retry_budget' | 'circuit_open';

export type EngineEvent = EventBase &
  (
    | { readonly type: 'begin' }
    | { readonly type: 'admitted'; readonly attempt: number; readonly permits: number }
    | {
        readonly type: 'refused';
        readonly attempt: number;
        readonly reason: RefusalReason;
        readonly availableAt: number | null;
        /** Set when the refusal ends the request (402, 403, 400 of G and P-6): class gateway_rejected. */
        readonly failure: Failure | null;
      }
    /** The attempt has something to show: `decide` answers `commit-attempt`, or treats it as a failure (F-5). */
    | {
        readonly type: 'attempt-ready';
        readonly attempt: number;
        readonly content: 'content' | 'refusal' | 'filtered' | 'empty';
        /** What it becomes if `on` rejects it (class `empty` or `content_policy`); null for plain content. */
        readonly failure: Failure | null;
        /** The answer is whole, but cut by its length, and `on_truncated` asks for more (D-5). */
        readonly cut?: CutAnswer;
      }
    /** `cost`: what the attempt is known to have cost; absent = the worst case if it may have run, else nothing (D-4). */
    | {
        readonly type: 'attempt-failed';
        readonly attempt: number;
        readonly failure: Failure;
        readonly cost?: NanoUsd;
        /** What it rejects is opaque reasoning that went along and can be left out. */
        readonly bare?: true;
      }
    /** After commit: the whole answer arrived, or it broke off (T-4). */
    | { readonly type: 'attempt-completed'; readonly attempt: number; readonly cost?: NanoUsd }
    | {
        readonly type: 'attempt-interrupted';
        readonly attempt: number;
        readonly failure: Failure;
        readonly cost?: NanoUsd;
      }
    | { readonly type: 'wait-elapsed' }
    | { readonly type: 'hedge-due' }
    /** `detach`: others wait for the result or it is to be stored; the run goes on without its client (T-6, I-9). */
    | { readonly type: 'client-gone'; readonly detach: boolean }
  );

/** How the request ended; `finalError` (core/errors) turns every failed one into status, code and body. */
export type Verdict =
  | { readonly kind: 'served'; readonly attempt: number }
  | { readonly kind: 'interrupted'; readonly attempt: number; readonly failure: Failure }
  /** Nothing left to try: E-1 (not explicit or one model) or E-2. */
  | { readonly kind: 'exhausted'; readonly retryBudgetExhausted: boolean }
  /** A stop cell: E-3. `failure` is the one that stopped it. */
  | { readonly kind: 'stopped'; readonly failure: Failure; readonly attempt: number | null }
  /** A budget ended it with something left to try (D-4). */
  | { readonly kind: 'retry_exhausted'; readonly budget: 'attempts' | 'deadline' | 'cost' }
  /** strict, maybe executed, not keyed: 504 upstream_outcome_unknown. */
  | { readonly kind: 'outcome_unknown'; readonly failure: Failure; readonly attempt: number }
  /** P-4: every candidate of the whole chain rests; no upstream call was made. */
  | { readonly kind: 'all_resting' }
  | { readonly kind: 'client_closed' };

export type EngineAction =
  /**
   * Ask for permits; the driver answers once, with `admitted` or `refused`. `draws`: a repeat that draws on D-6's
   * budget. `insist`: health alone refused everything, so an open circuit or a busy probe lets this one through (P-5).
   * Once `finish` was said no answer is listened to: the driver gives back what it was granted meanwhile.
   */
  | {
      readonly type: 'admit-attempt';
      readonly attempt: number;
      readonly rank: number;
      readonly role: AttemptRole;
      readonly draws: boolean;
      readonly insist: boolean;
      /** Output tokens to ask for, for role `extend` (D-5). */
      readonly extendTo?: number;
    }
  | {
      readonly type: 'start-attempt';
      readonly attempt: number;
      readonly rank: number;
      /** Bound until commit, from the start (T-3), after room was reserved for later targets (D-4). */
      readonly timeoutMs: number;
      /** Null = none applies. */
      readonly firstTokenTimeoutMs: number | null;
      /** Output tokens to ask for, for role `extend` (D-5). */
      readonly extendTo?: number;
      /** Opaque reasoning stays behind. */
      readonly bare?: true;
    }
  /** The attempt's call is over and its answer is kept, to be committed or aborted later (D-5). */
  | { readonly type: 'hold-attempt'; readonly attempt: number }
  /** Let the attempt's answer flow to the client; the target is locked. */
  | { readonly type: 'commit-attempt'; readonly attempt: number }
  | {
      readonly type: 'abort-attempt';
      readonly attempt: number;
      /** `not_served`: another answer to the same question is served instead (D-5). */
      readonly why: 'client_closed' | 'lost_hedge' | 'not_served' | 'rejected';
    }
  /**
   * What was decided after an attempt ended, in words for the trace. Said again for the same attempt when the target
   * it named refused to be tried: the last one is what happened.
   */
  | {
      readonly type: 'explain';
      readonly attempt: number;
      readonly decision: Decision;
      readonly reason: string;
    }
  | { readonly type: 'wait'; readonly ms: number }
  | { readonly type: 'arm-hedge'; readonly ms: number }
  | { readonly type: 'alert'; readonly attempt: number; readonly failure: Failure }
  | { readonly type: 'finish'; readonly verdict: Verdict };

export interface Step {
  readonly state: FailoverState;
  readonly actions: readonly EngineAction[];
}
