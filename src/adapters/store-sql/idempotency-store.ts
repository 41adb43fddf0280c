/** The idempotency ledger in a database: one process has it alone, or several share it by leases. */
import type { Claim, Claimed } from '../../core/idempotency/claim.ts';
import { isHeld, type KeyRef, leaseLost } from '../../core/idempotency/key-row.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Holder } from '../../ports/holder.ts';
import type {
  AttemptEnd,
  AttemptStart,
  ClaimAnswer,
  LateSuccess,
  RoundFailure,
  RoundSuccess,
  RoundView,
  SharedIdempotency,
  StoredAnswer,
  StoredKey,
} from '../../ports/idempotency-store.ts';
import { StateStoreUnavailable } from '../../ports/object-store.ts';
import type { RemoteJoins } from '../../ports/remote-joins.ts';
import { SealKeyError } from '../../ports/sealer.ts';
import { AnswersInUse } from './answers-in-use.ts';
import { faultPoint } from './fault-point.ts';
import { type AnswerSealer, openAnswer, sealAnswer } from './idempotency-answers.ts';
import { readKeys } from './idempotency-keys.ts';
import { IdempotencyLane, idOf } from './idempotency-lane.ts';
import {
  type Asked,
  claimOrder,
  closeOrder,
  deliveredOrder,
  dropOrder,
  endOrder,
  failOrder,
  type Keeping,
  lateOrder,
  renewOrder,
  startOrder,
  succeedOrder,
} from './idempotency-orders.ts';
import { type KeyInFile, readKey } from './idempotency-rows.ts';
import type { SealedAnswer } from './idempotency-work.ts';
import type { SqlRow } from './sql-step.ts';
import type { StateDb } from './state-db.ts';
import type { IdempotencySql } from './statements.ts';

export interface IdempotencyStoreOptions {
  readonly db: Pick<StateDb, 'write' | 'read'>;
  readonly sql: IdempotencySql;
  /** Reads answers without making writers wait; `db` where it is absent. */
  readonly reader?: Pick<StateDb, 'read'>;
  readonly sealer: AnswerSealer;
  readonly clock: Clock;
  readonly holder: Holder;
  /** One lease for all that a holder has. Neither this nor `leaseMs` = one process has the store alone. */
  readonly leases?: HolderLeases;
  /** A lease in every key's row. */
  readonly leaseMs?: number;
  readonly joins?: RemoteJoins;
  /** An order was given up that no repetition makes acceptable: a fault of the program. */
  readonly onBug?: (error: unknown) => void;
}

/** Leases of processes, kept beside the keys: `IdempotencySql.load` tells them. Both reject with `StateStoreUnavailable`. */
export interface HolderLeases {
  /** Ours is good from `wall` on for its length. False = others have closed what we held; the holder is another one by now. */
  renew(wall: number): Promise<boolean>;
  /** Those that are over at `wall` are over for good. Judges nobody while we may have been deaf ourselves. */
  fence(wall: number): Promise<void>;
}

export function createIdempotencyStore(options: IdempotencyStoreOptions): SharedIdempotency {
  return new SqlIdempotencyStore(options);
}

/** Rows per step of `recover` and `expire`: others get their turn in between. */
const STEP = 500;

const MOVED = 'moved';
/** Null = it can't be opened any more; `moved` = it is not there, or another request's. */
type Found = StoredAnswer | null | typeof MOVED;

class SqlIdempotencyStore implements SharedIdempotency {
  readonly #options: IdempotencyStoreOptions;
  readonly joins: RemoteJoins | null;
  #keeping: Keeping;
  readonly #lane: IdempotencyLane;
  /** Rounds whose leases are to be renewed. */
  readonly #mine = new Map<string, { readonly ref: KeyRef; readonly round: number }>();
  /** Answers being read, so that a crowd asking for one reads it once. */
  readonly #reading = new Map<string, Promise<Found>>();
  readonly #inUse = new AnswersInUse();

  constructor(options: IdempotencyStoreOptions) {
    this.#options = options;
    const { db, sql, clock, holder, leaseMs, leases, onBug } = options;
    this.joins = options.joins ?? null;
    this.#keeping = {
      holder: holder.id,
      leaseMs: leaseMs ?? null,
      alone: leaseMs === undefined && leases === undefined,
    };
    const leasesApart = leases !== undefined;
    this.#lane = new IdempotencyLane({ db, sql, clock, holder, leasesApart, onBug: onBug ?? (() => undefined) });
    holder.onLost(() => this.#lost());
  }

  /** Others have closed everything that was ours. */
  #lost(): void {
    this.#keeping = { ...this.#keeping, holder: this.#options.holder.id };
    this.#mine.clear();
    this.#lane.forget();
  }

  claim(claim: Claim): Promise<ClaimAnswer> {
    return this.#claim(claim, null);
  }

  /** `missed`: the request whose answer was not there a moment ago. */
  async #claim(claim: Claim, missed: string | null): Promise<ClaimAnswer> {
    const claimed = await this.#ask<Claimed>((asked) => this.#lane.take(claimOrder(claim, this.#keeping, asked)));
    if (claimed.kind === 'owner' && !this.#keeping.alone) {
      this.#mine.set(idOf(claim.ref), { ref: claim.ref, round: claimed.round });
    }
    if (claimed.kind !== 'succeeded') return claimed;
    const { kind, round, requestId, stored } = claimed;
    const answer = stored ? await this.#answer(claim.ref, requestId) : null;
    // The key expired and was used again between the two looks.
    if (answer === MOVED && missed !== requestId) return this.#claim(claim, requestId);
    return { kind, round, requestId, answer: answer === MOVED ? null : answer };
  }

  startAttempt(start: AttemptStart): Promise<void> {
    return this.#ask((asked) => this.#lane.take(startOrder(start, this.#keeping.holder, asked)));
  }

  endAttempt(end: AttemptEnd): void {
    this.#lane.take(endOrder(end));
  }

  dropAttempt(ref: KeyRef, attemptId: string): void {
    this.#lane.take(dropOrder(ref, attemptId));
  }

  async succeed(success: RoundSuccess): Promise<'stored' | 'lost'> {
    const sealed = this.#seal(success);
    const result = await this.#ask<'stored' | 'lost'>((asked) =>
      this.#lane.take(succeedOrder(success, sealed, this.#keeping.holder, asked)),
    );
    this.#mine.delete(idOf(success.ref));
    return result;
  }

  fail(failure: RoundFailure): Promise<void> {
    this.#mine.delete(idOf(failure.ref));
    return new Promise((resolve) => this.#lane.take(failOrder(failure, this.#keeping.holder, resolve)));
  }

  late(success: LateSuccess): void {
    this.#lane.take(lateOrder(success));
  }

  delivered(ref: KeyRef, round: number): void {
    this.#lane.take(deliveredOrder(ref, round));
  }

  async look(ref: KeyRef, round: number, requestId: string): Promise<RoundView> {
    // What is held here may not have been written yet.
    const row = this.#lane.held(ref);
    const known = row === null ? await this.#read(ref) : { row, attempts: [] };
    if (known === null || known.row.round !== round || known.row.requestId !== requestId) return { kind: 'gone' };
    const { state, failure, digest, answerStored } = known.row;
    if (isHeld(state)) return { kind: 'running', lost: leaseLost(known.row, this.#options.clock.wall()) };
    if (state === 'succeeded') {
      const answer = answerStored ? await this.#answer(ref, requestId) : null;
      if (answer === MOVED) return { kind: 'gone' };
      return { kind: 'succeeded', digest: digest ?? '', answer };
    }
    if (failure === null) return { kind: 'gone' };
    return { kind: 'failed', failure, sent: known.attempts.some((attempt) => attempt.round === round) };
  }

  async #read(ref: KeyRef): Promise<KeyInFile | null> {
    const { db, reader = db, sql } = this.#options;
    const [columns] = await reader.read(sql.load, [JSON.stringify([[ref.keyHash, ref.scope]])]);
    return columns === undefined ? null : readKey(columns);
  }

  async recover(wall: number): Promise<{ readonly closed: number }> {
    const { holder, alone } = this.#keeping;
    const { db, sql, leases } = this.#options;
    await leases?.fence(wall);
    let closed = 0;
    for (;;) {
      const orphans = await db.read(sql.orphans, [alone ? 0 : 1, wall, holder, STEP]);
      const results = await Promise.all(
        orphans.map((row) =>
          this.#ask<boolean>((asked) => this.#lane.take(closeOrder(refOf(row), wall, this.#keeping, asked))),
        ),
      );
      closed += results.filter((done) => done).length;
      if (orphans.length < STEP) return { closed };
    }
  }

  async renew(wall: number): Promise<readonly { readonly ref: KeyRef; readonly round: number }[]> {
    const { holder, leaseMs, alone } = this.#keeping;
    if (alone) return [];
    const mine = [...this.#mine.values()];
    if (leaseMs === null) {
      if (await this.#options.leases?.renew(wall)) return [];
      for (const { ref } of mine) this.#mine.delete(idOf(ref));
      return mine;
    }
    const kept = await Promise.all(
      mine.map(({ ref, round }) =>
        this.#ask<boolean>((asked) => this.#lane.take(renewOrder(ref, { round, holder }, wall + leaseMs, asked))),
      ),
    );
    // Ended meanwhile by ourselves is not lost.
    const lost = mine.filter((one, index) => kept[index] === false && this.#mine.get(idOf(one.ref)) === one);
    for (const { ref } of lost) this.#mine.delete(idOf(ref));
    return lost;
  }

  async expire(wall: number): Promise<number> {
    const { db, sql } = this.#options;
    let forgotten = 0;
    for (;;) {
      const expired = await db.read(sql.expired, [wall, STEP]);
      if (expired.length === 0) return forgotten;
      const keys = expired.map(([keyHash = null, scope = null]) => [keyHash, scope]);
      const step = [{ name: 'expire' }];
      faultPoint('before', step);
      await db.write([
        { sql: sql.forgetAnswer, rows: keys.map((key) => [...key, wall]) },
        { sql: sql.forget, rows: keys.map((key) => [...key, wall]) },
      ]);
      faultPoint('after', step);
      forgotten += expired.length;
      if (expired.length < STEP) return forgotten;
    }
  }

  async *keys(): AsyncIterable<StoredKey> {
    await this.#lane.settle();
    const { db, reader = db, sql, sealer } = this.#options;
    yield* readKeys({ db: reader, sql }, sealer);
  }

  async sealKeys(): Promise<readonly string[]> {
    await this.#lane.flush();
    const { db, sql } = this.#options;
    return (await db.read(sql.sealKeys, [])).map(([id]) => String(id));
  }

  close(): Promise<void> {
    return this.#lane.close();
  }

  #ask<T>(give: (asked: Asked<T>) => void): Promise<T> {
    return new Promise((resolve, reject) => give({ resolve, reject }));
  }

  #seal({ ref, answer, requestId }: RoundSuccess): SealedAnswer | null {
    try {
      return sealAnswer(this.#options.sealer, ref, requestId, answer);
    } catch (error) {
      if (error instanceof SealKeyError) throw new StateStoreUnavailable(error.message);
      throw error;
    }
  }

  #answer(ref: KeyRef, requestId: string): Promise<Found> {
    const id = `${requestId} ${idOf(ref)}`;
    const known = this.#reading.get(id);
    if (known !== undefined) return known;
    const inUse = this.#inUse.get(id);
    if (inUse !== null) return Promise.resolve(inUse);
    const reading = this.#readAnswer(ref, requestId, id).finally(() => this.#reading.delete(id));
    this.#reading.set(id, reading);
    return reading;
  }

  async #readAnswer(ref: KeyRef, requestId: string, id: string): Promise<Found> {
    const { db, sql, reader = db, sealer } = this.#options;
    const [row] = await reader.read(sql.getAnswer, [ref.keyHash, ref.scope]);
    const [owner, sealed] = row ?? [];
    if (owner !== requestId || !(sealed instanceof Uint8Array)) return MOVED;
    const answer = openAnswer(sealer, ref, requestId, sealed);
    if (answer !== null) this.#inUse.add(id, answer);
    return answer;
  }
}

function refOf([keyHash, scope]: SqlRow): KeyRef {
  return { keyHash: String(keyHash), scope: String(scope) };
}
