/** Books of keys for the ledger's model: processes on one of them, every call at a moment that the model chooses. */
import { IDEMPOTENCY_SQL as POSTGRES_SQL } from '../../src/adapters/store-postgres/idempotency-sql.ts';
import { openStateDb, type PostgresState } from '../../src/adapters/store-postgres/open-state-db.ts';
import { Replicas } from '../../src/adapters/store-postgres/replicas.ts';
import type { HolderLeases } from '../../src/adapters/store-sql/idempotency-store.ts';
import type { IdempotencySql } from '../../src/adapters/store-sql/statements.ts';
import { IDEMPOTENCY_SQL as SQLITE_SQL } from '../../src/adapters/store-sqlite/idempotency-sql.ts';
import { systemClock } from '../../src/adapters/system-clock.ts';
import type { Clock } from '../../src/ports/clock.ts';
import { type Holder, soleHolder } from '../../src/ports/holder.ts';
import { DirectStateDb } from '../support/direct-state-db.ts';
import { openSchema, type PostgresSchema } from '../support/servers/postgres-schema.ts';
import { type Db, type Fate, fateful } from './engines.ts';

/** Resolves when a call reaches the book, with what becomes of it. */
export type Moment = (what: string) => Promise<Fate>;

export interface BookProcess {
  readonly db: Db;
  readonly holder: Holder;
  /** Of everything it holds; absent = a lease lies in each key's row. */
  readonly leases?: HolderLeases;
}

export interface Book {
  readonly sql: IdempotencySql;
  /** A process that joins now. `clock`: the model's. */
  process(newHolder: () => string, moment: Moment, clock: Clock, leaseMs: number): Promise<BookProcess>;
  close(): Promise<void>;
}

export async function sqliteBook(): Promise<Book> {
  const db = new DirectStateDb();
  return {
    sql: SQLITE_SQL,
    process: async (newHolder, moment) => ({ db: db.connection(moment), holder: soleHolder(newHolder()) }),
    close: async () => db.close(),
  };
}

/** One database for all books of a run: each begins empty. */
export class PostgresShelf {
  readonly #schema: PostgresSchema;
  readonly #state: PostgresState;

  private constructor(schema: PostgresSchema, state: PostgresState) {
    this.#schema = schema;
    this.#state = state;
  }

  static async open(): Promise<PostgresShelf> {
    const schema = await openSchema();
    const state = await openStateDb({ url: schema.url, clock: systemClock, version: '1', holder: 'model' });
    return new PostgresShelf(schema, state);
  }

  async book(): Promise<Book> {
    await this.#schema.query('TRUNCATE idempotency_keys, idempotency_answers, replicas');
    return {
      sql: POSTGRES_SQL,
      process: (newHolder, moment, clock, leaseMs) => this.#process(newHolder, moment, clock, leaseMs),
      close: async () => undefined,
    };
  }

  async close(): Promise<void> {
    await this.#state.close();
    await this.#schema.drop();
  }

  async #process(newHolder: () => string, moment: Moment, clock: Clock, leaseMs: number): Promise<BookProcess> {
    const file = this.#state.on('keys', 'keys');
    const options = { newHolder, clock, version: '1', host: 'h', leaseMs, judgeAfterMs: 0 };
    let isJoined = false;
    const db = scheduled(file, (what) => (isJoined ? moment(what) : Promise.resolve('done')));
    const holder = new Replicas({ ...options, db });
    await holder.join(clock.wall());
    isJoined = true;
    return { db, holder, leases: holder };
  }
}

/** A server answers in a turn of its own: one who is refused again and again must leave room for that. */
function scheduled(db: Db, atOnce: Moment): Db {
  const moment: Moment = async (what) => {
    await new Promise((resolve) => setImmediate(resolve));
    return atOnce(what);
  };
  return {
    async read(sql, params) {
      const fate = await moment('read');
      return fateful(db, () => fate).read(sql, params);
    },
    async write(steps) {
      const fate = await moment('write');
      return fateful(db, () => fate).write(steps);
    },
  };
}
