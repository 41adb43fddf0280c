/**
 * This process among those that share the database: one lease, renewed every 10 s, for everything it holds. Whoever does
 * not renew for 30 s is judged gone (*fenced*) by another one, for good; it finds out at its next renewal and starts over
 * under a new name. Nobody judges who may have been deaf himself (I-8).
 */
import type { Cancel, Clock } from '../../ports/clock.ts';
import type { Holder } from '../../ports/holder.ts';
import type { HolderLeases } from '../store-sql/idempotency-store.ts';
import type { StateDb } from '../store-sql/state-db.ts';
import { REPLICAS_SQL as SQL } from './replicas-sql.ts';
import { newestStep } from './schema-steps.ts';
import type { StoreClock } from './store-clock.ts';

export interface ReplicasOptions {
  readonly db: Pick<StateDb, 'write'>;
  readonly clock: Clock;
  /** Told the server's time with every renewal. */
  readonly storeClock?: Pick<StoreClock, 'sample'>;
  /** A name that was never used. */
  readonly newHolder: () => string;
  readonly version: string;
  readonly host: string;
  readonly leaseMs?: number;
  /** Heard without a break for so long, it may judge others; tests with times of their own: 0. */
  readonly judgeAfterMs?: number;
}

const LEASE_MS = 30_000;
/** Two renewals, ten seconds apart, have to have come through. */
const JUDGE_AFTER_MS = 10_000;
/** So long after the last renewal it may be deaf. */
const DEAF_AFTER_MS = 15_000;
/** Judged gone so long ago, it is forgotten: a name that is not there is as gone as one that was judged. */
const FORGET_AFTER_MS = 60 * 60 * 1000;

export class Replicas implements Holder, HolderLeases {
  readonly #options: ReplicasOptions;
  readonly #leaseMs: number;
  readonly #lost: ((former: string) => void)[] = [];
  #id: string;
  #peers = 1;
  /** Monotonic: when the last renewal that came through was sent. */
  #renewedAt = Number.NEGATIVE_INFINITY;
  /** Monotonic: since when every renewal has come through; null = the last one did not. */
  #heardSince: number | null = null;

  constructor(options: ReplicasOptions) {
    this.#options = options;
    this.#leaseMs = options.leaseMs ?? LEASE_MS;
    this.#id = options.newHolder();
  }

  get id(): string {
    return this.#id;
  }

  get isAlive(): boolean {
    return this.#options.clock.now() - this.#renewedAt < this.#leaseMs;
  }

  get peers(): number {
    return this.#peers;
  }

  onLost(callback: (former: string) => void): void {
    this.#lost.push(callback);
  }

  /** Before anything is held. */
  async join(wall: number): Promise<void> {
    await this.#enter(this.#id, wall);
    await this.renew(wall);
  }

  async renew(wall: number): Promise<boolean> {
    const { db, clock, storeClock } = this.#options;
    const askedAt = clock.now();
    const holder = this.#id;
    try {
      const row = [holder, wall + this.#leaseMs, wall];
      const { returned = [] } = await db.write([{ sql: SQL.renew, rows: [row], returns: true }]);
      const [isOurs, others, serverWall] = returned[0] ?? [];
      storeClock?.sample(Number(serverWall), askedAt);
      this.#peers = Number(others) + 1;
      if (isOurs !== 1) {
        await this.#startOver(holder, wall);
        return false;
      }
      if (askedAt - this.#renewedAt > DEAF_AFTER_MS) this.#heardSince = null;
      this.#renewedAt = askedAt;
      this.#heardSince ??= askedAt;
      return true;
    } catch (error) {
      this.#heardSince = null;
      throw error;
    }
  }

  async fence(wall: number): Promise<void> {
    if (!this.#mayJudge()) return;
    await this.#options.db.write([
      { sql: SQL.fence, rows: [[this.#id, wall]] },
      { sql: SQL.forget, rows: [[wall - FORGET_AFTER_MS]] },
    ]);
  }

  /** What is still held is anybody's at once. Never rejects: the lease ends by itself. */
  async leave(): Promise<void> {
    this.#renewedAt = Number.NEGATIVE_INFINITY;
    await this.#options.db.write([{ sql: SQL.leave, rows: [[this.#id]] }]).catch(() => undefined);
  }

  #mayJudge(): boolean {
    const { clock, judgeAfterMs = JUDGE_AFTER_MS } = this.#options;
    if (judgeAfterMs === 0) return true;
    const now = clock.now();
    if (this.#heardSince === null || now - this.#renewedAt > DEAF_AFTER_MS) return false;
    return this.#renewedAt - this.#heardSince >= judgeAfterMs;
  }

  /** Under the new name nothing is held before it is known to the others: they would take it for one of a dead process. */
  async #startOver(former: string, wall: number): Promise<void> {
    const id = this.#options.newHolder();
    await this.#enter(id, wall);
    // Found out twice at once, it is lost once.
    if (this.#id !== former) return;
    this.#id = id;
    this.#renewedAt = Number.NEGATIVE_INFINITY;
    this.#heardSince = null;
    for (const callback of this.#lost) callback(former);
    await this.renew(wall);
  }

  async #enter(id: string, wall: number): Promise<void> {
    const { db, version, host } = this.#options;
    const row = [id, wall + this.#leaseMs, wall, version, newestStep(), host];
    await db.write([{ sql: SQL.join, rows: [row], expect: 1 }]);
  }
}

/** How often a lease is renewed, and how soon again after it could not be. */
const BEAT_MS = 10_000;
const BEAT_AGAIN_MS = 1000;

/** Calls `beat` every 10 s, 1 s after one that failed; the result ends it. */
export function keepBeating(clock: Clock, beat: () => Promise<boolean>): Cancel {
  let cancel: Cancel = () => undefined;
  let isOver = false;
  const arm = (ms: number) => {
    if (isOver) return;
    cancel = clock.after(ms, () => void beat().then((isWell) => arm(isWell ? BEAT_MS : BEAT_AGAIN_MS)));
  };
  arm(BEAT_MS);
  return () => {
    isOver = true;
    cancel();
  };
}
