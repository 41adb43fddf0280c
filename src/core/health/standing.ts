/** How one target stands at one moment, for the plan and for admission. */
import type { SkipReason } from '../failover/plan-types.ts';
import type { Cooldown } from './cooldown.ts';
import type { TargetHealth } from './targets.ts';

export type HealthState = 'ok' | 'cooling' | 'open' | 'half_open' | 'drained';

export interface Standing {
  readonly state: HealthState;
  /** Set while `drained` or `cooling`: the reason it is left out (P-4). Circuits never leave out (P-5). */
  readonly reason: SkipReason | null;
  /** Monotonic ms at which it comes back: the rest's end, or the circuit's turn to half-open. Null when nobody knows. */
  readonly until: number | null;
  /** The upstream named the time itself. */
  readonly stated: boolean;
  /** Half-open, and the one probe is out. */
  readonly probeInFlight: boolean;
  /** Cooling by backoff, and the channel's one call is out (P-4). */
  readonly backoffCallInFlight: boolean;
}

export const STANDS_WELL: Standing = {
  state: 'ok',
  reason: null,
  until: null,
  stated: false,
  probeInFlight: false,
  backoffCallInFlight: false,
};

const DRAINED: Standing = { ...STANDS_WELL, state: 'drained', reason: 'drained' };

/** Drained before cooling before the circuit. Allocates only when something is wrong. */
export function standingOf(target: TargetHealth, now: number): Standing {
  if (target.drained) return DRAINED;
  const { credential, credentialModel, channel } = target;
  if (credential.until > now || credentialModel.until > now) return cooling(target, now);
  const { breaker } = channel;
  const until = breaker.openUntil;
  if (until === null) return STANDS_WELL;
  if (now < until) return { ...STANDS_WELL, state: 'open', until };
  return { ...STANDS_WELL, state: 'half_open', until, probeInFlight: breaker.probe.busy(now) };
}

/** The rest that rules: a fault no backoff heals before a backoff, else the one that ends later. Null = none. */
export function rulingRest(target: TargetHealth, now: number): Cooldown | null {
  const { credential, credentialModel } = target;
  if (!credential.active(now)) return credentialModel.active(now) ? credentialModel : null;
  if (!credentialModel.active(now) || credentialModel.reason === 'cooling_backoff') return credential;
  return credentialModel.until > credential.until ? credentialModel : credential;
}

function cooling(target: TargetHealth, now: number): Standing {
  const rest = rulingRest(target, now)!;
  return {
    state: 'cooling',
    reason: rest.reason,
    until: Math.max(target.credential.until, target.credentialModel.until),
    stated: rest.stated,
    probeInFlight: false,
    backoffCallInFlight: rest.reason === 'cooling_backoff' && target.channel.backoffCall.busy(now),
  };
}
