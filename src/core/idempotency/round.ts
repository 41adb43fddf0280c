/**
 * What may happen to a round (I-2, I-3, I-7, I-8). Each function gives the row as it is afterwards; null = it may not
 * happen: the round is not the one that runs, or is no longer this holder's.
 */
import { isHeld, type KeyRow, type StoredFailure } from './key-row.ts';

/** A round as its runner knows it. */
export interface Running {
  readonly round: number;
  readonly holder: string;
}

export function runsRound(row: KeyRow | null, { round, holder }: Running): row is KeyRow {
  return row !== null && isHeld(row.state) && row.round === round && row.holder === holder;
}

/** I-2: counted and durable before its bytes leave. Null also when the key's budget is spent (I-7). */
export function beginAttempt(row: KeyRow, running: Running): KeyRow | null {
  if (!runsRound(row, running) || row.attempts >= row.maxAttempts) return null;
  return { ...row, state: 'running', attempts: row.attempts + 1, openAttempts: row.openAttempts + 1 };
}

/** An attempt of this life that was open has ended, whatever became of its round. */
export function finishAttempt(row: KeyRow, maybeExecuted: boolean): KeyRow {
  return {
    ...row,
    openAttempts: Math.max(0, row.openAttempts - 1),
    maybeExecuted: row.maybeExecuted || maybeExecuted,
    // An attempt that a hedge or a late word shows to have been executed binds the key after all.
    released: row.released && !maybeExecuted,
  };
}

/** An open attempt that was never sent is none: it has cost nothing (I-7). */
export function dropAttempt(row: KeyRow): KeyRow {
  return { ...row, attempts: Math.max(0, row.attempts - 1), openAttempts: Math.max(0, row.openAttempts - 1) };
}

/** I-3: the first success wins. `stored` = its bytes are kept. Its window is counted from here: a long run must not use it up. */
export function succeedRound(
  row: KeyRow,
  running: Running,
  { digest, stored, at }: { readonly digest: string; readonly stored: boolean; readonly at: number },
): KeyRow | null {
  if (!runsRound(row, running)) return null;
  const expiresAt = row.expiresAt + Math.max(0, at - row.beganAt);
  return { ...row, state: 'succeeded', leaseUntil: null, digest, answerStored: stored, expiresAt };
}

export interface FailedRound {
  readonly state: 'failed' | 'failed_retry_exhausted';
  readonly failure: StoredFailure;
  /** The caller's own fault: the fingerprint binds no more, unless something may have been executed (I-5). */
  readonly release: boolean;
}

export function failRound(row: KeyRow, running: Running, { state, failure, release }: FailedRound): KeyRow | null {
  if (!runsRound(row, running)) return null;
  const released = release && !row.maybeExecuted && row.openAttempts === 0;
  // Nothing has run under it and nothing binds it: there is nothing to remember, and refusals are free of charge.
  const isUnused = released && row.attempts === 0;
  const expiresAt = isUnused ? Math.min(row.expiresAt, failure.at) : row.expiresAt;
  return { ...row, state, failure, released, leaseUntil: null, expiresAt };
}

/** I-8: its process is gone. What was under way may have been executed. */
export function closeRound(row: KeyRow, wall: number): KeyRow {
  const failure: StoredFailure = {
    status: 502,
    code: 'gateway_restarted',
    message: 'the gateway was restarted while this request ran; send it again',
    requestId: row.requestId,
    at: wall,
  };
  return {
    ...row,
    state: 'failed',
    failure,
    leaseUntil: null,
    openAttempts: 0,
    maybeExecuted: row.maybeExecuted || row.openAttempts > 0,
  };
}

/** The success reached its first client whole (I-10). */
export function markDelivered(row: KeyRow, round: number): KeyRow | null {
  if (row.state !== 'succeeded' || row.round !== round || row.delivered) return null;
  return { ...row, delivered: true };
}
