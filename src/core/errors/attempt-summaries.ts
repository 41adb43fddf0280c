/** E-2's `attempts` and R-2's `failover.attempts`: one line per upstream attempt and per skipped model, in order. */
import type { FailoverState, PastAttempt, SkippedModel } from '../failover/machine.ts';
import { isResting } from '../failover/next-target.ts';
import type { SkipReason } from '../failover/plan-types.ts';
import { triggersFor } from '../failover/trigger.ts';
import type { Failure, FailureClass } from '../failure.ts';
import type { AttemptSummary } from './gateway-error.ts';

/** S1's trigger, or the class where there is none. */
export function reasonOf(failure: Failure): string {
  return triggersFor(failure)[0] ?? failure.class;
}

/** The class a resting model would have failed with; null where it does not rest. */
export function restingClass(reason: SkipReason): FailureClass | null {
  if (!isResting(reason)) return null;
  switch (reason) {
    case 'cooling_quota':
      return 'quota_exhausted';
    case 'cooling_auth':
      return 'auth';
    case 'cooling_permission':
      return 'permission';
    case 'cooling_model_not_found':
      return 'model_not_found';
    case 'guardrail':
      return 'gateway_rejected';
    default:
      return 'rate_limit';
  }
}

interface Line {
  /** Order of the attempts; a skipped model stands before the first attempt of a later model. */
  readonly no: number;
  readonly summary: AttemptSummary;
}

const STATUS = { served: 'served', failed: 'failed', interrupted: 'failed', cancelled: 'cancelled' } as const;

function nameOf(state: FailoverState, modelPos: number): string {
  return state.plan.models[modelPos]?.name ?? '';
}

function attemptLine(state: FailoverState, past: PastAttempt): Line {
  const why = past.failure === null ? {} : { reason: reasonOf(past.failure), class: past.failure.class };
  const summary: AttemptSummary = {
    model: nameOf(state, past.modelPos),
    status: STATUS[past.result],
    ...why,
    latency_ms: Math.max(0, Math.round(past.endedAt - past.startedAt)),
  };
  return { no: past.no, summary };
}

/** The committed attempt counts as served: the report leaves before the answer's end. */
function servedLine(state: FailoverState): Line[] {
  const winner = state.live.find((live) => live.state === 'committed');
  if (winner === undefined) return [];
  const latency = Math.max(0, Math.round(state.at.now - winner.startedAt));
  return [{ no: winner.no, summary: { model: nameOf(state, winner.modelPos), status: 'served', latency_ms: latency } }];
}

/** Counts as failed with trigger rate_limit where it rests (P-4). */
function skippedLine(state: FailoverState, skipped: SkippedModel): Line {
  const later = [...state.history, ...state.live].filter((attempt) => attempt.modelPos > skipped.modelPos);
  const failureClass = restingClass(skipped.reason);
  const why =
    failureClass === null ? { reason: skipped.reason } : { reason: skippedReason(skipped.reason), class: failureClass };
  return {
    no: Math.min(...later.map(({ no }) => no), state.nextAttemptNo) - 0.5,
    summary: { model: nameOf(state, skipped.modelPos), status: 'skipped', ...why, latency_ms: 0 },
  };
}

function skippedReason(reason: SkipReason): string {
  return reason === 'guardrail' ? reason : 'rate_limit';
}

/** In the order they were made. */
export function attemptSummaries(state: FailoverState): AttemptSummary[] {
  const skipped = [...state.skippedModels].sort((a, b) => a.modelPos - b.modelPos);
  const lines = [
    ...state.history.map((past) => attemptLine(state, past)),
    ...servedLine(state),
    ...skipped.map((model) => skippedLine(state, model)),
  ];
  return lines.sort((a, b) => a.no - b.no).map(({ summary }) => summary);
}
