/** When E-4's ladder is climbed: everything was tried and failed, and nobody but time can mend it. */
import type { FailoverState } from '../failover/machine.ts';
import type { FailureClass } from '../failure.ts';

/** The caller has to correct the request, or the operator the configuration: an answer in its place would hide that. */
const TO_CORRECT: ReadonlySet<FailureClass> = new Set([
  'invalid_request',
  'unsupported',
  'payload_too_large',
  'context_length',
  'content_policy',
  'generation_rejected',
  'gateway_rejected',
  'auth',
  'permission',
  'model_not_found',
]);

/** Codes of a chain at rest (P-4) that waiting heals; the others name something to correct. */
const HEALING_RESTS: ReadonlySet<string | null> = new Set(['rate_limited', 'insufficient_quota']);

/**
 * E-4 stands in for E-1 and E-2: everything failed, or a budget ended it (D-4). A stop at the first model is told as it is
 * (E-3), and so is what only the caller or the operator can correct, an unknown outcome (strict), a client that left.
 * `code`: of the error the request would end with.
 */
export function climbs(state: FailoverState, code: string | null): boolean {
  switch (state.verdict?.kind) {
    case 'exhausted':
      return state.history.length === 0 ? HEALING_RESTS.has(code) : anyHeals(state);
    case 'all_resting':
      return HEALING_RESTS.has(code);
    case 'retry_exhausted':
      // Without an attempt no price was known or nothing could be paid: another day brings the same.
      return state.history.length > 0 && anyHeals(state);
    case 'stopped':
      // E-3: at a later model it is told as E-2, for what failed before.
      return code === 'all_models_failed' && anyHeals(state);
    default:
      return false;
  }
}

/** One failure at least is the upstream's, or a model was left out because it rests. */
function anyHeals(state: FailoverState): boolean {
  const failed = state.history.some(
    ({ result, failure }) => result === 'failed' && failure !== null && !TO_CORRECT.has(failure.class),
  );
  return failed || state.skippedModels.some(({ reason }) => RESTS.has(reason));
}

const RESTS: ReadonlySet<string> = new Set([
  'limit',
  'cooling_rate_limit',
  'cooling_quota',
  'cooling_backoff',
  'drained',
  'circuit_open',
  'entitlement_unavailable',
]);
