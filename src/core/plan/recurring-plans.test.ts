import { describe, expect, it } from 'vitest';
import type { Candidate, Plan, PlannedModel, PlannedTarget, Target } from '../failover/plan-types.ts';
import { RecurringPlans } from './recurring-plans.ts';

const A: Target = { model: 0, channel: 0, credential: 0 };
const B: Target = { model: 0, channel: 1, credential: 1 };

function planOf(
  targets: readonly Target[],
  changed: { plan?: Partial<Plan>; model?: Partial<PlannedModel> } = {},
): Plan {
  const rows: (Candidate & PlannedTarget)[] = targets.map((target, i) => ({
    rank: i + 1,
    target,
    skip: null,
    contextWindow: null,
    throughOpenCircuit: false,
    throughBackoff: false,
  }));
  const model: PlannedModel = {
    model: 0,
    name: 'm',
    targets: rows,
    timeoutMs: null,
    firstTokenTimeoutMs: null,
    reasons: false,
    contextWindow: null,
    skipped: null,
    origin: 'request',
    ...changed.model,
  };
  return { snapshotVersion: 1, models: [model], candidates: rows, explicit: false, ...changed.plan };
}

function withFirst(plan: Plan, change: Partial<Candidate & PlannedTarget>): Plan {
  const [first, ...rest] = plan.candidates;
  return { ...plan, candidates: [{ ...first!, ...change }, ...rest] };
}

describe('P-7: plans that come again', () => {
  it('P-7: an equal plan is the earlier one; the first of them is new', () => {
    const plans = new RecurringPlans();
    const first = planOf([A, B]);
    expect(plans.find(first)).toBeNull();
    expect(plans.find(planOf([A, B]))).toBe(first);
    expect(plans.find(planOf([A, B]))).toBe(first);
  });

  it('P-7: whatever differs makes another plan', () => {
    const others = [
      planOf([A]),
      planOf([A, { ...B }]),
      planOf([A, B], { plan: { explicit: true } }),
      planOf([A, B], { plan: { snapshotVersion: 2 } }),
      planOf([A, B], { model: { model: 1 } }),
      planOf([A, B], { model: { name: 'n' } }),
      planOf([A, B], { model: { timeoutMs: 1 } }),
      planOf([A, B], { model: { firstTokenTimeoutMs: 1 } }),
      planOf([A, B], { model: { origin: 'default_model' } }),
      planOf([A, B], { model: { targets: [] } }),
      { ...planOf([A, B]), models: [...planOf([A, B]).models, ...planOf([A]).models] },
      withFirst(planOf([A, B]), { skip: { reason: 'drained', availableAt: null } }),
      withFirst(planOf([A, B]), { throughOpenCircuit: true }),
      withFirst(planOf([A, B]), { throughBackoff: true }),
      withFirst(planOf([A, B]), { worstCost: 1n }),
      withFirst(planOf([A, B]), { worstCost: null }),
    ];
    for (const other of others) {
      const plans = new RecurringPlans();
      plans.find(planOf([A, B]));
      expect(plans.find(other)).toBeNull();
    }
  });

  it('P-4: what rests for a moment makes nobody forget the plan of good days', () => {
    const plans = new RecurringPlans();
    const usual = planOf([A, B]);
    plans.find(usual);
    plans.find(withFirst(planOf([A, B]), { throughOpenCircuit: true }));
    expect(plans.find(planOf([A, B]))).toBe(usual);
  });

  it('P-2: orders that take turns are each remembered', () => {
    const plans = new RecurringPlans();
    const [one, two] = [planOf([A, B]), planOf([B, A])];
    plans.find(one);
    plans.find(two);
    expect(plans.find(planOf([A, B]))).toBe(one);
    expect(plans.find(planOf([B, A]))).toBe(two);
  });

  it('P-7: plans of many candidates, and empty ones, are not compared', () => {
    const plans = new RecurringPlans();
    const many = Array.from({ length: 65 }, (_, channel): Target => ({ model: 0, channel, credential: null }));
    plans.find(planOf(many));
    expect(plans.find(planOf(many))).toBeNull();
    plans.find(planOf([]));
    expect(plans.find(planOf([]))).toBeNull();
  });
});
