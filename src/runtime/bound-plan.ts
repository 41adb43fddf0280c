/** P-8: a plan for a request that names state at one upstream account: nobody else can carry it out. */
import type { Candidate, Plan, PlannedModel, Target } from '../core/failover/plan-types.ts';

/** The plan with that account alone; null = no candidate of it is there. Others stay in the trace, with the reason (P-7). */
export function boundPlan(plan: Plan, isHome: (target: Target) => boolean): Plan | null {
  const home = plan.candidates.find(({ target }) => isHome(target));
  if (home === undefined) return null;
  const models = plan.models
    .filter(({ model }) => model === home.target.model)
    .map((model) => narrowed(model, home, isHome));
  const candidates = plan.candidates.map((one) => (one === home ? one : elsewhere(one)));
  return { ...plan, models, candidates };
}

function narrowed(model: PlannedModel, home: Candidate, isHome: (target: Target) => boolean): PlannedModel {
  const targets = model.targets.filter(({ target }) => isHome(target));
  return { ...model, targets, skipped: targets.length > 0 ? null : (home.skip ?? model.skipped) };
}

function elsewhere(candidate: Candidate): Candidate {
  return { ...candidate, skip: candidate.skip ?? { reason: 'state_elsewhere', availableAt: null } };
}
