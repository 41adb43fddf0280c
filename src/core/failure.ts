/**
 * What came back when a call did not: the closed catalogue of failure classes (1-behaviour §4) and the value every
 * layer passes around. Expected failures are values, never exceptions.
 */

/** Failure classes, F table. `empty` is D-12's extra row: a complete answer without content that `on: empty` rejects. */
export const FAILURE_CLASSES = [
  'connection_error',
  'timeout',
  'rate_limit',
  'quota_exhausted',
  'overloaded',
  'server_error',
  'malformed',
  'auth',
  'permission',
  'model_not_found',
  'context_length',
  'content_policy',
  'invalid_request',
  'unsupported',
  'payload_too_large',
  'generation_rejected',
  'gateway_rejected',
  'client_closed',
  'empty',
] as const;
export type FailureClass = (typeof FAILURE_CLASSES)[number];

/** The four literal triggers of a chain (F-4). */
export const TRIGGERS = ['connection_error', 'server_error', 'rate_limit', 'timeout'] as const;
export type Trigger = (typeof TRIGGERS)[number];

/** Classes that `on` may name to turn a stop into another model (C-4). `auth` covers `permission` too. */
export const OPT_IN_CLASSES = ['auth', 'model_not_found', 'context_length', 'content_policy', 'empty'] as const;
export type OptInClass = (typeof OPT_IN_CLASSES)[number];

/** Everything `on` may name. */
export type OnEntry = Trigger | OptInClass;

/** How far the attempt had got. `committed` = after the first content went to the client. */
export type Phase = 'unsent' | 'sent' | 'headers' | 'body' | 'committed';

/** Whose fault it is, hence what rests or is skipped (D-2, H-1). */
export type FaultScope = 'request' | 'credential_model' | 'credential' | 'channel';

/** A wait the upstream stated. `ms` from now, `source` as in the vectors: `header:retry-after`, `body:text`, … */
export interface Hint {
  readonly ms: number;
  readonly source: string;
}

/** One failed attempt, classified (F-1, F-2). Already masked: safe to log and to show (E-5). */
export interface Failure {
  readonly class: FailureClass;
  /** The class's trigger plus the literal ones of F-4. */
  readonly triggers: readonly Trigger[];
  /** Upstream HTTP status; null when there was no answer. */
  readonly status: number | null;
  /** The provider's own error code, type and parameter, as strings; null when absent. */
  readonly code: string | null;
  readonly type: string | null;
  readonly param: string | null;
  /** Provider's message, masked, at most 2 KiB. */
  readonly message: string;
  /** The provider's request id. Kept in the log only (G-10). */
  readonly requestId: string | null;
  readonly hint: Hint | null;
  /** The upstream's `x-should-retry`. */
  readonly shouldRetry: boolean | null;
  /** The upstream may have done, and charged for, the work (F-2). */
  readonly maybeExecuted: boolean;
  readonly phase: Phase;
  readonly scope: FaultScope;
  /** It rejects reasoning that only its maker can read: without it the request may be good. Absent = it does not. */
  readonly rejectsOpaque?: true;
  /** A connect timeout has class `timeout` but is decided by connection_error's row (D-10, F-6). */
  readonly connectTimeout: boolean;
  /** Rate-limit headers as received, for the log. */
  readonly rateLimitHeaders: Readonly<Record<string, string>> | null;
}

/** The trigger each class carries by itself; opt-in and caller classes have none. */
export const CLASS_TRIGGER: Readonly<Record<FailureClass, Trigger | null>> = {
  connection_error: 'connection_error',
  timeout: 'timeout',
  rate_limit: 'rate_limit',
  quota_exhausted: 'rate_limit',
  overloaded: 'server_error',
  server_error: 'server_error',
  malformed: 'server_error',
  auth: null,
  permission: null,
  model_not_found: null,
  context_length: null,
  content_policy: null,
  invalid_request: null,
  unsupported: null,
  payload_too_large: null,
  generation_rejected: null,
  gateway_rejected: null,
  client_closed: null,
  empty: null,
};

/** Whose fault each class is (D-2, H-1). */
export const CLASS_SCOPE: Readonly<Record<FailureClass, FaultScope>> = {
  connection_error: 'channel',
  timeout: 'channel',
  rate_limit: 'credential_model',
  quota_exhausted: 'credential',
  overloaded: 'channel',
  server_error: 'channel',
  malformed: 'channel',
  auth: 'credential',
  permission: 'credential_model',
  model_not_found: 'credential_model',
  context_length: 'request',
  content_policy: 'request',
  invalid_request: 'request',
  unsupported: 'request',
  payload_too_large: 'request',
  generation_rejected: 'request',
  gateway_rejected: 'request',
  client_closed: 'request',
  empty: 'request',
};

/** F-4: the class's trigger, plus 429 → rate_limit, 5xx → server_error, a lost connection → connection_error. */
export function triggersOf(failureClass: FailureClass, status: number | null, connectionLost: boolean): Trigger[] {
  const found = new Set<Trigger>();
  const own = CLASS_TRIGGER[failureClass];
  if (own !== null) found.add(own);
  if (status === 429) found.add('rate_limit');
  if (status !== null && status >= 500 && status <= 599) found.add('server_error');
  if (connectionLost) found.add('connection_error');
  return [...found];
}

/** The fields a failure needs; the rest has defaults. The one constructor of `Failure`. */
export interface FailureInit extends Partial<Omit<Failure, 'class' | 'message' | 'triggers' | 'scope'>> {
  readonly class: FailureClass;
  readonly message: string;
  /** Reset or lost connection: adds the trigger connection_error (F-4). */
  readonly connectionLost?: boolean;
}

/** Builds a `Failure` with triggers and scope derived from its class. */
export function makeFailure(init: FailureInit): Failure {
  const status = init.status ?? null;
  return {
    class: init.class,
    triggers: triggersOf(init.class, status, init.connectionLost ?? false),
    status,
    code: init.code ?? null,
    type: init.type ?? null,
    param: init.param ?? null,
    message: init.message,
    requestId: init.requestId ?? null,
    hint: init.hint ?? null,
    shouldRetry: init.shouldRetry ?? null,
    maybeExecuted: init.maybeExecuted ?? false,
    phase: init.phase ?? 'headers',
    scope: CLASS_SCOPE[init.class],
    ...(init.rejectsOpaque === true ? { rejectsOpaque: true } : {}),
    connectTimeout: init.connectTimeout ?? false,
    rateLimitHeaders: init.rateLimitHeaders ?? null,
  };
}
