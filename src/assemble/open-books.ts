/** Opens the books: the request log, money, what counts against limits, and who is banned. */
import { basename } from 'node:path';
import { BanKeeper } from '../adapters/ban-keeper.ts';
import type { ProcessLog } from '../adapters/log/process-log.ts';
import { PeriodCounters } from '../adapters/period-counters.ts';
import type { Snapshot } from '../config/snapshot.ts';
import { KeyBreaker } from '../core/key-breaker/key-breaker.ts';
import { LimitBoard } from '../core/limits/limit-board.ts';
import type { RetainingRecordStore } from '../ports/record-store.ts';
import type { Store } from '../ports/store.ts';
import { Accounts } from '../runtime/accounts.ts';
import type { Gateway } from '../runtime/gateway.ts';
import type { Closers } from './closers.ts';
import { keepBalances } from './keep-balances.ts';
import type { Tell } from './tell.ts';

export interface BookParts {
  readonly store: Store;
  readonly first: Snapshot;
  readonly log: ProcessLog;
  /** Where records that the log had no room for are counted. */
  readonly metrics: { logDropped(count: number): void };
  readonly tell: Tell;
}

export interface Books extends Pick<Gateway, 'records' | 'accounts' | 'bans' | 'keyBreaker'> {
  readonly records: RetainingRecordStore;
  /** This process’s own counts. */
  readonly limits: LimitBoard;
}

/** Rejects with RecordStoreUnusable or StateStoreUnavailable. */
export async function openBooks(parts: BookParts, closers: Closers): Promise<Books> {
  const { store, first, log, metrics, tell } = parts;
  const records = await store.openRecords({
    file: basename(first.storePath),
    queueLimit: first.server.logQueue,
    onProblem: (problem) => log.store(problem),
    onDropped: (count) => metrics.logDropped(count),
  });
  closers.add(() => records.close());
  const { clock, objects } = store;
  const accounts = await Accounts.open(store.ledger, clock);
  if (accounts.released > 0)
    log.warn(`${accounts.released} calls were cut off by the last stop; what they held back of balances is free again`);
  closers.add(keepBalances(accounts, store));
  const limits = new LimitBoard();
  const periods = new PeriodCounters({
    store: store.periods,
    board: limits,
    clock,
    onProblem: tell('limits.not_stored'),
  });
  await periods.start();
  closers.add(() => periods.close());
  const bans = new BanKeeper({ objects, clock, onProblem: tell('bans.not_stored') });
  closers.add(() => bans.close());
  const keyBreaker = new KeyBreaker();
  keyBreaker.restore(await bans.load());
  return { records, accounts, limits, bans, keyBreaker };
}
