/** What a model is refused with that a guardrail of the workspace forbids: 403 at its turn, and stop (G-2). */
import { type Failure, makeFailure } from '../failure.ts';

/** S0's words, exactly. */
export const GUARDRAIL_BLOCKED = 'Request blocked by guardrail policy';

export function guardrailFailure(): Failure {
  return makeFailure({
    class: 'gateway_rejected',
    status: 403,
    code: 'guardrail_blocked',
    type: 'permission_error',
    message: GUARDRAIL_BLOCKED,
    phase: 'unsent',
  });
}
