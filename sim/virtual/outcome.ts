/** What a scripted target does with one call. */
import type { RefusalReason } from '../../src/core/failover/machine.ts';
import { type Failure, type FailureInit, makeFailure } from '../../src/core/failure.ts';

export type Outcome =
  /** First content after `afterMs`, the end `restMs` later. */
  | { readonly kind: 'answer'; readonly afterMs: number; readonly restMs: number }
  /** A whole answer that says nothing, was filtered, or refuses. */
  | { readonly kind: 'odd-answer'; readonly content: 'refusal' | 'filtered' | 'empty'; readonly afterMs: number }
  /** A whole answer of so many bytes that its length cut off; more can be had if `extendTo` says so (D-5). */
  | { readonly kind: 'truncated'; readonly afterMs: number; readonly length: number; readonly extendTo: number | null }
  /** `bare`: it rejects opaque reasoning that went along. */
  | { readonly kind: 'fail'; readonly failure: Failure; readonly afterMs: number; readonly bare?: true }
  /** Content, then the stream breaks. */
  | { readonly kind: 'break'; readonly failure: Failure; readonly afterMs: number; readonly restMs: number }
  /** Nothing ever comes: a timeout ends it. */
  | { readonly kind: 'hang' }
  /** The client goes away while the target is working. */
  | { readonly kind: 'leave'; readonly afterMs: number; readonly detach: boolean }
  /** Admission says no. */
  | { readonly kind: 'refuse'; readonly reason: RefusalReason; readonly failure: Failure | null };

type Failing = Extract<Outcome, { readonly kind: 'fail' }>;

export function failing(init: Partial<FailureInit> & Pick<FailureInit, 'class'>, afterMs = 100): Failing {
  return { kind: 'fail', failure: makeFailure({ message: `${init.class} upstream`, ...init }), afterMs };
}

const CUT: FailureInit = {
  class: 'server_error',
  message: 'connection lost',
  maybeExecuted: true,
  connectionLost: true,
  phase: 'body',
};

/** Every kind of outcome by name; what a class shares its row with is here once, the rest in `MORE_OUTCOMES`. */
export const OUTCOMES = {
  ok: { kind: 'answer', afterMs: 200, restMs: 300 },
  rate_limit_short: failing({ class: 'rate_limit', status: 429, hint: { ms: 1000, source: 'header:retry-after' } }),
  rate_limit_long: failing({ class: 'rate_limit', status: 429, hint: { ms: 30_000, source: 'header:retry-after' } }),
  server_error: failing({ class: 'server_error', status: 500 }),
  connection_error: failing({ class: 'connection_error', phase: 'unsent' }),
  hang: { kind: 'hang' },
  cut: failing(CUT),
  auth: failing({ class: 'auth', status: 401 }),
  quota: failing({ class: 'quota_exhausted', status: 429 }),
  context_length: failing({ class: 'context_length', status: 400 }),
  content_policy: failing({ class: 'content_policy', status: 400 }),
  invalid_request: failing({ class: 'invalid_request', status: 400 }),
  rejects_opaque: { ...failing({ class: 'invalid_request', status: 400, shouldRetry: false }), bare: true },
  broken_stream: { kind: 'break', failure: makeFailure(CUT), afterMs: 200, restMs: 100 },
  client_leaves: { kind: 'leave', afterMs: 150, detach: false },
  refused_limit: { kind: 'refuse', reason: 'limit', failure: null },
  refused_circuit: { kind: 'refuse', reason: 'circuit_open', failure: null },
  refused_for_good: {
    kind: 'refuse',
    reason: 'guardrail',
    failure: makeFailure({ class: 'gateway_rejected', status: 402, code: 'insufficient_balance', message: 'empty' }),
  },
  empty: { kind: 'odd-answer', content: 'empty', afterMs: 120 },
  truncated: { kind: 'truncated', afterMs: 160, length: 400, extendTo: 200 },
} as const satisfies Record<string, Outcome>;

/** The others: same row or same way as one above, so only the random runs draw them. */
export const MORE_OUTCOMES = {
  rate_limit_bare: failing({ class: 'rate_limit', status: 429 }),
  overloaded: failing({ class: 'overloaded', status: 529, hint: { ms: 2000, source: 'header:retry-after' } }),
  malformed: failing({ class: 'malformed', status: 200, maybeExecuted: true, phase: 'body' }),
  forbids_retry: failing({ class: 'server_error', status: 503, shouldRetry: false }),
  connect_timeout: failing({ class: 'timeout', connectTimeout: true, phase: 'unsent' }, 2000),
  upstream_timeout: failing({ class: 'timeout', status: 504, maybeExecuted: true }, 40_000),
  permission: failing({ class: 'permission', status: 403 }),
  model_not_found: failing({ class: 'model_not_found', status: 404 }),
  unsupported: failing({ class: 'unsupported', status: 400 }),
  payload_too_large: failing({ class: 'payload_too_large', status: 413 }),
  generation_rejected: failing({ class: 'generation_rejected', status: 400, code: 'upstream_rejected' }),
  auth_as_500: failing({ class: 'auth', status: 500 }),
  refusal: { kind: 'odd-answer', content: 'refusal', afterMs: 180 },
  filtered: { kind: 'odd-answer', content: 'filtered', afterMs: 90 },
  client_detaches: { kind: 'leave', afterMs: 90, detach: true },
  refused_budget: { kind: 'refuse', reason: 'retry_budget', failure: null },
  refused_probe: { kind: 'refuse', reason: 'probe_in_flight', failure: null },
  refused_cooling: { kind: 'refuse', reason: 'cooling_rate_limit', failure: null },
  truncated_longer: { kind: 'truncated', afterMs: 170, length: 800, extendTo: 200 },
  truncated_at_limit: { kind: 'truncated', afterMs: 150, length: 400, extendTo: null },
  slow_ok: { kind: 'answer', afterMs: 50_000, restMs: 10_000 },
} as const satisfies Record<string, Outcome>;
