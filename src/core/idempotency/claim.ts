/** What a request under an idempotency key may do: run, join, replay, or nothing (I-4 to I-8, I-10). */
import { isHeld, type KeyRef, type KeyRow, leaseLost, type StoredFailure } from './key-row.ts';
import { closeRound } from './round.ts';

export interface Claim {
  readonly ref: KeyRef;
  readonly fingerprint: string;
  readonly requestId: string;
  /** Wall ms. */
  readonly at: number;
  /** Wall ms; a round never shortens what an earlier one asked for. */
  readonly expiresAt: number;
  /** `max_attempts_per_key` (I-7). */
  readonly maxAttempts: number;
  /**
   * A success that reached its client whole makes way for a new run (I-10: a derived key, and the request is no
   * recognised retry). Absent = replay it.
   */
  readonly regenerate?: boolean;
}

export interface Holding {
  readonly holder: string;
  /** Null = for the life of the process. */
  readonly leaseMs: number | null;
}

export type Claimed =
  /** Run it. `attemptsBefore`: attempts of earlier rounds; numbers go on from there and count in the budget. */
  | { readonly kind: 'owner'; readonly round: number; readonly attemptsBefore: number }
  /** Somebody runs it: join, or 409 `request_in_progress`. */
  | { readonly kind: 'running'; readonly round: number; readonly requestId: string; readonly at: number }
  /** Replay; without its bytes 409 `result_not_stored`. */
  | { readonly kind: 'succeeded'; readonly round: number; readonly requestId: string; readonly stored: boolean }
  /** Another request's key: 422 `idempotency_key_reused`. */
  | { readonly kind: 'reused' }
  /** 409 `key_attempts_exhausted`. */
  | { readonly kind: 'exhausted'; readonly failure: StoredFailure };

export interface ClaimDecision {
  readonly claimed: Claimed;
  /** The row to write; null = as it was. */
  readonly row: KeyRow | null;
  /** The row begins a new life: attempts and answer of the old one are to be removed with it. */
  readonly fresh: boolean;
}

/** Pure and total; `row` null = the key was never used, or is forgotten. */
export function decideClaim(row: KeyRow | null, claim: Claim, holding: Holding): ClaimDecision {
  if (row === null || isOver(row, claim)) return firstRound(claim, holding);
  // Whoever held it is gone: its round is closed first, and is then a failed one like any other.
  const known = leaseLost(row, claim.at) ? closeRound(row, claim.at) : row;
  if (known.fingerprint !== claim.fingerprint && !known.released) return told({ kind: 'reused' }, known, row);
  if (isHeld(known.state)) {
    const { round, requestId, beganAt } = known;
    return told({ kind: 'running', round, requestId, at: beganAt }, known, row);
  }
  if (known.state === 'succeeded') {
    const { round, requestId, answerStored } = known;
    return told({ kind: 'succeeded', round, requestId, stored: answerStored }, known, row);
  }
  if (known.attempts >= claim.maxAttempts && known.failure !== null) {
    return told({ kind: 'exhausted', failure: known.failure }, known, row);
  }
  return nextRound(known, claim, holding);
}

/** Free again: expired, or a delivered answer that makes way for another (I-10). */
function isOver(row: KeyRow, { at, regenerate, fingerprint }: Claim): boolean {
  if (isHeld(row.state) && !leaseLost(row, at)) return false;
  if (row.expiresAt <= at) return true;
  return regenerate === true && row.state === 'succeeded' && row.delivered && row.fingerprint === fingerprint;
}

function told(claimed: Claimed, known: KeyRow, row: KeyRow): ClaimDecision {
  return { claimed, row: known === row ? null : known, fresh: false };
}

function firstRound(claim: Claim, { holder, leaseMs }: Holding): ClaimDecision {
  const row: KeyRow = {
    state: 'accepted',
    fingerprint: claim.fingerprint,
    released: false,
    life: claim.at,
    round: 1,
    attempts: 0,
    openAttempts: 0,
    maybeExecuted: false,
    maxAttempts: claim.maxAttempts,
    requestId: claim.requestId,
    holder,
    leaseUntil: leaseMs === null ? null : claim.at + leaseMs,
    beganAt: claim.at,
    expiresAt: claim.expiresAt,
    failure: null,
    digest: null,
    answerStored: false,
    delivered: false,
  };
  return { claimed: { kind: 'owner', round: 1, attemptsBefore: 0 }, row, fresh: true };
}

function nextRound(known: KeyRow, claim: Claim, { holder, leaseMs }: Holding): ClaimDecision {
  const row: KeyRow = {
    ...known,
    state: 'accepted',
    fingerprint: claim.fingerprint,
    released: false,
    round: known.round + 1,
    maxAttempts: claim.maxAttempts,
    requestId: claim.requestId,
    holder,
    leaseUntil: leaseMs === null ? null : claim.at + leaseMs,
    beganAt: claim.at,
    expiresAt: Math.max(known.expiresAt, claim.expiresAt),
  };
  return { claimed: { kind: 'owner', round: row.round, attemptsBefore: known.attempts }, row, fresh: false };
}
