import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { BoundState } from '../../ports/bound-state.ts';
import type { Clock } from '../../ports/clock.ts';
import { StateStoreUnavailable } from '../../ports/object-store.ts';
import { BOUND_SQL } from '../store-sqlite/bound-sql.ts';
import { openStateDb } from '../store-sqlite/open-state-db.ts';
import { SqlBoundStates } from './bound-state.ts';
import type { StateDb } from './state-db.ts';

let folder: string;
let db: StateDb;
let timers: (() => void)[];
const clock: Clock = {
  now: () => 0,
  wall: () => 5000,
  after: (_ms, callback) => {
    timers.push(callback);
    return () => undefined;
  },
};

const open = () => openStateDb({ path: path.join(folder, 'state.db'), clock });

beforeEach(async () => {
  timers = [];
  folder = await mkdtemp(path.join(tmpdir(), 'understudy-bound-'));
  db = await open();
});
afterEach(async () => {
  await db.close();
  await rm(folder, { recursive: true, force: true });
});

function state(id: string, more: Partial<BoundState> = {}): BoundState {
  const home = { model: 'maker/m', channel: 'c', credential: 'k' };
  return { workspace: 'acme', id, ...home, at: 1000, expiresAt: 9000, ...more };
}

describe('what lives at upstream accounts', () => {
  it('P-8: is found by its workspace alone, also after a restart', async () => {
    const bound = new SqlBoundStates({ db, sql: BOUND_SQL, clock });
    await bound.note([state('a'), state('b', { credential: null })], 'now');
    await bound.close();
    await db.close();
    db = await open();
    const again = new SqlBoundStates({ db, sql: BOUND_SQL, clock });
    expect(await again.find('acme', 'a', 2000)).toEqual({ model: 'maker/m', channel: 'c', credential: 'k' });
    expect(await again.find('acme', 'b', 2000)).toMatchObject({ credential: null });
    expect(await again.find('other', 'a', 2000)).toBeNull();
    expect(await again.find('acme', 'nothing', 2000)).toBeNull();
    await again.close();
  });

  it('is found at once, before it is in the file', async () => {
    const bound = new SqlBoundStates({ db, sql: BOUND_SQL, clock });
    const noted = bound.note([state('a')], 'now');
    expect(await bound.find('acme', 'a', 2000)).toMatchObject({ channel: 'c' });
    await noted;
  });

  it('what is not urgent shares a transaction; closing does not wait for it', async () => {
    let writes = 0;
    const counted = {
      read: db.read.bind(db),
      write: (...args: Parameters<StateDb['write']>) => {
        writes++;
        return db.write(...args);
      },
    };
    const bound = new SqlBoundStates({ db: counted, sql: BOUND_SQL, clock });
    const noted = [bound.note([state('a')], 'soon'), bound.note([state('b')], 'soon')];
    expect([writes, await bound.find('acme', 'b', 2000)]).toMatchObject([0, { channel: 'c' }]);
    await bound.close();
    await Promise.all(noted);
    expect([writes, await db.read('SELECT count(*) FROM bound_states', [])]).toEqual([1, [[2]]]);
  });

  it('a moment that passes with nothing left to write stops nothing', async () => {
    const bound = new SqlBoundStates({ db, sql: BOUND_SQL, clock });
    const urgent = bound.note([state('a')], 'now');
    const along = bound.note([state('b')], 'soon');
    await Promise.all([urgent, along]);
    // The moment that was waited for.
    timers.at(-1)?.();
    await bound.note([state('c')], 'now');
    expect(await db.read('SELECT count(*) FROM bound_states', [])).toEqual([[3]]);
  });

  it('the last note counts; what expired is nobody’s, and is deleted', async () => {
    const bound = new SqlBoundStates({ db, sql: BOUND_SQL, clock });
    await bound.note([state('a', { expiresAt: 4000 })], 'now');
    expect(await bound.find('acme', 'a', 4001)).toBeNull();
    timers[0]?.();
    expect(await db.read('SELECT count(*) FROM bound_states', [])).toEqual([[0]]);
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
    const bound = new SqlBoundStates({ db: broken, sql: BOUND_SQL, clock });
    await expect(bound.note([state('a')], 'now')).rejects.toBeInstanceOf(StateStoreUnavailable);
    expect(await bound.find('acme', 'a', 2000)).toBeNull();
  });
});
