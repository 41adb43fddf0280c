/** Errors in this dialect's shape (E-1 to E-5, D-3, D-7, T-4). */
import type { GatewayError } from '../../core/errors/gateway-error.ts';
import { jsonBytes, utf8 } from '../bytes/text.ts';
import type { RenderedError } from '../contract.ts';

// Official clients misbehave when told to wait longer (D-3).
const MAX_RETRY_AFTER_MS = 60_000;
// The last instant a date can name.
const MAX_INSTANT = 8.64e15;

export const KEEP_ALIVE: Uint8Array = utf8('event: ping\ndata: {"type":"ping"}\n\n');

/** The dialect's words by HTTP status; clients branch on them. */
const TYPE_OF_STATUS: ReadonlyMap<number, string> = new Map([
  [400, 'invalid_request_error'],
  [401, 'authentication_error'],
  [402, 'billing_error'],
  [403, 'permission_error'],
  [404, 'not_found_error'],
  [408, 'timeout_error'],
  [409, 'conflict_error'],
  [413, 'request_too_large'],
  [429, 'rate_limit_error'],
  [503, 'overloaded_error'],
  [504, 'timeout_error'],
  [529, 'overloaded_error'],
]);

/** Types that say more than the status they came with: an upstream's own stay (E-1). */
const TELLING: ReadonlySet<string> = new Set([
  'billing_error',
  'not_found_error',
  'conflict_error',
  'request_too_large',
  'timeout_error',
  'overloaded_error',
]);

export function renderError(error: GatewayError, requestId: string, _classic: boolean, wallNow: number): RenderedError {
  return {
    status: error.status,
    headers: {
      'content-type': 'application/json',
      'request-id': requestId,
      'x-should-retry': error.shouldRetry ? 'true' : 'false',
      ...retryHeaders(error.retryAt, wallNow),
    },
    body: jsonBytes(errorBody(error, requestId)),
  };
}

/** One error event; the stream ends after it without `message_stop`. */
export function streamError(error: GatewayError, requestId: string): Uint8Array {
  return utf8(`event: error\ndata: ${JSON.stringify(errorBody(error, requestId))}\n\n`);
}

function errorBody(error: GatewayError, requestId: string): Record<string, unknown> {
  return {
    type: 'error',
    error: {
      type: typeOf(error),
      message: error.message,
      code: error.code,
      ...(error.param === null ? {} : { param: error.param }),
      ...(error.code === null ? {} : { details: { error_code: error.code } }),
      ...(error.attempts === null ? {} : { attempts: error.attempts }),
      ...(error.retryAt === null ? {} : { retry_at: instant(error.retryAt) }),
      ...(error.budget === null ? {} : { budget: error.budget }),
      ...(error.maybeExecuted === null ? {} : { maybe_executed: error.maybeExecuted }),
    },
    request_id: requestId,
  };
}

function typeOf({ type, status }: GatewayError): string {
  if (TELLING.has(type)) return type;
  return TYPE_OF_STATUS.get(status) ?? (status >= 500 ? 'api_error' : 'invalid_request_error');
}

/** D-3: `Retry-After` = min(true wait rounded up, 60) seconds, at least 1; the same wait in ms beside it. */
function retryHeaders(retryAt: number | null, wallNow: number): Record<string, string> {
  if (retryAt === null) return {};
  const wait = Math.min(Math.max(Math.ceil(retryAt - wallNow), 1), MAX_RETRY_AFTER_MS);
  return { 'retry-after': String(Math.ceil(wait / 1000)), 'retry-after-ms': String(wait) };
}

function instant(wall: number): string {
  return new Date(Math.min(wall, MAX_INSTANT)).toISOString();
}
