/** What a request under an idempotency key is refused with (I-4 to I-8, H-5). */
import { gatewayError } from '../../core/errors/catalogue.ts';
import type { GatewayError } from '../../core/errors/gateway-error.ts';
import { type Failure, makeFailure } from '../../core/failure.ts';
import type { StoredFailure } from '../../core/idempotency/key-row.ts';

const SOON_MS = 1000;

export function keyReused(): GatewayError {
  const message =
    'this Idempotency-Key stands for another request: send the same body as before, or use a key of its own';
  return gatewayError('idempotency_key_reused', message, { param: 'Idempotency-Key' });
}

/** @param wall wall ms */
export function inProgress(wall: number): GatewayError {
  const message = 'a request under this Idempotency-Key is still running; send it again to get its result';
  return gatewayError('request_in_progress', message, { shouldRetry: true, retryAt: wall + SOON_MS });
}

export function attemptsSpent(failure: StoredFailure): GatewayError {
  const told = failure.code === '' ? '' : `${failure.code}: `;
  const message = `all upstream calls this Idempotency-Key may cost are used up; use a new key to try again. The last failure was ${failure.status} ${told}${failure.message}`;
  return gatewayError('key_attempts_exhausted', message);
}

export function resultNotStored(): GatewayError {
  const message =
    'the request under this Idempotency-Key succeeded, but its answer is no longer kept; use a new key to run it again';
  return gatewayError('result_not_stored', message);
}

/** @param wall wall ms */
export function ledgerUnavailable(wall: number): GatewayError {
  const message =
    'the idempotency ledger cannot be written right now, so that nothing can be promised under a key; send the request again';
  return gatewayError('store_unavailable', message, { shouldRetry: true, retryAt: wall + SOON_MS });
}

/** I-8: the answer came, and may not count. @param wall wall ms */
export function roundLost(wall: number): GatewayError {
  const message = 'this answer came after its run had been closed and does not count; send the request again';
  return gatewayError('gateway_restarted', message, { status: 502, shouldRetry: true, retryAt: wall + SOON_MS });
}

/** T-5: it ended without saying that it was finished. */
export function neverFinished(): GatewayError {
  const message = 'the answer ended without a finish reason; what was received may not be complete';
  return gatewayError('stream_interrupted', message);
}

/** T-4: the disk that holds an answer for all who wait could not take more of it. */
export function spoolLost(): GatewayError {
  const message = 'the answer broke off: the gateway has no room to hold more of it; what was received is not complete';
  return gatewayError('stream_interrupted', message);
}

export function processStopped(): GatewayError {
  const message = 'the gateway stopped while this request ran; no answer is complete';
  return gatewayError('gateway_restarted', message);
}

const GIVEN_UP: GatewayError = {
  ...gatewayError(
    'internal_error',
    'everybody who waited for this run has left before it was over; send the request again',
    { status: 499 },
  ),
  code: 'client_closed',
};

/** The run's last client has left, and it ended with that (I-9). For the ledger: whoever comes late runs a new round. */
export function givenUp(): GatewayError {
  return GIVEN_UP;
}

/** Ends a run before an attempt whose start could not be written down: nothing is sent (I-2). */
export function unwritten(lost: boolean): Failure {
  return makeFailure({
    class: 'gateway_rejected',
    status: lost ? 502 : 503,
    code: lost ? 'gateway_restarted' : 'store_unavailable',
    type: 'api_error',
    message: lost
      ? 'this run has been closed, so nothing more is sent for it; send the request again'
      : 'the idempotency ledger cannot be written right now, so that nothing is sent; send the request again',
    hint: { ms: SOON_MS, source: 'gateway' },
    phase: 'unsent',
  });
}
