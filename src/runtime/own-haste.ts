/**
 * H-2: who waits only a moment can't tell a slow upstream from a sound one. Time limits come from requests, keys and
 * workspaces too, and channels are shared: a wait that is shorter than the operator's own, and than ten seconds, says
 * nothing about the channel, or one caller's haste would open its circuit for everybody.
 */
import { BUILT_IN } from '../core/request/option-defaults.ts';
import type { TimeoutKind } from './attempt-timers.ts';
import type { Job } from './job.ts';
import type { Attempt } from './run-attempt.ts';

/** So long a silence tells something, whoever chose to wait no longer. */
const TELLING_MS = 10_000;

/** Whether the attempt was given up sooner than the operator's figures say. False for what did not time out here. */
export function gaveUpEarly(
  { chain, snapshot }: Pick<Job, 'chain' | 'snapshot'>,
  { timedOut }: Pick<Attempt, 'timedOut'>,
): boolean {
  if (timedOut === null) return false;
  const operators = { ...BUILT_IN, ...snapshot.defaults };
  // D-4 shares the time out among models, half of a share to a channel with another one behind it; some of it is used up.
  const share = operators.deadline_ms / (4 * Math.max(1, chain.entries.length));
  const telling: Readonly<Record<TimeoutKind, number>> = {
    total_timeout: Math.min(operators.timeout_ms, share),
    first_token_timeout: Math.min(operators.first_token_timeout_ms, operators.timeout_ms, share),
    idle_timeout: operators.idle_timeout_ms,
    stall_timeout: operators.stall_timeout_ms,
    // The provider's own.
    connect_timeout: 0,
  };
  return timedOut.ms < Math.min(telling[timedOut.kind], TELLING_MS);
}
