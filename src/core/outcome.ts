/**
 * The unified outcome of a request (O-1): six words that mean the same whatever the provider called it. Pure.
 */
import type { FailureClass } from './failure.ts';
import type { Ending, Outcome } from './record.ts';

/** The six, for whoever filters by them. */
export const OUTCOMES = [
  'success',
  'client_error',
  'upstream_rate_limited',
  'upstream_unavailable',
  'network_unknown',
  'safety_refusal',
] as const satisfies readonly Outcome[];

/** What decides the outcome. All of it is known when the record is written. */
export interface OutcomeFacts {
  readonly ending: Ending;
  /** HTTP status as decided for the client; for streams the status that was, or would have been, sent. */
  readonly status: number;
  /** The gateway's code of the final error; null when there was none. */
  readonly errorCode: string | null;
  /** Class of the failure that ended the request; null when no attempt failed last. */
  readonly failureClass: FailureClass | null;
  /** That failure left open whether the upstream did the work (F-2), or a running attempt was abandoned. */
  readonly maybeExecuted: boolean;
  /** What a served answer held; `refusal` and `filtered` are F-5's. Absent = content. */
  readonly content?: 'content' | 'refusal' | 'filtered' | 'empty' | null;
}

/**
 * Codes whose status says more than the last failure's class: a wrapped chain (E-2), a budget (D-4), a chain at rest
 * (P-4), the account's quota (E-1).
 */
const DECIDED_BY_STATUS = new Set(['all_models_failed', 'retry_exhausted', 'rate_limited', 'insufficient_quota']);

/** O-1: maps how a request ended to one of the six outcomes. Total: every input has exactly one. */
export function outcomeOf(facts: OutcomeFacts): Outcome {
  if (facts.ending === 'client_closed') return facts.maybeExecuted ? 'network_unknown' : 'client_error';
  if (facts.ending !== 'interrupted' && facts.status < 400) return ofAnswer(facts);
  if (facts.errorCode === 'upstream_outcome_unknown') return 'network_unknown';
  if (facts.errorCode !== null && DECIDED_BY_STATUS.has(facts.errorCode)) {
    if (facts.status === 429) return 'upstream_rate_limited';
    return facts.maybeExecuted ? 'network_unknown' : 'upstream_unavailable';
  }
  if (facts.errorCode === 'content_policy_violation' || facts.failureClass === 'content_policy')
    return 'safety_refusal';
  if (facts.maybeExecuted) return 'network_unknown';
  return facts.failureClass === null ? ofStatus(facts.status, facts.ending) : ofClass(facts.failureClass);
}

function ofAnswer(facts: OutcomeFacts): Outcome {
  return facts.content === 'refusal' || facts.content === 'filtered' ? 'safety_refusal' : 'success';
}

/** Without a class only the status is left. The gateway's own 429 is the caller's doing, a passed-on one is not. */
function ofStatus(status: number, ending: Ending): Outcome {
  if (status === 429 && ending !== 'rejected') return 'upstream_rate_limited';
  return status >= 400 && status < 500 ? 'client_error' : 'upstream_unavailable';
}

function ofClass(failureClass: FailureClass): Outcome {
  switch (failureClass) {
    case 'rate_limit':
    case 'quota_exhausted':
      return 'upstream_rate_limited';
    case 'context_length':
    case 'invalid_request':
    case 'unsupported':
    case 'payload_too_large':
    case 'gateway_rejected':
    case 'client_closed':
      return 'client_error';
    case 'content_policy':
      return 'safety_refusal';
    // The caller's key and request were fine; the operator's credential, or the upstream, was not.
    case 'auth':
    case 'permission':
    case 'model_not_found':
    case 'connection_error':
    case 'timeout':
    case 'overloaded':
    case 'server_error':
    case 'malformed':
    case 'generation_rejected':
    case 'empty':
      return 'upstream_unavailable';
  }
}
