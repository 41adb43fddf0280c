/**
 * The way of records to disk (O-2): a bounded queue, one batch under way at a time. While the database commits one
 * batch the next one gathers, so a busy gateway commits large batches and an idle one small ones. Nothing here throws
 * into a request or waits for the disk: a batch that can't be written stays first in the queue and is tried again.
 */
import type { RecordDraft } from '../../core/record.ts';
import type { Cancel, Clock } from '../../ports/clock.ts';
import { SqlError, type SqlFault } from './fault.ts';
import type { LogWriter } from './log-writer.ts';
import type { LateRegister, Register, RegisterSteps } from './registers.ts';
import { batchText } from './row-text.ts';

/** A row as text (`rowText`). */
export type Row = string;

/** Where rows go, and who is told when they do not. */
export interface WriteLaneOptions {
  readonly writer: LogWriter;
  /** The statement of the rows. */
  readonly insert: string;
  /** What rows refer to. */
  readonly register: Register;
  /** What is summed up of rows: behind them, with some of the batches. */
  readonly figures: LateRegister;
  readonly clock: Clock;
  /** A record as a row; null = it can't be one and is given up. */
  readonly rowOf: (draft: RecordDraft) => Row | null;
  /** Rows waiting or under way at most; more are dropped and counted. */
  readonly queueLimit: number;
  /** `problem` changed: what is wrong in plain words, or null when it is well again. */
  readonly onProblem?: ((problem: string | null) => void) | undefined;
  readonly onDropped?: ((count: number) => void) | undefined;
}

/** A record waits at most this long for company before it is sent. */
const GATHER_MS = 100;
/**
 * So many records are written as text together: one by one, between the work of requests, each costs twice as much. More
 * of them waiting as objects would be copied by every collection of garbage.
 */
const AT_ONCE = 32;
/** Rows per batch: copying the text of this many takes the main thread well under 1 ms. */
const BATCH = 512;
/** After a failure: what little room a nearly full disk has is used. */
const SMALL_BATCH = 32;
/** Waits after failures in a row: a full disk is asked often at first, then every 5 s. */
const RETRY_MS = [100, 250, 500, 1000, 2000, 5000];
/** A batch under way in so many crashes in a row is suspected of causing them. */
const CRASHES = 3;
/**
 * Figures are written so often: with every batch they would cost many workspaces more than the records. A process that is
 * killed loses those of as long.
 */
const FIGURES_MS = 2000;
/** Fewer than any number of records. */
const NONE = -1;
/** How long `close` waits for the last batch. */
const CLOSE_MS = 5000;

/** Figures on their way. */
interface SentFigures extends RegisterSteps {
  /** They count everything that was accepted before. */
  readonly upTo: number;
}

interface Flush {
  readonly upTo: number;
  /** Waits for the figures, too. */
  readonly withFigures: boolean;
  /** Failed attempts it still waits through. */
  patience: number;
  readonly done: () => void;
}

/**
 * Rows on their way to the disk, in batches and in order; a full queue drops the newest (O-2). Nothing waits for it but
 * `flush`.
 */
export class WriteLane {
  readonly #options: WriteLaneOptions;
  /** Not yet rows; they come behind the queue. */
  #fresh: RecordDraft[] = [];
  #queue: Row[] = [];
  #underWay: Row[] = [];
  #sending = false;
  #closed = false;
  #timer: Cancel | null = null;
  /** Figures that no batch comes along for. */
  #lateTimer: Cancel | null = null;
  #figuresSentAt = Number.NEGATIVE_INFINITY;
  #accepted = 0;
  #settled = 0;
  /** The stored figures count so many of those accepted. */
  #summedUp = 0;
  #flushes: Flush[] = [];
  #failures = 0;
  /** Small after a failure, doubled by each success. */
  #batch = BATCH;
  #crashes = 0;
  /** So many rows are sent one by one, to find the one that can't be stored. */
  #suspects = 0;
  #connection = '';
  #dropped = 0;
  #problem: string | null = null;

  constructor(options: WriteLaneOptions) {
    this.#options = options;
  }

  get dropped(): number {
    return this.#dropped;
  }

  get problem(): string | null {
    return this.#problem;
  }

  /** Queues a record, from now on its own; false = dropped and counted. */
  push(draft: RecordDraft): boolean {
    const waiting = this.#fresh.length + this.#queue.length + this.#underWay.length;
    if (this.#closed || waiting >= this.#options.queueLimit) {
      this.drop(1);
      return false;
    }
    this.#fresh.push(draft);
    this.#accepted += 1;
    if (this.#fresh.length >= AT_ONCE) this.#writeOut();
    if (this.#failures === 0) this.#schedule();
    return true;
  }

  #writeOut(): void {
    const drafts = this.#fresh;
    if (drafts.length === 0) return;
    this.#fresh = [];
    for (const draft of drafts) {
      const row = this.#options.rowOf(draft);
      if (row !== null) {
        this.#queue.push(row);
        continue;
      }
      this.drop(1);
      this.#settled += 1;
    }
  }

  /** Counts records that never became a row, or were given up. */
  drop(count: number): void {
    if (count === 0) return;
    this.#dropped += count;
    tell(this.#options.onDropped, count);
  }

  /** Something other than rows is to be stored: what they refer to. */
  wake(): void {
    if (!this.#closed && this.#failures === 0) this.#schedule();
  }

  /**
   * Resolves when everything queued by now is durable or dropped, or two attempts at it have failed. `withFigures`: and what is
   * summed up of it; who watches the list has no use for that, and asks often.
   */
  flush(withFigures = true): Promise<void> {
    const all = this.#settled === this.#accepted && (!withFigures || this.#summedUp === this.#accepted);
    const nothing = all && !this.#options.register.pending;
    if (this.#closed || nothing) return Promise.resolve();
    return new Promise((done) => {
      this.#flushes.push({ upTo: this.#accepted, withFigures, patience: 2, done });
      this.#send();
    });
  }

  /** The last attempt, then what is left is counted as dropped. A hanging disk is waited for 5 s. */
  async close(): Promise<void> {
    if (this.#closed) return;
    await new Promise<void>((done) => {
      const cancel = this.#options.clock.after(CLOSE_MS, done);
      void this.flush().then(() => {
        cancel();
        done();
      });
    });
    this.#closed = true;
    this.#timer?.();
    this.#timer = null;
    this.#lateTimer?.();
    const left = this.#fresh.length + this.#queue.length + this.#underWay.length;
    this.drop(left);
    this.#fresh = [];
    this.#queue = [];
    this.#settle(left);
  }

  /** The thread died, or the file could not be opened: says so, and tries again soon even if nothing is queued. */
  trouble(fault: SqlFault): void {
    if (this.#closed || this.#sending) return;
    this.#fail(fault);
  }

  #schedule(): void {
    if (this.#sending) return;
    if (this.#queue.length >= BATCH) this.#send();
    else this.#timer ??= this.#options.clock.after(GATHER_MS, () => this.#send());
  }

  #send(): void {
    if (this.#sending || this.#closed) return;
    this.#timer?.();
    this.#timer = null;
    this.#sending = true;
    this.#writeOut();
    this.#underWay = this.#queue.splice(0, this.#suspects > 0 ? 1 : this.#batch);
    const before = this.#options.register.steps();
    const rows = { sql: this.#options.insert, text: batchText(this.#underWay), rows: this.#underWay.length };
    const figures = this.#dueFigures();
    this.#options.writer.write([...before.steps, rows, ...(figures?.steps ?? [])]).then(
      ({ connection }) => this.#written(connection, before.stored, figures),
      (error: unknown) => {
        if (figures !== null) this.#options.figures.failed(figures.stored);
        this.#refused(faultOf(error), (figures?.steps.length ?? 0) > 0);
      },
    );
  }

  /** Null = with a later batch. Not beside rows that are under suspicion: it must be one or the other. */
  #dueFigures(): SentFigures | null {
    if (this.#suspects > 0) return null;
    const { clock, figures } = this.#options;
    const now = clock.now();
    const isAwaited = this.#flushes.some(({ withFigures }) => withFigures);
    if (!isAwaited && now - this.#figuresSentAt < FIGURES_MS) return null;
    this.#figuresSentAt = now;
    this.#lateTimer?.();
    this.#lateTimer = null;
    return { ...figures.steps(), upTo: this.#accepted };
  }

  #written(connection: string, stored: readonly object[], figures: SentFigures | null): void {
    if (this.#closed) return;
    if (figures !== null) {
      this.#summedUp = figures.upTo;
      this.#options.figures.sweep(this.#options.clock.wall());
    }
    this.#suspects = Math.max(0, this.#suspects - this.#underWay.length);
    this.#options.register.sent(stored);
    this.#settle(this.#underWay.length);
    this.#failures = 0;
    this.#batch = Math.min(BATCH, this.#batch * 2);
    this.#crashes = 0;
    if (this.#connection !== '' && connection !== this.#connection) {
      this.#options.register.sendAgain();
      this.#options.figures.sendAgain();
      this.#summedUp = NONE;
    }
    this.#connection = connection;
    this.#say(null);
    this.#goOn();
  }

  /** What is left goes at once when it is much or somebody waits for it, else with the next records. */
  #goOn(): void {
    if (this.#closed) return;
    if (this.#flushes.length > 0 || this.#suspects > 0) this.#send();
    else if (this.#queue.length > 0 || this.#fresh.length > 0 || this.#options.register.pending) this.#schedule();
    else if (this.#summedUp < this.#accepted)
      this.#lateTimer ??= this.#options.clock.after(FIGURES_MS, () => this.#send());
  }

  #refused(fault: SqlFault, withFigures: boolean): void {
    if (this.#closed) return;
    const rows = this.#underWay;
    this.#underWay = [];
    this.#sending = false;
    const { isCrash, isPassing } = this.#options.writer.faults;
    const crashed = isCrash(fault);
    if (crashed) this.#crashes += 1;
    const rowsAtFault = crashed ? this.#crashes >= CRASHES : !isPassing(fault);
    if (rowsAtFault && rows.length > 0) this.#isolate(rows, fault, withFigures);
    else this.#queue = [...rows, ...this.#queue];
    // An empty batch in between would say that all is well.
    if (withFigures && rows.length === 0) this.#figuresSentAt = Number.NEGATIVE_INFINITY;
    // At the pace of retries, not in a loop: a thread that crashes again and again, and what is refused without any rows.
    if (crashed || !rowsAtFault || rows.length === 0) this.#fail(fault);
    else this.#goOn();
  }

  /** One of these rows can't be stored: each is sent alone, and the one that is refused alone is dropped. */
  #isolate(rows: Row[], fault: SqlFault, withFigures: boolean): void {
    this.#crashes = 0;
    if (rows.length > 1 || withFigures) {
      this.#queue = [...rows, ...this.#queue];
      this.#suspects = Math.max(this.#suspects, rows.length);
      return;
    }
    this.#suspects = Math.max(0, this.#suspects - 1);
    this.drop(1);
    this.#settle(1);
    this.#say(`a record could not be stored and was dropped: ${this.#options.writer.faults.inWords(fault)}`);
  }

  #fail(fault: SqlFault): void {
    this.#say(`the request log cannot be written: ${this.#options.writer.faults.inWords(fault)}; it is tried again`);
    this.#batch = SMALL_BATCH;
    const wait = RETRY_MS[Math.min(this.#failures, RETRY_MS.length - 1)]!;
    this.#failures += 1;
    for (const flush of this.#flushes) flush.patience -= 1;
    this.#answerFlushes();
    if (this.#flushes.length > 0) this.#send();
    else if (!this.#closed) this.#timer ??= this.#options.clock.after(wait, () => this.#send());
  }

  #settle(count: number): void {
    this.#underWay = [];
    this.#sending = false;
    this.#settled += count;
    this.#answerFlushes();
  }

  #answerFlushes(): void {
    if (this.#flushes.length === 0) return;
    const complete = this.#closed || !this.#options.register.pending;
    const over = ({ patience, upTo, withFigures }: Flush) =>
      patience <= 0 || (complete && this.#settled >= upTo && (!withFigures || this.#summedUp >= upTo));
    const done = this.#flushes.filter(over);
    this.#flushes = this.#flushes.filter((flush) => !over(flush));
    for (const flush of done) flush.done();
  }

  #say(problem: string | null): void {
    if (problem === this.#problem) return;
    this.#problem = problem;
    tell(this.#options.onProblem, problem);
  }
}

/** Who listens must not be able to fail a request. */
function tell<T>(listener: ((value: T) => void) | undefined, value: T): void {
  try {
    listener?.(value);
  } catch {
    // Its own affair.
  }
}

function faultOf(error: unknown): SqlFault {
  if (error instanceof SqlError) return error.fault;
  return { code: 'INTERNAL', message: error instanceof Error ? error.message : String(error) };
}
