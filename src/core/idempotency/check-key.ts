/** Whether what the ledger keeps of one key can be true (I-11): for `verify-ledger`. */
import { isHeld, type KeyRef } from './key-row.ts';
import type { StoredKey } from './stored-key.ts';

export const VIOLATIONS = {
  orphaned_round: 'a round is held and no gateway runs: start one, it closes the round',
  orphaned_attempt: 'an attempt never ended and no gateway runs: start one, it closes the attempt',
  several_successes: 'more than one attempt is the served one',
  answer_missing: 'the success is stored and its bytes are gone',
  answer_unreadable: 'the stored bytes cannot be opened: damaged, or sealed with a key that is not here',
  answer_changed: 'the stored bytes are not those whose digest was written with the success',
  answer_unexpected: 'bytes are stored and there is no success',
  attempts_over_budget: "more attempts were begun than the key's lifetime allows",
  attempts_miscounted: 'the attempts kept are not as many as were counted',
  inconsistent_state: 'the row contradicts itself',
  delivered_twice_differently: 'two clients got different bodies for one success',
  delivered_not_stored: 'a client got a success that is not the stored one',
  account_differs: 'the account is not the sum of its entries and of what is held back of it',
  delivered_unweighed: 'a success was delivered and nobody wrote down its digest',
} as const;
export type ViolationKind = keyof typeof VIOLATIONS;

export interface Violation {
  readonly kind: ViolationKind;
  readonly scope: string;
  readonly key_hash: string;
  /** What was found, in figures; null = `VIOLATIONS` says it all. */
  readonly detail: string | null;
}

export function violation(kind: ViolationKind, { scope, keyHash }: KeyRef, detail: string | null = null): Violation {
  return { kind, scope, key_hash: keyHash, detail };
}

/** @param live a gateway runs on the store: rounds and attempts may be under way */
export function checkKey(stored: StoredKey, live: boolean): Violation[] {
  const { ref, row, attempts } = stored;
  const found: Violation[] = [];
  const tell = (kind: ViolationKind, detail: string | null = null): void => {
    found.push(violation(kind, ref, detail));
  };
  const held = isHeld(row.state);
  if (held && !live) tell('orphaned_round', `round ${row.round}, ${row.state}`);
  const open = attempts.filter(({ endedAt }) => endedAt === null);
  if (!held && open.length > 0 && !live) tell('orphaned_attempt', open.map(({ attemptId }) => attemptId).join(', '));
  const served = attempts.filter(({ result }) => result === 'served');
  if (served.length > 1) tell('several_successes', served.map(({ attemptId }) => attemptId).join(', '));
  if (row.attempts > row.maxAttempts) tell('attempts_over_budget', `${row.attempts} of ${row.maxAttempts}`);
  if (attempts.length !== row.attempts) tell('attempts_miscounted', `${attempts.length} kept, ${row.attempts} counted`);
  else if (open.length !== row.openAttempts)
    tell('attempts_miscounted', `${open.length} open, ${row.openAttempts} counted`);
  const answer = answerViolation(stored);
  if (answer !== null) tell(...answer);
  const contradiction = contradictionIn(stored);
  if (contradiction !== null) tell('inconsistent_state', contradiction);
  return found;
}

function answerViolation({ row, answer }: StoredKey): [ViolationKind, string | null] | null {
  if (row.state !== 'succeeded' || !row.answerStored) {
    return answer.kind === 'none' ? null : ['answer_unexpected', `state ${row.state}`];
  }
  if (answer.kind === 'none') return ['answer_missing', null];
  if (answer.kind === 'broken') return ['answer_unreadable', null];
  return answer.digest === row.digest ? null : ['answer_changed', `${answer.digest}, written was ${row.digest}`];
}

function contradictionIn({ row, attempts }: StoredKey): string | null {
  const { state, round, digest, failure, released, maybeExecuted, leaseUntil, openAttempts } = row;
  if (state === 'succeeded' && digest === null) return 'a success without digest';
  if (state !== 'succeeded' && (digest !== null || row.answerStored || row.delivered)) return `${state} with a success`;
  if (state.startsWith('failed') && failure === null) return `${state} without a failure`;
  if (released && (maybeExecuted || !state.startsWith('failed'))) return `${state}, released, and it may not be`;
  if (leaseUntil !== null && !isHeld(state)) return `${state} with a lease`;
  if (state === 'accepted' && attempts.some((attempt) => attempt.round === round)) return 'accepted with attempts';
  if (state !== 'succeeded' && attempts.some(({ result }) => result === 'served'))
    return `${state} with a served attempt`;
  if (attempts.some((attempt) => attempt.round > round)) return 'attempts of a round that has not begun';
  if (openAttempts > row.attempts || round < 1) return 'counters that cannot be';
  return null;
}
