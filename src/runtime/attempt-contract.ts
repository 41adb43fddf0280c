/** What one upstream call is given, and what it tells of itself. */
import type { Failure } from '../core/failure.ts';
import type { ContentKind } from '../dialects/contract.ts';
import type { UpstreamRequest } from '../ports/transport.ts';
import type { ReaderSpec } from './answer-reader.ts';
import type { TimeoutKind } from './attempt-timers.ts';
import type { Attempt } from './run-attempt.ts';

/** What an attempt needs; built by the driver from target, request and snapshot. */
export interface AttemptSpec extends ReaderSpec {
  /** E-5 for ids and headers; `mask` is for texts. */
  readonly guard: (text: string) => string;
  readonly no: number;
  readonly upstream: UpstreamRequest;
  readonly timeoutMs: number;
  readonly firstTokenTimeoutMs: number | null;
  readonly idleTimeoutMs: number;
  readonly stallTimeoutMs: number;
}

/** Told in order: `ready` or `failed` first; after a commit any number of `bytes`, then `completed` or `interrupted`. */
export interface AttemptListener {
  /** There is something to show; nothing flows until `commit()`. `failure`: what it is if `on` rejects it (F-5). */
  attemptReady(attempt: Attempt, content: ContentKind, failure: Failure | null): void;
  attemptFailed(attempt: Attempt, failure: Failure): void;
  /** Committed bytes to pass on. False = pause the upstream until `resume()`. */
  attemptBytes(attempt: Attempt, bytes: Uint8Array): boolean;
  attemptCompleted(attempt: Attempt): void;
  attemptInterrupted(attempt: Attempt, failure: Failure): void;
  /** A bug of ours while reading; the call has been aborted. */
  attemptCrashed(attempt: Attempt, error: unknown): void;
}

/** How long a timer of this kind gives it, ms. */
export function limitOf(spec: AttemptSpec, kind: TimeoutKind): number {
  switch (kind) {
    case 'first_token_timeout':
      return spec.firstTokenTimeoutMs ?? spec.timeoutMs;
    case 'total_timeout':
      return spec.timeoutMs;
    case 'idle_timeout':
      return spec.idleTimeoutMs;
    case 'stall_timeout':
      return spec.stallTimeoutMs;
    case 'connect_timeout':
      return spec.upstream.connectTimeoutMs;
  }
}
