/** The state in memory, in this thread: steps and their meaning as the SQL thread's, every call at a moment a test chooses. */
import Database from 'libsql';
import { SqlError } from '../../src/adapters/store-sql/fault.ts';
import type { SqlScalar, SqlStep } from '../../src/adapters/store-sql/sql-step.ts';
import type { StateDb } from '../../src/adapters/store-sql/state-db.ts';
import { STATE_MIGRATIONS } from '../../src/adapters/store-sqlite/state-schema.ts';
import { StateStoreUnavailable } from '../../src/ports/object-store.ts';

type Row = readonly SqlScalar[];

export class DirectStateDb {
  readonly #db = new Database(':memory:');

  constructor() {
    for (const sql of STATE_MIGRATIONS) this.#db.exec(sql);
  }

  close(): void {
    this.#db.close();
  }

  /**
   * A connection of one process. `moment` resolves when a call reaches the file, with what becomes of it: `lost` = not
   * carried out, `unheard` = carried out, and the caller hears of a fault all the same.
   */
  connection(moment: (what: string) => Promise<'done' | 'lost' | 'unheard'>): Pick<StateDb, 'write' | 'read'> {
    const carryOut = async <T>(what: string, work: () => T): Promise<T> => {
      const fate = await moment(what);
      if (fate === 'lost') throw new StateStoreUnavailable('lost');
      const result = work();
      if (fate === 'unheard') throw new StateStoreUnavailable('unheard');
      return result;
    };
    return {
      write: (steps) => carryOut('write', () => this.#write(steps)),
      read: (sql, params) =>
        carryOut(
          'read',
          () =>
            this.#db
              .prepare(sql)
              .raw()
              .all([...params]) as unknown as readonly Row[],
        ),
    };
  }

  #write(steps: readonly SqlStep[]): { changes: number } {
    let changes = 0;
    this.#db.exec('BEGIN IMMEDIATE');
    try {
      for (const step of steps) {
        if ('text' in step) throw new Error('no rows as text here');
        const statement = this.#db.prepare(step.sql);
        let changed = 0;
        for (const row of step.rows) changed += statement.run([...row]).changes;
        if (step.expect !== undefined && changed !== step.expect) {
          throw new SqlError({ code: 'UNMET', message: `${changed} of ${step.expect}` });
        }
        changes += changed;
      }
      this.#db.exec('COMMIT');
    } catch (error) {
      this.#db.exec('ROLLBACK');
      throw error;
    }
    return { changes };
  }
}
