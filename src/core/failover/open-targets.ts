/**
 * Which targets of a plan are still open, and closing them. A plan may have a thousand targets and each of them be refused,
 * so nothing here looks at all of them for one: a rank is searched for by halves, closed targets at the head of a model are
 * left out, and whoever was passed over by a rule is not looked at by that rule again.
 */
import type { FailoverState } from './machine.ts';
import type { PlannedModel, PlannedTarget, SkipReason } from './plan-types.ts';

/** A target with its place. */
export interface Place {
  readonly modelPos: number;
  readonly target: PlannedTarget;
}

/** Where the target of a rank stands; null = the plan has none of that rank. Ranks rise from target to target. */
export function placeOf(state: FailoverState, rank: number): Place | null {
  for (const [modelPos, model] of state.plan.models.entries()) {
    const last = model.targets.at(-1);
    if (last === undefined || last.rank < rank) continue;
    const target = targetOf(model, rank);
    return target === undefined ? null : { modelPos, target };
  }
  return null;
}

function targetOf({ targets }: PlannedModel, rank: number): PlannedTarget | undefined {
  let from = 0;
  let to = targets.length - 1;
  while (from < to) {
    const middle = (from + to) >> 1;
    if (targets[middle]!.rank < rank) from = middle + 1;
    else to = middle;
  }
  const found = targets[from];
  return found?.rank === rank ? found : undefined;
}

/** The first target of a model, in order, that nobody tried or refused and that `fits`. */
export function firstOpen(
  { plan, heads, spent }: FailoverState,
  modelPos: number,
  fits: (target: PlannedTarget) => boolean = () => true,
): PlannedTarget | undefined {
  const targets = plan.models[modelPos]?.targets ?? [];
  for (let at = heads[modelPos] ?? 0; at < targets.length; at += 1) {
    const target = targets[at]!;
    if (!spent.has(target.rank) && fits(target)) return target;
  }
  return undefined;
}

/** All of them. */
export function openTargets({ plan, heads, spent }: FailoverState, modelPos: number): readonly PlannedTarget[] {
  const targets = plan.models[modelPos]?.targets ?? [];
  const head = heads[modelPos] ?? 0;
  if (head >= targets.length) return [];
  return targets.slice(head).filter(({ rank }) => !spent.has(rank));
}

/** Targets of one model are not to be tried (again). */
export function markSpent(
  state: FailoverState,
  modelPos: number,
  targets: readonly PlannedTarget[],
  reason: SkipReason | 'tried',
): FailoverState {
  if (targets.length === 0) return state;
  const ranks = targets.map(({ rank }) => rank);
  const spent = state.spent.with(ranks, reason);
  const all = state.plan.models[modelPos]?.targets ?? [];
  let head = state.heads[modelPos] ?? 0;
  while (head < all.length && spent.has(all[head]!.rank)) head += 1;
  return { ...state, spent, heads: withHead(state.heads, modelPos, head) };
}

function withHead(heads: readonly number[], modelPos: number, head: number): readonly number[] {
  if ((heads[modelPos] ?? 0) === head) return heads;
  const moved = heads.slice();
  while (moved.length < modelPos) moved.push(0);
  moved[modelPos] = head;
  return moved;
}

/** What a rule passes over in a model: `rule` names it with all its `unwanted` depends on, the model included. */
export interface PassedOver {
  readonly rule: string;
  readonly reason: SkipReason;
  readonly unwanted: (target: PlannedTarget) => boolean;
}

/** Closes what a rule does not want, once: nothing is ever opened again, so the same rule finds nothing later. */
export function passOver(
  state: FailoverState,
  modelPos: number,
  { rule, reason, unwanted }: PassedOver,
): FailoverState {
  if (state.passedOver.has(rule)) return state;
  const over = openTargets(state, modelPos).filter(unwanted);
  return passedOver(markSpent(state, modelPos, over, reason), rule);
}

/** Notes that a rule finds nothing any more. */
export function passedOver(state: FailoverState, rule: string): FailoverState {
  return { ...state, passedOver: new Set(state.passedOver).add(rule) };
}
