/** Errors as this dialect words them: a numeric code, a status by name, details by type (E-1 to E-5, D-3, D-7, T-4). */
import type { GatewayError } from '../../core/errors/gateway-error.ts';
import { jsonBytes, utf8 } from '../bytes/text.ts';
import type { ClientRequest, ErrorFrame, RenderedError } from '../contract.ts';

// Official SDKs misbehave when told to wait longer (D-3).
const MAX_RETRY_AFTER_MS = 60_000;
// The last instant a date can name; a provider's nonsense must not break the error that reports it.
const MAX_INSTANT = 8.64e15;

/** What the status is called. Clients of this dialect branch on the name and on the number. */
const STATUS_NAMES: Readonly<Record<number, string>> = {
  400: 'INVALID_ARGUMENT',
  401: 'UNAUTHENTICATED',
  402: 'FAILED_PRECONDITION',
  403: 'PERMISSION_DENIED',
  404: 'NOT_FOUND',
  405: 'UNIMPLEMENTED',
  408: 'DEADLINE_EXCEEDED',
  409: 'ABORTED',
  426: 'FAILED_PRECONDITION',
  429: 'RESOURCE_EXHAUSTED',
  499: 'CANCELLED',
  500: 'INTERNAL',
  501: 'UNIMPLEMENTED',
  502: 'UNAVAILABLE',
  503: 'UNAVAILABLE',
  504: 'DEADLINE_EXCEEDED',
  529: 'UNAVAILABLE',
};

const DETAIL = 'type.googleapis.com/google.rpc.';
const DOMAIN = 'understudy';

export function renderError(error: GatewayError, requestId: string, _classic: boolean, wallNow: number): RenderedError {
  const wait = waitMs(error.retryAt, wallNow);
  return {
    status: error.status,
    headers: {
      'content-type': 'application/json; charset=UTF-8',
      'x-should-retry': error.shouldRetry ? 'true' : 'false',
      ...(wait === null ? {} : { 'retry-after': String(Math.ceil(wait / 1000)), 'retry-after-ms': String(wait) }),
    },
    body: jsonBytes({ error: errorObject(error, requestId, wait) }),
  };
}

/** An error in a stream that has shown nothing: a chunk of its own, or the whole array. */
export function streamError(error: GatewayError, requestId: string, request?: ClientRequest): ErrorFrame {
  const text = JSON.stringify({ error: errorObject(error, requestId, null) });
  return utf8(request?.place.form === 'array' ? `[${text}]` : `data: ${text}\n\n`);
}

/** Its clients see an error inside a stream only by a number from 400 to 599 (dialects §5). */
function errorObject(error: GatewayError, requestId: string, wait: number | null): object {
  const code = error.status >= 400 && error.status <= 599 ? error.status : 500;
  const status = STATUS_NAMES[code] ?? (code < 500 ? 'INVALID_ARGUMENT' : 'INTERNAL');
  const details: object[] = [
    {
      '@type': `${DETAIL}ErrorInfo`,
      reason: error.code ?? error.type,
      domain: DOMAIN,
      metadata: metadata(error, requestId),
    },
  ];
  if (wait !== null) details.push({ '@type': `${DETAIL}RetryInfo`, retryDelay: `${wait / 1000}s` });
  if (error.param !== null) {
    const fieldViolations = [{ field: error.param, description: error.message }];
    details.push({ '@type': `${DETAIL}BadRequest`, fieldViolations });
  }
  return { code, message: error.message, status, details };
}

/** Everything else an error says, as texts: the type has no room for other values. */
function metadata(error: GatewayError, requestId: string): Record<string, string> {
  return {
    request_id: requestId,
    type: error.type,
    ...(error.attempts === null ? {} : { attempts: JSON.stringify(error.attempts) }),
    ...(error.retryAt === null ? {} : { retry_at: new Date(Math.min(error.retryAt, MAX_INSTANT)).toISOString() }),
    ...(error.budget === null ? {} : { budget: error.budget }),
    ...(error.maybeExecuted === null ? {} : { maybe_executed: String(error.maybeExecuted) }),
  };
}

/** D-3: min(true wait rounded up, 60 s), at least 1 ms; null = none is known. */
function waitMs(retryAt: number | null, wallNow: number): number | null {
  return retryAt === null ? null : Math.min(Math.max(Math.ceil(retryAt - wallNow), 1), MAX_RETRY_AFTER_MS);
}
