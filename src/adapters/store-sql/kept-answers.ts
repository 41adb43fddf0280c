/**
 * Kept answers (E-4), written behind the requests that made them. What can't be written is given up: an
 * answer not kept is one rung less, never a fault of its request.
 */
import type { Cancel, Clock } from '../../ports/clock.ts';
import type { KeptAnswer, KeptAnswers, KeptRef, NewKeptAnswer } from '../../ports/kept-answers.ts';
import { openParcel, type ParcelSealer, sealParcel } from './sealed-parcel.ts';
import type { SqlStep } from './sql-step.ts';
import type { StateDb } from './state-db.ts';
import type { KeptSql } from './statements.ts';

export interface KeptAnswersOptions {
  readonly db: Pick<StateDb, 'read' | 'write'>;
  readonly sql: KeptSql;
  readonly sealer: ParcelSealer;
  readonly clock: Clock;
  /** What is wrong, in plain words; null = it is well again. Told once per change. */
  readonly onProblem: (problem: string | null) => void;
}

/** Answers gather company for a moment: one transaction for many. */
const GATHER_MS = 100;
/** What may wait for a slow disk; beyond it the newest are not kept. */
const MOST_WAITING_BYTES = 16 * 1024 * 1024;
/** Room is made for a while, not for each answer anew. */
const MAKE_ROOM_TO = 0.9;

export class SqlKeptAnswers implements KeptAnswers {
  readonly #options: KeptAnswersOptions;
  /** By reference: a later answer takes an earlier one's place. */
  #waiting = new Map<string, NewKeptAnswer>();
  #waitingBytes = 0;
  /** Bytes of each workspace, at least; asked for once, counted up, asked again when room was made. */
  readonly #totals = new Map<string, number>();
  #cancel: Cancel | null = null;
  #work: Promise<void> = Promise.resolve();
  #problem: string | null = null;
  #closed = false;

  constructor(options: KeptAnswersOptions) {
    this.#options = options;
  }

  keep(answer: NewKeptAnswer): void {
    const size = answer.body.length;
    if (this.#closed || size > answer.maxBytes || this.#waitingBytes + size > MOST_WAITING_BYTES) return;
    const id = contextOf(answer.ref);
    this.#waitingBytes += size - (this.#waiting.get(id)?.body.length ?? 0);
    this.#waiting.set(id, answer);
    this.#cancel ??= this.#options.clock.after(GATHER_MS, () => void this.flush());
  }

  /** Writes what waits. Never rejects. */
  flush(): Promise<void> {
    this.#cancel?.();
    this.#cancel = null;
    this.#work = this.#work.then(() => this.#flush());
    return this.#work;
  }

  async newest(ref: KeptRef, since: number, wall: number): Promise<KeptAnswer | null> {
    const waiting = this.#waiting.get(contextOf(ref));
    if (waiting !== undefined && waiting.at >= since && waiting.expiresAt > wall) return waiting;
    const { db, sealer } = this.#options;
    const [row] = await db.read(this.#options.sql.newest, [ref.scope, ref.fingerprint, since, wall]);
    const parcel = row === undefined ? null : openParcel(sealer, contextOf(ref), row[0]);
    if (parcel === null) return null;
    return { ...(parcel.head as Omit<KeptAnswer, 'body'>), body: parcel.body };
  }

  async forget(wall: number, keeping: ReadonlySet<string>): Promise<number> {
    const { db } = this.#options;
    for (const [id, { workspace, body }] of this.#waiting) {
      if (keeping.has(workspace)) continue;
      this.#waiting.delete(id);
      this.#waitingBytes -= body.length;
    }
    const gone = (await db.read(this.#options.sql.workspaces, []))
      .map(([name]) => String(name))
      .filter((name) => !keeping.has(name));
    const { changes } = await db.write([
      { sql: this.#options.sql.expire, rows: [[wall]] },
      { sql: this.#options.sql.forget, rows: gone.map((name) => [name]) },
    ]);
    this.#totals.clear();
    return changes;
  }

  async sealKeys(): Promise<readonly string[]> {
    await this.flush();
    return (await this.#options.db.read(this.#options.sql.sealKeys, [])).map(([id]) => String(id));
  }

  async close(): Promise<void> {
    this.#closed = true;
    await this.flush();
  }

  async #flush(): Promise<void> {
    const batch = [...this.#waiting.values()];
    if (batch.length === 0) return;
    this.#waiting = new Map();
    this.#waitingBytes = 0;
    try {
      await this.#options.db.write([this.#stepOf(batch)]);
      const roomOf = new Map(batch.map(({ workspace, maxBytes }) => [workspace, maxBytes] as const));
      for (const [workspace, maxBytes] of roomOf) await this.#makeRoom(workspace, maxBytes, batch);
      this.#say(null);
    } catch (error) {
      this.#say(`answers are not kept: ${error instanceof Error ? error.message : String(error)}`);
    }
  }

  #stepOf(batch: readonly NewKeptAnswer[]): SqlStep {
    const rows = batch.map(({ ref, workspace, expiresAt, maxBytes: _maxBytes, body, ...head }) => {
      const { sealKey, sealed } = sealParcel(this.#options.sealer, contextOf(ref), { head, body });
      return [ref.scope, ref.fingerprint, workspace, head.at, expiresAt, body.length, sealKey, sealed];
    });
    return { sql: this.#options.sql.write, rows };
  }

  async #makeRoom(workspace: string, maxBytes: number, batch: readonly NewKeptAnswer[]): Promise<void> {
    const { db } = this.#options;
    const added = batch.reduce((sum, one) => (one.workspace === workspace ? sum + one.body.length : sum), 0);
    const known = this.#totals.get(workspace);
    let total = known === undefined ? await this.#total(workspace) : known + added;
    if (total > maxBytes) {
      await db.write([{ sql: this.#options.sql.makeRoom, rows: [[workspace, Math.floor(maxBytes * MAKE_ROOM_TO)]] }]);
      total = await this.#total(workspace);
    }
    this.#totals.set(workspace, total);
  }

  async #total(workspace: string): Promise<number> {
    const [row] = await this.#options.db.read(this.#options.sql.total, [workspace]);
    return Number(row?.[0] ?? 0);
  }

  #say(problem: string | null): void {
    if (problem === this.#problem) return;
    this.#problem = problem;
    this.#options.onProblem(problem);
  }
}

/** Bound into the seal: an answer opens for its request alone. */
function contextOf({ scope, fingerprint }: KeptRef): string {
  return `kept answer ${scope} ${fingerprint}`;
}
