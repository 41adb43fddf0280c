/** What a status means when the body says nothing (F table, F-6). */
import type { FailureClass } from '../failure.ts';

const BY_STATUS: ReadonlyMap<number, FailureClass> = new Map([
  [401, 'auth'],
  [402, 'quota_exhausted'],
  [403, 'permission'],
  [404, 'model_not_found'],
  [408, 'timeout'],
  [412, 'quota_exhausted'],
  [413, 'payload_too_large'],
  [424, 'server_error'],
  [425, 'server_error'],
  [429, 'rate_limit'],
  [499, 'server_error'],
  [503, 'overloaded'],
  [504, 'timeout'],
  [522, 'timeout'],
  [524, 'timeout'],
  [529, 'overloaded'],
]);

/** Class by status alone. Anything outside 400–599 is no answer one can use: malformed. */
export function statusClass(status: number): FailureClass {
  const known = BY_STATUS.get(status);
  if (known !== undefined) return known;
  if (status >= 500 && status <= 599) return 'server_error';
  return status >= 400 && status <= 499 ? 'invalid_request' : 'malformed';
}

// Sent after the request had gone to a server that may have worked on it.
const MAY_HAVE_RUN: ReadonlySet<number> = new Set([408, 504, 520, 524]);

/** F-2 for a status that is no success: `bodyless` = the answer had no body (or only space). */
export function statusMaybeExecuted(status: number, bodyless: boolean): boolean {
  return MAY_HAVE_RUN.has(status) || (bodyless && (status === 502 || status === 503));
}
