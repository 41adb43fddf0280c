/** H-5 on the admin plane: a store that can't be used is 503, whatever was asked of it. */
import { ClientError, gatewayError } from '../../core/errors/catalogue.ts';
import { StateStoreUnavailable } from '../../ports/object-store.ts';

export async function fromStore<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof StateStoreUnavailable)) throw error;
    const message = `The store cannot be used: ${error.message}. Try again in a moment.`;
    throw new ClientError(gatewayError('store_unavailable', message, { shouldRetry: true }));
  }
}
