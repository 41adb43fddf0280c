/** Refusals for money's sake (G-4, H-5), as failures that end a request with their own status. */
import { type Failure, makeFailure } from '../failure.ts';
import { quotedName } from '../quoted-name.ts';

/** 402 `insufficient_balance`: what the next call may cost is more than is left (G-4). */
export function insufficientBalance(workspace: string): Failure {
  return makeFailure({
    class: 'gateway_rejected',
    status: 402,
    code: 'insufficient_balance',
    type: 'permission_error',
    message: `the prepaid balance of the workspace ${quotedName(workspace)} is used up; top it up to go on`,
    phase: 'unsent',
  });
}

/** Until the ledger can be written no money can be held back, so nothing is called. */
export function storeUnavailable(): Failure {
  return makeFailure({
    class: 'gateway_rejected',
    status: 503,
    code: 'store_unavailable',
    type: 'api_error',
    message: 'the balance cannot be written right now, and without that no call is made; try again',
    hint: { ms: 1000, source: 'gateway' },
    phase: 'unsent',
  });
}
