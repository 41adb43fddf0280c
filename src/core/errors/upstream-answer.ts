/** E-1: what the client gets of one upstream failure: its own status and words where they are fit to be passed on. */
import type { Failure, FailureClass } from '../failure.ts';
import { ERROR_CATALOGUE, type ErrorCode, gatewayError } from './catalogue.ts';
import type { GatewayError, GatewayErrorExtra } from './gateway-error.ts';
import { maskIdentifiers } from './mask-identifiers.ts';

interface OwnWords {
  /** Used where the upstream named no code. */
  readonly code: ErrorCode;
  /** Used where there is no upstream status that is an error. */
  readonly status: number;
  readonly message: string;
}

const BAD_REQUEST = 'the upstream rejected the request as invalid; correct it before sending it again';

/** Status and words of a class by itself (E-1). */
const OWN: Readonly<Record<FailureClass, OwnWords>> = {
  connection_error: own('upstream_connection_error', 502, 'the upstream could not be reached; try again later'),
  timeout: own('upstream_timeout', 504, 'the upstream did not answer in time; try again later'),
  rate_limit: own('rate_limited', 429, 'the upstream limits the rate of requests; back off before the next one'),
  quota_exhausted: own('insufficient_quota', 429, "the upstream account's quota is used up"),
  overloaded: own('upstream_overloaded', 503, 'the upstream has no capacity right now; back off and try again'),
  server_error: own('upstream_error', 502, 'the upstream failed; try again later'),
  malformed: own('upstream_malformed', 502, 'the upstream answered something that is no answer; try again later'),
  auth: own('upstream_credentials_rejected', 502, ''),
  permission: own('upstream_credentials_rejected', 502, ''),
  model_not_found: own('model_not_found', 404, 'the upstream does not know this model; choose another one'),
  context_length: own('context_length_exceeded', 400, 'the input is too long for this model; shorten it'),
  content_policy: own('content_policy_violation', 400, 'the provider refused the content; change the input'),
  invalid_request: own('invalid_parameter', 400, BAD_REQUEST),
  unsupported: own('unsupported_model_input', 400, 'the upstream does not support what the request asks for'),
  payload_too_large: own('request_too_large', 413, 'the request is too large for the upstream; make it smaller'),
  generation_rejected: own('upstream_error', 502, 'the upstream rejected the generation'),
  gateway_rejected: own('invalid_parameter', 400, 'the gateway rejected the request'),
  client_closed: own('internal_error', 499, 'the client went away'),
  empty: own('empty_completion', 502, 'the upstream answered without any content; try again'),
};

function own(code: ErrorCode, status: number, message: string): OwnWords {
  return { code, status, message };
}

/** Its own key was fine: the client must not take this for a fault of its key, nor see the upstream's words about it. */
const CREDENTIALS_REJECTED =
  "the upstream rejected the gateway's credential for this model; the operator has to correct it, your key is fine";

/** Longest code, type or parameter passed on: they are identifiers, not texts. */
const LONGEST_NAME = 200;

function looksLikeMarkup(text: string): boolean {
  return /<\s*(!doctype|html|head|body|title)\b/i.test(text);
}

function named(text: string | null): string | null {
  if (text === null || text === '' || looksLikeMarkup(text)) return null;
  return maskIdentifiers(text.slice(0, LONGEST_NAME));
}

function typeFor(status: number, code: string): string {
  if (Object.hasOwn(ERROR_CATALOGUE, code) && ERROR_CATALOGUE[code as ErrorCode].status === status) {
    return ERROR_CATALOGUE[code as ErrorCode].type;
  }
  if (status === 429) return 'rate_limit_error';
  if (status === 401) return 'authentication_error';
  if (status === 403) return 'permission_error';
  // A timeout is the upstream's, whatever its status says of the request.
  return status >= 400 && status < 500 && status !== 408 ? 'invalid_request_error' : 'upstream_error';
}

/** Connection lost after sending is class server_error without a status: the connection is what failed. */
function ownWords(failure: Failure): OwnWords {
  if (failure.class === 'server_error' && failure.status === null) {
    return own('upstream_connection_error', 502, 'the connection to the upstream was lost; try again later');
  }
  return OWN[failure.class];
}

function words(failure: Failure, fallback: string): string {
  const said = failure.message.trim();
  return said === '' || looksLikeMarkup(said) ? fallback : maskIdentifiers(said);
}

/** Classes whose status and code are the gateway's, whatever the upstream said. */
const OUR_STATUS: ReadonlySet<FailureClass> = new Set(['quota_exhausted', 'malformed', 'empty']);

/** One failure as the client gets it; `extra` adds attempts and what is known of a return. */
export function upstreamAnswer(failure: Failure, extra: GatewayErrorExtra = {}): GatewayError {
  if (failure.class === 'auth' || failure.class === 'permission') {
    return gatewayError('upstream_credentials_rejected', CREDENTIALS_REJECTED, extra);
  }
  const mine = ownWords(failure);
  const message = words(failure, mine.message);
  const param = named(failure.param);
  if (OUR_STATUS.has(failure.class)) return gatewayError(mine.code, message, { param, ...extra });
  const status = failure.status !== null && failure.status >= 400 ? failure.status : mine.status;
  const code = named(failure.code) ?? mine.code;
  const type = named(failure.type) ?? typeFor(status, code);
  return { ...gatewayError(mine.code, message), status, code, type, param, ...extra };
}
