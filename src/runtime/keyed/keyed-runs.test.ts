import { describe, expect, it } from 'vitest';
import { HandClock } from '../../../test/support/hand-clock.ts';
import { MemoryBook, MemoryIdempotency } from '../../../test/support/memory-idempotency.ts';
import type { PlannedTarget } from '../../core/failover/plan-types.ts';
import type { Clock } from '../../ports/clock.ts';
import type { SharedIdempotency } from '../../ports/idempotency-store.ts';
import type { KeyedAsk } from './ask.ts';
import { KeyedRuns } from './keyed-runs.ts';

const ref = { scope: 'key:a chat', keyHash: 'ab' };
const ask = (over: Partial<KeyedAsk> = {}): KeyedAsk => ({
  id: 'ab key:a chat',
  ref,
  clientKey: 'a',
  fingerprint: 'f',
  explicit: true,
  expiresAt: 9_000_000,
  maxAttempts: 12,
  regenerate: false,
  onDuplicate: 'join',
  patienceMs: 60_000,
  ...over,
});

function runsOver(store: SharedIdempotency, clock: Clock): KeyedRuns {
  return new KeyedRuns({ store, clock, folder: '/nowhere', reportBug: (error) => expect.unreachable(String(error)) });
}

const answer = {
  status: 200,
  headers: {},
  body: Buffer.from('a'),
  stream: false,
  at: 0,
  servedModel: 'm',
  digest: 'd',
};

describe('a crowd under one key', () => {
  it('I-6: one asks the ledger, the others find its run', async () => {
    const store = new MemoryIdempotency(new MemoryBook(), 'one', null);
    let claims = 0;
    const claim = store.claim.bind(store);
    store.claim = (asked) => {
      claims += 1;
      return claim(asked);
    };
    const runs = runsOver(store, new HandClock());
    const found = await Promise.all(Array.from({ length: 50 }, (_, n) => runs.find(ask(), `r${n}`)));
    expect(found.map(({ kind }) => kind).filter((kind) => kind === 'owner')).toHaveLength(1);
    expect(new Set(found.map((one) => ('run' in one ? one.run : null))).size).toBe(1);
    expect(claims).toBe(1);
    expect((await runs.find(ask({ fingerprint: 'g' }), 'r')).kind).toBe('reused');
  });

  it('I-6: across processes on_duplicate reject is told after a second look that it runs elsewhere', async () => {
    const book = new MemoryBook();
    const clock = new HandClock();
    const [one, two] = [new MemoryIdempotency(book, 'one', null), new MemoryIdempotency(book, 'two', null)];
    await runsOver(one, clock).find(ask(), 'r1');
    const kinds: string[] = [];
    const other = runsOver(two, clock);
    void other.find(ask({ onDuplicate: 'reject' }), 'r2').then(({ kind }) => kinds.push(kind));
    await clock.pass(4);
    expect(kinds).toEqual([]);
    await clock.pass(100);
    expect(kinds).toEqual(['elsewhere']);
    void other.find(ask({ onDuplicate: 'reject' }), 'r3').then(({ kind }) => kinds.push(kind));
    await clock.pass(2);
    await one.succeed({ ref, round: 1, requestId: 'r1', attemptId: null, answer });
    await clock.pass(100);
    expect(kinds).toEqual(['elsewhere', 'succeeded']);
  });
});

describe('a ledger that hangs', () => {
  it('H-5: is given up after 5 s, and a round it grants later is given back', async () => {
    const store = new MemoryIdempotency(new MemoryBook(), 'one', null);
    const clock = new HandClock();
    const claim = store.claim.bind(store);
    let letGo = (): void => {};
    const gate = new Promise<void>((resolve) => {
      letGo = resolve;
    });
    store.claim = async (asked) => {
      await gate;
      return claim(asked);
    };
    const runs = runsOver(store, clock);
    const kinds: string[] = [];
    void runs.find(ask(), 'r1').then(({ kind }) => kinds.push(kind));
    await clock.pass(5001);
    expect(kinds).toEqual(['unavailable']);
    letGo();
    await clock.pass(10);
    expect(await runs.find(ask({ fingerprint: 'other' }), 'r2')).toMatchObject({ kind: 'owner' });
    expect(runs.size).toBe(1);
  });
});

describe('a ledger that hangs later on', () => {
  const given = { attempt: null, status: 200, servedModel: 'm', stream: false, headers: [], finished: true };
  const planned = { rank: 1 } as unknown as PlannedTarget;
  const hangs = <T>(): Promise<T> => new Promise(() => undefined);

  it('H-5, I-3: over a success: told within 20 s, the round is over and the key free', async () => {
    const store = new MemoryIdempotency(new MemoryBook(), 'one', null);
    const clock = new HandClock();
    const runs = runsOver(store, clock);
    const found = await runs.find(ask(), 'r1');
    if (found.kind !== 'owner') throw new Error('not the owner');
    store.succeed = hangs;
    const told: (string | null | undefined)[] = [];
    void found.run.keep({ ...given, last: Buffer.from('a') }).then((error) => told.push(error?.code));
    await clock.pass(20_000);
    expect(told).toEqual(['store_unavailable']);
    expect(runs.size).toBe(0);
    expect(await runs.find(ask(), 'r2')).toMatchObject({ kind: 'owner', run: { round: { own: { round: 2 } } } });
  });

  it('H-5, I-2: over the start of an attempt: nothing is sent, and what is written late counts for nothing', async () => {
    const store = new MemoryIdempotency(new MemoryBook(), 'one', null);
    const clock = new HandClock();
    const found = await runsOver(store, clock).find(ask(), 'r1');
    if (found.kind !== 'owner') throw new Error('not the owner');
    const start = store.startAttempt.bind(store);
    let letGo = (): void => {};
    const gate = new Promise<void>((resolve) => {
      letGo = resolve;
    });
    store.startAttempt = async (attempt) => {
      await gate;
      return start(attempt);
    };
    const told: (string | null | undefined)[] = [];
    void found.run.round.begin(1, planned).then((failure) => told.push(failure?.code));
    await clock.pass(5001);
    expect(told).toEqual(['store_unavailable']);
    store.startAttempt = start;
    // Its number goes to the next one, which is sent; then the late word comes.
    expect(await found.run.round.begin(1, planned)).toBeNull();
    letGo();
    await clock.pass(10);
    for await (const { row, attempts } of store.keys()) {
      expect([row.attempts, row.openAttempts, attempts.map(({ no }) => no)]).toEqual([1, 1, [1]]);
    }
  });
});

describe('a disk that is nearly full', () => {
  it('I-4, H-5: takes no large answer, so that the ledger can go on; it counts all the same', async () => {
    for (const [size, free, isKept] of [
      [1_000_000, 1024 ** 3, true],
      [1_000_000, 100 * 1024 * 1024, false],
      [10_000, 0, true],
    ] as const) {
      const store = new MemoryIdempotency(new MemoryBook(), 'one', null);
      const clock = new HandClock();
      const deps = { store, clock, folder: '', space: () => ({ free, total: 2 ** 40 }), reportBug: () => undefined };
      const found = await new KeyedRuns(deps).find(ask(), 'r1');
      if (found.kind !== 'owner') throw new Error('not the owner');
      const given = { attempt: null, status: 200, servedModel: 'm', stream: false, headers: [], finished: true };
      expect(await found.run.keep({ ...given, last: Buffer.alloc(size, 120) })).toBeNull();
      const again = await new KeyedRuns(deps).find(ask(), 'r2');
      expect(again).toMatchObject({ kind: 'succeeded' });
      expect([size, again.kind === 'succeeded' && again.answer !== null]).toEqual([size, isKept]);
    }
  });
});
