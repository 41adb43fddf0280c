/**
 * An error on its way to the client, still without a dialect. `server/` and `dialects/*` render it (E-1 to E-5).
 */
import type { ErrorCode } from './catalogue.ts';

/** One line of E-2's `attempts`. */
export interface AttemptSummary {
  readonly model: string;
  readonly status: 'failed' | 'served' | 'skipped' | 'cancelled';
  /** S1's trigger, or the class where there is none; for `skipped` the skip reason. */
  readonly reason?: string;
  readonly class?: string;
  readonly latency_ms: number;
}

export interface GatewayError {
  readonly status: number;
  /** Our own code from the catalogue, or the upstream's where E-1 passes it on. */
  readonly code: ErrorCode | (string & {}) | null;
  readonly type: string;
  /** Plain words that say what to do. Never a secret (E-5). */
  readonly message: string;
  readonly param: string | null;
  readonly attempts: readonly AttemptSummary[] | null;
  /** Wall ms at which the soonest target returns; `Retry-After` is derived from it (D-3). */
  readonly retryAt: number | null;
  readonly budget: 'attempts' | 'deadline' | 'cost' | null;
  readonly maybeExecuted: boolean | null;
  /** D-7: exactly one of x-should-retry true | false on every final error. */
  readonly shouldRetry: boolean;
}

/** What every constructor of a gateway error may say beside code and message. */
export type GatewayErrorExtra = Partial<Omit<GatewayError, 'code' | 'message'>>;
