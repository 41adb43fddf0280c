/**
 * Period counters of the limits in `state.db`: restored at the start, written behind once a second. They are hints: a
 * store out of order is told and refuses nobody; at most the last second is lost with a killed process.
 */
import type { LimitBoard } from '../../core/limits/limit-board.ts';
import { type Period, type PeriodRow, periodBounds } from '../../core/limits/period-counter.ts';
import type { Cancel, Clock } from '../../ports/clock.ts';
import type { StateDb } from '../store-sql/state-db.ts';
import type { SqlScalar } from './sql-protocol.ts';

const FLUSH_MS = 1000;

const READ = `SELECT kind, id, period, start, requests, tokens, CAST(spend AS TEXT), told
  FROM period_counters WHERE start >= ?`;
const FORGET = 'DELETE FROM period_counters WHERE start < ?';
const WRITE = `INSERT INTO period_counters (kind, id, period, start, requests, tokens, spend, told)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?)
  ON CONFLICT (kind, id, period) DO UPDATE SET start = excluded.start, requests = excluded.requests,
    tokens = excluded.tokens, spend = excluded.spend, told = excluded.told`;

/** What is counted, and where it is kept. */
export interface PeriodCountersOptions {
  readonly db: Pick<StateDb, 'read' | 'write'>;
  readonly board: Pick<LimitBoard, 'restore' | 'changed'>;
  readonly clock: Clock;
  /** What is wrong, in plain words; null = it is well again. Told once per change. */
  readonly onProblem: (problem: string | null) => void;
}

/**
 * Keeps the day’s and month’s counts over a restart (G-11): changed ones are written from time to time, and at the end.
 */
export class PeriodCounters {
  readonly #options: PeriodCountersOptions;
  /** Not written yet, by scope and period: a later total takes an earlier one's place. */
  readonly #pending = new Map<string, PeriodRow>();
  #restored = false;
  #problem: string | null = null;
  #cancel: Cancel | null = null;
  #work: Promise<void> = Promise.resolve();
  #closed = false;

  constructor(options: PeriodCountersOptions) {
    this.#options = options;
  }

  /** Restores what it can and begins to write. Never rejects. */
  async start(): Promise<void> {
    await this.flush();
    this.#arm();
  }

  /** Writes what has changed. Never rejects. */
  flush(): Promise<void> {
    this.#work = this.#work.then(() => this.#flush());
    return this.#work;
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#cancel?.();
    await this.flush();
  }

  #arm(): void {
    if (this.#closed) return;
    this.#cancel = this.#options.clock.after(FLUSH_MS, () => void this.flush().then(() => this.#arm()));
  }

  async #flush(): Promise<void> {
    try {
      // Totals without what was before would erase it.
      if (!this.#restored) await this.#restore();
      await this.#write();
      this.#say(null);
    } catch (error) {
      this.#say(error instanceof Error ? error.message : String(error));
    }
  }

  async #restore(): Promise<void> {
    const { db, board, clock } = this.#options;
    const month = periodBounds('month', clock.wall()).start;
    const rows = await db.read(READ, [month]);
    board.restore(rows.map(toPeriodRow));
    this.#restored = true;
    await db.write([{ sql: FORGET, rows: [[month]] }]);
  }

  async #write(): Promise<void> {
    const { db, board } = this.#options;
    for (const row of board.changed()) this.#pending.set(`${row.kind} ${row.period} ${row.id}`, row);
    if (this.#pending.size === 0) return;
    const batch = [...this.#pending];
    await db.write([{ sql: WRITE, rows: batch.map(([, row]) => fromPeriodRow(row)) }]);
    for (const [name, row] of batch) if (this.#pending.get(name) === row) this.#pending.delete(name);
  }

  #say(problem: string | null): void {
    if (problem === this.#problem) return;
    this.#problem = problem;
    this.#options.onProblem(problem);
  }
}

function fromPeriodRow({ kind, id, period, start, requests, tokens, spend, told }: PeriodRow): SqlScalar[] {
  return [kind, id, period, start, requests, tokens, String(spend), told];
}

function toPeriodRow(row: readonly SqlScalar[]): PeriodRow {
  const [kind, id, period, start, requests, tokens, spend, told] = row;
  return {
    kind: String(kind),
    id: String(id),
    period: String(period) as Period,
    start: Number(start),
    requests: Number(requests),
    tokens: Number(tokens),
    spend: BigInt(String(spend)),
    told: Number(told),
  };
}
