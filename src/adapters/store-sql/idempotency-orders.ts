/** What a store orders of the ledger, as work on one key each (transitions: `core/idempotency`). */
import { type Claim, type Claimed, decideClaim, type Holding } from '../../core/idempotency/claim.ts';
import { isHeld, type KeyRef } from '../../core/idempotency/key-row.ts';
import {
  beginAttempt,
  closeRound,
  failRound,
  markDelivered,
  runsRound,
  succeedRound,
} from '../../core/idempotency/round.ts';
import {
  type AttemptEnd,
  type AttemptStart,
  type LateSuccess,
  type RoundFailure,
  RoundLost,
  type RoundSuccess,
} from '../../ports/idempotency-store.ts';
import type { Order } from './idempotency-lane.ts';
import type { SealedAnswer } from './idempotency-work.ts';

/** How this process holds what it claims. */
export interface Keeping extends Holding {
  /** Nobody else uses the store. */
  readonly alone: boolean;
}

/** The two ends of a promise. */
export interface Asked<T> {
  readonly resolve: (value: T) => void;
  readonly reject: (error: unknown) => void;
}

export function claimOrder(claim: Claim, holding: Keeping, { resolve, reject }: Asked<Claimed>): Order {
  const { ref } = claim;
  return {
    name: 'claim',
    ref,
    reject,
    suspect: () => undoOrder(claim, holding.holder),
    apply(work) {
      const { claimed, row, fresh } = decideClaim(work.row, claim, holding);
      const isFirst = !work.changed;
      const abandons = !fresh && row !== null && row.openAttempts === 0 && work.hasOpen;
      if (row !== null && fresh) work.begin(row);
      else if (row !== null && abandons) work.abandon(row, claim.at);
      else if (row !== null) work.put(row);
      // Nobody but this process could miss it, and nothing is sent before its first attempt is durable, and it as well.
      if (claimed.kind === 'owner' && holding.alone && isFirst && !abandons) work.mayWait = true;
      return () => resolve(claimed);
    },
  };
}

/** Its caller was told that it owns nothing. */
function undoOrder({ ref, requestId, at }: Claim, holder: string): Order {
  const message = 'the store could not be written when this request arrived; send it again';
  return {
    name: 'undo',
    ref,
    apply(work) {
      if (work.row === null || work.row.requestId !== requestId) return;
      const failure = { status: 503, code: 'store_unavailable', message, requestId, at };
      const running = { round: work.row.round, holder };
      const row = failRound(work.row, running, { state: 'failed', failure, release: true });
      if (row !== null) work.put(row);
      return undefined;
    },
  };
}

export function startOrder(start: AttemptStart, holder: string, { resolve, reject }: Asked<void>): Order {
  const { ref, round, attemptId } = start;
  return {
    name: 'start',
    ref,
    reject,
    suspect: () => dropOrder(ref, attemptId),
    apply(work) {
      const row = work.row === null ? null : beginAttempt(work.row, { round, holder });
      if (row === null) {
        const runs = runsRound(work.row, { round, holder });
        const why = runs ? "the key's attempts are spent" : 'the round is not the running one';
        return () => reject(new RoundLost(`attempt ${attemptId} may not start: ${why}`));
      }
      work.start(start, row);
      return () => resolve();
    },
  };
}

export function endOrder(end: AttemptEnd): Order {
  return {
    name: 'end',
    ref: end.ref,
    patient: true,
    apply(work) {
      const served = end.result === 'served' && work.row?.state !== 'succeeded';
      work.end(served ? { ...end, result: 'interrupted', maybeExecuted: true } : end);
      return undefined;
    },
  };
}

export function dropOrder(ref: KeyRef, attemptId: string): Order {
  return {
    name: 'drop',
    ref,
    patient: true,
    apply(work) {
      work.drop(attemptId);
      return undefined;
    },
  };
}

export function succeedOrder(
  success: RoundSuccess,
  sealed: SealedAnswer | null,
  holder: string,
  { resolve, reject }: Asked<'stored' | 'lost'>,
): Order {
  const { ref, round, requestId, attemptId, answer } = success;
  const { digest, at } = answer;
  return {
    name: 'succeed',
    ref,
    reject,
    bytes: sealed?.sealed.length ?? 0,
    apply(work) {
      const known = work.row;
      // Asked again after a word that got lost: it is there.
      const own = known !== null && known.round === round && known.requestId === requestId;
      if (own && known.state === 'succeeded' && known.digest === digest) return () => resolve('stored');
      const row = own ? succeedRound(known, { round, holder }, { digest, stored: sealed !== null, at }) : null;
      if (row === null) {
        if (attemptId !== null) work.endLate(attemptId, at);
        return () => resolve('lost');
      }
      work.put(row);
      if (attemptId !== null) work.endServed(attemptId, at);
      work.answer = sealed;
      return () => resolve('stored');
    },
  };
}

/** `resolve` also when it can't be written now: it stays ordered. */
export function failOrder(failed: RoundFailure, holder: string, resolve: () => void): Order {
  const { ref, round } = failed;
  return {
    name: 'fail',
    ref,
    stalled: resolve,
    apply(work) {
      const row = work.row === null ? null : failRound(work.row, { round, holder }, failed);
      if (row !== null) work.put(row);
      return resolve;
    },
  };
}

export function lateOrder({ ref, attemptId, at }: LateSuccess): Order {
  return {
    name: 'late',
    ref,
    patient: true,
    apply(work) {
      work.endLate(attemptId, at);
      return undefined;
    },
  };
}

export function deliveredOrder(ref: KeyRef, round: number): Order {
  return {
    name: 'delivered',
    ref,
    patient: true,
    apply(work) {
      const row = work.row === null ? null : markDelivered(work.row, round);
      if (row !== null) work.put(row);
      return undefined;
    },
  };
}

/** I-8. Who has the store alone knows that everybody else is gone. Resolves with whether it closed a round. */
export function closeOrder(
  ref: KeyRef,
  wall: number,
  { holder, alone }: Keeping,
  { resolve, reject }: Asked<boolean>,
): Order {
  return {
    name: 'recover',
    ref,
    reject,
    apply(work) {
      const { row } = work;
      if (row === null || row.holder === holder) return () => resolve(false);
      const held = isHeld(row.state);
      const isGone = alone || (row.leaseUntil !== null && row.leaseUntil <= wall);
      if (!isGone || !(held || work.hasOpen)) return () => resolve(false);
      work.abandon(
        held ? closeRound(row, wall) : { ...row, leaseUntil: null, openAttempts: 0, maybeExecuted: true },
        wall,
      );
      return () => resolve(held);
    },
  };
}

/** Resolves with whether the round is still this process's. */
export function renewOrder(
  ref: KeyRef,
  running: { readonly round: number; readonly holder: string },
  until: number,
  { resolve, reject }: Asked<boolean>,
): Order {
  return {
    name: 'renew',
    ref,
    reject,
    apply(work) {
      if (!runsRound(work.row, running)) return () => resolve(false);
      work.put({ ...work.row, leaseUntil: until });
      return () => resolve(true);
    },
  };
}
