/** What the store's refusals are to whoever asked for a change (H-5). */
import { ClientError, gatewayError } from '../core/errors/catalogue.ts';
import { ObjectConflict, StateStoreUnavailable } from '../ports/object-store.ts';
import { SealKeyError } from '../ports/sealer.ts';

/** A `ClientError` for what waiting or asking again heals; anything else as it is. */
export function storeRefusal(error: unknown): unknown {
  if (error instanceof StateStoreUnavailable) {
    const message = `Nothing was changed: ${error.message}. Try again in a moment.`;
    return new ClientError(gatewayError('store_unavailable', message, { shouldRetry: true }));
  }
  if (error instanceof SealKeyError) {
    const message = `Nothing was changed: the secret cannot be sealed: ${error.message}.`;
    return new ClientError(gatewayError('store_unavailable', message));
  }
  if (error instanceof ObjectConflict) return conflict('Somebody else changed the object meanwhile; look again.');
  return error;
}

export function conflict(message: string): ClientError {
  return new ClientError(gatewayError('conflict', message));
}
