/**
 * What one attempt used and cost, and who pays: its workspace for what was delivered, nobody for the rest, which is
 * waste (G-4, T-4, T-6).
 */
import { costOf } from '../core/money/cost.ts';
import { completeUsage } from '../core/money/estimate.ts';
import type { NanoUsd, Usage } from '../core/usage/usage.ts';
import type { AttemptTrace } from './attempt-trace.ts';
import type { Job } from './job.ts';
import type { Attempt } from './run-attempt.ts';

/** What one attempt came to (G-4). */
export interface Bill {
  /** Null = the provider charges for nothing. Estimated where it has not counted. */
  readonly usage: Usage | null;
  /** Null = unknown. */
  readonly cost: NanoUsd | null;
  /** The client got it, whole or in part. */
  readonly delivered: boolean;
}

const NOTHING: Bill = { usage: null, cost: 0n, delivered: false };

/** The bill of an attempt that is over. */
export function billOf(job: Job, trace: AttemptTrace): Bill {
  if (trace.rehearsed) return NOTHING;
  const { attempt, planned } = trace;
  const delivered = wasDelivered(trace);
  if (!delivered && !isCharged(trace)) return NOTHING;
  const stated = attempt.usage;
  const usage =
    stated !== null && isWhole(stated, attempt)
      ? stated
      : completeUsage(stated, {
          inputTokens: job.money.fairInput(planned.target),
          contentBytes: attempt.contentBytes,
          contentEvents: attempt.contentEvents,
          complete: attempt.complete,
        });
  const prices = job.money.pricesOf(planned.target);
  return { usage, cost: prices === null ? null : costOf(usage, prices), delivered };
}

/** An answer that is served, or broke off or was left after it had begun to be shown. */
function wasDelivered({ result, shown }: AttemptTrace): boolean {
  return result === 'served' || result === 'interrupted' || (result === 'cancelled' && shown);
}

/** The provider charges for a failed call that it carried out, or that it began to answer. */
function isCharged({ attempt, failure, result }: AttemptTrace): boolean {
  if (attempt.usage !== null || attempt.contentEvents > 0 || attempt.contentBytes > 0) return true;
  return result === 'cancelled' ? attempt.sentAt !== null : (failure?.maybeExecuted ?? false);
}

function isWhole(usage: Usage, attempt: Attempt): boolean {
  return attempt.complete && usage.input !== null && usage.output !== null;
}

/** All attempts of one request. */
export interface RequestBill {
  /** Of what was delivered; null = nothing was. */
  readonly usage: Usage | null;
  /** What the workspace is charged; null = unknown. */
  readonly cost: NanoUsd | null;
  /** What the other attempts came to; null = unknown. */
  readonly waste: NanoUsd | null;
}

/** The sums over a request’s attempts; attempts without a bill cost nothing. */
export function requestBill(traces: readonly AttemptTrace[]): RequestBill {
  let usage: Usage | null = null;
  let cost: NanoUsd | null = 0n;
  let waste: NanoUsd | null = 0n;
  for (const { bill } of traces) {
    if (bill === null) continue;
    if (bill.delivered) {
      usage ??= bill.usage;
      cost = sum(cost, bill.cost);
    } else {
      waste = sum(waste, bill.cost);
    }
  }
  return { usage, cost, waste };
}

function sum(a: NanoUsd | null, b: NanoUsd | null): NanoUsd | null {
  return a === null || b === null ? null : a + b;
}

/** Input and output together; null = nothing was delivered. */
export function tokensOf(usage: Usage | null): number | null {
  return usage === null ? null : (usage.input ?? 0) + (usage.output ?? 0);
}
