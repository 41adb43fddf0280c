/**
 * The state of the gateway in a PostgreSQL database that several processes share: what must not be lost. Every write is
 * one round trip and one transaction, durable when it resolves.
 */
import type { Clock } from '../../ports/clock.ts';
import { StateStoreUnavailable } from '../../ports/object-store.ts';
import { SqlError } from '../store-sql/fault.ts';
import type { SqlRow, SqlStep } from '../store-sql/sql-step.ts';
import { type StateDb, StateDbUnusable, type Written } from '../store-sql/state-db.ts';
import { type Address, readAddress } from './address.ts';
import { connect } from './connect.ts';
import { ConnectionSet, type Slot } from './connection-set.ts';
import { expectSchema, migrate } from './migrate.ts';
import { faultOf } from './pg-connection.ts';
import { isConflict, isLost, isPassingAtServer, serverFaultInWords } from './server-fault.ts';
import { batchOf, readStep, unmetOf, writtenOf } from './state-steps.ts';

export { StateDbUnusable } from '../store-sql/state-db.ts';

export interface StateDbOptions {
  /** `postgres://…` */
  readonly url: string;
  readonly clock: Clock;
  /** Of the program, noted with what it migrates. */
  readonly version: string;
  /** Names the process's connections at the server: `understudy/HOLDER`. No two processes' are the same. */
  readonly holder: string;
  /** What is wrong in plain words, null when it is well again. Told once per change. */
  readonly onProblem?: (problem: string | null) => void;
  /** It was away and is back. */
  readonly onBack?: () => void;
  /** For who looks and changes nothing: the schema stays as it is, and must be there. */
  readonly isReader?: boolean;
}

/** The database, by what its connections are for. */
export interface PostgresState {
  /** Of its connections, as the server shows them. */
  readonly name: string;
  readonly address: Address;
  readonly set: ConnectionSet;
  /** Writes on one connection, reads on it or on those for reading. */
  on(slot: Exclude<Slot, 'read'>, reads?: Slot): StateDb;
  close(): Promise<void>;
}

/** An unreachable server is tried again for so long: one that comes up beside us is waited for. */
const PATIENCE_MS = 30_000;
const TRY_AGAIN_MS = 500;

/**
 * Opens the state, made or migrated if need be. Rejects with `StateDbUnusable`: without it nobody's keys are known.
 */
export async function openStateDb(options: StateDbOptions): Promise<PostgresState> {
  const { clock, version } = options;
  const name = `understudy/${options.holder}`;
  const address = addressOf(options.url);
  const prepare = options.isReader === true ? expectSchema : migrate;
  await whenReachable(address, clock, () => prepare({ address, name, clock, version }));
  const { onProblem, onBack } = options;
  const set = new ConnectionSet({
    connect: (settings) => connect(address, name, clock, settings),
    clock,
    ...(onProblem === undefined ? {} : { onProblem }),
    ...(onBack === undefined ? {} : { onBack }),
  });
  return {
    name,
    address,
    set,
    on: (slot, reads = 'read') => new PostgresStateDb(set, slot, reads),
    close: () => set.close(),
  };
}

function addressOf(url: string): Address {
  try {
    return readAddress(url);
  } catch (error) {
    throw new StateDbUnusable((error as Error).message);
  }
}

async function whenReachable(address: Address, clock: Clock, work: () => Promise<void>): Promise<void> {
  const giveUpAt = clock.now() + PATIENCE_MS;
  for (;;) {
    try {
      await work();
      return;
    } catch (error) {
      const fault = faultOf(error);
      // What a wrong name or password meets does not heal by waiting.
      const heals = isLost(fault) && !/^(28|3D000)/.test(fault.code);
      if (!heals || clock.now() >= giveUpAt) {
        throw new StateDbUnusable(
          `The state in ${address.shown} cannot be used: ${serverFaultInWords(fault)}. Nothing was started: it holds the keys and credentials of the store.`,
        );
      }
      await new Promise<void>((resolve) => clock.after(TRY_AGAIN_MS, resolve));
    }
  }
}

/** Different statements of reading whose plan is kept by a connection: more would only fill the server's memory. */
const KEPT_READS = 200;
/** Two processes that change the same rows in another order: one of them is sent again so often. */
const TRIES = 3;

class PostgresStateDb implements StateDb {
  readonly #set: ConnectionSet;
  readonly #slot: Slot;
  readonly #reads: Slot;
  readonly #kept = new Set<string>();

  constructor(set: ConnectionSet, slot: Slot, reads: Slot) {
    this.#set = set;
    this.#slot = slot;
    this.#reads = reads;
  }

  get problem(): string | null {
    return this.#set.problem;
  }

  async write(steps: readonly SqlStep[]): Promise<Written> {
    const batch = batchOf(steps);
    if (batch.length === 0) return { changes: 0, returned: [] };
    for (let tries = 1; ; tries += 1) {
      try {
        return writtenOf(steps, await this.#set.run(this.#slot, batch));
      } catch (error) {
        if (error instanceof SqlError && isConflict(error.fault) && tries < TRIES) continue;
        throw refusalOf(unmetOf(error));
      }
    }
  }

  async read(sql: string, params: SqlRow): Promise<readonly SqlRow[]> {
    if (this.#kept.size < KEPT_READS) this.#kept.add(sql);
    try {
      const [answer] = await this.#set.run(this.#reads, [readStep(sql, params, this.#kept.has(sql))], true);
      return answer?.rows ?? [];
    } catch (error) {
      throw refusalOf(error);
    }
  }

  /** The connections are closed together, by whoever opened them. */
  async close(): Promise<void> {}
}

function refusalOf(error: unknown): unknown {
  if (!(error instanceof SqlError) || !isPassingAtServer(error.fault)) return error;
  return new StateStoreUnavailable(`the state cannot be read or written: ${serverFaultInWords(error.fault)}`);
}
