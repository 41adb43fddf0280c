/** Errors in OpenAI's shape. */
import type { Fault } from '../dialect.ts';

interface Row {
  readonly message: string;
  readonly type: string;
  readonly code: string | null;
}

function row(message: string, type: string, code: string | null = null): Row {
  return { message, type, code };
}

/** The one code that is a type as well. */
const OUT_OF_MONEY = 'insufficient_quota';
const INVALID = 'invalid_request_error';

const BY_STATUS: Readonly<Record<number, Row>> = {
  400: row("Invalid value for 'messages'.", INVALID, 'invalid_value'),
  401: row('Incorrect API key provided.', INVALID, 'invalid_api_key'),
  402: row('Insufficient balance.', 'billing_error', 'insufficient_balance'),
  403: row('You are not allowed to use this model.', 'permission_error', 'permission_denied'),
  404: row('The model does not exist or you do not have access to it.', INVALID, 'model_not_found'),
  408: row('The request timed out.', 'timeout'),
  409: row('The request conflicts with another one.', INVALID, 'conflict'),
  413: row('The request is too large.', INVALID, 'request_too_large'),
  415: row('Unsupported media type.', INVALID),
  422: row('The request could not be processed.', INVALID, 'unprocessable_entity'),
  429: row('Rate limit reached. Please try again later.', 'requests', 'rate_limit_exceeded'),
  500: row('The server had an error while processing your request.', 'server_error'),
  503: row('The engine is currently overloaded, please try again later.', 'server_error', 'overloaded'),
  529: row('Overloaded', 'overloaded_error', 'overloaded_error'),
};

/** The error object as JSON text. */
export function errorBody(fault: Fault): string {
  const { message, type: usual, code } = rowOf(fault.status);
  const type = fault.code === OUT_OF_MONEY ? OUT_OF_MONEY : usual;
  return JSON.stringify({
    error: { message: fault.message ?? message, type, param: fault.param ?? null, code: fault.code ?? code },
  });
}

/** Headers that come with a status. */
export function errorHeaders({ status, retryAfterS }: Fault): Record<string, string> {
  if (status !== 429) return {};
  return {
    'retry-after': String(retryAfterS ?? 1),
    'x-ratelimit-limit-requests': '60',
    'x-ratelimit-remaining-requests': '0',
    'x-ratelimit-reset-requests': '1s',
  };
}

function rowOf(status: number): Row {
  const fallback = status >= 500 ? row('Internal error.', 'server_error') : row('The request was refused.', INVALID);
  return BY_STATUS[status] ?? fallback;
}
