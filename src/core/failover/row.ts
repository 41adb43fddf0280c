/** From a failure to the steps its cell of the table names for this request (§5, D-9, D-10, D-11). */
import type { Failure, FailureClass } from '../failure.ts';
import type { FailoverState } from './machine.ts';
import type { FailoverOptions } from './options.ts';
import type { Plan, PlannedModel } from './plan-types.ts';
import { POLICIES, type PolicyCell, type PolicyRow, type Step } from './policy.ts';
import { crossesModels, optedIn } from './trigger.ts';

export interface Reading {
  readonly row: PolicyRow;
  /** In the order to try, opt-ins and repeats worked in, `alert` taken out. */
  readonly steps: readonly Step[];
  readonly alert: boolean;
  /** Repeats this target may have in all. */
  readonly repeatLimit: number;
}

/** The answer is known, whatever the flag says: these classes never read the maybe_executed row. */
const OUTCOME_KNOWN: ReadonlySet<FailureClass> = new Set([
  'empty',
  'content_policy',
  'generation_rejected',
  'gateway_rejected',
  'client_closed',
]);

/**
 * Classes an explicit `retries` repeats even where the row names no repeat: those another try may heal. A rejected key,
 * a used-up quota or a bad request is the same a second later.
 */
const HEALED_BY_REPEAT: ReadonlySet<FailureClass> = new Set([
  'connection_error',
  'timeout',
  'rate_limit',
  'overloaded',
  'server_error',
  'malformed',
  'empty',
]);

/** Repeats of a row that states no count of its own: `strict` 2 at each target, else the row's "once" (D-9). */
const STRICT_REPEATS = 2;
const OTHER_REPEATS = 1;

function isRepeat(step: Step): boolean {
  return step === 'retry' || step === 'wait_retry';
}

/** Under `strict` only the request itself or a virtual model names another model (D-1). */
export function mayEnter(options: FailoverOptions, model: PlannedModel): boolean {
  return options.policy !== 'strict' || model.origin === 'request' || model.origin === 'virtual';
}

/** Models this request could ever reach: the first, and those D-1 and C-8 let it go on to. */
export function reachableModels(plan: Plan, options: FailoverOptions): readonly PlannedModel[] {
  return plan.models.filter((model, pos) => pos === 0 || (crossesModels(options) && mayEnter(options, model)));
}

/** Targets this request could ever reach: "a single target" of the table means one. */
export function reachableTargets(plan: Plan, options: FailoverOptions): number {
  return reachableModels(plan, options).reduce((sum, model) => sum + model.targets.length, 0);
}

function pick(state: FailoverState, failure: Failure): { row: PolicyRow; cell: PolicyCell } {
  const { table, policy } = state.options;
  const classRow: PolicyRow = failure.connectTimeout ? 'connection_error' : failure.class;
  const byClass = { row: classRow, cell: table[classRow] };
  if (!failure.maybeExecuted || OUTCOME_KNOWN.has(failure.class)) return byClass;
  const asStrict = state.actsUpstream && policy === 'standard';
  const cell = asStrict ? POLICIES.strict.maybe_executed : table.maybe_executed;
  return cell.keyedReadsClass && state.keyed ? byClass : { row: 'maybe_executed', cell };
}

/** An opted-in class goes to another model where its cell stops; `next_model_larger` is by opt-in only. */
function withOptIn(steps: readonly Step[], failure: Failure, options: FailoverOptions): Step[] {
  if (!optedIn(options.on, failure.class)) return steps.filter((step) => step !== 'next_model_larger');
  const open = steps.filter((step) => step !== 'stop');
  if (open.some((step) => step === 'next_model' || step === 'next_model_larger')) return open;
  return [...open, failure.class === 'context_length' ? 'next_model_larger' : 'next_model'];
}

/**
 * D-9: an explicit count repeats the last target left, under `strict` each; without one a row for lone targets repeats
 * only those. Where a row names its repeat, it stands where it belongs already.
 */
function withRepeats(steps: readonly Step[], cell: PolicyCell, failure: Failure, state: FailoverState): Step[] {
  const { retries, policy } = state.options;
  if (retries === null) {
    const lone = !cell.repeatOnlyIfSingle || reachableTargets(state.plan, state.options) === 1;
    return steps.filter((step) => lone || !isRepeat(step));
  }
  if (steps.some(isRepeat) || steps.includes('stop') || !HEALED_BY_REPEAT.has(failure.class)) return [...steps];
  const repeat: Step = failure.class === 'rate_limit' ? 'wait_retry' : 'retry';
  return policy === 'strict' ? [repeat, ...steps] : [...steps, repeat];
}

/** What the table says about this failure in this request. */
export function readRow(state: FailoverState, failure: Failure): Reading {
  const { row, cell } = pick(state, failure);
  const { options } = state;
  const spoken = cell.steps.filter((step) => step !== 'alert');
  const opened = row === 'maybe_executed' ? spoken : withOptIn(spoken, failure, options);
  return {
    row,
    steps: withRepeats(opened, cell, failure, state),
    alert: cell.steps.includes('alert'),
    repeatLimit: options.retries ?? cell.repeats ?? (options.policy === 'strict' ? STRICT_REPEATS : OTHER_REPEATS),
  };
}
