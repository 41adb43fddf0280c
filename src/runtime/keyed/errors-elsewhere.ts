/** What clients are told of a run that another process had (I-6, I-8, T-4). */
import { gatewayError } from '../../core/errors/catalogue.ts';
import type { GatewayError } from '../../core/errors/gateway-error.ts';
import type { StoredFailure } from '../../core/idempotency/key-row.ts';

/** As the run's own client was told. */
export function errorElsewhere({ status, code, message, told }: StoredFailure): GatewayError {
  const rest = told ?? gatewayError('gateway_restarted', message, { shouldRetry: true });
  return { ...rest, status, code: code === '' ? null : code, message };
}

/** Of a stream that has begun; null = nobody knows how it ended. */
export function interruptedElsewhere(failure: StoredFailure | null): GatewayError {
  const why = failure === null ? 'the run that made it is over' : failure.message;
  const message = `the answer broke off: ${why}; what was received is not complete`;
  return gatewayError(failure?.code === 'gateway_restarted' ? 'gateway_restarted' : 'stream_interrupted', message);
}
