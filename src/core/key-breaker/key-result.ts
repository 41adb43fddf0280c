/** How one ended request counts for its key (G-6). Pure. */
import type { Ending, Outcome } from '../record.ts';

/** Null of `keyResult` = it does not count at all. */
export type KeyResult = 'success' | 'caller_fault' | 'upstream_fault';

/** What the record of a request says of its end. */
export interface EndedRequest {
  /** As decided for the client. */
  readonly status: number;
  readonly ending: Ending;
  readonly outcome: Outcome;
  readonly error_code: string | null;
}

/**
 * A conflict, a client that left and an upstream at its limit say nothing about the key; what is refused because the key
 * rests must not prolong the rest; a gateway that stops, or whose store is away, is neither the caller's fault nor an upstream's.
 */
const NOT_COUNTED: ReadonlySet<string> = new Set([
  'rate_limited',
  'api_key_suspended',
  'api_key_banned',
  'draining',
  'gateway_restarted',
  'store_unavailable',
]);

/** Null = it says nothing about the key (G-6). */
export function keyResult(ended: EndedRequest): KeyResult | null {
  const { status, ending, outcome, error_code: code } = ended;
  if (ending === 'client_closed' || status === 409 || status === 499) return null;
  if (code !== null && NOT_COUNTED.has(code)) return null;
  if (code === null && status < 400 && ending !== 'interrupted' && ending !== 'failed') return 'success';
  return outcome === 'client_error' || outcome === 'safety_refusal' ? 'caller_fault' : 'upstream_fault';
}
