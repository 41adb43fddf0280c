/** Where a request may go next: within the model by the step's rule (D-2), or into a later model (D-1, P-4). */
import { affordable, priceUnknown } from './budget.ts';
import { sameEndpoint } from './endpoint.ts';
import type { FailoverState, SkippedModel } from './machine.ts';
import { firstOpen, markSpent, openTargets, type Place, passedOver, passOver, placeOf } from './open-targets.ts';
import type { PlannedModel, PlannedTarget, SkipReason } from './plan-types.ts';
import type { Step } from './policy.ts';
import { mayEnter } from './row.ts';
import { crossesModels, mayLeaveRestingModel } from './trigger.ts';

/** A search's outcome: the state with what was passed over marked, and the target or what stood in the way. */
export interface Search {
  readonly state: FailoverState;
  readonly found: Place | null;
  /** Something was left to try that the cost budget does not pay for. */
  readonly tooDear: boolean;
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
  const { modelPos } = failed;
  const floor = windowFloor(start);
  const state = passUnpriced(start, modelPos);
  const rule = `${step} from ${failed.target.rank}, larger than ${floor}`;
  if (state.passedOver.has(rule)) return { state, found: null, tooDear: false };
  let tooDear = false;
  const target = firstOpen(state, modelPos, (candidate) => {
    if (!fits(step, failed.target, candidate, floor)) return false;
    const pays = affordable(state, candidate);
    tooDear ||= !pays;
    return pays;
  });
  if (target !== undefined) return { state, found: { modelPos, target }, tooDear: false };
  return { state: tooDear ? state : passedOver(state, rule), found: null, tooDear };
}

/** Without `next_credential` in the cell the other credentials at the failed server are passed over. */
export function skipSiblings(state: FailoverState, failed: Place, steps: readonly Step[]): FailoverState {
  if (steps.includes('next_credential')) return state;
  const { modelPos, target } = failed;
  const rule = `siblings of ${target.rank}`;
  const unwanted = (other: PlannedTarget) => sameEndpoint(other, target);
  return passOver(state, modelPos, { rule, reason: 'channel_fault', unwanted });
}

/** Leaving a target inside its model; `next_channel_larger` leaves every window not known to be larger behind. */
export function leaveTarget(state: FailoverState, failed: Place, step: Step, steps: readonly Step[]): FailoverState {
  const left = skipSiblings(state, failed, steps);
  if (step !== 'next_channel_larger') return left;
  const floor = windowFloor(state);
  const { modelPos } = failed;
  const rule = `model ${modelPos} not larger than ${floor}`;
  const unwanted = ({ contextWindow }: PlannedTarget) => !knownLarger(floor, contextWindow);
  return passOver(left, modelPos, { rule, reason: 'no_larger_window', unwanted });
}

function skipModel(state: FailoverState, skipped: SkippedModel): FailoverState {
  if (state.skippedModels.some(({ modelPos }) => modelPos === skipped.modelPos)) return state;
  return { ...state, skippedModels: [...state.skippedModels, skipped] };
}

/** Why a model has no target to try: the planner's word, else that one rests, else the first reason met in it. */
function whySkipped(state: FailoverState, model: PlannedModel, modelPos: number): SkippedModel {
  if (model.skipped !== null) return { modelPos, ...model.skipped };
  return { modelPos, reason: reasonMet(state, model), availableAt: soonestReturn(state, modelPos) };
}

/** Wall ms; null = nobody said when. */
function soonestReturn({ refusals }: FailoverState, modelPos: number): number | null {
  let soonest = Number.POSITIVE_INFINITY;
  for (const piece of refusals.pieces) {
    for (const refusal of piece) {
      if (refusal.modelPos === modelPos) soonest = Math.min(soonest, refusal.availableAt ?? soonest);
    }
  }
  return Number.isFinite(soonest) ? soonest : null;
}

/** The first reason of a rest that its targets met, else the first of all. */
function reasonMet({ spent }: FailoverState, { targets }: PlannedModel): SkipReason {
  let first: SkipReason | null = null;
  for (const { rank } of targets) {
    const word = spent.get(rank);
    if (word === undefined || word === 'tried') continue;
    if (isResting(word) && word !== 'guardrail') return word;
    first ??= word;
  }
  return first ?? 'limit';
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

/** Marks what can not be tried in a model that is about to be entered: known too small, or price unknown. */
function sift(state: FailoverState, modelPos: number, floor: number | null): FailoverState {
  if (floor === null) return passUnpriced(state, modelPos);
  const rule = `model ${modelPos} too small for ${floor}`;
  const unwanted = ({ contextWindow }: PlannedTarget) => tooSmallFor(floor, contextWindow);
  return passUnpriced(passOver(state, modelPos, { rule, reason: 'no_larger_window', unwanted }), modelPos);
}

function passUnpriced(state: FailoverState, modelPos: number): FailoverState {
  if (state.budgets.costLeft === null) return state;
  const unwanted = (target: PlannedTarget) => priceUnknown(state, target);
  return passOver(state, modelPos, { rule: `model ${modelPos} unpriced`, reason: 'price_unknown', unwanted });
}

/** A model without targets is noted as skipped, once; one that was tried is not "skipped" but over. */
function passBy(state: FailoverState, model: PlannedModel, modelPos: number): { state: FailoverState; on: boolean } {
  if (wasTried(state, modelPos)) return { state, on: true };
  const skipped = whySkipped(state, model, modelPos);
  const { options } = state;
  const leaves = isResting(skipped.reason) ? mayLeaveRestingModel(options) : crossesModels(options);
  const on = skipped.reason !== 'guardrail' && leaves;
  return { state: skipModel(state, skipped), on };
}

function wasTried({ history, live }: FailoverState, modelPos: number): boolean {
  return (
    history.some((past) => past.modelPos === modelPos) ||
    live.some((one) => one.modelPos === modelPos && one.state !== 'admitting')
  );
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
      state = markSpent(state, modelPos, openTargets(state, modelPos), 'cross_model_off');
      continue;
    }
    if (larger && tooSmallFor(floor, model.contextWindow)) {
      state = markSpent(state, modelPos, openTargets(state, modelPos), 'no_larger_window');
      state = skipModel(state, { modelPos, reason: 'no_larger_window', availableAt: null });
      continue;
    }
    state = sift(state, modelPos, floor);
    const target = firstOpen(state, modelPos, (candidate) => affordable(start, candidate));
    if (target !== undefined) return { state, found: { modelPos, target }, tooDear };
    const isOpen = firstOpen(state, modelPos) !== undefined;
    tooDear ||= isOpen;
    const passed = isOpen ? { state, on: crossesModels(state.options) } : passBy(state, model, modelPos);
    state = passed.state;
    if (!passed.on) break;
  }
  return { state, found: null, tooDear };
}

/** Leaving a model: what it had left is over for this request. */
export function leaveModel(state: FailoverState, left: number, entered: number): FailoverState {
  let over = state;
  for (let pos = left; pos < entered; pos += 1) over = markSpent(over, pos, openTargets(over, pos), 'model_over');
  return over;
}

/** Two ranks that are one and the same call. */
export function sameTarget(a: PlannedTarget, b: PlannedTarget): boolean {
  return a.target.channel === b.target.channel && a.target.credential === b.target.credential;
}
