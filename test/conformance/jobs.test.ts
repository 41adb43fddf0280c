/** Queued requests over every engine (E-4). */
import { beforeEach, describe, expect, it } from 'vitest';
import { SqlJobStore } from '../../src/adapters/store-sql/jobs.ts';
import type { JobResult, JobRoom, JobStore, NewJob } from '../../src/ports/job-store.ts';
import { StateStoreUnavailable } from '../../src/ports/object-store.ts';
import { plainSealer } from '../support/plain-sealer.ts';
import { type Db, ENGINES, type Fate, fateful, useEngine } from './engines.ts';

const ROOM = { open: 3, openOfKey: 2, bytes: 10_000, bytesOfKey: 8000 };

function job(id: string, more: Partial<NewJob> = {}): NewJob {
  return {
    id,
    workspace: 'w',
    key: 'k',
    keyHash: 'aaaaaaaaaaaaaaaa',
    requestId: 'req_1',
    ref: null,
    maxTries: 3,
    strict: false,
    costLeft: null,
    at: 1000,
    dueAt: 1500,
    expiresAt: 9000,
    order: { path: '/v1/chat/completions', headers: { 'x-understudy-models': 'a,b' }, body: Buffer.from('{"a":1}') },
    ...more,
  };
}

const result = { status: 200, body: Buffer.from('{"ok":true}'), requestId: 'req_2' };

describe.each(ENGINES)('jobs on $name', (engine) => {
  const bench = useEngine(engine);
  let fate: Fate;
  let store: JobStore;
  let db: Db;

  const at = async (id: string, seen = (file: Db): Db => file): Promise<JobStore> => {
    const process = await bench.process(id);
    db = fateful(process.db, () => fate);
    return new SqlJobStore({ db: seen(db), sql: bench.sql.jobs, sealer: plainSealer, holder: process.holder });
  };
  beforeEach(async () => {
    fate = 'done';
    store = await at('p1');
  });

  const finish = (
    id: string,
    state: 'succeeded' | 'failed',
    end: JobResult,
    wall: number,
    room: JobRoom | null = null,
  ) => store.finish(id, { state, result: end, wall }, room);
  const states = async () => (await store.open()).map(({ id, state, tries }) => [id, state, tries]);

  /** A job whose client has been told. */
  async function add(job: NewJob, room: JobRoom = ROOM): Promise<string> {
    const added = await store.add(job, room);
    if (added === 'added') await store.release(job.id);
    return added;
  }

  it('E-4: from queued to its result', async () => {
    expect(await add(job('a', { costLeft: 12_345_678_901_234_567_890n }), ROOM)).toBe('added');
    expect(await store.find('a')).toMatchObject({
      state: 'waiting',
      tries: 0,
      result: null,
      costLeft: 12_345_678_901_234_567_890n,
      dueAt: 1500,
    });
    const begun = await store.begin('a', 1500);
    expect(begun?.job).toMatchObject({ state: 'running', tries: 1 });
    expect(begun?.order).toMatchObject({ path: '/v1/chat/completions', headers: { 'x-understudy-models': 'a,b' } });
    expect(Buffer.from(begun!.order!.body).toString()).toBe('{"a":1}');
    await store.again('a', { dueAt: 2000, costLeft: 5n, counted: true });
    expect(await store.find('a')).toMatchObject({ state: 'waiting', tries: 1, dueAt: 2000, costLeft: 5n });
    await store.begin('a', 2000);
    await finish('a', 'succeeded', result, 2500);
    const found = await store.find('a');
    expect(found).toMatchObject({ state: 'succeeded', tries: 2, finishedAt: 2500 });
    expect(found?.result).toEqual({ ...result, body: expect.anything() });
    expect(Buffer.from(found!.result!.body).toString()).toBe('{"ok":true}');
    expect(await store.open()).toEqual([]);
  });

  it('E-4: a finished job stays as it is', async () => {
    await add(job('a'), ROOM);
    await store.begin('a', 1500);
    await finish('a', 'succeeded', result, 2500);
    expect(await finish('a', 'failed', { ...result, status: 503 }, 2600)).toBe('lost');
    expect(await store.begin('a', 2600)).toBeNull();
    expect(await store.find('a')).toMatchObject({ state: 'succeeded', result: { status: 200 } });
  });

  it('E-4: a try that called nobody does not count', async () => {
    await add(job('a'), ROOM);
    await store.begin('a', 1500);
    await store.again('a', { dueAt: 1600, costLeft: null, counted: false });
    expect(await states()).toEqual([['a', 'waiting', 0]]);
  });

  it('E-4: bounded in number, per key and in bytes', async () => {
    expect(await add(job('a'), ROOM)).toBe('added');
    expect(await add(job('b'), ROOM)).toBe('added');
    expect(await add(job('c'), ROOM)).toBe('full');
    expect(await add(job('d', { key: 'other' }), ROOM)).toBe('added');
    expect(await add(job('e', { key: 'third' }), ROOM)).toBe('full');
    await finish('a', 'failed', result, 2000);
    expect(await add(job('f', { key: 'third' }), ROOM)).toBe('added');
    await finish('b', 'failed', result, 2000);
    const large = { ...job('g').order, body: Buffer.alloc(10_000) };
    expect(await add(job('g', { order: large }), ROOM)).toBe('full');
  });

  it('E-4: no key takes all the room there is', async () => {
    const of = (id: string, key: string, bytes: number) =>
      add(job(id, { key, order: { ...job(id).order, body: Buffer.alloc(bytes) } }), ROOM);
    expect(await of('a', 'k', 5000)).toBe('added');
    expect(await of('b', 'k', 5000)).toBe('full');
    expect(await of('c', 'other', 2000)).toBe('added');
    expect(await of('d', 'other', 4000)).toBe('full');
  });

  it('E-4: a result has room in the place of its request, or is not kept; a failure always is', async () => {
    const answer = (bytes: number) => ({ ...result, body: Buffer.alloc(bytes) });
    for (const id of ['a', 'b']) {
      await add(job(id, { order: { ...job(id).order, body: Buffer.alloc(3000) } }), ROOM);
      await store.begin(id, 1500);
    }
    expect(await finish('a', 'succeeded', answer(6000), 2000, ROOM)).toBe('full');
    expect(await states()).toContainEqual(['a', 'running', 1]);
    expect(await finish('a', 'succeeded', answer(4000), 2000, ROOM)).toBe('finished');
    expect(await finish('b', 'failed', answer(6000), 2000)).toBe('finished');
    // Written before, unheard: the same end again is no other.
    expect(await finish('a', 'succeeded', answer(4000), 2000, ROOM)).toBe('finished');
    expect(await finish('gone', 'succeeded', answer(1), 2000, ROOM)).toBe('lost');
    expect(await store.find('a')).toMatchObject({ state: 'succeeded', result: { status: 200 } });
  });

  it('E-4, G-8: whose it is: the key’s name, and what its secret was', async () => {
    await add(job('a', { key: 'k#1', keyHash: '0123456789abcdef'.repeat(4) }), ROOM);
    expect(await store.find('a')).toMatchObject({ key: 'k#1', keyHash: '0123456789abcdef' });
    await add(job('b', { keyHash: 'b'.repeat(64) }), ROOM);
    // Another key of the same name has room of its own.
    await add(job('c', { keyHash: 'c'.repeat(64) }), ROOM);
    expect((await states()).map(([id]) => id)).toEqual(['a', 'b', 'c']);
  });

  it('E-4: a begin that nobody heard of is the same try, begun again', async () => {
    await add(job('a'), ROOM);
    fate = 'unheard';
    await expect(store.begin('a', 1500)).rejects.toBeInstanceOf(StateStoreUnavailable);
    fate = 'done';
    expect((await store.begin('a', 1500))?.job).toMatchObject({ state: 'running', tries: 1 });
  });

  it('E-4, I-1: one job per idempotency key, until it has failed', async () => {
    expect(await add(job('a', { ref: 'r' }), ROOM)).toBe('added');
    expect(await add(job('b', { ref: 'r' }), ROOM)).toBe('known');
    expect(await store.findByRef('r')).toMatchObject({ id: 'a' });
    await finish('a', 'succeeded', result, 2000);
    expect(await add(job('b', { ref: 'r' }), ROOM)).toBe('known');
    await add(job('c', { ref: 's' }), ROOM);
    await finish('c', 'failed', result, 2000);
    expect(await add(job('d', { ref: 's' }), ROOM)).toBe('added');
    expect(await store.findByRef('s')).toMatchObject({ id: 'd' });
  });

  it('E-4: expired jobs begin no more and go', async () => {
    await add(job('a'), ROOM);
    await add(job('b', { expiresAt: 20_000 }), ROOM);
    expect(await store.begin('a', 9000)).toBeNull();
    expect(await store.expire(9000)).toBe(1);
    expect(await states()).toEqual([['b', 'waiting', 0]]);
  });

  it('E-4: what is sealed for one job opens for no other', async () => {
    await add(job('a'), ROOM);
    await add(job('b'), ROOM);
    const mixed = await at('p1', (file) => ({
      ...file,
      async read(sql, params) {
        const rows = await file.read(sql, params);
        const [ofA] = await file.read(bench.sql.jobs.find, ['a']);
        return rows.map((row) => [...row.slice(0, -1), ofA!.at(-1)!]);
      },
    }));
    expect(await mixed.begin('b', 1500)).toMatchObject({ job: { id: 'b' }, order: null });
  });

  it('E-4, H-5: a store that can’t be written says so', async () => {
    fate = 'lost';
    await expect(store.add(job('a'), ROOM)).rejects.toBeInstanceOf(StateStoreUnavailable);
    await expect(store.find('a')).rejects.toBeInstanceOf(StateStoreUnavailable);
    fate = 'unheard';
    await expect(store.add(job('b'), ROOM)).rejects.toBeInstanceOf(StateStoreUnavailable);
    fate = 'done';
    expect(await states()).toEqual([['b', 'waiting', 0]]);
  });

  it('E-4: nobody begins a job whose client has not been told, until its process is gone', async () => {
    await store.add(job('a'), ROOM);
    expect(await store.due(2000, 4)).toEqual({ due: [], orphans: [], nextDueAt: null });
    expect(await store.begin('a', 2000)).toBeNull();
    await bench.kill('p1');
    const heir = await at('p2');
    expect((await heir.due(2000, 4)).due).toMatchObject([{ id: 'a', state: 'waiting' }]);
    await store.release('a');
    expect((await store.due(2000, 4)).due).toMatchObject([{ id: 'a' }]);
  });

  it('E-4: what is due comes in order and so many at most, and when the next one will be', async () => {
    for (const [id, dueAt] of Object.entries({ c: 1700, a: 1500, b: 1600, d: 5000 })) {
      await add(job(id, { dueAt, key: id }), { ...ROOM, open: 9 });
    }
    const { due, nextDueAt } = await store.due(1700, 2);
    expect(due.map(({ id }) => id)).toEqual(['a', 'b']);
    expect(nextDueAt).toBe(5000);
    expect((await store.due(1499, 9)).nextDueAt).toBe(1500);
  });

  it('E-4, I-8: a job that a dead process had begun is an orphan; one that a living one has begun is nobody else’s', async () => {
    await add(job('a'));
    await store.begin('a', 1500);
    expect(await store.due(2000, 4)).toEqual({ due: [], orphans: [], nextDueAt: null });
    await bench.kill('p1');
    const heir = await at('p2');
    expect((await heir.due(2000, 4)).orphans).toMatchObject([{ id: 'a', state: 'running', tries: 1 }]);
    expect((await heir.begin('a', 2000))?.job).toMatchObject({ state: 'running', tries: 1 });
    expect((await heir.due(2000, 4)).orphans).toEqual([]);
  });

  it('E-4: only what runs waits again; said twice it is said once', async () => {
    await add(job('a'));
    const next = { dueAt: 3000, costLeft: null, counted: true };
    expect(await store.again('a', next)).toBe('lost');
    await store.begin('a', 1500);
    fate = 'unheard';
    await expect(store.again('a', next)).rejects.toBeInstanceOf(StateStoreUnavailable);
    fate = 'done';
    expect(await store.again('a', next)).toBe('waits');
    expect(await store.again('gone', next)).toBe('lost');
  });

  it.runIf(engine.isShared)(
    'E-4, I-8: of two that begin an orphan one gets it; who had lost it can end it no more',
    async () => {
      await add(job('a'));
      await store.begin('a', 1500);
      await bench.kill('p1');
      const heirs = [await at('p2'), await at('p3')];
      const begun = await Promise.all(heirs.map((heir) => heir.begin('a', 2000)));
      expect(begun.filter((one) => one !== null)).toHaveLength(1);
      expect(await finish('a', 'succeeded', result, 2500)).toBe('lost');
      expect(await store.again('a', { dueAt: 3000, costLeft: null, counted: true })).toBe('lost');
      const heir = heirs[begun[0] === null ? 1 : 0]!;
      expect(await heir.finish('a', { state: 'succeeded', result, wall: 2600 }, null)).toBe('finished');
    },
  );

  it.runIf(engine.isShared)('E-4: a job that is due is begun by one of those that ask for it at once', async () => {
    await add(job('a'));
    const all = [store, await at('p2'), await at('p3')];
    const begun = await Promise.all(all.map((one) => one.begin('a', 1500)));
    expect(begun.filter((one) => one !== null)).toHaveLength(1);
  });
});
