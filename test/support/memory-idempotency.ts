/** The ledger in memory, on the same pure decisions: what a store has to do, without a disk. Several may share one book. */
import { createHash } from 'node:crypto';
import { type Claim, decideClaim, type Holding } from '../../src/core/idempotency/claim.ts';
import { isHeld, type KeyRef, type KeyRow, leaseLost } from '../../src/core/idempotency/key-row.ts';
import {
  beginAttempt,
  closeRound,
  dropAttempt,
  failRound,
  finishAttempt,
  markDelivered,
  runsRound,
  succeedRound,
} from '../../src/core/idempotency/round.ts';
import {
  type AttemptEnd,
  type AttemptStart,
  type ClaimAnswer,
  type LateSuccess,
  type RoundFailure,
  RoundLost,
  type RoundSuccess,
  type RoundView,
  type SharedIdempotency,
  type StoredAnswer,
  type StoredAttempt,
  type StoredKey,
} from '../../src/ports/idempotency-store.ts';
import type { RemoteJoins } from '../../src/ports/remote-joins.ts';

type Attempt = { -readonly [K in keyof StoredAttempt]: StoredAttempt[K] };

interface Kept {
  readonly ref: KeyRef;
  row: KeyRow;
  attempts: Map<string, Attempt>;
  answer: StoredAnswer | null;
}

export class MemoryBook {
  readonly keys = new Map<string, Kept>();
}

export class MemoryIdempotency implements SharedIdempotency {
  readonly #book: MemoryBook;
  readonly #holding: Holding;
  readonly #mine = new Map<string, { readonly ref: KeyRef; readonly round: number }>();
  readonly joins: RemoteJoins | null;

  constructor(book: MemoryBook, holder: string, leaseMs: number | null, joins: RemoteJoins | null = null) {
    this.joins = joins;
    this.#book = book;
    this.#holding = { holder, leaseMs };
  }

  async claim(claim: Claim): Promise<ClaimAnswer> {
    const kept = this.#find(claim.ref);
    const { claimed, row, fresh } = decideClaim(kept?.row ?? null, claim, this.#holding);
    if (row !== null && (fresh || kept === undefined)) {
      this.#book.keys.set(idOf(claim.ref), { ref: claim.ref, row, attempts: new Map(), answer: null });
    } else if (row !== null && kept !== undefined) {
      if (row.openAttempts === 0) abandon(kept, claim.at);
      kept.row = row;
    }
    if (claimed.kind === 'owner') this.#mine.set(idOf(claim.ref), { ref: claim.ref, round: claimed.round });
    if (claimed.kind !== 'succeeded') return claimed;
    const { kind, round, requestId } = claimed;
    return { kind, round, requestId, answer: kept?.answer ?? null };
  }

  async startAttempt({ ref, round, no, attemptId, target, at }: AttemptStart): Promise<void> {
    const kept = this.#find(ref);
    const row = kept === undefined ? null : beginAttempt(kept.row, { round, holder: this.#holding.holder });
    if (kept === undefined || row === null) throw new RoundLost(`attempt ${attemptId} may not start`);
    kept.row = row;
    const open = { endedAt: null, result: null, maybeExecuted: false };
    kept.attempts.set(attemptId, { attemptId, round, no, target, startedAt: at, ...open });
  }

  endAttempt({ ref, attemptId, result, maybeExecuted, at }: AttemptEnd): void {
    const kept = this.#find(ref);
    const attempt = kept?.attempts.get(attemptId);
    if (kept === undefined || attempt === undefined || attempt.endedAt !== null) return;
    const cut = result === 'served' && kept.row.state !== 'succeeded';
    kept.row = finishAttempt(kept.row, maybeExecuted || cut);
    Object.assign(attempt, { endedAt: at, result: cut ? 'interrupted' : result, maybeExecuted: maybeExecuted || cut });
  }

  dropAttempt(ref: KeyRef, attemptId: string): void {
    const kept = this.#find(ref);
    const attempt = kept?.attempts.get(attemptId);
    if (kept === undefined || attempt === undefined || attempt.endedAt !== null) return;
    kept.row = dropAttempt(kept.row);
    kept.attempts.delete(attemptId);
  }

  async succeed({ ref, round, requestId, attemptId, answer }: RoundSuccess): Promise<'stored' | 'lost'> {
    const kept = this.#find(ref);
    this.#mine.delete(idOf(ref));
    if (kept === undefined) return 'lost';
    const { body, ...head } = answer;
    const own = kept.row.requestId === requestId && kept.row.round === round;
    if (own && kept.row.state === 'succeeded' && kept.row.digest === answer.digest) return 'stored';
    const stored = { digest: answer.digest, stored: body !== null, at: answer.at };
    const row = own ? succeedRound(kept.row, { round, holder: this.#holding.holder }, stored) : null;
    if (row === null) {
      if (attemptId !== null) this.late({ ref, attemptId, at: answer.at });
      return 'lost';
    }
    kept.row = row;
    kept.answer = body === null ? null : { ...head, body };
    const { at } = answer;
    if (attemptId !== null) this.endAttempt({ ref, attemptId, result: 'served', maybeExecuted: false, at });
    const attempt = kept.attempts.get(attemptId ?? '');
    if (attempt !== undefined) attempt.result = 'served';
    return 'stored';
  }

  async fail(failure: RoundFailure): Promise<void> {
    const kept = this.#find(failure.ref);
    this.#mine.delete(idOf(failure.ref));
    if (kept === undefined) return;
    kept.row = failRound(kept.row, { round: failure.round, holder: this.#holding.holder }, failure) ?? kept.row;
  }

  late({ ref, attemptId, at }: LateSuccess): void {
    this.endAttempt({ ref, attemptId, result: 'late_success', maybeExecuted: true, at });
    const attempt = this.#find(ref)?.attempts.get(attemptId);
    if (attempt !== undefined) Object.assign(attempt, { result: 'late_success', maybeExecuted: true });
  }

  delivered(ref: KeyRef, round: number): void {
    const kept = this.#find(ref);
    if (kept !== undefined) kept.row = markDelivered(kept.row, round) ?? kept.row;
  }

  async recover(wall: number): Promise<{ closed: number }> {
    let closed = 0;
    const alone = this.#holding.leaseMs === null;
    for (const kept of this.#book.keys.values()) {
      const held = isHeld(kept.row.state);
      if (kept.row.holder === this.#holding.holder) continue;
      if (held && (alone || leaseLost(kept.row, wall))) {
        kept.row = closeRound(kept.row, wall);
        closed += 1;
      } else if (held || !alone || kept.row.openAttempts === 0) continue;
      abandon(kept, wall);
      kept.row = { ...kept.row, openAttempts: 0 };
    }
    return { closed };
  }

  async renew(wall: number): Promise<readonly { ref: KeyRef; round: number }[]> {
    const { holder, leaseMs } = this.#holding;
    const lost: { ref: KeyRef; round: number }[] = [];
    for (const [id, mine] of leaseMs === null ? [] : this.#mine) {
      const kept = this.#find(mine.ref);
      if (kept !== undefined && runsRound(kept.row, { round: mine.round, holder })) {
        kept.row = { ...kept.row, leaseUntil: wall + leaseMs! };
        continue;
      }
      this.#mine.delete(id);
      lost.push(mine);
    }
    return lost;
  }

  async expire(wall: number): Promise<number> {
    const over = [...this.#book.keys].filter(([, { row }]) => !isHeld(row.state) && row.expiresAt <= wall);
    for (const [id] of over) this.#book.keys.delete(id);
    return over.length;
  }

  async *keys(): AsyncGenerator<StoredKey> {
    for (const [, { ref, row, attempts, answer }] of [...this.#book.keys].sort(([a], [b]) => (a < b ? -1 : 1))) {
      const digest = answer === null ? '' : createHash('sha256').update(answer.body).digest('hex');
      const bytes = answer === null ? ({ kind: 'none' } as const) : ({ kind: 'bytes', digest } as const);
      yield { ref, row, attempts: [...attempts.values()].sort((a, b) => a.no - b.no), answer: bytes };
    }
  }

  async look(ref: KeyRef, round: number, requestId: string): Promise<RoundView> {
    const kept = this.#find(ref);
    if (kept === undefined || kept.row.round !== round || kept.row.requestId !== requestId) return { kind: 'gone' };
    const { state, digest, failure } = kept.row;
    if (isHeld(state)) return { kind: 'running', lost: false };
    if (state === 'succeeded') return { kind: 'succeeded', digest: digest ?? '', answer: kept.answer };
    const sent = [...kept.attempts.values()].some((attempt) => attempt.round === round);
    return failure === null ? { kind: 'gone' } : { kind: 'failed', failure, sent };
  }

  async sealKeys(): Promise<readonly string[]> {
    return [];
  }

  async close(): Promise<void> {}

  #find(ref: KeyRef): Kept | undefined {
    return this.#book.keys.get(idOf(ref));
  }
}

function abandon(kept: Kept, at: number): void {
  for (const attempt of kept.attempts.values()) {
    if (attempt.endedAt === null) Object.assign(attempt, { endedAt: at, result: 'interrupted', maybeExecuted: true });
  }
}

function idOf({ scope, keyHash }: KeyRef): string {
  return `${keyHash} ${scope}`;
}
