/** The money ledger over every engine (G-4). */
import { beforeEach, describe, expect, it } from 'vitest';
import { createLedger } from '../../src/adapters/store-sql/ledger.ts';
import type { SqlStep } from '../../src/adapters/store-sql/sql-step.ts';
import type { Clock } from '../../src/ports/clock.ts';
import { BY_CONFIGURATION, type Ledger } from '../../src/ports/ledger.ts';
import { StateStoreUnavailable } from '../../src/ports/object-store.ts';
import { REAL_CLOCK } from '../support/real-clock.ts';
import { type Db, ENGINES, useEngine } from './engines.ts';

const grant = (workspace: string, amount: bigint) =>
  ({ workspace, kind: 'grant', amount, at: 1, note: null, by: BY_CONFIGURATION }) as const;
const reservation = (attemptId: string, amount = 10n) => ({ attemptId, workspace: 'acme', amount, at: 2 });

/** A database whose writes fail while `down`, and that counts its transactions. */
function flaky(db: Db) {
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

describe.each(ENGINES)('G-4: the ledger on $name', (engine) => {
  const bench = useEngine(engine);
  let ids: number;
  let db: Db;

  /** The ledger of a process, over its connection or what a test makes of it. */
  async function at(id: string, seen = (file: Db): Db => file, clock: Clock = REAL_CLOCK): Promise<Ledger> {
    const process = await bench.process(id);
    db = process.db;
    const newId = (prefix: string): string => `${prefix}${++ids}`;
    return createLedger({ db: seen(db), sql: bench.sql.ledger, clock, holder: process.holder, newId });
  }
  /** The process that comes after one that is gone. */
  async function heirOf(dead: string, id: string): Promise<Ledger> {
    await bench.kill(dead);
    return at(id);
  }
  const balance = async (ledger: Ledger) => (await ledger.open()).accounts.get('acme')?.balance;

  beforeEach(() => {
    ids = 0;
  });

  it('adds up to the balance, exactly, over restarts and beyond 53 bits', async () => {
    const ledger = await at('p1');
    expect(await ledger.open()).toEqual({ accounts: new Map(), released: 0 });
    expect(await ledger.add(grant('acme', 9_007_199_254_740_993n))).toBe('added');
    await ledger.add({ workspace: 'acme', kind: 'topup', amount: 1n, at: 3, note: 'invoice 7', by: 'ann' });
    expect(await ledger.reserve(reservation('att_1'))).toBe('ok');
    ledger.settle('att_1', 4n, 5, 'acme');
    await ledger.close();
    const again = await (await heirOf('p1', 'p2')).open();
    expect(again.accounts.get('acme')).toMatchObject({
      balance: 9_007_199_254_740_990n,
      granted: 9_007_199_254_740_993n,
    });
    expect(again.released).toBe(0);
  });

  it('closes what a dead process left open, without a charge', async () => {
    const dead = await at('p1');
    await dead.add(grant('acme', 100n));
    await Promise.all(['a', 'b', 'c'].map((id) => dead.reserve(reservation(id))));
    dead.settle('b', 7n, 5, 'acme');
    await dead.close();
    expect(await (await heirOf('p1', 'p2')).open()).toMatchObject({ released: 2 });
    const next = await heirOf('p2', 'p3');
    expect(await next.open()).toMatchObject({ released: 0 });
    expect(await balance(next)).toBe(93n);
  });

  it('settles once: a charge written twice counts once, and one whose reservation others have released counts too', async () => {
    const ledger = await at('p1');
    await ledger.add(grant('acme', 100n));
    await ledger.reserve(reservation('a'));
    await ledger.reserve(reservation('b'));
    for (const id of ['a', 'a']) ledger.settle(id, 5n, 6, 'acme');
    // Written before the other one's come.
    await ledger.add(grant('acme', 0n));
    expect((await (await heirOf('p1', 'p2')).open()).released).toBe(1);
    ledger.settle('b', 5n, 7, 'acme');
    ledger.settle('b', 5n, 8, 'acme');
    await ledger.close();
    const { data } = await ledger.entries('acme', 10);
    const charge = { workspace: 'acme', kind: 'charge', amount: -5n, note: null, by: 'gateway' };
    expect(data.filter(({ kind }) => kind === 'charge')).toEqual([
      { ...charge, id: 'chg_b', at: 7, attemptId: 'b' },
      { ...charge, id: 'chg_a', at: 6, attemptId: 'a' },
    ]);
    expect(await balance(await at('p3'))).toBe(90n);
  });

  it('what comes together is one transaction', async () => {
    let seen!: ReturnType<typeof flaky>;
    const ledger = await at('p1', (file) => (seen = flaky(file)));
    await ledger.add(grant('acme', 10_000n));
    const before = seen.batches.length;
    await Promise.all(Array.from({ length: 200 }, (_, ix) => ledger.reserve(reservation(`a${ix}`))));
    expect(seen.batches.length - before).toBeLessThanOrEqual(2);
    for (let ix = 0; ix < 200; ix++) ledger.settle(`a${ix}`, 1n, 3, 'acme');
    await ledger.close();
    expect(seen.batches.length - before).toBeLessThanOrEqual(5);
    expect(await balance(ledger)).toBe(9_800n);
  });

  it('H-5: a reservation that can not be written is refused; a settlement is tried again until it is', async () => {
    let seen!: ReturnType<typeof flaky>;
    const { clock, tick } = still();
    const ledger = await at('p1', (file) => (seen = flaky(file)), clock);
    await ledger.add(grant('acme', 100n));
    await ledger.reserve(reservation('a'));
    seen.down = true;
    ledger.settle('a', 3n, 4, 'acme');
    await expect(ledger.reserve(reservation('b'))).rejects.toBeInstanceOf(StateStoreUnavailable);
    tick();
    await new Promise(setImmediate);
    expect((await ledger.entries('acme', 9)).data).toHaveLength(1);
    seen.down = false;
    tick();
    await ledger.close();
    expect((await ledger.entries('acme', 9)).data).toHaveLength(2);
    expect(await (await heirOf('p1', 'p2')).open()).toMatchObject({ released: 0 });
    expect(await balance(ledger)).toBe(97n);
  });

  it('H-5: an entry that was refused is not there, even if the disk had taken it', async () => {
    let down = true;
    // Written, and then the answer is lost.
    const lost = (file: Db): Db => ({
      read: (sql, params) => file.read(sql, params),
      async write(steps) {
        const done = await file.write(steps);
        if (down) throw new StateStoreUnavailable('the thread ended');
        return done;
      },
    });
    const { clock, tick } = still();
    const ledger = await at('p1', lost, clock);
    const entry = { workspace: 'acme', kind: 'topup', amount: 5n, at: 3, note: null, by: 'admin' } as const;
    await expect(ledger.add(entry)).rejects.toBeInstanceOf(StateStoreUnavailable);
    down = false;
    tick();
    await ledger.add(entry);
    await ledger.close();
    expect(await balance(ledger)).toBe(5n);
  });

  it('closing gives up on a disk that refuses, and leaves no timer behind', async () => {
    let seen!: ReturnType<typeof flaky>;
    const { clock, timers } = still();
    const ledger = await at('p1', (file) => (seen = flaky(file)), clock);
    await ledger.add(grant('acme', 100n));
    await ledger.reserve(reservation('a'));
    seen.down = true;
    ledger.settle('a', 1n, 2, 'acme');
    await ledger.close();
    expect(timers.size).toBe(0);
  });

  it('shows entries newest first, page by page, of one workspace', async () => {
    const ledger = await at('p1');
    for (let amount = 1n; amount <= 5n; amount++) await ledger.add(grant('acme', amount));
    await ledger.add(grant('other', 9n));
    const first = await ledger.entries('acme', 2);
    expect(first.data.map(({ amount }) => amount)).toEqual([5n, 4n]);
    const second = await ledger.entries('acme', 2, first.next_cursor ?? '');
    expect(second.data.map(({ amount }) => amount)).toEqual([3n, 2n]);
    const third = await ledger.entries('acme', 2, second.next_cursor ?? '');
    expect(third).toMatchObject({ data: [{ amount: 1n, id: 'led_1', by: BY_CONFIGURATION }], next_cursor: null });
    expect(await ledger.entries('acme', 2, 'nonsense')).toEqual({ data: [], next_cursor: null });
  });

  it.runIf(!engine.isShared)('of a process that has it alone nobody else changes or frees anything', async () => {
    const ledger = await at('p1');
    await ledger.reserve(reservation('a'));
    expect(ledger.refresh).toBeUndefined();
    expect(await ledger.release(9_000_000_000_000)).toBe(0);
    expect(await ledger.add(grant('acme', 5n), 77n)).toBe('added');
  });

  describe.runIf(engine.isShared)('of several processes', () => {
    it('what one holds the others can not spend; the last reservation may take more than is left', async () => {
      const [one, two] = [await at('p1'), await at('p2')];
      await one.add(grant('acme', 25n));
      expect(await Promise.all([one.reserve(reservation('a')), two.reserve(reservation('b'))])).toEqual(['ok', 'ok']);
      expect(await two.reserve(reservation('c'))).toBe('ok');
      expect(await one.reserve(reservation('d'))).toBe('empty');
      expect(await two.reserve({ ...reservation('e'), workspace: 'nobody' })).toBe('empty');
      expect((await one.refresh?.())?.get('acme')).toEqual({ balance: 25n, granted: 25n, held: 30n });
      two.settle('b', 10n, 3, 'acme');
      two.settle('c', 0n, 3, 'acme');
      await two.close();
      expect((await one.refresh?.())?.get('acme')).toEqual({ balance: 15n, granted: 25n, held: 10n });
      expect(await one.reserve(reservation('d'))).toBe('ok');
    });

    it('a burst that comes together is granted one by one, in order', async () => {
      const ledger = await at('p1');
      await ledger.add(grant('acme', 25n));
      const answers = await Promise.all(Array.from({ length: 5 }, (_, ix) => ledger.reserve(reservation(`a${ix}`))));
      expect(answers).toEqual(['ok', 'ok', 'ok', 'empty', 'empty']);
    });

    it('what is reserved again, unheard, is held once', async () => {
      const ledger = await at('p1');
      await ledger.add(grant('acme', 5n));
      expect(await ledger.reserve(reservation('a'))).toBe('ok');
      expect(await ledger.reserve(reservation('a'))).toBe('ok');
      expect((await ledger.refresh?.())?.get('acme')?.held).toBe(10n);
    });

    it('a living process keeps what it holds; a dead one’s is freed by whoever looks first', async () => {
      const [one, two] = [await at('p1'), await at('p2')];
      await one.add(grant('acme', 5n));
      await one.reserve(reservation('a'));
      expect((await two.open()).released).toBe(0);
      expect(await two.release(Date.now())).toBe(0);
      await bench.kill('p1');
      expect(await two.release(Date.now())).toBe(1);
      expect(await two.release(Date.now())).toBe(0);
      expect((await two.refresh?.())?.get('acme')).toMatchObject({ balance: 5n, held: 0n });
    });

    it('three that read one configuration grant once; a later figure is worked out from the grants that are there', async () => {
      const all = await Promise.all(['p1', 'p2', 'p3'].map((id) => at(id)));
      const granted = await Promise.all(all.map((ledger) => ledger.add(grant('acme', 50n), 0n)));
      expect(granted.sort()).toEqual(['added', 'moved', 'moved']);
      expect(await all[1]!.add(grant('acme', 30n), 50n)).toBe('added');
      expect((await all[0]!.refresh?.())?.get('acme')).toEqual({ balance: 80n, granted: 80n, held: 0n });
    });
  });
});
