/** What one call's end says about its target (H-1, H-2). */
import type { Failure } from '../failure.ts';
import type { Permit } from './permit.ts';
import type { HealthSettings } from './settings.ts';

/**
 * `neutral`: says nothing about the upstream — the client went away, a hedge was lost, the failure was rehearsed, the
 * call never went out.
 */
export type CallOutcome =
  | { readonly kind: 'success' }
  | { readonly kind: 'failure'; readonly failure: Failure }
  | { readonly kind: 'neutral' };

/** A good answer: resets levels, closes the circuit it probed. */
export function applySuccess(permit: Permit, heldProbe: boolean, now: number, settings: HealthSettings): void {
  const { target, call, epoch } = permit;
  const { breaker } = target.channel;
  target.calls++;
  target.credential.succeeded(call);
  target.credentialModel.succeeded(call);
  if (breaker.epoch !== epoch) return;
  if (heldProbe) breaker.probeSucceeded();
  else if (breaker.closed) breaker.recordSuccess(now, settings.circuit);
}

/** A failure, by its scope. Faults of the request say nothing (H-2). `lastCall`: the newest call that is out. */
export function applyFailure(
  permit: Permit,
  failure: Failure,
  heldProbe: boolean,
  lastCall: number,
  now: number,
  settings: HealthSettings,
): void {
  const { target } = permit;
  if (failure.scope === 'request') return;
  target.calls++;
  target.failures++;
  switch (failure.scope) {
    case 'channel':
      channelFault(permit, failure, heldProbe, now, settings);
      return;
    case 'credential':
    case 'credential_model':
      credentialFault(permit, failure, lastCall, now, settings);
      return;
  }
}

function channelFault(
  { target, epoch }: Permit,
  failure: Failure,
  heldProbe: boolean,
  now: number,
  { circuit }: HealthSettings,
): void {
  const { breaker } = target.channel;
  if (breaker.epoch !== epoch) return;
  if (heldProbe) breaker.probeFailed(now, failure.class, circuit);
  else if (breaker.closed) breaker.recordFault(now, failure.class, circuit);
}

function credentialFault(
  { target, call }: Permit,
  failure: Failure,
  lastCall: number,
  now: number,
  settings: HealthSettings,
): void {
  const { credential, credentialModel } = target;
  const cause = failure.class;
  // A stated wait of nothing is no statement: it would let a throttled key be called again at once.
  const stated = failure.hint !== null && failure.hint.ms > 0 ? failure.hint.ms : null;
  switch (cause) {
    case 'rate_limit':
      if (stated === null) {
        credentialModel.backOff(call, lastCall, now, settings.rateLimit);
      } else {
        const until = now + Math.min(stated, settings.rateLimit.capMs);
        credentialModel.rest({ reason: 'cooling_rate_limit', cause, until, stated: true }, lastCall, now);
      }
      return;
    case 'quota_exhausted': {
      const until = now + (stated === null ? settings.quotaMs : Math.min(stated, settings.quotaCapMs));
      credential.rest({ reason: 'cooling_quota', cause, until, stated: stated !== null }, lastCall, now);
      return;
    }
    case 'auth':
      credential.rest({ reason: 'cooling_auth', cause, until: now + settings.authMs, stated: false }, lastCall, now);
      return;
    case 'permission': {
      const until = now + settings.authMs;
      credentialModel.rest({ reason: 'cooling_permission', cause, until, stated: false }, lastCall, now);
      return;
    }
    case 'model_not_found': {
      const until = now + settings.modelNotFoundMs;
      credentialModel.rest({ reason: 'cooling_model_not_found', cause, until, stated: false }, lastCall, now);
      return;
    }
    default:
      return;
  }
}
