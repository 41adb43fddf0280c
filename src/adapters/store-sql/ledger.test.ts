import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { REAL_CLOCK } from '../../../test/support/real-clock.ts';
import type { Clock } from '../../ports/clock.ts';
import { BY_CONFIGURATION, type Ledger } from '../../ports/ledger.ts';
import { StateStoreUnavailable } from '../../ports/object-store.ts';
import { LEDGER_SQL } from '../store-sqlite/ledger-sql.ts';
import { openStateDb } from '../store-sqlite/open-state-db.ts';
import { createLedger } from './ledger.ts';
import type { SqlStep } from './sql-step.ts';
import type { StateDb } from './state-db.ts';

let folder: string;
let open: StateDb[];
let ids: number;

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'understudy-ledger-'));
  open = [];
  ids = 0;
});
afterEach(async () => {
  await Promise.all(open.map((db) => db.close()));
  rmSync(folder, { recursive: true, force: true });
});

async function state(): Promise<StateDb> {
  const db = await openStateDb({ path: path.join(folder, 'state.db'), clock: REAL_CLOCK });
  open.push(db);
  return db;
}

const newId = (prefix: string): string => `${prefix}${++ids}`;
const over = (db: Pick<StateDb, 'read' | 'write'>, clock: Clock = REAL_CLOCK): Ledger =>
  createLedger({ db, sql: LEDGER_SQL, clock, holder: { id: 'p1' }, newId });
const grant = (workspace: string, amount: bigint) =>
  ({ workspace, kind: 'grant', amount, at: 1, note: null, by: BY_CONFIGURATION }) as const;
const reservation = (attemptId: string, amount = 10n) => ({ attemptId, workspace: 'acme', amount, at: 2 });

async function reservations(db: StateDb): Promise<unknown[]> {
  return (await db.read('SELECT attempt_id FROM reservations ORDER BY attempt_id', [])).map(([id]) => id);
}

/** A database whose writes fail while `down`, and that counts its transactions. */
function flaky(db: StateDb) {
  const batches: SqlStep[][] = [];
  const it = {
    down: false,
    batches,
    read: db.read.bind(db),
    async write(steps: readonly SqlStep[]) {
      batches.push([...steps]);
      await Promise.resolve();
      if (it.down) throw new StateStoreUnavailable('the disk is gone');
      return db.write(steps);
    },
  };
  return it;
}

/** Time that stands still; `tick` lets the pending timers ring. */
function still() {
  const timers = new Set<() => void>();
  const clock: Clock = {
    wall: () => 7,
    now: () => 7,
    after: (_ms, callback) => {
      timers.add(callback);
      return () => timers.delete(callback);
    },
  };
  const tick = (): void => {
    for (const ring of [...timers]) {
      timers.delete(ring);
      ring();
    }
  };
  return { clock, tick, timers };
}

describe('G-4: the ledger', () => {
  it('adds up to the balance, exactly, over restarts and beyond 53 bits', async () => {
    const first = await state();
    const ledger = over(first);
    expect(await ledger.open()).toEqual({ accounts: new Map(), released: 0 });
    await ledger.add(grant('acme', 9_007_199_254_740_993n));
    await ledger.add({ workspace: 'acme', kind: 'topup', amount: 1n, at: 3, note: 'invoice 7', by: 'ann' });
    await ledger.reserve(reservation('att_1'));
    ledger.settle('att_1', 4n, 5, 'acme');
    await ledger.close();
    await first.close();
    const again = await over(await state()).open();
    expect(again.accounts.get('acme')).toMatchObject({
      balance: 9_007_199_254_740_990n,
      granted: 9_007_199_254_740_993n,
    });
  });

  it('closes what a dead process left open, without a charge', async () => {
    const db = await state();
    const dead = over(db);
    await dead.add(grant('acme', 100n));
    await Promise.all(['a', 'b', 'c'].map((id) => dead.reserve(reservation(id))));
    dead.settle('b', 7n, 5, 'acme');
    await dead.close();
    expect(await reservations(db)).toEqual(['a', 'c']);
    expect(await over(db).open()).toMatchObject({ released: 2 });
    expect(await reservations(db)).toEqual([]);
    expect((await over(db).open()).accounts.get('acme')?.balance).toBe(93n);
  });

  it('settles once: a charge written twice counts once, and one whose reservation others have released counts too', async () => {
    const db = await state();
    const ledger = over(db);
    await ledger.reserve(reservation('a'));
    await ledger.reserve(reservation('b'));
    await db.write([{ sql: 'DELETE FROM reservations WHERE attempt_id = ?', rows: [['b']] }]);
    for (const id of ['a', 'a', 'b']) ledger.settle(id, 5n, 6, 'acme');
    await ledger.close();
    const { data } = await ledger.entries('acme', 10);
    expect(data.map(({ id, amount }) => [id, amount])).toEqual([
      ['chg_b', -5n],
      ['chg_a', -5n],
    ]);
    expect(data.slice(1)).toEqual([
      {
        id: 'chg_a',
        workspace: 'acme',
        kind: 'charge',
        amount: -5n,
        at: 6,
        attemptId: 'a',
        note: null,
        by: 'gateway',
      },
    ]);
  });

  it('what comes together is one transaction', async () => {
    const db = flaky(await state());
    const ledger = over(db);
    await Promise.all(Array.from({ length: 200 }, (_, at) => ledger.reserve(reservation(`a${at}`))));
    expect(db.batches.length).toBeLessThanOrEqual(2);
    for (let at = 0; at < 200; at++) ledger.settle(`a${at}`, 1n, 3, 'acme');
    await ledger.close();
    expect(db.batches.length).toBeLessThanOrEqual(5);
    expect((await ledger.open()).accounts.get('acme')?.balance).toBe(-200n);
  });

  it('H-5: a reservation that can not be written is refused; a settlement is tried again until it is', async () => {
    const real = await state();
    const db = flaky(real);
    const { clock, tick } = still();
    const ledger = over(db, clock);
    await ledger.reserve(reservation('a'));
    db.down = true;
    ledger.settle('a', 3n, 4, 'acme');
    await expect(ledger.reserve(reservation('b'))).rejects.toBeInstanceOf(StateStoreUnavailable);
    tick();
    await new Promise(setImmediate);
    expect(await reservations(real)).toEqual(['a']);
    db.down = false;
    tick();
    await ledger.close();
    expect(await reservations(real)).toEqual([]);
    expect((await ledger.open()).accounts.get('acme')?.balance).toBe(-3n);
  });

  it('H-5: an entry that was refused is not there, even if the disk had taken it', async () => {
    const real = await state();
    const db = flaky(real);
    // Written, and then the answer is lost.
    const lost = {
      ...db,
      write: async (steps: readonly SqlStep[]) => {
        const done = await real.write(steps);
        if (db.down) throw new StateStoreUnavailable('the thread ended');
        return done;
      },
    };
    const { clock, tick } = still();
    const ledger = over(lost, clock);
    db.down = true;
    const entry = { workspace: 'acme', kind: 'topup', amount: 5n, at: 3, note: null, by: 'admin' } as const;
    await expect(ledger.add(entry)).rejects.toBeInstanceOf(StateStoreUnavailable);
    db.down = false;
    tick();
    await ledger.add(entry);
    await ledger.close();
    expect((await ledger.open()).accounts.get('acme')?.balance).toBe(5n);
  });

  it('closing gives up on a disk that refuses, and leaves no timer behind', async () => {
    const db = flaky(await state());
    const { clock, timers } = still();
    const ledger = over(db, clock);
    await ledger.reserve(reservation('a'));
    db.down = true;
    ledger.settle('a', 1n, 2, 'acme');
    await ledger.close();
    expect(timers.size).toBe(0);
  });

  it('shows entries newest first, page by page, of one workspace', async () => {
    const ledger = over(await state());
    for (let at = 1n; at <= 5n; at++) await ledger.add(grant('acme', at));
    await ledger.add(grant('other', 9n));
    const first = await ledger.entries('acme', 2);
    expect(first.data.map(({ amount }) => amount)).toEqual([5n, 4n]);
    const second = await ledger.entries('acme', 2, first.next_cursor ?? '');
    expect(second.data.map(({ amount }) => amount)).toEqual([3n, 2n]);
    const third = await ledger.entries('acme', 2, second.next_cursor ?? '');
    expect(third).toMatchObject({ data: [{ amount: 1n, id: 'led_1', by: BY_CONFIGURATION }], next_cursor: null });
    expect(await ledger.entries('acme', 2, 'nonsense')).toEqual({ data: [], next_cursor: null });
  });
});
