/**
 * Every error code the gateway itself sends: status, OpenAI-style type and what it means. The one table; the docs are
 * generated from it (E-5).
 */
import type { GatewayError, GatewayErrorExtra } from './gateway-error.ts';

interface CatalogueRow {
  readonly status: number;
  readonly type: string;
  /** For the docs: when it is sent and what to do. */
  readonly meaning: string;
}

function row(status: number, type: string, meaning: string): CatalogueRow {
  return { status, type, meaning };
}

const INVALID = 'invalid_request_error';

export const ERROR_CATALOGUE = {
  missing_api_key: row(401, 'authentication_error', 'No client key was sent. Send `Authorization: Bearer KEY`.'),
  invalid_api_key: row(401, 'authentication_error', 'The client key is unknown, expired or revoked, or two were sent.'),
  invalid_json: row(400, INVALID, 'The body is not one JSON object, or names a top-level key twice (C-4).'),
  missing_required_parameter: row(400, INVALID, 'A field the endpoint needs is absent; `param` names it.'),
  invalid_parameter: row(400, INVALID, 'A field has the wrong type or value; `param` names it.'),
  invalid_chain: row(400, INVALID, 'The chain of models breaks C-2: too long, empty, or both kinds at once.'),
  invalid_redundancy: row(
    400,
    INVALID,
    'A `redundancy` field is unknown or out of range, or its header is no JSON (C-4).',
  ),
  ambiguous_model: row(400, INVALID, 'Several enabled models end in this name; use the full id (C-9).'),
  not_available: row(400, INVALID, 'A valid option or endpoint that is not built yet; it is never ignored.'),
  unsupported_model_api: row(400, INVALID, 'The model does not serve this endpoint (P-6).'),
  unsupported_model_input: row(
    400,
    INVALID,
    'The model does not take an input or feature of this request (P-6), or its provider says so.',
  ),
  unsupported_state: row(
    400,
    INVALID,
    'The request names state that lives at an upstream account, such as `file_id`, and it is not known whose (P-8).',
  ),
  invalid_idempotency_key: row(400, INVALID, 'The Idempotency-Key is not 1–255 visible ASCII characters (I-1).'),
  idempotency_key_reused: row(
    422,
    INVALID,
    'The Idempotency-Key stands for another request (I-5). Use a key of its own.',
  ),
  request_in_progress: row(
    409,
    INVALID,
    'A request under this Idempotency-Key is still running, and `on_duplicate` is `reject` (I-6). Ask again.',
  ),
  key_attempts_exhausted: row(
    409,
    INVALID,
    'The Idempotency-Key has cost all the upstream calls it may (I-7). The message tells the last failure.',
  ),
  result_not_stored: row(
    409,
    INVALID,
    'The request under this Idempotency-Key succeeded; its answer is not kept: too large, or unreadable (I-4).',
  ),
  model_not_found: row(404, INVALID, 'No model of this name is configured (C-9).'),
  not_found: row(404, INVALID, 'No such path or object.'),
  method_not_allowed: row(405, INVALID, 'The path exists, not with this method; see `Allow`.'),
  request_too_large: row(413, INVALID, 'The body is larger than `server.body_limit`.'),
  unsupported_media_type: row(415, INVALID, 'The body is not `application/json`, or its encoding is unknown.'),
  guardrail_blocked: row(
    403,
    'permission_error',
    'A guardrail of the workspace forbids the model, or every channel of it (G-2).',
  ),
  api_key_banned: row(
    403,
    'permission_error',
    'This key was suspended too often and is banned until an admin lifts it (G-6).',
  ),
  permission_denied: row(403, 'permission_error', 'Your role does not allow this; ask an admin (G-8).'),
  insufficient_balance: row(402, 'permission_error', "The workspace's prepaid balance is used up (G-4). Top it up."),
  api_key_suspended: row(
    429,
    'rate_limit_error',
    'Nearly all recent requests of this key failed; it rests until `Retry-After` is over (G-6).',
  ),
  key_rate_limited: row(
    429,
    'rate_limit_error',
    'The key or its workspace is over its requests, tokens per minute, or concurrency (G-11).',
  ),
  token_budget_exceeded: row(
    429,
    'rate_limit_error',
    'The key or its workspace has used up its tokens or spend of the period (G-11).',
  ),
  sign_in_delayed: row(
    429,
    'rate_limit_error',
    'Too many sign-ins to the console have failed; the next one is taken at `retry_at` (G-8).',
  ),
  conflict: row(
    409,
    INVALID,
    'The object exists already, was changed meanwhile, or belongs to the configuration file.',
  ),
  model_not_allowed: row(403, 'permission_error', 'This key may not call this model (G-3, G-11).'),
  rate_limited: row(429, 'rate_limit_error', 'Every target of the chain rests (P-4); come back at `retry_at`.'),
  insufficient_quota: row(429, 'rate_limit_error', 'The upstream account is out of credit or quota (E-1).'),
  all_models_failed: row(502, 'upstream_error', 'Every model of the chain failed (E-2); see `attempts`.'),
  retry_exhausted: row(502, 'upstream_error', 'A budget ended the request with targets left; see `budget` (D-4).'),
  upstream_connection_error: row(502, 'upstream_error', 'The upstream could not be reached (E-1).'),
  upstream_timeout: row(504, 'upstream_error', 'The upstream did not answer in time (E-1).'),
  upstream_malformed: row(502, 'upstream_error', 'The upstream answered something that is no answer (E-1).'),
  upstream_error: row(502, 'upstream_error', 'The upstream failed without a code of its own (E-1).'),
  upstream_overloaded: row(503, 'upstream_error', 'The upstream has no capacity (E-1).'),
  upstream_credentials_rejected: row(
    502,
    'upstream_error',
    "The operator's credential was refused upstream; the client key is fine (E-1).",
  ),
  upstream_outcome_unknown: row(
    504,
    'upstream_error',
    'Policy strict: the call may have been executed and is not repeated. Check before you send it again.',
  ),
  empty_completion: row(502, 'upstream_error', 'The answer had no content and `on` names `empty` (F-5).'),
  content_policy_violation: row(400, INVALID, 'The provider refused the content (F-5).'),
  context_length_exceeded: row(400, INVALID, 'The input is too long for the model.'),
  stream_interrupted: row(502, 'upstream_error', 'The stream broke off after content was sent (T-4). Not complete.'),
  draining: row(503, 'api_error', 'This gateway is shutting down; try again at once.'),
  gateway_restarted: row(503, 'api_error', 'The gateway stopped while this request ran.'),
  store_unavailable: row(503, 'api_error', 'The store cannot be written (H-5).'),
  entitlement_unavailable: row(
    503,
    'api_error',
    'Every target needs a signed token, and the gateway has no key to sign one (G-5).',
  ),
  service_busy: row(
    503,
    'api_error',
    'Everything failed, and the request asked to be told so plainly (E-4); see `Retry-After`.',
  ),
  internal_error: row(500, 'api_error', 'A fault of the gateway itself; report it with the request id.'),
} as const satisfies Record<string, CatalogueRow>;

export type ErrorCode = keyof typeof ERROR_CATALOGUE;

/** Builds an error from the catalogue; `extra` overrides status and details. */
export function gatewayError(code: ErrorCode, message: string, extra: GatewayErrorExtra = {}): GatewayError {
  const known = ERROR_CATALOGUE[code];
  return {
    status: known.status,
    type: known.type,
    code,
    message,
    param: null,
    attempts: null,
    retryAt: null,
    budget: null,
    maybeExecuted: null,
    shouldRetry: false,
    ...extra,
  };
}

/** Thrown inside server and config code for expected client errors; caught in one funnel and rendered. */
export class ClientError extends Error {
  readonly error: GatewayError;
  constructor(error: GatewayError) {
    super(error.message);
    this.error = error;
  }
}
