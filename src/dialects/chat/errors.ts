/** Errors in the OpenAI shape, and in the classic endpoint's (E-1 to E-5, D-3, D-7, T-4). */
import type { GatewayError } from '../../core/errors/gateway-error.ts';
import { jsonBytes, utf8 } from '../bytes/text.ts';
import type { RenderedError } from '../contract.ts';

// Official SDKs misbehave when told to wait longer (D-3).
const MAX_RETRY_AFTER_MS = 60_000;
// The last instant a date can name; a provider's nonsense must not break the error that reports it.
const MAX_INSTANT = 8.64e15;
const CLASSIC_EXHAUSTED = 'All model attempts failed';

export const KEEP_ALIVE: Uint8Array = utf8(': keep-alive\n\n');

export function renderError(error: GatewayError, requestId: string, classic: boolean, wallNow: number): RenderedError {
  return {
    status: error.status,
    headers: {
      'content-type': 'application/json',
      'x-should-retry': error.shouldRetry ? 'true' : 'false',
      ...retryHeaders(error.retryAt, wallNow),
    },
    body: jsonBytes(classic ? classicBody(error, requestId) : { error: errorObject(error, requestId) }),
  };
}

/** One error event; the stream ends after it without `[DONE]`. */
export function streamError(error: GatewayError, requestId: string): Uint8Array {
  return utf8(`data: ${JSON.stringify({ error: errorObject(error, requestId) })}\n\n`);
}

/** The error as a member of an answer or an event. */
export function errorObject(error: GatewayError, requestId: string): Record<string, unknown> {
  return {
    message: error.message,
    type: error.type,
    code: error.code,
    param: error.param,
    request_id: requestId,
    ...(error.attempts === null ? {} : { attempts: error.attempts }),
    ...(error.retryAt === null ? {} : { retry_at: instant(error.retryAt) }),
    ...(error.budget === null ? {} : { budget: error.budget }),
    ...(error.maybeExecuted === null ? {} : { maybe_executed: error.maybeExecuted }),
  };
}

function classicBody(error: GatewayError, requestId: string): Record<string, unknown> {
  return {
    success: false,
    error: error.code === 'all_models_failed' ? CLASSIC_EXHAUSTED : error.message,
    message: error.message,
    code: error.code,
    request_id: requestId,
    ...(error.attempts === null ? {} : { attempts: error.attempts }),
  };
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
