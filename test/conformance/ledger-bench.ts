/** What tests of a ledger's promises stand on: a book of keys, and a process that works on it. */
import { afterEach, beforeEach } from 'vitest';
import type { IdempotencyStore, SharedIdempotency, StoredKey } from '../../src/ports/idempotency-store.ts';
import { answerOf, FAILURE, keysOf, refOf, T0 } from './ledger-samples.ts';

/** One book of keys, and stores that work on it as processes would. */
export interface LedgerBench {
  /**
   * Another process, `p1` to `p3`: it knows nothing of the others. `leaseMs` null = the only one; else what it holds is its
   * own for so long from T0, or from its last renewal.
   */
  store(holder: string, leaseMs: number | null): SharedIdempotency | Promise<SharedIdempotency>;
  /** The process of that name is gone, and everybody knows. Absent = whoever comes later as the only one knows by itself. */
  kill?(holder: string): Promise<void>;
  close(): Promise<void>;
}

export type OpenBench = () => Promise<LedgerBench>;

/** A bench of its own for every test of the group it is called in. */
export function useBench(open: OpenBench): Required<Pick<LedgerBench, 'store' | 'kill'>> {
  let bench: LedgerBench;
  beforeEach(async () => {
    bench = await open();
  });
  afterEach(() => bench.close());
  return { store: (holder, leaseMs) => bench.store(holder, leaseMs), kill: async (holder) => bench.kill?.(holder) };
}

type Success = Parameters<IdempotencyStore['succeed']>[0];

/** The only process at such a bench, and in few words what tests do with the key of a name. */
export function useLedger(open: OpenBench) {
  const bench = useBench(open);
  let store: SharedIdempotency;
  beforeEach(async () => {
    store = await bench.store('p1', null);
  });
  return {
    get store() {
      return store;
    },
    /** The process that comes after it. */
    async successor(): Promise<SharedIdempotency> {
      await bench.kill('p1');
      return await bench.store('p2', null);
    },
    start: (key: string, attemptId: string, round = 1, no = 1) =>
      store.startAttempt({ ref: refOf(key), round, no, attemptId, target: 'm#c', at: T0 + 1 }),
    end: (key: string, attemptId: string, maybeExecuted = false) =>
      store.endAttempt({ ref: refOf(key), attemptId, result: 'failed', maybeExecuted, at: T0 + 2 }),
    succeed: (key: string, text: string, changes: Partial<Success> = {}) =>
      store.succeed({
        ref: refOf(key),
        round: 1,
        requestId: 'req_1',
        attemptId: 'att_1',
        answer: answerOf(text),
        ...changes,
      }),
    fail: (key: string, round = 1, release = false) =>
      store.fail({ ref: refOf(key), round, state: 'failed', failure: FAILURE, release }),
    row: async (key: string): Promise<StoredKey | undefined> =>
      (await keysOf(store)).find(({ ref }) => ref.keyHash === refOf(key).keyHash),
  };
}
