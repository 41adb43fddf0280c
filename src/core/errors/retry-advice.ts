/** D-7 and D-3: whether a repeat by the client can help, and from when. */
import type { FailoverState, PastAttempt } from '../failover/machine.ts';
import type { FailureClass } from '../failure.ts';
import { restingClass } from './attempt-summaries.ts';

export interface Return {
  /** Every failure of the request heals by a known wait of at most a minute. */
  readonly allHeal: boolean;
  /** Wall ms at which the first target is known to be back; null = nobody knows. */
  readonly at: number | null;
}

/** SDKs misbehave beyond this: longer waits are told, but not as an invitation. */
const LONGEST_INVITED_MS = 60_000;

/** Only these heal by waiting; a stated wait beside another class says nothing about it. */
const HEALS: ReadonlySet<FailureClass> = new Set(['rate_limit', 'quota_exhausted', 'overloaded', 'server_error']);

/** When the target of a failed attempt is back by the provider's own word; null = unknown or never. */
function healedAt(state: FailoverState, past: PastAttempt): number | null {
  const { failure } = past;
  if (failure === null || failure.hint === null || failure.shouldRetry === false) return null;
  if (!HEALS.has(failure.class)) return null;
  return state.at.wall - (state.at.now - past.endedAt) + failure.hint.ms;
}

/** When each resting model is back; a rejected credential or a missing model does not heal by waiting. */
function restingReturns(state: FailoverState): (number | null)[] {
  return state.skippedModels.flatMap(({ reason, availableAt }) => {
    const failureClass = restingClass(reason);
    if (failureClass === null) return [];
    return [failureClass === 'rate_limit' || failureClass === 'quota_exhausted' ? availableAt : null];
  });
}

/** A refusal of the gateway's own that ended the request: it heals by the wait it states, or not by waiting. */
function refusalReturn({ verdict, at }: FailoverState): (number | null)[] {
  if (verdict?.kind !== 'stopped' || verdict.failure.class !== 'gateway_rejected') return [];
  const { hint } = verdict.failure;
  return [hint === null ? null : at.wall + hint.ms];
}

/** Over all failures of the request, resting models included. `soonestReturn`: the health board's word, wall ms. */
export function returnOf(state: FailoverState, wallNow: number, soonestReturn: number | null): Return {
  const failed = state.history.filter((past) => past.result === 'failed' || past.result === 'interrupted');
  const returns = [...failed.map((past) => healedAt(state, past)), ...restingReturns(state), ...refusalReturn(state)];
  const known = returns.filter((at) => at !== null);
  const healed = returns.length > 0 && known.length === returns.length;
  const all = soonestReturn === null ? known : [...known, soonestReturn];
  return {
    allHeal: healed && known.every((at) => at - wallNow <= LONGEST_INVITED_MS),
    at: all.length === 0 ? null : Math.min(...all),
  };
}
