/** One run under a key, as the ledger knows it: every attempt before its bytes leave, one success at most (I-2, I-3). */
import type { GatewayError } from '../../core/errors/gateway-error.ts';
import type { PlannedTarget } from '../../core/failover/plan-types.ts';
import type { Failure } from '../../core/failure.ts';
import type { KeyRef } from '../../core/idempotency/key-row.ts';
import type { Clock } from '../../ports/clock.ts';
import { type IdempotencyStore, type NewAnswer, RoundLost } from '../../ports/idempotency-store.ts';
import type { AttemptLedger } from '../attempt-ledger.ts';
import { type AttemptTrace, attemptId } from '../attempt-trace.ts';
import { inTime, LEDGER_MS } from './ledger-time.ts';
import { ledgerUnavailable, roundLost, unwritten } from './refusals.ts';

export interface RoundDeps {
  readonly store: IdempotencyStore;
  readonly clock: Clock;
}

/** What the claim gave. */
export interface OwnRound {
  readonly ref: KeyRef;
  readonly round: number;
  readonly attemptsBefore: number;
  readonly requestId: string;
}

export type RoundState = 'running' | 'succeeded' | 'failed' | 'failed_retry_exhausted';

export interface RoundEnd {
  readonly error: GatewayError;
  readonly exhausted: boolean;
  /** The caller's own fault (I-5). */
  readonly release: boolean;
}

/** Tries of storing a success: the answer is there and paid for. ms before each. */
const TRIES_MS = [0, 200, 800];
/** The last step has so long at least, however late it comes. */
const LEAST_MS = 1000;

export class Round implements AttemptLedger {
  readonly own: OwnRound;
  state: RoundState = 'running';
  /** When its client stops waiting, monotonic ms: a whole answer is stored by then, or is no answer (D-4). */
  deadlineAt = Number.POSITIVE_INFINITY;
  /** What a target is called, `MODEL#CHANNEL@CREDENTIAL`; set once there is a plan. */
  nameOf: (planned: PlannedTarget) => string = ({ rank }) => `#${rank}`;
  readonly #deps: RoundDeps;
  /** Begun and not ended, by number. */
  readonly #open = new Map<number, string>();
  #starts = 0;
  /** The highest number that was begun. */
  #last = 0;

  constructor(deps: RoundDeps, own: OwnRound) {
    this.#deps = deps;
    this.own = own;
  }

  async begin(no: number, planned: PlannedTarget): Promise<Failure | null> {
    const { store, clock } = this.#deps;
    const { ref, round } = this.own;
    const id = this.#idOf(no);
    const start = { ref, round, no, attemptId: id, target: this.nameOf(planned), at: clock.wall() };
    try {
      await inTime(clock, store.startAttempt(start), () => store.dropAttempt(ref, id));
    } catch (error) {
      return unwritten(error instanceof RoundLost);
    }
    this.#open.set(no, id);
    return null;
  }

  unused(no: number): void {
    const id = this.#open.get(no);
    if (id === undefined) return;
    this.#open.delete(no);
    this.#deps.store.dropAttempt(this.own.ref, id);
  }

  /** A number whose call was never sent is given to the next one; its id is not: a late word on the first must not hit the second. */
  #idOf(no: number): string {
    this.#starts += 1;
    const id = attemptId(this.own.requestId, no);
    if (no <= this.#last) return `${id}.${this.#starts}`;
    this.#last = no;
    return id;
  }

  /** A served attempt stays open until its answer is stored: a crash in between must not hide that it was executed. */
  look(traces: readonly AttemptTrace[]): void {
    if (this.#open.size === 0) return;
    for (const { no, bill, result, failure, attempt } of traces) {
      const id = this.#open.get(no);
      if (id === undefined || bill === null || result === 'served') continue;
      this.#open.delete(no);
      const wasLeft = result === 'cancelled' && attempt.sentAt !== null;
      this.#end(id, result, wasLeft || result === 'interrupted' || failure?.maybeExecuted === true);
    }
  }

  /** I-3: null = stored, the client may see the end. Else what it gets instead; the round has then failed. */
  async succeed(no: number | null, answer: NewAnswer): Promise<GatewayError | null> {
    const { clock } = this.#deps;
    const id = no === null ? null : (this.#open.get(no) ?? null);
    const result = await this.#store(id, answer);
    if (result === 'stored') {
      this.state = 'succeeded';
      if (no !== null) this.#open.delete(no);
      return null;
    }
    const error = result === 'lost' ? roundLost(clock.wall()) : ledgerUnavailable(clock.wall());
    // The store has written a late success down itself.
    if (result === 'lost' && no !== null) this.#open.delete(no);
    this.fail({ error, exhausted: false, release: false });
    return error;
  }

  /** Ends the round without success. Every later claim of this process sees it at once. */
  fail({ error, exhausted, release }: RoundEnd): void {
    if (this.state !== 'running') return;
    this.state = exhausted ? 'failed_retry_exhausted' : 'failed';
    for (const id of this.#open.values()) this.#end(id, 'interrupted', true);
    this.#open.clear();
    const { ref, round, requestId } = this.own;
    const { status, code, message, ...told } = error;
    const failure = { status, code: code ?? '', message, requestId, at: this.#deps.clock.wall(), told };
    void this.#deps.store.fail({ ref, round, state: this.state, failure, release });
  }

  async #store(id: string | null, answer: NewAnswer): Promise<'stored' | 'lost' | 'unavailable'> {
    const { store, clock } = this.#deps;
    const { ref, round, requestId } = this.own;
    const until = answer.stream ? Number.POSITIVE_INFINITY : Math.max(this.deadlineAt, clock.now() + LEAST_MS);
    for (const pause of TRIES_MS) {
      const left = until - clock.now() - pause;
      if (left <= 0) break;
      if (pause > 0) await new Promise<void>((resolve) => void clock.after(pause, resolve));
      try {
        const storing = store.succeed({ ref, round, requestId, attemptId: id, answer });
        return await inTime(clock, storing, () => undefined, Math.min(LEDGER_MS, left));
      } catch (error) {
        if (error instanceof RoundLost) return 'lost';
      }
    }
    return 'unavailable';
  }

  #end(id: string, result: AttemptTrace['result'], maybeExecuted: boolean): void {
    const { store, clock } = this.#deps;
    store.endAttempt({ ref: this.own.ref, attemptId: id, result, maybeExecuted, at: clock.wall() });
  }
}
