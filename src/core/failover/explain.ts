/** Decisions in plain words for the trace: what happened; what stood in the way; what comes next. */
import type { Failure, FailureClass } from '../failure.ts';
import type { BudgetName } from './budget.ts';
import type { Decision, FailoverState, RefusalReason } from './machine.ts';
import type { FailoverOptions } from './options.ts';
import type { PlannedTarget } from './plan-types.ts';

const WORDS: Readonly<Record<FailureClass, string>> = {
  connection_error: 'connection failed',
  timeout: 'timed out',
  rate_limit: 'rate limited',
  quota_exhausted: 'quota exhausted',
  overloaded: 'overloaded',
  server_error: 'server error',
  malformed: 'malformed answer',
  auth: 'credential rejected',
  permission: 'permission denied',
  model_not_found: 'model not found upstream',
  context_length: 'input too long for this model',
  content_policy: 'refused by content policy',
  invalid_request: 'request rejected as invalid',
  unsupported: 'request not supported upstream',
  payload_too_large: 'payload too large',
  generation_rejected: 'generation rejected upstream',
  gateway_rejected: 'rejected by the gateway',
  client_closed: 'client went away',
  empty: 'empty answer',
};

const NEXT: Readonly<Record<Exclude<Decision, 'serve' | 'stop' | 'retry'>, string>> = {
  next_credential: 'next credential of the channel',
  next_channel: 'next channel of the model',
  next_model: 'next model in chain',
};

/** `30 s`, `1.5 s`, `250 ms`. */
export function duration(ms: number): string {
  if (ms < 1000) return `${Math.round(ms)} ms`;
  return `${Number((ms / 1000).toFixed(ms < 10_000 ? 1 : 0))} s`;
}

export function whatFailed(failure: Failure): string {
  const connect = failure.connectTimeout ? 'connect timed out' : WORDS[failure.class];
  return failure.maybeExecuted ? `${connect}, may have been executed` : connect;
}

export function tooLongWait(waitMs: number, options: FailoverOptions): string {
  return `wait ${duration(waitMs)} does not fit max_wait_ms ${duration(options.maxWaitMs)}`;
}

export function pastDeadline(waitMs: number): string {
  return `wait ${duration(waitMs)} reaches past the deadline`;
}

export function repeatsMade(count: number): string {
  return count === 0 ? 'no repeat allowed' : `repeated ${count} time${count === 1 ? '' : 's'} already`;
}

/** Why no other model may be tried although there is one. */
export function staysOnModel(options: FailoverOptions, failure: Failure): string {
  if (options.priority === 'low') return 'priority low never leaves its model';
  if (!options.crossModel) return 'cross_model is off';
  return `\`on\` opens no other model for ${failure.triggers[0] ?? failure.class}`;
}

export function refusedWith(target: PlannedTarget, reason: RefusalReason): string {
  return reason === 'retry_budget' ? 'retry_budget_exhausted' : `target ${target.rank} refused: ${reason}`;
}

export function budgetWords(state: FailoverState, budget: BudgetName): string {
  switch (budget) {
    case 'attempts':
      return `stop: max_attempts ${state.budgets.maxAttempts} used up`;
    case 'deadline':
      return `stop: deadline_ms ${duration(state.options.deadlineMs)} leaves no time`;
    case 'cost':
      return 'stop: max_cost_usd pays for no target that is left';
  }
}

/** The words of a move or a repeat. */
export function nextWords(decision: Decision, waitMs: number | null): string {
  if (decision === 'retry') return `same target again in ${duration(waitMs ?? 0)}`;
  return decision === 'serve' || decision === 'stop' ? decision : NEXT[decision];
}

export function sentence(parts: readonly string[]): string {
  return parts.filter((part) => part !== '').join('; ');
}
