/** The idempotency ledger in `state.db`. One process per file; leases only where several stores share one (tests). */
import type { Claim, Claimed, Holding } from '../../core/idempotency/claim.ts';
import type { KeyRef } from '../../core/idempotency/key-row.ts';
import type { Clock } from '../../ports/clock.ts';
import type {
  AttemptEnd,
  AttemptStart,
  ClaimAnswer,
  IdempotencyStore,
  LateSuccess,
  RoundFailure,
  RoundSuccess,
  StoredAnswer,
  StoredKey,
} from '../../ports/idempotency-store.ts';
import { StateStoreUnavailable } from '../../ports/object-store.ts';
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
  lateOrder,
  renewOrder,
  startOrder,
  succeedOrder,
} from './idempotency-orders.ts';
import { type Row, SQL } from './idempotency-rows.ts';
import type { SealedAnswer } from './idempotency-work.ts';
import type { StateDb } from './open-state-db.ts';

export interface IdempotencyStoreOptions {
  readonly db: Pick<StateDb, 'write' | 'read'>;
  /** Reads answers without making writers wait; `db` where it is absent. */
  readonly reader?: Pick<StateDb, 'read'>;
  readonly sealer: AnswerSealer;
  readonly clock: Clock;
  /** Names this start of the process; no two are ever equal. */
  readonly holder: string;
  /** Absent = the file is this process's alone. */
  readonly leaseMs?: number;
  /** An order was given up that no repetition makes acceptable: a fault of the program. */
  readonly onBug?: (error: unknown) => void;
}

/** What the SQLite ledger offers beyond the port. */
export interface SqliteIdempotency extends IdempotencyStore {
  /** Ids of the keys that stored answers were sealed with: a rotation keeps those. Sees what was ordered before. */
  sealKeys(): Promise<readonly string[]>;
}

export function createIdempotencyStore(options: IdempotencyStoreOptions): SqliteIdempotency {
  return new SqliteIdempotencyStore(options);
}

/** Rows per step of `recover` and `expire`: others get their turn in between. */
const STEP = 500;

const MOVED = 'moved';
/** Null = it can't be opened any more; `moved` = it is not there, or another request's. */
type Found = StoredAnswer | null | typeof MOVED;

class SqliteIdempotencyStore implements SqliteIdempotency {
  readonly #options: IdempotencyStoreOptions;
  readonly #holding: Holding;
  readonly #lane: IdempotencyLane;
  /** Rounds whose leases are to be renewed. */
  readonly #mine = new Map<string, { readonly ref: KeyRef; readonly round: number }>();
  /** Answers being read, so that a crowd asking for one reads it once. */
  readonly #reading = new Map<string, Promise<Found>>();
  readonly #inUse = new AnswersInUse();

  constructor(options: IdempotencyStoreOptions) {
    this.#options = options;
    const { db, clock, holder, leaseMs, onBug } = options;
    this.#holding = { holder, leaseMs: leaseMs ?? null };
    this.#lane = new IdempotencyLane({ db, clock, holder, onBug: onBug ?? (() => undefined) });
  }

  claim(claim: Claim): Promise<ClaimAnswer> {
    return this.#claim(claim, null);
  }

  /** `missed`: the request whose answer was not there a moment ago. */
  async #claim(claim: Claim, missed: string | null): Promise<ClaimAnswer> {
    const claimed = await this.#ask<Claimed>((asked) => this.#lane.take(claimOrder(claim, this.#holding, asked)));
    if (claimed.kind === 'owner' && this.#holding.leaseMs !== null) {
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
    return this.#ask((asked) => this.#lane.take(startOrder(start, this.#holding.holder, asked)));
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
      this.#lane.take(succeedOrder(success, sealed, this.#holding.holder, asked)),
    );
    this.#mine.delete(idOf(success.ref));
    return result;
  }

  fail(failure: RoundFailure): Promise<void> {
    this.#mine.delete(idOf(failure.ref));
    return new Promise((resolve) => this.#lane.take(failOrder(failure, this.#holding.holder, resolve)));
  }

  late(success: LateSuccess): void {
    this.#lane.take(lateOrder(success));
  }

  delivered(ref: KeyRef, round: number): void {
    this.#lane.take(deliveredOrder(ref, round));
  }

  async recover(wall: number): Promise<{ readonly closed: number }> {
    const { holder, leaseMs } = this.#holding;
    const alone = leaseMs === null;
    let closed = 0;
    for (;;) {
      const orphans = await this.#options.db.read(SQL.orphans, [alone ? 0 : 1, wall, holder, STEP]);
      const results = await Promise.all(
        orphans.map((row) =>
          this.#ask<boolean>((asked) => this.#lane.take(closeOrder(refOf(row), wall, this.#holding, asked))),
        ),
      );
      closed += results.filter((done) => done).length;
      if (orphans.length < STEP) return { closed };
    }
  }

  async renew(wall: number): Promise<readonly { readonly ref: KeyRef; readonly round: number }[]> {
    const { holder, leaseMs } = this.#holding;
    if (leaseMs === null) return [];
    const mine = [...this.#mine.values()];
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
    const { db } = this.#options;
    let forgotten = 0;
    for (;;) {
      const expired = await db.read(SQL.expired, [wall, STEP]);
      if (expired.length === 0) return forgotten;
      const keys = expired.map(([keyHash = null, scope = null]) => [keyHash, scope]);
      const step = [{ name: 'expire' }];
      faultPoint('before', step);
      await db.write([
        { sql: SQL.forgetAnswer, rows: keys.map((key) => [...key, wall]) },
        { sql: SQL.forget, rows: keys.map((key) => [...key, wall]) },
      ]);
      faultPoint('after', step);
      forgotten += expired.length;
      if (expired.length < STEP) return forgotten;
    }
  }

  async *keys(): AsyncIterable<StoredKey> {
    await this.#lane.settle();
    yield* readKeys(this.#options.reader ?? this.#options.db, this.#options.sealer);
  }

  async sealKeys(): Promise<readonly string[]> {
    await this.#lane.flush();
    return (await this.#options.db.read(SQL.sealKeys, [])).map(([id]) => String(id));
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
    const { db, reader = db, sealer } = this.#options;
    const [row] = await reader.read(SQL.getAnswer, [ref.keyHash, ref.scope]);
    const [owner, sealed] = row ?? [];
    if (owner !== requestId || !(sealed instanceof Uint8Array)) return MOVED;
    const answer = openAnswer(sealer, ref, requestId, sealed);
    if (answer !== null) this.#inUse.add(id, answer);
    return answer;
  }
}

function refOf([keyHash, scope]: Row): KeyRef {
  return { keyHash: String(keyHash), scope: String(scope) };
}
