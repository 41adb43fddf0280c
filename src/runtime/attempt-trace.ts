/** One attempt as the driver remembers it, and the record tells it. */
import type { AttemptRole, Decision } from '../core/failover/machine.ts';
import type { PlannedTarget } from '../core/failover/plan-types.ts';
import type { Failure } from '../core/failure.ts';
import type { ContentKind } from '../dialects/contract.ts';
import type { Bill } from './attempt-bill.ts';
import type { Attempt } from './run-attempt.ts';

/** Unique with the request's id, and in its order. */
export function attemptId(requestId: string, no: number): string {
  return `att_${requestId.slice(4)}_${no}`;
}

/** One attempt as the driver remembers it, for the record. */
export interface AttemptTrace {
  readonly no: number;
  readonly id: string;
  readonly planned: PlannedTarget;
  readonly role: AttemptRole;
  /** It failed on purpose, nobody was called: counts for nothing but the request itself (H-2). */
  readonly rehearsed: boolean;
  readonly changes: readonly string[];
  /** They make the answer a degraded one. */
  readonly degrades: boolean;
  /** Opaque reasoning went along. */
  readonly opaque: boolean;
  readonly attempt: Attempt;
  /** What a ready answer holds; null before. */
  content: ContentKind | null;
  /** What such an answer is if `on` rejects it (F-5). */
  unwanted: Failure | null;
  /** Its answer has begun to flow to the client. */
  shown: boolean;
  failure: Failure | null;
  /** `late_success`: a whole answer that may not count, and was shown to nobody (I-3). */
  result: 'served' | 'failed' | 'interrupted' | 'cancelled' | 'late_success';
  /** What it used and cost; null while it runs. */
  bill: Bill | null;
  decision: Decision;
  reason: string;
}
