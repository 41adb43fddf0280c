/** What lives at upstream accounts, over every engine (P-8). */
import { beforeEach, describe, expect, it } from 'vitest';
import { SqlBoundStates } from '../../src/adapters/store-sql/bound-state.ts';
import type { BoundState } from '../../src/ports/bound-state.ts';
import type { Clock } from '../../src/ports/clock.ts';
import { StateStoreUnavailable } from '../../src/ports/object-store.ts';
import { type Db, ENGINES, useEngine } from './engines.ts';

function state(id: string, more: Partial<BoundState> = {}): BoundState {
  const home = { model: 'maker/m', channel: 'c', credential: 'k' };
  return { workspace: 'acme', id, ...home, at: 1000, expiresAt: 9000, ...more };
}

describe.each(ENGINES)('what lives at upstream accounts, on $name', (engine) => {
  const bench = useEngine(engine);
  let db: Db;
  let timers: (() => void)[];
  const clock: Clock = {
    now: () => 0,
    wall: () => 5000,
    after: (_ms, callback) => {
      timers.push(callback);
      return () => undefined;
    },
  };
  const over = (file: Db): SqlBoundStates => new SqlBoundStates({ db: file, sql: bench.sql.bound, clock });
  const count = async () => Number((await db.read('SELECT count(*) FROM bound_states', []))[0]?.[0]);

  beforeEach(async () => {
    timers = [];
    db = (await bench.process('p1')).db;
  });

  it('P-8: is found by its workspace alone, also after a restart', async () => {
    const bound = over(db);
    await bound.note([state('a'), state('b', { credential: null })], 'now');
    await bound.close();
    db = (await bench.process('p2')).db;
    const again = over(db);
    expect(await again.find('acme', 'a', 2000)).toEqual({ model: 'maker/m', channel: 'c', credential: 'k' });
    expect(await again.find('acme', 'b', 2000)).toMatchObject({ credential: null });
    expect(await again.find('other', 'a', 2000)).toBeNull();
    expect(await again.find('acme', 'nothing', 2000)).toBeNull();
    await again.close();
  });

  it('is found at once, before it is in the file', async () => {
    const bound = over(db);
    const noted = bound.note([state('a')], 'now');
    expect(await bound.find('acme', 'a', 2000)).toMatchObject({ channel: 'c' });
    await noted;
  });

  it('what is not urgent shares a transaction; closing does not wait for it', async () => {
    let writes = 0;
    const counted = {
      read: db.read.bind(db),
      write: (...args: Parameters<Db['write']>) => {
        writes++;
        return db.write(...args);
      },
    };
    const bound = over(counted);
    const noted = [bound.note([state('a')], 'soon'), bound.note([state('b')], 'soon')];
    expect([writes, await bound.find('acme', 'b', 2000)]).toMatchObject([0, { channel: 'c' }]);
    await bound.close();
    await Promise.all(noted);
    expect([writes, await count()]).toEqual([1, 2]);
  });

  it('a moment that passes with nothing left to write stops nothing', async () => {
    const bound = over(db);
    const urgent = bound.note([state('a')], 'now');
    const along = bound.note([state('b')], 'soon');
    await Promise.all([urgent, along]);
    // The moment that was waited for.
    timers.at(-1)?.();
    await bound.note([state('c')], 'now');
    expect(await count()).toBe(3);
  });

  it('the last note counts; what expired is nobody’s, and is deleted', async () => {
    const bound = over(db);
    await bound.note([state('a', { expiresAt: 4000 })], 'now');
    expect(await bound.find('acme', 'a', 4001)).toBeNull();
    timers[0]?.();
    await expect.poll(count).toBe(0);
    await bound.note([state('a'), state('a', { channel: 'd' })], 'now');
    expect(await bound.find('acme', 'a', 2000)).toMatchObject({ channel: 'd' });
    await bound.forget('acme', 'a');
    expect(await bound.find('acme', 'a', 2000)).toBeNull();
  });

  it('H-5: what could not be written is told, and not found', async () => {
    const broken = {
      read: () => Promise.resolve([]),
      write: () => Promise.reject(new StateStoreUnavailable('the disk is full')),
    };
    const bound = over(broken);
    await expect(bound.note([state('a')], 'now')).rejects.toBeInstanceOf(StateStoreUnavailable);
    expect(await bound.find('acme', 'a', 2000)).toBeNull();
  });
});
