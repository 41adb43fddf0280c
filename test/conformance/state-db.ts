/** What the database under a store must do, of whatever engine it is. Run over each. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { isUnmet, SqlError } from '../../src/adapters/store-sql/fault.ts';
import type { SqlStep } from '../../src/adapters/store-sql/sql-step.ts';
import type { StateDb } from '../../src/adapters/store-sql/state-db.ts';
import { StateStoreUnavailable } from '../../src/ports/object-store.ts';

/** The same few statements in an engine's words. */
export interface StateDbStatements {
  /** A table of id (unique text), n (64-bit), body (bytes or null). */
  readonly create: string;
  /** Row: id, n, body. */
  readonly insert: string;
  /** Row: id, n that it has; one more. */
  readonly bump: string;
  /** Params: first id. Gives id, n as text, body, in order. */
  readonly list: string;
}

export interface StateDbBench {
  readonly sql: StateDbStatements;
  /** Another process at the same database. */
  open(): Promise<StateDb>;
  /** The database cannot be reached until `back`. */
  away(): Promise<void>;
  back(): Promise<void>;
  close(): Promise<void>;
}

export function stateDbConformance(name: string, openBench: () => Promise<StateDbBench>): void {
  describe(`${name}: the database of the state`, () => {
    let bench: StateDbBench;
    let db: StateDb;
    beforeEach(async () => {
      bench = await openBench();
      db = await bench.open();
      await db.write([{ sql: bench.sql.create, rows: [[]] }]);
    });
    afterEach(() => bench.close());

    const insert = (...rows: [string, number | string, Uint8Array | null][]): SqlStep => ({
      sql: bench.sql.insert,
      rows,
    });
    const bump = (expected: number | null, ...rows: [string, number][]): SqlStep => ({
      sql: bench.sql.bump,
      rows,
      ...(expected === null ? {} : { expect: expected }),
    });
    const list = async () =>
      (await db.read(bench.sql.list, [''])).map(([id, n, body]) => [
        id,
        n,
        body instanceof Uint8Array ? Buffer.from(body) : body,
      ]);
    const refusal = (steps: readonly SqlStep[]) =>
      db.write(steps).then(
        () => null,
        (error: unknown) => error,
      );

    it('H-5: keeps what it is given, to the last digit, byte and sign', async () => {
      const bytes = Uint8Array.from({ length: 300 }, (_, n) => n);
      const text = '{"a":"\\u0000\\ud800","ü":"😀\\n"}\u001f';
      await db.write([
        insert(['a', '9223372036854775807', bytes], [text, '-9007199254740993', new Uint8Array(0)], ['b', 0, null]),
      ]);
      expect(await list()).toEqual([
        ['a', '9223372036854775807', Buffer.from(bytes)],
        ['b', '0', null],
        [text, '-9007199254740993', Buffer.alloc(0)],
      ]);
    });

    it('H-5: counts what all steps changed, those that expect a number and those that do not', async () => {
      const steps = [
        insert(['a', 1, null], ['b', 1, null]),
        bump(2, ['a', 1], ['b', 1]),
        bump(null, ['a', 2], ['b', 9]),
      ];
      expect((await db.write(steps)).changes).toBe(5);
      expect((await db.write([insert(), bump(0)])).changes).toBe(0);
      expect((await list()).map(([, n]) => n)).toEqual(['3', '2']);
    });

    it('H-5: a step that changes another number of rows than it expects undoes the whole', async () => {
      await db.write([insert(['a', 1, null])]);
      for (const wrong of [bump(2, ['a', 1], ['b', 1]), bump(1, ['a', 7])]) {
        expect(isUnmet(await refusal([insert(['z', 1, null]), wrong]))).toBe(true);
      }
      expect(await list()).toEqual([['a', '1', null]]);
      expect(db.problem).toBeNull();
    });

    it('H-5: a broken constraint is the statement’s fault, none of the database', async () => {
      await db.write([insert(['a', 1, null])]);
      const refused = await refusal([insert(['b', 1, null]), insert(['a', 1, null])]);
      expect(refused).toBeInstanceOf(SqlError);
      expect(isUnmet(refused)).toBe(false);
      expect(await list()).toEqual([['a', '1', null]]);
      expect(db.problem).toBeNull();
    });

    it('I-6: of two processes that change a row they both read exactly one does', async () => {
      const other = await bench.open();
      await db.write([insert(...Array.from({ length: 40 }, (_, n): [string, number, null] => [`k${n}`, 1, null]))]);
      const tries = Array.from({ length: 40 }, (_, n) =>
        Promise.allSettled([db, other].map((one) => one.write([bump(1, [`k${n}`, 1])]))),
      );
      for (const pair of await Promise.all(tries)) {
        expect(pair.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
      }
      expect(new Set((await list()).map(([, n]) => n))).toEqual(new Set(['2']));
    });

    it('H-5: what another process was answered is read at once', async () => {
      const other = await bench.open();
      for (let n = 0; n < 20; n += 1) {
        await other.write([insert([`k${n}`, n, null])]);
        expect(await list()).toHaveLength(n + 1);
      }
    });

    it('H-5: one that cannot be reached refuses, says so, and heals by itself', async () => {
      await db.write([insert(['a', 1, null])]);
      await bench.away();
      expect(await refusal([insert(['b', 1, null])])).toBeInstanceOf(StateStoreUnavailable);
      await expect(list()).rejects.toBeInstanceOf(StateStoreUnavailable);
      expect(db.problem).toMatch(/cannot be|broke|answer/);
      await bench.back();
      await expect.poll(() => list().catch(() => null), { timeout: 20_000 }).toEqual([['a', '1', null]]);
      await db.write([bump(1, ['a', 1])]);
      expect(db.problem).toBeNull();
    });
  });
}
