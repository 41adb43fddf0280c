/**
 * The state of the gateway in `state.db`, beside the request log: what must not be lost. Opened once per process; every
 * write is one transaction, durable when it resolves.
 */
import { closeSync, openSync } from 'node:fs';
import type { Clock } from '../../ports/clock.ts';
import { StateStoreUnavailable } from '../../ports/object-store.ts';
import { SqlError } from '../store-sql/fault.ts';
import type { SqlRow, SqlScalar, SqlStep } from '../store-sql/sql-step.ts';
import { type StateDb, StateDbUnusable, type Written } from '../store-sql/state-db.ts';
import { faultInWords, isPassing } from './sql-protocol.ts';
import { SqlThread, type StartWorker } from './sql-thread.ts';
import { STATE_MIGRATIONS, stateSetup } from './state-schema.ts';

export { StateDbUnusable } from '../store-sql/state-db.ts';

/** Where the file is, and who is told of it. */
export interface StateDbOptions {
  /** The SQLite file; created if missing, in a folder that exists and is locked for this process. */
  readonly path: string;
  readonly clock: Clock;
  /** Upper bound of the file in bytes; absent = the disk's. */
  readonly maxBytes?: number;
  /** What is wrong in plain words, null when it is well again. Told once per change. */
  readonly onProblem?: (problem: string | null) => void;
  /** Tests only: to see the thread. */
  readonly startWorker?: StartWorker;
}

/** Opens the state, made or migrated if need be. Rejects with `StateDbUnusable`: without it nobody's keys are known. */
export async function openStateDb(options: StateDbOptions): Promise<StateDb> {
  const { path, clock, startWorker } = options;
  const thread = new SqlThread({
    settings: {
      path,
      mode: 'keeper',
      setup: stateSetup(options.maxBytes ?? null),
      migrations: STATE_MIGRATIONS,
    },
    clock,
    ...(startWorker === undefined ? {} : { startWorker }),
  });
  try {
    // Here and not on the thread: a thread that had to be started again must not make an empty file.
    closeSync(openSync(path, 'a', 0o600));
    await thread.call({ op: 'open' });
  } catch (error) {
    await thread.close();
    throw new StateDbUnusable(`The state ${path} cannot be used: ${wordsOf(error)}. ${adviceFor(error)}`);
  }
  return new SqliteStateDb(thread, options.onProblem);
}

class SqliteStateDb implements StateDb {
  readonly #thread: SqlThread;
  readonly #onProblem: (problem: string | null) => void;
  #problem: string | null = null;

  constructor(thread: SqlThread, onProblem: ((problem: string | null) => void) | undefined) {
    this.#thread = thread;
    this.#onProblem = onProblem ?? (() => undefined);
  }

  get problem(): string | null {
    return this.#problem;
  }

  async write(steps: readonly SqlStep[]): Promise<Written> {
    const { changes } = await this.#carryOut(() => this.#thread.call({ op: 'write', steps }));
    return { changes };
  }

  async read(sql: string, params: readonly SqlScalar[]): Promise<readonly SqlRow[]> {
    const { rows } = await this.#carryOut(() => this.#thread.call({ op: 'read', sql, params }));
    return rows;
  }

  close(): Promise<void> {
    return this.#thread.close();
  }

  async #carryOut<T>(order: () => Promise<T>): Promise<T> {
    try {
      const result = await order();
      this.#say(null);
      return result;
    } catch (error) {
      if (error instanceof SqlError && !isPassing(error.fault)) throw error;
      const problem = `the state cannot be read or written: ${wordsOf(error)}`;
      this.#say(problem);
      throw new StateStoreUnavailable(problem);
    }
  }

  #say(problem: string | null): void {
    if (problem === this.#problem) return;
    this.#problem = problem;
    this.#onProblem(problem);
  }
}

function wordsOf(error: unknown): string {
  if (error instanceof SqlError) return faultInWords(error.fault);
  const { code = 'INTERNAL', message } = error as NodeJS.ErrnoException;
  return faultInWords({ code, message });
}

function adviceFor(error: unknown): string {
  const code = error instanceof SqlError ? error.fault.code : ((error as NodeJS.ErrnoException).code ?? '');
  if (code === 'SCHEMA_TOO_NEW') return 'Start the version that wrote it, or a newer one.';
  if (/^SQLITE_(NOTADB|CORRUPT)/.test(code)) {
    return 'Put a backup in its place; without one, move it away and keys, credentials and balances of the store are gone.';
  }
  return 'Nothing was started: it holds the keys and credentials of the store.';
}

/** Reads the state beside whoever writes it, also another process. Nothing is made or changed; not checked until read. */
export function openStateReader({ path, clock }: Pick<StateDbOptions, 'path' | 'clock'>): StateDb {
  const setup = ['PRAGMA busy_timeout = 2000', 'PRAGMA query_only = 1'];
  const thread = new SqlThread({ settings: { path, mode: 'reader', setup, migrations: [] }, clock });
  return new SqliteStateDb(thread, undefined);
}
