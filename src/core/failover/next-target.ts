/** Where a request may go next: within the model by the step's rule (D-2), or into a later model (D-1, P-4). */
import { affordable, priceUnknown } from './budget.ts';
import { sameEndpoint } from './endpoint.ts';
import type { FailoverState, SkippedModel } from './machine.ts';
import type { PlannedModel, PlannedTarget, SkipReason } from './plan-types.ts';
import type { Step } from './policy.ts';
import { mayEnter } from './row.ts';
import { crossesModels, mayLeaveRestingModel } from './trigger.ts';

/** A target with its place. */
export interface Place {
  readonly modelPos: number;
  readonly target: PlannedTarget;
}

/** A search's outcome: the state with what was passed over marked, and the target or what stood in the way. */
export interface Search {
  readonly state: FailoverState;
  readonly found: Place | null;
  /** Something was left to try that the cost budget does not pay for. */
  readonly tooDear: boolean;
}

export function placeOf(state: FailoverState, rank: number): Place | null {
  for (const [modelPos, model] of state.plan.models.entries()) {
    const target = model.targets.find((candidate) => candidate.rank === rank);
    if (target !== undefined) return { modelPos, target };
  }
  return null;
}

/** Targets of a model nobody tried and nobody refused, in order. */
export function openTargets(state: FailoverState, modelPos: number): readonly PlannedTarget[] {
  const targets = state.plan.models[modelPos]?.targets ?? [];
  return targets.filter(({ rank }) => !state.spent.has(rank));
}

export function markSpent(
  state: FailoverState,
  targets: readonly PlannedTarget[],
  reason: SkipReason | 'tried',
): FailoverState {
  if (targets.length === 0) return state;
  const ranks = targets.map(({ rank }) => rank);
  return { ...state, spent: state.spent.with(ranks, reason) };
}

/**
 * The window a request is known not to fit into: the largest known one that was too small. Null while none was, or
 * where the table lets such a request go anywhere (`permissive`).
 */
export function windowFloor(state: FailoverState): number | null {
  const { steps } = state.options.table.context_length;
  if (steps.includes('next_channel') || steps.includes('next_model')) return null;
  const tooSmall = state.history
    .filter((past) => past.failure?.class === 'context_length')
    .map((past) => placeOf(state, past.rank)?.target.contextWindow ?? null)
    .filter((window) => window !== null);
  return tooSmall.length === 0 ? null : Math.max(...tooSmall);
}

/** Known not to be larger. An unknown window is given the benefit of the doubt when a model is entered (P-6). */
function tooSmallFor(floor: number | null, window: number | null): boolean {
  return floor !== null && window !== null && window <= floor;
}

/** A window that is known and larger. Where the failed one is unknown any known window may be the larger. */
function knownLarger(floor: number | null, window: number | null): boolean {
  return window !== null && (floor === null || window > floor);
}

function fits(step: Step, failed: PlannedTarget, candidate: PlannedTarget, floor: number | null): boolean {
  if (step === 'next_credential') return candidate.target.channel === failed.target.channel;
  if (sameEndpoint(candidate, failed)) return false;
  return step === 'next_channel' || knownLarger(floor, candidate.contextWindow);
}

/** The next target of the same model for `next_credential`, `next_channel` or `next_channel_larger`. */
export function searchModel(start: FailoverState, failed: Place, step: Step): Search {
  const floor = windowFloor(start);
  const unpriced = openTargets(start, failed.modelPos).filter((target) => priceUnknown(start, target));
  const state = markSpent(start, unpriced, 'price_unknown');
  const open = openTargets(state, failed.modelPos).filter((target) => fits(step, failed.target, target, floor));
  const target = open.find((candidate) => affordable(state, candidate));
  if (target === undefined) return { state, found: null, tooDear: open.length > 0 };
  return { state, found: { modelPos: failed.modelPos, target }, tooDear: false };
}

/** Without `next_credential` in the cell the other credentials at the failed server are passed over. */
export function skipSiblings(state: FailoverState, failed: Place, steps: readonly Step[]): FailoverState {
  if (steps.includes('next_credential')) return state;
  const open = openTargets(state, failed.modelPos);
  const siblings = open.filter((target) => sameEndpoint(target, failed.target));
  return markSpent(state, siblings, 'channel_fault');
}

/** Leaving a target inside its model; `next_channel_larger` leaves every window not known to be larger behind. */
export function leaveTarget(state: FailoverState, failed: Place, step: Step, steps: readonly Step[]): FailoverState {
  const left = skipSiblings(state, failed, steps);
  if (step !== 'next_channel_larger') return left;
  const floor = windowFloor(state);
  const small = openTargets(left, failed.modelPos).filter((target) => !knownLarger(floor, target.contextWindow));
  return markSpent(left, small, 'no_larger_window');
}

function skipModel(state: FailoverState, skipped: SkippedModel): FailoverState {
  if (state.skippedModels.some(({ modelPos }) => modelPos === skipped.modelPos)) return state;
  return { ...state, skippedModels: [...state.skippedModels, skipped] };
}

/** Why a model has no target to try: the planner's word, else that one rests, else the first reason met in it. */
function whySkipped(state: FailoverState, model: PlannedModel, modelPos: number): SkippedModel {
  if (model.skipped !== null) return { modelPos, ...model.skipped };
  const refusals = state.refusals.filter((refusal) => refusal.modelPos === modelPos);
  const returns = refusals.map(({ availableAt }) => availableAt).filter((at) => at !== null);
  const words = model.targets
    .map(({ rank }) => state.spent.get(rank))
    .filter((word): word is SkipReason => word !== undefined && word !== 'tried');
  const rests = words.find((word) => isResting(word) && word !== 'guardrail');
  const reason = rests ?? words[0] ?? 'limit';
  return { modelPos, reason, availableAt: returns.length === 0 ? null : Math.min(...returns) };
}

/** Reasons that say nothing about limits: such a model is passed over whatever `on` names, unless it names nothing. */
const NOT_RESTING: ReadonlySet<SkipReason> = new Set([
  'incapable',
  'no_larger_window',
  'price_unknown',
  'byok_only',
  'channel_not_enabled',
]);

/** Counts as failed with trigger rate_limit (P-4). */
export function isResting(reason: SkipReason): boolean {
  return !NOT_RESTING.has(reason);
}

/**
 * Marks what can not be tried in a model that is about to be entered: known too small, or price unknown. Where neither can
 * be, nobody looks: a model is entered again after each of its refusals, and may have a thousand targets.
 */
function sift(state: FailoverState, modelPos: number, floor: number | null): FailoverState {
  if (floor === null && state.budgets.costLeft === null) return state;
  const small = openTargets(state, modelPos).filter((target) => tooSmallFor(floor, target.contextWindow));
  const sized = markSpent(state, small, 'no_larger_window');
  const unpriced = openTargets(sized, modelPos).filter((target) => priceUnknown(sized, target));
  return markSpent(sized, unpriced, 'price_unknown');
}

/** A model without targets is noted as skipped, once; one that was tried is not "skipped" but over. */
function passBy(state: FailoverState, model: PlannedModel, modelPos: number): { state: FailoverState; on: boolean } {
  if (model.targets.some(({ rank }) => state.spent.get(rank) === 'tried')) return { state, on: true };
  const skipped = whySkipped(state, model, modelPos);
  const { options } = state;
  const leaves = isResting(skipped.reason) ? mayLeaveRestingModel(options) : crossesModels(options);
  const on = skipped.reason !== 'guardrail' && leaves;
  return { state: skipModel(state, skipped), on };
}

/**
 * The first target of the first model from `from` on that may be entered. Models without targets are noted as skipped;
 * past a resting one only if `on` names rate_limit, past a forbidden one never (G-2). `larger`: only models not known
 * to have too small a window.
 */
export function searchModels(start: FailoverState, from: number, larger: boolean): Search {
  const floor = windowFloor(start);
  let state = start;
  let tooDear = false;
  for (const [modelPos, model] of start.plan.models.entries()) {
    if (modelPos < from) continue;
    if (modelPos > 0 && !mayEnter(state.options, model)) {
      state = markSpent(state, openTargets(state, modelPos), 'cross_model_off');
      continue;
    }
    if (larger && tooSmallFor(floor, model.contextWindow)) {
      state = markSpent(state, openTargets(state, modelPos), 'no_larger_window');
      state = skipModel(state, { modelPos, reason: 'no_larger_window', availableAt: null });
      continue;
    }
    state = sift(state, modelPos, floor);
    const { spent } = state;
    const target = model.targets.find((candidate) => !spent.has(candidate.rank) && affordable(start, candidate));
    if (target !== undefined) return { state, found: { modelPos, target }, tooDear };
    const isOpen = openTargets(state, modelPos).length > 0;
    tooDear ||= isOpen;
    const passed = isOpen ? { state, on: crossesModels(state.options) } : passBy(state, model, modelPos);
    state = passed.state;
    if (!passed.on) break;
  }
  return { state, found: null, tooDear };
}

/** Leaving a model: what it had left is over for this request. */
export function leaveModel(state: FailoverState, left: number, entered: number): FailoverState {
  const over = state.plan.models.flatMap((_model, pos) =>
    pos >= left && pos < entered ? openTargets(state, pos) : [],
  );
  return markSpent(state, over, 'model_over');
}

/** Two ranks that are one and the same call. */
export function sameTarget(a: PlannedTarget, b: PlannedTarget): boolean {
  return a.target.channel === b.target.channel && a.target.credential === b.target.credential;
}
