import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { DirectStateDb } from '../../../test/support/direct-state-db.ts';
import { plainSealer } from '../../../test/support/plain-sealer.ts';
import { SqlJobStore } from '../../adapters/store-sql/jobs.ts';
import { JOBS_SQL } from '../../adapters/store-sqlite/jobs-sql.ts';
import { chatCodec } from '../../dialects/chat/codec.ts';
import type { JobResult, NewJob } from '../../ports/job-store.ts';
import { StateStoreUnavailable } from '../../ports/object-store.ts';
import type { DataRoute } from '../reception.ts';
import { JobQueue, type TryEnd } from './job-queue.ts';

const ROUTE: DataRoute = {
  endpoint: 'chat',
  codec: chatCodec,
  classic: false,
  operation: 'generate',
  crossesModels: true,
};
const DONE: JobResult = { status: 200, body: Buffer.from('{}'), requestId: 'req_t' };
const DOWN: JobResult = { ...DONE, status: 503 };
const again = (waitMs: number, counted = true): TryEnd => ({
  kind: 'again',
  waitMs,
  costLeft: null,
  counted,
  result: DOWN,
});

let db: DirectStateDb;
let fate: 'done' | 'lost' | 'unheard';
let wall: number;
let timers: { readonly at: number; readonly call: () => void }[];
let tries: { readonly id: string; readonly end: (end: TryEnd) => void; readonly fail: (error: Error) => void }[];
let told: string[];
let bugs: unknown[];
let draining: boolean;
let queue: JobQueue;

beforeEach(() => {
  db = new DirectStateDb();
  fate = 'done';
  wall = 1000;
  timers = [];
  told = [];
  bugs = [];
  draining = false;
  queue = make();
});
afterEach(() => db.close());

/** Each queue is a process of its own. */
let processes = 0;
const nextProcess = (): string => {
  processes += 1;
  return `p${processes}`;
};

function make(connection = db.connection(async () => fate)): JobQueue {
  tries = [];
  return new JobQueue({
    store: new SqlJobStore({
      db: connection,
      sql: JOBS_SQL,
      sealer: plainSealer,
      holder: { id: nextProcess() },
    }),
    clock: {
      now: () => wall,
      wall: () => wall,
      after(ms, call) {
        const timer = { at: wall + ms, call };
        timers.push(timer);
        return () => {
          timers = timers.filter((other) => other !== timer);
        };
      },
    },
    routes: new Map([['/v1/chat/completions', ROUTE]]),
    runTry: ({ id }, _order, _route, cuttable) =>
      new Promise((end, fail) => {
        cuttable(() => end({ kind: 'cut' }));
        tries.push({ id, end, fail });
      }),
    render: (_route, error) => ({ ...DOWN, status: error.status, body: Buffer.from(JSON.stringify(error)) }),
    isDraining: () => draining,
    onFinished: ({ id }, state) => told.push(`${id} ${state}`),
    onBug: (error) => bugs.push(error),
  });
}

/** Lets everything happen that has been asked for. */
async function settle(): Promise<void> {
  for (let i = 0; i < 50; i += 1) await Promise.resolve();
}

async function pass(ms: number): Promise<void> {
  wall += ms;
  const due = timers.filter(({ at }) => at <= wall);
  timers = timers.filter(({ at }) => at > wall);
  for (const { call } of due) call();
  await settle();
}

const DAY_MS = 24 * 60 * 60 * 1000;

/** A job whose client has been told. */
async function add(id: string, more: Partial<NewJob> = {}): Promise<string> {
  const added = await hold(id, more);
  queue.release(id);
  await settle();
  return added;
}

async function hold(id: string, more: Partial<NewJob> = {}): Promise<string> {
  const added = await queue.add({
    id,
    workspace: 'w',
    key: 'k',
    keyHash: 'aaaaaaaaaaaaaaaa',
    requestId: 'req_1',
    ref: null,
    maxTries: 2,
    strict: false,
    costLeft: null,
    at: wall,
    dueAt: wall,
    expiresAt: wall + DAY_MS,
    order: { path: '/v1/chat/completions', headers: {}, body: Buffer.from('{}') },
    ...more,
  });
  await settle();
  return added;
}

const ids = () => tries.map(({ id }) => id);

describe('the queue', () => {
  it('E-4: a job begins when it is due, and ends with what came of it', async () => {
    await add('a', { dueAt: wall + 500 });
    expect(ids()).toEqual([]);
    await pass(499);
    expect(ids()).toEqual([]);
    await pass(1);
    expect(ids()).toEqual(['a']);
    tries[0]!.end({ kind: 'succeeded', result: DONE });
    await settle();
    expect(told).toEqual(['a succeeded']);
    expect(await queue.find('a')).toMatchObject({ state: 'succeeded', tries: 1, result: { status: 200 } });
  });

  it('E-4: tried again after the wait, as often as it may be, and not more', async () => {
    await add('a');
    tries[0]!.end(again(300));
    await settle();
    await pass(299);
    expect(ids()).toEqual(['a']);
    await pass(1);
    expect(ids()).toEqual(['a', 'a']);
    tries[1]!.end(again(300));
    await settle();
    await pass(10_000);
    expect(ids()).toEqual(['a', 'a']);
    expect(await queue.find('a')).toMatchObject({ state: 'failed', result: { status: 503 } });
  });

  it('E-4: a try that called nobody is free', async () => {
    await add('a', { maxTries: 1 });
    tries[0]!.end(again(300, false));
    await settle();
    await pass(300);
    expect(ids()).toEqual(['a', 'a']);
  });

  it('E-4: four at once, the longest due first', async () => {
    for (const id of ['a', 'b', 'c', 'd', 'e', 'f']) await add(id);
    expect(ids()).toEqual(['a', 'b', 'c', 'd']);
    tries[1]!.end({ kind: 'succeeded', result: DONE });
    await settle();
    expect(ids()).toEqual(['a', 'b', 'c', 'd', 'e']);
  });

  it('E-4: a drain begins nothing more', async () => {
    draining = true;
    expect(await add('a')).toBe('added');
    await pass(10_000);
    expect(ids()).toEqual([]);
  });

  it('E-4: a fault of the gateway ends the job, told once', async () => {
    await add('a');
    tries[0]!.fail(new Error('a bug'));
    await settle();
    expect(bugs).toHaveLength(1);
    expect(await queue.find('a')).toMatchObject({ state: 'failed', result: { status: 500 } });
  });

  it('E-4, H-5: what could not be added does not run, though it may be in the store', async () => {
    fate = 'unheard';
    await expect(add('a')).rejects.toBeInstanceOf(StateStoreUnavailable);
    fate = 'done';
    await pass(1000);
    expect(await queue.find('a')).toBeNull();
    queue = make();
    await queue.start();
    await pass(1000);
    expect(ids()).toEqual([]);
  });

  it('E-4, H-5: while the store is away nothing is lost: neither a begin nor an end', async () => {
    await add('a', { dueAt: wall + 10 });
    fate = 'unheard';
    await pass(10);
    expect(ids()).toEqual([]);
    fate = 'done';
    await pass(1000);
    expect(ids()).toEqual(['a']);
    fate = 'lost';
    tries[0]!.end({ kind: 'succeeded', result: DONE });
    await settle();
    expect(told).toEqual([]);
    fate = 'done';
    await pass(1000);
    expect(told).toEqual(['a succeeded']);
  });

  it('E-4: one that nobody was told of is not begun, however long it is due, and is taken back', async () => {
    await hold('a', { dueAt: wall - 5000 });
    await pass(1000);
    fate = 'lost';
    const withdrawn = queue.withdraw('a');
    await settle();
    fate = 'done';
    await pass(1000);
    await withdrawn;
    expect(ids()).toEqual([]);
    expect(await queue.find('a')).toBeNull();
    queue.release('a');
    await pass(1000);
    expect(ids()).toEqual([]);
  });

  it('E-4: one that somebody was told of is never taken back', async () => {
    await add('a', { dueAt: wall + 500 });
    await queue.withdraw('a');
    await pass(500);
    expect(ids()).toEqual(['a']);
    await queue.withdraw('a');
    expect(await queue.find('a')).toMatchObject({ state: 'running' });
  });

  it('E-4: what ends while the process stops is written down, not tried again', async () => {
    await add('a');
    tries[0]!.end({ kind: 'succeeded', result: DONE });
    await queue.close();
    expect(told).toEqual(['a succeeded']);
    queue = make();
    await queue.start();
    await settle();
    expect(ids()).toEqual([]);
  });

  it('E-4, H-5: a second start, after a disk that could not be read, leaves alone what runs by now', async () => {
    fate = 'lost';
    await expect(queue.start()).rejects.toBeInstanceOf(StateStoreUnavailable);
    fate = 'done';
    await add('a');
    await add('w', { dueAt: wall + 10_000 });
    await hold('h');
    await queue.start();
    await settle();
    expect(ids()).toEqual(['a']);
    expect(await queue.find('a')).toMatchObject({ state: 'running', tries: 1 });
    await queue.withdraw('h');
    expect(await queue.find('h')).toBeNull();
  });

  it('E-4, H-5: a start on a disk that can’t be written does not hang on what an earlier process left', async () => {
    await add('s', { strict: true });
    await queue.close();
    // It expires what is old, looks at what is there, and can't write what it finds.
    const fates = ['done', 'done'] as const;
    let calls = 0;
    queue = make(db.connection(async () => fates[calls++] ?? 'lost'));
    await expect(queue.start()).rejects.toBeInstanceOf(StateStoreUnavailable);
    queue = make();
    await queue.start();
    expect(told).toEqual(['s failed']);
  });

  it('E-4: who waits for ever is told so before the job is gone', async () => {
    await add('a', { maxTries: 1 });
    const hours = 22.9 * 60 * 60 * 1000;
    tries[0]!.end(again(hours, false));
    await settle();
    await pass(hours);
    tries[1]!.end(again(10 * 60 * 1000, false));
    await settle();
    expect(told).toEqual(['a failed']);
    expect(await queue.find('a')).toMatchObject({ state: 'failed', result: { status: 503 } });
  });

  it('E-4: an answer that there is no room for ends the job, and says so', async () => {
    const big: JobResult = { ...DONE, body: Buffer.alloc(129 * 1024 * 1024) };
    await add('a');
    tries[0]!.end({ kind: 'succeeded', result: big });
    await settle();
    expect(told).toEqual(['a failed']);
    const { result } = (await queue.find('a'))!;
    expect([result?.status, result?.requestId]).toEqual([409, 'req_t']);
  });

  it('E-4: closing cuts what runs; the next start takes it up', async () => {
    await add('a');
    await add('s', { strict: true });
    await add('w', { dueAt: wall + 60_000 });
    await queue.close();
    expect(told).toEqual([]);
    queue = make();
    await queue.start();
    await settle();
    expect(ids()).toEqual(['a']);
    expect(told).toEqual(['s failed']);
    expect(await queue.find('s')).toMatchObject({ state: 'failed', result: { status: 503 } });
    await pass(60_000);
    expect(ids()).toEqual(['a', 'w']);
  });

  it('E-4: found for a day and not a moment longer', async () => {
    await add('a', { dueAt: wall + 200_000, expiresAt: wall + 1000 });
    expect(await queue.find('a')).not.toBeNull();
    wall += 1000;
    expect(await queue.find('a')).toBeNull();
    expect(await queue.expire()).toBe(1);
  });
});
