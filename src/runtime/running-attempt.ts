/** One attempt of a request under way, or of one that is over, as whoever watches sees it. */
import type { Decision } from '../core/failover/machine.ts';
import type { FailureClass } from '../core/failure.ts';
import type { AttemptRecord, AttemptResult } from '../core/record.ts';
import { shownMs } from '../core/shown-ms.ts';
import { attemptRecord } from './attempt-record.ts';
import type { AttemptTrace } from './attempt-trace.ts';
import type { Job } from './job.ts';

/** Of an attempt that runs; one that is over says its result. */
export const ATTEMPT_STATES = ['waiting', 'receiving', 'ready', 'streaming'] as const;

export interface RunningAttempt {
  readonly no: number;
  readonly model: string;
  readonly channel: string;
  readonly credential: string | null;
  readonly started_at: string;
  readonly state: (typeof ATTEMPT_STATES)[number] | AttemptResult;
  readonly latency_ms: number;
  readonly ttft_ms: number | null;
  readonly status: number | null;
  readonly class: FailureClass | null;
  readonly provider_message: string | null;
  readonly hedge: boolean;
  readonly rehearsed: boolean;
  /** Null while it runs. */
  readonly decision: Decision | null;
  readonly reason: string | null;
}

/** As its record will tell it, as far as it has come. `now`: the clock's ms. */
export function growingAttempt(job: Job, trace: AttemptTrace, now: number): RunningAttempt {
  const record = attemptRecord(job, trace);
  const { attempt } = trace;
  if (attempt.state === 'over') return attemptView(record, trace.result);
  const latency_ms = shownMs(now - attempt.startedAt);
  return { ...attemptView({ ...record, latency_ms }, stageOf(trace)), decision: null, reason: null };
}

function stageOf({ attempt }: AttemptTrace): (typeof ATTEMPT_STATES)[number] {
  if (attempt.state === 'committed') return 'streaming';
  if (attempt.state === 'ready') return 'ready';
  return attempt.status === null ? 'waiting' : 'receiving';
}

/** `state`: where it stands, or how it ended. */
export function attemptView(record: AttemptRecord, state: RunningAttempt['state']): RunningAttempt {
  const { no, model, channel, credential, started_at, latency_ms, ttft_ms, status } = record;
  const { class: failed, provider_message, hedge, rehearsed, decision, reason } = record;
  return {
    no,
    model,
    channel,
    credential,
    started_at,
    state,
    latency_ms,
    ttft_ms,
    status,
    class: failed,
    provider_message,
    hedge,
    rehearsed: rehearsed === true,
    decision,
    reason,
  };
}
