/**
 * One SQL thread seen from the main thread: orders out, promises back. A dead thread is noticed, every open order
 * answered with `THREAD_GONE`, and the next order starts a new one.
 */
import { Worker, type WorkerOptions } from 'node:worker_threads';
import type { Clock } from '../../ports/clock.ts';
import { SqlError } from '../store-sql/fault.ts';
import type { SqlOrder, SqlReply, SqlResult, SqlThreadSettings } from './sql-protocol.ts';

/** As `new Worker` does it. */
export type StartWorker = (file: URL, options: WorkerOptions) => Worker;

/** Which file, and who is told of a crash. */
export interface SqlThreadOptions {
  readonly settings: SqlThreadSettings;
  readonly clock: Clock;
  /** The thread ended without being told to; `reason` in plain words. */
  readonly onCrash?: (reason: string) => void;
  readonly startWorker?: StartWorker;
}

interface Waiting {
  readonly resolve: (result: SqlResult) => void;
  readonly reject: (error: SqlError) => void;
}

/** Resolved from the source as well as from dist/, where the build puts the same file. */
const WORKER_FILE = new URL('./sql-worker.mjs', import.meta.url);

/** A thread that does not end by itself in this time is stopped: a hanging disk must not hang the exit. */
const CLOSE_MS = 3000;

/**
 * One SQLite file on a thread of its own. Started by its first order, and again after a crash; orders are answered in
 * turn or reject with `SqlError`.
 */
export class SqlThread {
  readonly #options: SqlThreadOptions;
  readonly #waiting = new Map<number, Waiting>();
  #worker: Worker | null = null;
  #lastId = 0;
  #starts = 0;
  #closing = false;

  constructor(options: SqlThreadOptions) {
    this.#options = options;
  }

  /** Threads started so far: with `opened` of a result it tells one connection from the next. */
  get starts(): number {
    return this.#starts;
  }

  /** Sends one order; orders are carried out one after the other. Rejects with `SqlError`. */
  call(order: SqlOrder): Promise<SqlResult> {
    if (this.#closing) return Promise.reject(goneError('it is closed'));
    return this.#send(order);
  }

  /** Closes the file and ends the thread. Never rejects, never takes much longer than 3 s. */
  async close(): Promise<void> {
    const worker = this.#worker;
    const first = !this.#closing;
    this.#closing = true;
    if (worker === null || !first) return;
    const ended = new Promise<void>((resolve) => worker.once('exit', () => resolve()));
    const cancel = this.#options.clock.after(CLOSE_MS, () => void worker.terminate());
    await this.#send({ op: 'close' }).catch(() => undefined);
    worker.ref();
    await ended;
    cancel();
  }

  #send(order: SqlOrder): Promise<SqlResult> {
    return new Promise((resolve, reject) => {
      const worker = this.#worker ?? this.#start();
      this.#lastId += 1;
      const id = this.#lastId;
      try {
        worker.postMessage({ ...order, id });
      } catch (error) {
        reject(new SqlError({ code: 'UNCLONEABLE', message: error instanceof Error ? error.message : String(error) }));
        return;
      }
      // The process lives as long as an order is open, and not because of an idle thread.
      if (this.#waiting.size === 0) worker.ref();
      this.#waiting.set(id, { resolve, reject });
    });
  }

  #start(): Worker {
    const start = this.#options.startWorker ?? ((file, options) => new Worker(file, options));
    // No `execArgv`: loaders and inspectors of the main thread have no business in this one.
    const worker = start(WORKER_FILE, { workerData: this.#options.settings, execArgv: [], name: 'understudy-sql' });
    let reason = '';
    worker.on('message', (reply: SqlReply) => this.#settle(worker, reply));
    worker.on('error', (error: unknown) => {
      reason = error instanceof Error ? error.message : String(error);
    });
    worker.on('exit', (code: number) => this.#ended(worker, reason || `exit code ${code}`));
    worker.unref();
    this.#worker = worker;
    this.#starts += 1;
    return worker;
  }

  #settle(worker: Worker, reply: SqlReply): void {
    const waiting = this.#waiting.get(reply.id);
    this.#waiting.delete(reply.id);
    if (this.#waiting.size === 0) worker.unref();
    if (reply.ok) waiting?.resolve(reply.result);
    else waiting?.reject(new SqlError(reply.fault));
  }

  #ended(worker: Worker, reason: string): void {
    if (this.#worker !== worker) return;
    this.#worker = null;
    const orphans = [...this.#waiting.values()];
    this.#waiting.clear();
    for (const orphan of orphans) orphan.reject(goneError(reason));
    if (!this.#closing) this.#options.onCrash?.(reason);
  }
}

function goneError(reason: string): SqlError {
  return new SqlError({ code: 'THREAD_GONE', message: `the SQL thread ended: ${reason}` });
}
