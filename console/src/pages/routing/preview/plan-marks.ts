/** Two plans for one request held against each other: what stands elsewhere, what is new, what is gone. Pure. */
import type { Shape } from '../../../api/client.ts';

export type Plan = Shape<'Plan'>;
export type PlanTarget = Shape<'PlanTarget'>;
export type LeftOut = Plan['left_out'][number];
export type SkipReason = LeftOut['reason'];

export interface Marked {
  readonly target: PlanTarget;
  /** From 1, among those that can be called. */
  readonly place: number;
  /** Null = it was not among them; undefined = there is nothing to compare with. */
  readonly was: number | null | undefined;
}

export const targetId = ({
  model,
  channel,
  credential,
}: Pick<PlanTarget, 'model' | 'channel' | 'credential'>): string => JSON.stringify([model, channel, credential]);

/** The targets of a plan, each with its place in the other one. */
export function marked(plan: Plan, before: Plan | null): readonly Marked[] {
  const places = before && new Map(before.targets.map((target, index) => [targetId(target), index + 1] as const));
  return plan.targets.map((target, index) => ({
    target,
    place: index + 1,
    was: places === null ? undefined : (places.get(targetId(target)) ?? null),
  }));
}

/** Targets of the other plan that this one does not call. */
export function gone(plan: Plan, before: Plan | null): readonly PlanTarget[] {
  const here = new Set(plan.targets.map(targetId));
  return (before?.targets ?? []).filter((target) => !here.has(targetId(target)));
}

/** The target that is called first; null = none is. */
export function firstOf({ would, targets }: Plan): PlanTarget | null {
  return would.outcome === 'call' ? (targets.find(({ rank }) => rank === would.rank) ?? null) : null;
}

/** Whether both plans try the same targets in the same order. */
export function sameOrder(plan: Plan, before: Plan): boolean {
  const ids = (one: Plan): string => JSON.stringify([one.would.outcome, one.targets.map(targetId)]);
  return ids(plan) === ids(before);
}
