/** Sessions of the console, over every engine and the double that tests use (G-8). */
import { beforeEach, describe, expect, it } from 'vitest';
import { SqlSessionStore } from '../../src/adapters/store-sql/sessions.ts';
import { StateStoreUnavailable } from '../../src/ports/object-store.ts';
import type { ConsoleSession, SessionStore } from '../../src/ports/sessions.ts';
import { MemorySessions } from '../support/memory-sessions.ts';
import { type Db, ENGINES, useEngine } from './engines.ts';

const T0 = 1_790_000_000_000;

function session(id: string, change: Partial<ConsoleSession> = {}): ConsoleSession {
  return {
    idHash: id,
    person: 'member mia',
    tokenHash: 'a'.repeat(64),
    csrfToken: `csrf-${id}`,
    openedAt: T0,
    usedAt: T0,
    expiresAt: T0 + 1000,
    ...change,
  };
}

/** What every store of sessions holds. `again`: the same sessions, as another process sees them. */
function promises(open: () => Promise<{ sessions: SessionStore; again: () => Promise<SessionStore> }>): void {
  let sessions: SessionStore;
  let again: () => Promise<SessionStore>;
  beforeEach(async () => {
    ({ sessions, again } = await open());
  });
  const found = async (ids: readonly string[], wall = T0): Promise<string[]> => {
    const all = await Promise.all(ids.map((id) => sessions.find(id, wall)));
    return all.flatMap((one) => (one === null ? [] : [one.idHash]));
  };

  it('G-8: is found as it was opened, by its hash alone, at every process', async () => {
    await sessions.open(session('a'), 20);
    expect(await sessions.find('a', T0)).toEqual(session('a'));
    expect(await sessions.find('b', T0)).toBeNull();
    expect(await (await again()).find('a', T0)).toEqual(session('a'));
  });

  it('G-8: is not found once it has expired, before anything is pruned', async () => {
    await sessions.open(session('a'), 20);
    expect(await sessions.find('a', T0 + 999)).not.toBeNull();
    expect(await sessions.find('a', T0 + 1000)).toBeNull();
  });

  it('G-8: use moves its end, and is never undone by an earlier one that comes later', async () => {
    await sessions.open(session('a'), 20);
    await sessions.touch('a', T0 + 500, T0 + 1500);
    await sessions.touch('a', T0 + 100, T0 + 1100);
    expect(await sessions.find('a', T0 + 1200)).toEqual(session('a', { usedAt: T0 + 500, expiresAt: T0 + 1500 }));
  });

  it('G-8: who signs out is out at every process, and a use under way brings nothing back', async () => {
    await sessions.open(session('a'), 20);
    expect(await sessions.end('a')).toBe(true);
    expect(await sessions.end('a')).toBe(false);
    await sessions.touch('a', T0 + 500, T0 + 1500);
    expect(await (await again()).find('a', T0)).toBeNull();
  });

  it('G-8: a person has so many, the oldest go; another person’s stay', async () => {
    await sessions.open(session('x', { person: 'admin', openedAt: 1 }), 2);
    for (const [n, id] of ['c', 'b', 'a', 'd'].entries()) await sessions.open(session(id, { openedAt: T0 + n }), 2);
    expect(await found(['a', 'b', 'c', 'd', 'x'])).toEqual(['a', 'd', 'x']);
    await sessions.open(session('e', { openedAt: T0 + 9 }), 1);
    expect(await found(['a', 'd', 'e', 'x'])).toEqual(['e', 'x']);
  });

  it('G-8: pruning takes what has expired and tells how much', async () => {
    await sessions.open(session('a'), 20);
    await sessions.open(session('b', { expiresAt: T0 + 2000 }), 20);
    expect(await sessions.prune(T0 + 1000)).toBe(1);
    expect(await sessions.prune(T0 + 1000)).toBe(0);
    expect(await found(['a', 'b'])).toEqual(['b']);
  });
}

describe.each(ENGINES)('sessions of the console, on $name', (engine) => {
  const bench = useEngine(engine);
  const over = (db: Db): SessionStore => new SqlSessionStore({ db, reader: db, sql: bench.sql.sessions });

  promises(async () => ({
    sessions: over((await bench.process('p1')).db),
    again: async () => over((await bench.process('p2')).db),
  }));

  it('H-5: a store that is away is told as such, whatever is asked of it', async () => {
    const away = (): Promise<never> => Promise.reject(new StateStoreUnavailable('away'));
    const sessions = over({ read: away, write: away });
    const asked = [
      () => sessions.open(session('a'), 1),
      () => sessions.find('a', T0),
      () => sessions.touch('a', T0, T0),
      () => sessions.end('a'),
      () => sessions.prune(T0),
    ];
    for (const ask of asked) await expect(ask()).rejects.toBeInstanceOf(StateStoreUnavailable);
  });
});

describe('sessions of the console, in memory', () => {
  promises(async () => {
    const sessions = new MemorySessions();
    return { sessions, again: async () => sessions };
  });
});
