/**
 * Period counters of the limits in the store: restored at the start, what came since added once a second. They are hints: a
 * store out of order is told and refuses nobody; at most the last second is lost with a killed process, and counted twice
 * where a write was not heard of.
 */
import type { LimitBoard } from '../core/limits/limit-board.ts';
import { type PeriodRow, periodBounds } from '../core/limits/period-counter.ts';
import type { Cancel, Clock } from '../ports/clock.ts';
import type { PeriodStore } from '../ports/period-store.ts';

const FLUSH_MS = 1000;

/** What is counted, and where it is kept. */
export interface PeriodCountersOptions {
  readonly store: PeriodStore;
  /** `foreign`: of each scope and period, what this process has not counted itself since its start. */
  readonly board: Pick<LimitBoard, 'restore' | 'changed'> & { foreign?(rows: readonly PeriodRow[]): void };
  readonly clock: Clock;
  /** What is wrong, in plain words; null = it is well again. Told once per change. */
  readonly onProblem: (problem: string | null) => void;
}

/**
 * Keeps the day’s and month’s counts over a restart (G-11): changed ones are written from time to time, and at the end.
 */
export class PeriodCounters {
  readonly #options: PeriodCountersOptions;
  /** Totals as they were written last, by scope and period. */
  readonly #written = new Map<string, PeriodRow>();
  /** Totals as they were taken up at the start. */
  readonly #found = new Map<string, PeriodRow>();
  /** Not written yet: a later total takes an earlier one's place. */
  readonly #pending = new Map<string, PeriodRow>();
  /** The running periods, as far as `#written` has been swept. */
  #begun = { day: 0, month: 0 };
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
    const { store, board, clock } = this.#options;
    const rows = await store.load(periodBounds('month', clock.wall()).start);
    for (const row of rows) {
      this.#written.set(nameOf(row), row);
      this.#found.set(nameOf(row), row);
    }
    board.restore(rows);
    this.#restored = true;
  }

  async #write(): Promise<void> {
    const { store, board } = this.#options;
    for (const row of board.changed()) this.#pending.set(nameOf(row), row);
    const batch = [...this.#pending];
    const deltas = batch.map(([name, row]) => difference(row, this.#written.get(name))).filter(isWorthWriting);
    const fleet = deltas.length === 0 ? [] : await store.add(deltas);
    for (const [name, row] of batch) {
      this.#written.set(name, row);
      if (this.#pending.get(name) === row) this.#pending.delete(name);
    }
    if (fleet.length > 0) board.foreign?.(fleet.map((row) => this.#notOurs(row)));
    this.#sweep();
  }

  /** Of a total of all processes, what was not counted here. */
  #notOurs(fleet: PeriodRow): PeriodRow {
    const name = nameOf(fleet);
    const written = this.#written.get(name);
    if (written === undefined) return fleet;
    return difference(fleet, difference(written, this.#found.get(name)));
  }

  /** Of periods that are over nothing is written any more. */
  #sweep(): void {
    const { month, day } = this.#begun;
    const wall = this.#options.clock.wall();
    const now = { month: periodBounds('month', wall).start, day: periodBounds('day', wall).start };
    if (now.day === day && now.month === month) return;
    this.#begun = now;
    for (const known of [this.#written, this.#found]) {
      for (const [name, row] of known) if (row.start < now[row.period]) known.delete(name);
    }
  }

  #say(problem: string | null): void {
    if (problem === this.#problem) return;
    this.#problem = problem;
    this.#options.onProblem(problem);
  }
}

function nameOf({ kind, id, period }: PeriodRow): string {
  return `${kind} ${period} ${id}`;
}

/** What one total has that an earlier one of the same period has not. */
function difference(row: PeriodRow, before: PeriodRow | undefined): PeriodRow {
  if (before === undefined || before.start !== row.start) return row;
  return {
    ...row,
    requests: row.requests - before.requests,
    tokens: row.tokens - before.tokens,
    spend: row.spend - before.spend,
    // Told before is not told anew.
    told: isLess(row, before) ? row.told : row.told & ~before.told,
  };
}

function isLess(row: PeriodRow, before: PeriodRow): boolean {
  return row.requests < before.requests || row.tokens < before.tokens || row.spend < before.spend;
}

function isWorthWriting({ requests, tokens, spend, told }: PeriodRow): boolean {
  return requests !== 0 || tokens !== 0 || spend !== 0n || told !== 0;
}
