import { describe, expect, it } from 'vitest';
import type { Candidate, Plan, Target } from '../core/failover/plan-types.ts';
import { boundPlan } from './bound-plan.ts';

const target = (model: number, channel: number): Target => ({ model, channel, credential: channel });

function plan(resting: number | null = null): Plan {
  const all = [target(0, 0), target(0, 1), target(1, 2)];
  const candidates = all.map((one, at): Candidate => {
    const skip = one.channel === resting ? ({ reason: 'limit', availableAt: 7 } as const) : null;
    return { rank: at + 1, target: one, skip };
  });
  const models = [0, 1].map((model) => ({
    model,
    name: `m${model}`,
    targets: candidates
      .filter((one) => one.target.model === model && one.skip === null)
      .map(({ rank, target: one }) => ({ rank, target: one, contextWindow: null, throughOpenCircuit: false })),
    timeoutMs: null,
    firstTokenTimeoutMs: null,
    reasons: false,
    contextWindow: null,
    skipped: null,
    origin: 'request' as const,
  }));
  return { snapshotVersion: 1, models, candidates, explicit: true };
}

const isHome = (one: Target): boolean => one.channel === 1;

describe('plans for what lives at one account', () => {
  it('P-8, P-7: that account alone is tried; the others are shown with the reason', () => {
    const bound = boundPlan(plan(), isHome);
    expect(bound?.models.map(({ name, targets }) => [name, targets.map(({ rank }) => rank)])).toEqual([['m0', [2]]]);
    expect(bound?.candidates.map(({ skip }) => skip?.reason ?? null)).toEqual([
      'state_elsewhere',
      null,
      'state_elsewhere',
    ]);
  });

  it('P-4: while it rests the model is skipped until it is back', () => {
    const [model] = boundPlan(plan(1), isHome)?.models ?? [];
    expect([model?.targets, model?.skipped]).toEqual([[], { reason: 'limit', availableAt: 7 }]);
  });

  it('an account that the request does not lead to has no plan', () => {
    expect(boundPlan(plan(), () => false)).toBeNull();
  });
});
