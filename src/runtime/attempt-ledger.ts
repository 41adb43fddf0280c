/** Where the attempts of a request under an idempotency key are written down (I-2). Plain requests have none. */
import type { PlannedTarget } from '../core/failover/plan-types.ts';
import type { Failure } from '../core/failure.ts';
import type { AttemptTrace } from './attempt-trace.ts';

/** The ledger as a run sees it, attempt by attempt (1, 2, … within the run). */
export interface AttemptLedger {
  /** Null = the start is durable, its bytes may leave. Else why nothing may be sent. Never rejects. */
  begin(attempt: number, planned: PlannedTarget): Promise<Failure | null>;
  /** Begun, and nothing was sent: nobody waited for it any more. */
  unused(attempt: number): void;
  /** Every attempt begun so far, in order: those that ended meanwhile are written down. */
  look(traces: readonly AttemptTrace[]): void;
}
