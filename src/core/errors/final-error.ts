/** The one error a failed request ends with: E-1 to E-3, P-4, D-4 and D-7 over the engine's final state. */
import type { FailoverState, PastAttempt, Verdict } from '../failover/machine.ts';
import { triggersFor } from '../failover/trigger.ts';
import type { Failure } from '../failure.ts';
import { attemptSummaries, reasonOf, restingClass } from './attempt-summaries.ts';
import { gatewayError } from './catalogue.ts';
import type { AttemptSummary, GatewayError } from './gateway-error.ts';
import { restingError } from './resting-error.ts';
import { type Return, returnOf } from './retry-advice.ts';
import { upstreamAnswer } from './upstream-answer.ts';

export { attemptSummaries } from './attempt-summaries.ts';

export interface FinalErrorContext {
  /** Wall ms. */
  readonly wallNow: number;
  /** Wall ms at which the health board expects the first target of this plan back; absent or null = unknown. */
  readonly soonestReturn?: number | null;
}

/** What the verdict says to the client, with whether and when to come back. */
export function finalError(state: FailoverState, context: FinalErrorContext): GatewayError {
  const verdict = state.verdict;
  if (verdict === null) return gatewayError('internal_error', 'the request has no result; report it');
  const { wallNow, soonestReturn } = context;
  return withReturn(errorFor(state, verdict), returnOf(state, wallNow, soonestReturn ?? null), wallNow);
}

/** Statuses for which a known instant is told even where not every failure heals by then. */
const TELLS_RETURN: ReadonlySet<number> = new Set([429, 503, 529]);

/** Where running calls take all the room nobody knows when there is some: come back soon, without a promise (P-4). */
const SOON_MS = 1000;

function withReturn(error: GatewayError, known: Return, wallNow: number): GatewayError {
  const tells = known.allHeal || TELLS_RETURN.has(error.status);
  const at = known.at ?? (error.code === 'rate_limited' ? wallNow + SOON_MS : null);
  return { ...error, shouldRetry: known.allHeal, retryAt: tells ? at : null };
}

function errorFor(state: FailoverState, verdict: Verdict): GatewayError {
  switch (verdict.kind) {
    case 'exhausted':
      return exhausted(state);
    case 'stopped':
      return stopped(state, verdict.failure, verdict.attempt);
    case 'retry_exhausted':
      return retryExhausted(state, verdict.budget);
    case 'outcome_unknown':
      return outcomeUnknown(state);
    case 'all_resting':
      return restingError(state);
    case 'interrupted':
      return gatewayError('stream_interrupted', 'the answer broke off; what was received is not complete');
    case 'client_closed':
      return gatewayError('internal_error', 'the client went away', { status: 499 });
    case 'served':
      return gatewayError('internal_error', 'the request was served');
  }
}

/** E-1 for one model or a chain nobody spelled out, else E-2. */
function exhausted(state: FailoverState): GatewayError {
  const last = lastFailure(state);
  if (last === null) return restingError(state);
  return isWrapped(state) ? allFailed(state, failedAttempts(state)) : upstreamAnswer(last.failure);
}

/** E-3: a stop at the first model keeps its own status; a later model's stop is wrapped over the failures before it. */
function stopped(state: FailoverState, failure: Failure, attempt: number | null): GatewayError {
  if (failure.class === 'gateway_rejected') return upstreamAnswer(failure, { attempts: beforeRefusal(state, attempt) });
  const stop = state.history.find((past) => past.no === attempt);
  if (stop === undefined || stop.modelPos === 0 || !isWrapped(state)) return upstreamAnswer(failure);
  return allFailed(
    state,
    failedAttempts(state).filter((past) => past.no !== attempt),
  );
}

/**
 * E-3: what came before the gateway's own refusal, then the model it refused, the same for capabilities, guardrails and
 * money. Null where it was the first thing that happened: the error itself says all there is.
 */
function beforeRefusal(state: FailoverState, attempt: number | null): AttemptSummary[] | null {
  const lines = attemptSummaries(state);
  const refusal = attempt === null ? state.refusals.last : undefined;
  if (state.skippedModels.at(-1)?.reason !== 'guardrail' && refusal !== undefined) {
    const model = state.plan.models[refusal.modelPos]?.name ?? '';
    lines.push({ model, status: 'skipped', reason: refusal.reason, class: 'gateway_rejected', latency_ms: 0 });
  }
  return lines.length > 1 ? lines : null;
}

function allFailed(state: FailoverState, counted: readonly Failed[]): GatewayError {
  const status = everyRateLimit(state, counted) ? 429 : 502;
  const message = `All ${madeAttempts(state)} model attempt(s) failed (last: ${lastWords(state)})`;
  return gatewayError('all_models_failed', message, {
    status,
    type: status === 429 ? 'rate_limit_error' : 'upstream_error',
    attempts: attemptSummaries(state),
  });
}

const WHICH_BUDGET = {
  attempts: (state: FailoverState) => `max_attempts ${state.budgets.maxAttempts} is used up`,
  deadline: (state: FailoverState) => `deadline_ms ${state.options.deadlineMs} leaves no time`,
  cost: () => 'max_cost_usd pays for no target that is left',
};

function retryExhausted(state: FailoverState, budget: 'attempts' | 'deadline' | 'cost'): GatewayError {
  const rateLimited = everyRateLimit(state, failedAttempts(state));
  const status = budget === 'deadline' ? 504 : rateLimited ? 429 : 502;
  const last = lastFailure(state) === null ? '' : ` (last: ${lastWords(state)})`;
  const made = madeAttempts(state);
  const message = `Gave up after ${made} attempt(s): ${WHICH_BUDGET[budget](state)}${last}`;
  return gatewayError('retry_exhausted', message, {
    status,
    type: status === 429 ? 'rate_limit_error' : 'upstream_error',
    budget,
    attempts: attemptSummaries(state),
  });
}

function outcomeUnknown(state: FailoverState): GatewayError {
  const message = 'the upstream may have executed this call and it is not repeated; check before sending it again';
  const attempts = attemptSummaries(state);
  return gatewayError('upstream_outcome_unknown', message, {
    maybeExecuted: true,
    attempts: attempts.length > 1 ? attempts : null,
  });
}

type Failed = PastAttempt & { readonly failure: Failure };

function failedAttempts(state: FailoverState): Failed[] {
  const failed = state.history.filter((past): past is Failed => past.result === 'failed' && past.failure !== null);
  return failed.sort((a, b) => a.no - b.no);
}

function lastFailure(state: FailoverState): Failed | null {
  return failedAttempts(state).at(-1) ?? null;
}

/** N of E-2: upstream attempts made in this round. */
function madeAttempts(state: FailoverState): number {
  return state.history.length;
}

function lastWords(state: FailoverState): string {
  const last = lastFailure(state);
  if (last === null) return 'none';
  return `${state.plan.models[last.modelPos]?.name ?? ''} — ${reasonOf(last.failure)}`;
}

/** A chain of several models that the request or its key spelled out (E-2). */
function isWrapped(state: FailoverState): boolean {
  return state.plan.explicit && state.plan.models.length > 1;
}

/** "Every failure was a rate limit": trigger rate_limit, resting models included (F-4, P-4). None at all is not every. */
function everyRateLimit(state: FailoverState, counted: readonly Failed[]): boolean {
  const resting = state.skippedModels.filter(({ reason }) => {
    const failureClass = restingClass(reason);
    return failureClass !== null && failureClass !== 'gateway_rejected';
  });
  const rateLimits = counted.filter(({ failure }) => triggersFor(failure).includes('rate_limit'));
  return counted.length + resting.length > 0 && rateLimits.length === counted.length;
}
