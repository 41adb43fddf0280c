/** Errors as the Messages API words them. */
import type { Fault } from '../dialect.ts';

interface Row {
  readonly type: string;
  readonly message: string;
}

function row(type: string, message: string): Row {
  return { type, message };
}

const BY_STATUS: Readonly<Record<number, Row>> = {
  400: row('invalid_request_error', 'messages: Input should be a valid list'),
  401: row('authentication_error', 'invalid x-api-key'),
  402: row('billing_error', 'Your credit balance is too low to access the API.'),
  403: row('permission_error', 'Your API key does not have permission to use the specified resource.'),
  404: row('not_found_error', 'The requested resource could not be found.'),
  408: row('timeout_error', 'Request timed out.'),
  409: row('conflict_error', 'The request conflicts with another one.'),
  413: row('request_too_large', 'Request exceeds the maximum size'),
  429: row('rate_limit_error', "This request would exceed your account's rate limit. Please try again later."),
  500: row('api_error', 'Internal server error'),
  503: row('overloaded_error', 'Overloaded'),
  504: row('timeout_error', 'Request timed out.'),
  529: row('overloaded_error', 'Overloaded'),
};

export const REQUEST_ID = 'req_sim';

/** The error object as JSON text. */
export function errorBody(fault: Fault): string {
  return JSON.stringify({ type: 'error', error: errorOf(fault), request_id: REQUEST_ID });
}

/** A code that is not one of the API's types goes into the details. */
function errorOf({ status, message, code }: Fault): object {
  const usual = BY_STATUS[status] ?? fallback(status);
  return {
    type: usual.type,
    message: message ?? usual.message,
    details: code === undefined || code === usual.type ? null : { error_code: code },
  };
}

function fallback(status: number): Row {
  return status >= 500
    ? row('api_error', 'Internal server error')
    : row('invalid_request_error', 'The request was refused.');
}

/** Headers that come with an error. */
export function errorHeaders({ status, retryAfterS }: Fault): Record<string, string> {
  const named = { 'request-id': REQUEST_ID };
  if (status === 401 || status === 403) return { ...named, 'x-should-retry': 'false' };
  if (status !== 429) return named;
  return {
    ...named,
    'x-should-retry': 'true',
    'retry-after': String(retryAfterS ?? 1),
    'anthropic-ratelimit-requests-limit': '60',
    'anthropic-ratelimit-requests-remaining': '0',
  };
}
