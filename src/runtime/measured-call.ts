/** What an answered call showed of its channel's pace (P-2). */
import type { FailoverOptions } from '../core/failover/options.ts';
import type { MeasuredCall } from '../core/plan/measurements.ts';
import type { ClientRequest } from '../dialects/contract.ts';
import type { Attempt } from './run-attempt.ts';

/** Whether the first token is seen before the last; a stream that is held until it finished is a whole answer (T-9). */
export function isMeasuredAsStream(request: ClientRequest, { commit }: FailoverOptions): boolean {
  return request.stream && commit === 'first_token';
}

/** Null = nothing was answered. */
export function measuredCall(attempt: Attempt, stream: boolean): MeasuredCall | null {
  const { readyAt, startedAt, endedAt, tap, usage } = attempt;
  if (readyAt === null || endedAt === null) return null;
  const flows = stream && tap !== null;
  return {
    stream,
    firstTokenMs: readyAt - startedAt,
    // Providers send about one token per event.
    tokens: usage?.output ?? tap?.contentEvents ?? null,
    tokensMs: flows ? endedAt - readyAt : readyAt - startedAt,
  };
}
