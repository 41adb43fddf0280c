/**
 * The databases that every promise of the store is tested over. One entry each: how a test gets a fresh one, and processes
 * that work on it.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach } from 'vitest';
import type { HolderLeases } from '../../src/adapters/store-sql/idempotency-store.ts';
import type { StateDb } from '../../src/adapters/store-sql/state-db.ts';
import type { StateSql } from '../../src/adapters/store-sql/state-stores.ts';
import { openStateDb } from '../../src/adapters/store-sqlite/open-state-db.ts';
import { STATE_SQL } from '../../src/adapters/store-sqlite/state-sql.ts';
import { systemClock } from '../../src/adapters/system-clock.ts';
import { type Holder, soleHolder } from '../../src/ports/holder.ts';
import { StateStoreUnavailable } from '../../src/ports/object-store.ts';
import { hasPostgres } from '../support/servers/postgres-binaries.ts';
import { POSTGRES } from './postgres-engine.ts';

export type Db = Pick<StateDb, 'read' | 'write'>;

/** A process at the database. */
export interface Process {
  readonly db: Db;
  readonly holder: Holder;
  /** At the instants that its ledger is told. Absent = leases lie in the keys' rows, or there are none. */
  readonly leases?: HolderLeases;
}

export interface EngineBench {
  readonly sql: StateSql;
  /**
   * A process that lives until it is killed; where one has the database alone, until the next one. `leaseMs`: of its lease,
   * should it have one; its times are those of the orders it is given.
   */
  process(id: string, leaseMs?: number): Promise<Process>;
  /** Its lease is over, and everybody knows. */
  kill(id: string): Promise<void>;
  close(): Promise<void>;
}

export interface Engine {
  readonly name: string;
  /** Several processes may live at once. */
  readonly isShared: boolean;
  open(): Promise<EngineBench>;
}

const SQLITE: Engine = {
  name: 'SQLite',
  isShared: false,
  async open() {
    const dir = mkdtempSync(join(tmpdir(), 'state-'));
    const db = await openStateDb({ path: join(dir, 'state.db'), clock: systemClock });
    return {
      sql: STATE_SQL,
      process: async (id) => ({ db, holder: soleHolder(id) }),
      kill: async () => undefined,
      async close() {
        await db.close();
        rmSync(dir, { recursive: true, force: true });
      },
    };
  },
};

export const ENGINES: readonly Engine[] = hasPostgres() ? [SQLITE, POSTGRES] : [SQLITE];

/** A fresh database for every test of the group it is called in. */
export function useEngine(engine: Engine): Omit<EngineBench, 'close'> {
  let bench: EngineBench;
  beforeEach(async () => {
    bench = await engine.open();
  });
  afterEach(() => bench.close());
  return {
    get sql() {
      return bench.sql;
    },
    process: (id, leaseMs) => bench.process(id, leaseMs),
    kill: (id) => bench.kill(id),
  };
}

/** `lost` = not carried out; `unheard` = carried out, and the caller hears of a fault all the same. */
export type Fate = 'done' | 'lost' | 'unheard';

/** A connection whose orders end as a test says. */
export function fateful(db: Db, fate: (what: 'read' | 'write') => Fate): Db {
  const carryOut = async <T>(what: 'read' | 'write', work: () => Promise<T>): Promise<T> => {
    const end = fate(what);
    if (end === 'lost') throw new StateStoreUnavailable('lost');
    const result = await work();
    if (end === 'unheard') throw new StateStoreUnavailable('unheard');
    return result;
  };
  return {
    read: (sql, params) => carryOut('read', () => db.read(sql, params)),
    write: (steps) => carryOut('write', () => db.write(steps)),
  };
}
