/** D-4: what a request may still spend, and the room kept for the models after this one. */
import type { NanoUsd } from '../usage/usage.ts';
import { sameEndpoint } from './endpoint.ts';
import type { FailoverState, LiveAttempt } from './machine.ts';
import { firstOpen } from './open-targets.ts';
import type { PlannedTarget } from './plan-types.ts';
import { mayEnter } from './row.ts';
import { crossesModels } from './trigger.ts';

export type BudgetName = 'attempts' | 'deadline' | 'cost';

/** Less than this is no time: an attempt or a repeat could not even start. */
const LEAST_MS = 1;

/** Attempts started in this round. */
export function attemptsUsed(state: FailoverState): number {
  return state.nextAttemptNo - 1 - state.attemptOffset;
}

export function timeLeft(state: FailoverState, now: number): number {
  return state.budgets.deadlineAt - now;
}

/** The budget that forbids any further attempt, or null. */
export function budgetSpent(state: FailoverState, now: number): BudgetName | null {
  if (timeLeft(state, now) < LEAST_MS) return 'deadline';
  return attemptsUsed(state) >= state.budgets.maxAttempts ? 'attempts' : null;
}

/** A wait past the deadline is not started. */
export function waitFitsDeadline(state: FailoverState, now: number, ms: number): boolean {
  return timeLeft(state, now) - ms >= LEAST_MS;
}

/** Whether the worst case of one attempt still fits `max_cost_usd`. Not computed = no statement. */
export function affordable(state: FailoverState, target: PlannedTarget): boolean {
  const { costLeft } = state.budgets;
  if (costLeft === null || target.worstCost === undefined || target.worstCost === null) return true;
  return target.worstCost <= costLeft;
}

/** Under a cost budget an unknown price is not 0: the target is left out (G-4). */
export function priceUnknown(state: FailoverState, target: PlannedTarget): boolean {
  return state.budgets.costLeft !== null && target.worstCost === null;
}

/** Holds the worst case back when an attempt starts; null = nothing to hold. */
export function costHeld(state: FailoverState, target: PlannedTarget): NanoUsd | null {
  return state.budgets.costLeft === null ? null : (target.worstCost ?? null);
}

/** What is left after an attempt ended: the actual cost where known, else the worst case if it may have run. */
export function settledCost(
  state: FailoverState,
  live: LiveAttempt,
  cost: NanoUsd | undefined,
  mayHaveRun: boolean,
): NanoUsd | null {
  const { costLeft } = state.budgets;
  if (costLeft === null) return null;
  const held = live.reserved ?? 0n;
  const left = costLeft + held - (cost ?? (mayHaveRun ? held : 0n));
  return left < 0n ? 0n : left;
}

/** Models after `modelPos` that could still be entered and have a target nobody tried. */
export function modelsReachableAfter(state: FailoverState, modelPos: number): number {
  if (!crossesModels(state.options)) return 0;
  return state.plan.models.filter(
    (model, pos) =>
      pos > modelPos &&
      mayEnter(state.options, model) &&
      firstOpen(state, pos, (target) => affordable(state, target)) !== undefined,
  ).length;
}

/** For a model that had its first attempt: what is left of `max_attempts` is kept for the models after it. */
export function roomUsedUp(state: FailoverState, modelPos: number): boolean {
  return attemptsUsed(state) >= state.budgets.maxAttempts - modelsReachableAfter(state, modelPos);
}

/** At most time left ÷ models left, this one included; half of that while another channel of the model is left. */
export function attemptTimeLimit(state: FailoverState, modelPos: number, target: PlannedTarget, now: number): number {
  const share = timeLeft(state, now) / (1 + modelsReachableAfter(state, modelPos));
  const elsewhere = (other: PlannedTarget) => !sameEndpoint(other, target) && affordable(state, other);
  return firstOpen(state, modelPos, elsewhere) === undefined ? share : share / 2;
}
