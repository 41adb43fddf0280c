import { describe, expect, it } from 'vitest';
import { answerOf, claimOf, keysOf, refOf, T0 } from '../../../test/conformance/ledger-samples.ts';
import { DirectStateDb } from '../../../test/support/direct-state-db.ts';
import type { Clock } from '../../ports/clock.ts';
import { soleHolder } from '../../ports/holder.ts';
import { RoundLost } from '../../ports/idempotency-store.ts';
import { StateStoreUnavailable } from '../../ports/object-store.ts';
import { IDEMPOTENCY_SQL } from '../store-sqlite/idempotency-sql.ts';
import { SqlError } from './fault.ts';
import { createIdempotencyStore } from './idempotency-store.ts';

type Fate = 'done' | 'lost' | 'unheard';
const FAILURE = { status: 502, code: 'x', message: '', requestId: 'req_1', at: T0 };

/** A store on a file whose faults and moments a test chooses; timers run when told. */
function rig(options: { seal?: (plain: Uint8Array) => Uint8Array; leaseMs?: number } = {}) {
  const file = new DirectStateDb();
  const fates: Fate[] = [];
  const calls: string[] = [];
  let gate: Promise<void> | null = null;
  const db = file.connection(async (what) => {
    calls.push(what);
    await gate;
    return what === 'write' ? (fates.shift() ?? 'done') : 'done';
  });
  const timers: (() => void)[] = [];
  const clock: Clock = {
    wall: () => T0,
    now: () => 0,
    after: (_ms, callback) => {
      timers.push(callback);
      return () => void timers.splice(timers.indexOf(callback), 1);
    },
  };
  const bugs: unknown[] = [];
  const seal = options.seal ?? ((plain: Uint8Array) => Buffer.concat([Buffer.alloc(33, 1), plain]));
  const open = (holder: string) =>
    createIdempotencyStore({
      db,
      sql: IDEMPOTENCY_SQL,
      clock,
      holder: soleHolder(holder),
      ...(options.leaseMs === undefined ? {} : { leaseMs: options.leaseMs }),
      sealer: { sealBytes: seal, openBytes: (sealed) => sealed.subarray(33) },
      onBug: (error) => bugs.push(error),
    });
  return {
    open,
    store: open('p1'),
    db,
    fates,
    calls,
    bugs,
    writes: () => calls.filter((what) => what === 'write').length,
    /** Calls wait until the result is called. */
    hold() {
      let free: () => void = () => undefined;
      gate = new Promise((resolve) => {
        free = resolve;
      });
      return () => {
        gate = null;
        free();
      };
    },
    async tick() {
      for (const timer of timers.splice(0)) timer();
      for (let n = 0; n < 50; n++) await Promise.resolve();
    },
  };
}

/** Several processes share the file: a claim is seen by the others, so that it is written at once. */
const SHARED = { leaseMs: 30_000 };

const start = (n: number) => ({ ref: refOf('k'), round: 1, no: n, attemptId: `att_${n}`, target: 't', at: T0 });

describe('the ledger on SQLite', () => {
  it.each(['lost', 'unheard'] as const)('H-5: a claim that was %s owns nothing and holds nothing', async (fate) => {
    const { store, fates, tick } = rig(SHARED);
    fates.push(fate);
    await expect(store.claim(claimOf('k'))).rejects.toThrow(StateStoreUnavailable);
    await tick();
    const next = await store.claim(claimOf('k', { requestId: 'req_2', fingerprint: 'f2' }));
    expect(next).toMatchObject({ kind: 'owner', round: 1, attemptsBefore: 0 });
  });

  it('I-2: where the file is its own, a claim is written with its first attempt: one transaction for both', async () => {
    const { store, open, writes } = rig();
    await store.claim(claimOf('k'));
    expect(writes()).toBe(0);
    await store.startAttempt(start(1));
    expect(writes()).toBe(1);
    const [key] = await keysOf(open('p2'));
    expect(key).toMatchObject({ row: { state: 'running', round: 1, attempts: 1 }, attempts: [{ attemptId: 'att_1' }] });
  });

  it.each(['lost', 'unheard'] as const)('H-5: a first attempt that was %s takes its claim along', async (fate) => {
    const { store, fates, tick } = rig();
    await store.claim(claimOf('k'));
    fates.push(fate);
    await expect(store.startAttempt(start(1))).rejects.toThrow(StateStoreUnavailable);
    const failed = store.fail({ ref: refOf('k'), round: 1, state: 'failed', failure: FAILURE, release: true });
    await tick();
    await failed;
    const next = await store.claim(claimOf('k', { requestId: 'req_2', fingerprint: 'f2' }));
    expect(next).toMatchObject({ kind: 'owner', attemptsBefore: 0 });
    const [key] = await keysOf(store);
    expect(key).toMatchObject({ row: { attempts: 0, openAttempts: 0, maybeExecuted: false }, attempts: [] });
  });

  it('I-7: a round that follows a failed one is not written before its first attempt either, and loses nothing', async () => {
    const { store, open, writes } = rig();
    await store.claim(claimOf('k'));
    await store.startAttempt(start(1));
    store.endAttempt({ ref: refOf('k'), attemptId: 'att_1', result: 'failed', maybeExecuted: false, at: T0 });
    await store.fail({ ref: refOf('k'), round: 1, state: 'failed', failure: FAILURE, release: false });
    const before = writes();
    expect(await store.claim(claimOf('k'))).toMatchObject({ kind: 'owner', round: 2, attemptsBefore: 1 });
    expect(writes()).toBe(before);
    await store.startAttempt({ ...start(2), round: 2 });
    const [key] = await keysOf(open('p2'));
    expect(key?.row).toMatchObject({ state: 'running', round: 2, attempts: 2 });
    expect(key?.attempts.map(({ result }) => result)).toEqual(['failed', null]);
  });

  it('H-5: while the disk refuses, a claim is refused at once; nothing of it is left when the disk is well', async () => {
    const { store, fates, calls, tick } = rig();
    fates.push(...Array.from({ length: 200 }, () => 'lost' as const));
    await store.claim(claimOf('k'));
    await expect(store.startAttempt(start(1))).rejects.toThrow(StateStoreUnavailable);
    const failed = store.fail({ ref: refOf('k'), round: 1, state: 'failed', failure: FAILURE, release: true });
    await tick();
    await failed;
    for (let n = 0; n < 100; n++) {
      await expect(store.claim(claimOf(`k${n}`))).rejects.toThrow(StateStoreUnavailable);
    }
    fates.length = 0;
    await tick();
    await tick();
    calls.length = 0;
    await tick();
    expect(calls).toEqual([]);
    expect((await keysOf(store)).filter(({ row }) => row.state === 'accepted')).toEqual([]);
    expect(await store.claim(claimOf('k1'))).toMatchObject({ kind: 'owner', round: 1 });
  });

  it('I-2: an attempt whose start nobody heard of is no open one', async () => {
    const { store, fates, tick } = rig();
    await store.claim(claimOf('k'));
    fates.push('unheard');
    await expect(store.startAttempt(start(1))).rejects.toThrow(StateStoreUnavailable);
    await tick();
    const [key] = await keysOf(store);
    expect(key).toMatchObject({ row: { attempts: 0, openAttempts: 0, maybeExecuted: false }, attempts: [] });
  });

  it('H-5: what needs no writing is told although a failed round waits for the disk', async () => {
    const { store, fates, tick } = rig();
    await store.claim(claimOf('done'));
    const success = { round: 1, requestId: 'req_1', attemptId: null, answer: answerOf('a') };
    await store.succeed({ ref: refOf('done'), ...success });
    await store.claim(claimOf('k'));
    await store.startAttempt(start(1));
    fates.push('lost', 'lost', 'lost');
    await store.fail({ ref: refOf('k'), round: 1, state: 'failed', failure: FAILURE, release: false });
    expect(await store.claim(claimOf('done'))).toMatchObject({ kind: 'succeeded' });
    expect(fates).toHaveLength(1);
    fates.length = 0;
    await tick();
    expect(await store.claim(claimOf('k'))).toMatchObject({ kind: 'owner', round: 2 });
  });

  it('I-3: a success nobody heard of is there when it is asked for again', async () => {
    const { store, fates } = rig();
    await store.claim(claimOf('k'));
    await store.startAttempt(start(1));
    const success = { ref: refOf('k'), round: 1, requestId: 'req_1', attemptId: 'att_1', answer: answerOf('a') };
    fates.push('unheard');
    await expect(store.succeed(success)).rejects.toThrow(StateStoreUnavailable);
    expect(await store.succeed(success)).toBe('stored');
    expect((await store.claim(claimOf('k'))).kind).toBe('succeeded');
  });

  it('I-2: a failed round is told again until it is durable; who waits is not kept', async () => {
    const { store, open, fates, tick } = rig();
    await store.claim(claimOf('k'));
    await store.startAttempt(start(1));
    fates.push('lost', 'lost');
    await store.fail({ ref: refOf('k'), round: 1, state: 'failed', failure: FAILURE, release: false });
    expect((await keysOf(open('p2')))[0]?.row.state).toBe('running');
    await tick();
    await tick();
    expect((await keysOf(open('p2')))[0]?.row.state).toBe('failed');
  });

  it('group commit: what is asked for while a transaction is under way goes into the next one together', async () => {
    const { store, hold, writes } = rig(SHARED);
    const free = hold();
    const first = store.claim(claimOf('first'));
    await Promise.resolve();
    const rest = Array.from({ length: 300 }, (_, n) => store.claim(claimOf(`k${n}`)));
    free();
    await Promise.all([first, ...rest]);
    expect(writes()).toBe(2);
  });

  it('I-6: joining a key this process runs costs no transaction and no look at the file', async () => {
    const { store, calls } = rig();
    await store.claim(claimOf('k'));
    calls.length = 0;
    const joins = await Promise.all(Array.from({ length: 500 }, () => store.claim(claimOf('k'))));
    expect(new Set(joins.map(({ kind }) => kind))).toEqual(new Set(['running']));
    expect(calls).toEqual([]);
  });

  it('I-4: a crowd that asks for one stored answer reads it once', async () => {
    const { store, calls } = rig();
    await store.claim(claimOf('k'));
    await store.succeed({ ref: refOf('k'), round: 1, requestId: 'req_1', attemptId: null, answer: answerOf('a') });
    calls.length = 0;
    await Promise.all(Array.from({ length: 500 }, () => store.claim(claimOf('k'))));
    expect(calls).toEqual(['read', 'read']);
  });

  it('I-4: answers lie in the file as the sealer gives them, and only so', async () => {
    const { store, db } = rig({
      seal: (plain) => Buffer.concat([Buffer.alloc(33, 1), plain.map((byte) => byte ^ 0xff)]),
    });
    await store.claim(claimOf('k'));
    await store.succeed({
      ref: refOf('k'),
      round: 1,
      requestId: 'r',
      attemptId: null,
      answer: answerOf('secret words'),
    });
    await store.succeed({
      ref: refOf('k'),
      round: 1,
      requestId: 'req_1',
      attemptId: null,
      answer: answerOf('secret words'),
    });
    const [row] = await db.read('SELECT sealed FROM idempotency_answers', []);
    expect(Buffer.from(row?.[0] as Uint8Array).includes('secret words')).toBe(false);
    expect(Buffer.from(row?.[0] as Uint8Array)).toHaveLength(
      33 + 4 + JSON.stringify({ ...answerOf(''), body: undefined }).length + 12,
    );
  });

  it('I-4: an answer that can not be opened any more is told as one that was not kept', async () => {
    const { store, db } = rig();
    await store.claim(claimOf('k'));
    await store.succeed({ ref: refOf('k'), round: 1, requestId: 'req_1', attemptId: null, answer: answerOf('a') });
    await db.write([{ sql: 'DELETE FROM idempotency_answers', rows: [[]] }]);
    expect(await store.claim(claimOf('k'))).toMatchObject({ kind: 'succeeded', answer: null });
  });

  it('an order at fault is given up alone, the others of its batch are carried out', async () => {
    const { db, bugs } = rig();
    const faulty = {
      ...db,
      write: (steps: Parameters<typeof db.write>[0]) =>
        JSON.stringify(steps).includes('req_bad')
          ? Promise.reject(new SqlError({ code: 'SQLITE_CONSTRAINT', message: 'bad row' }))
          : db.write(steps),
    };
    const clock: Clock = { wall: () => T0, now: () => 0, after: () => () => undefined };
    const sealer = { sealBytes: (plain: Uint8Array) => plain, openBytes: (sealed: Uint8Array) => sealed };
    const onBug = (error: unknown) => bugs.push(error);
    const store = createIdempotencyStore({
      db: faulty,
      sql: IDEMPOTENCY_SQL,
      clock,
      holder: soleHolder('p1'),
      sealer,
      onBug,
      ...SHARED,
    });
    const claims = ['a', 'b', 'c'].map((key) =>
      store.claim(claimOf(key, { requestId: key === 'b' ? 'req_bad' : 'req_good' })).then(
        ({ kind }) => kind,
        (error: unknown) => (error instanceof StateStoreUnavailable ? 'unavailable' : 'other'),
      ),
    );
    expect(await Promise.all(claims)).toEqual(['owner', 'unavailable', 'owner']);
    expect(bugs).toHaveLength(1);
  });

  it('I-4: the keys of stored answers are told for a rotation, orders under way included', async () => {
    const { store } = rig();
    await store.claim(claimOf('k'));
    void store.succeed({ ref: refOf('k'), round: 1, requestId: 'req_1', attemptId: null, answer: answerOf('a') });
    expect(await store.sealKeys()).toEqual(['01010101']);
  });

  it('closed, it takes nothing more and says so', async () => {
    const { store } = rig();
    await store.claim(claimOf('k'));
    store.endAttempt({ ref: refOf('k'), attemptId: 'none', result: 'failed', maybeExecuted: false, at: T0 });
    await store.close();
    await expect(store.claim(claimOf('k'))).rejects.toThrow(StateStoreUnavailable);
    await expect(store.startAttempt(start(1))).rejects.not.toThrow(RoundLost);
    await store.fail({ ref: refOf('k'), round: 1, state: 'failed', failure: FAILURE, release: false });
  });
});
