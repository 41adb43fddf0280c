/** what the answer itself says about how it came about. */
import type { AttemptSummary } from './errors/gateway-error.ts';

export interface ReportInput {
  readonly requestId: string;
  readonly attempts: number;
  readonly requestedModel: string;
  readonly servedModel: string;
  readonly degradedReasons: readonly string[];
  /** Null unless the chain has several models. */
  readonly failover: readonly AttemptSummary[] | null;
}

/** The report, in the wire's own names. */
export interface Report {
  readonly request_id: string;
  readonly attempts: number;
  readonly requested_model: string;
  readonly served_model: string;
  readonly degraded: boolean;
  readonly degraded_reasons: readonly string[];
  readonly failover?: {
    readonly occurred: boolean;
    readonly attempts: readonly Omit<AttemptSummary, 'class'>[];
  };
}

/** `occurred` = more than one model was attempted; a skipped model was not. */
export function buildReport(input: ReportInput): Report {
  const report: Report = {
    request_id: input.requestId,
    attempts: input.attempts,
    requested_model: input.requestedModel,
    served_model: input.servedModel,
    degraded: input.degradedReasons.length > 0,
    degraded_reasons: input.degradedReasons,
  };
  if (input.failover === null) return report;
  const attempted = new Set(input.failover.filter((line) => line.status !== 'skipped').map((line) => line.model));
  return {
    ...report,
    failover: {
      occurred: attempted.size > 1,
      attempts: input.failover.map(({ class: _class, ...line }) => line),
    },
  };
}
