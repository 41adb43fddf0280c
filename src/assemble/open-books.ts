/** Opens the books: the request log, money, what counts against limits, and who is banned. */
import { basename, join } from 'node:path';
import { BanKeeper } from '../adapters/ban-keeper.ts';
import type { ProcessLog } from '../adapters/log/process-log.ts';
import type { StateDb } from '../adapters/store-sql/state-db.ts';
import { createLedger } from '../adapters/store-sqlite/ledger.ts';
import { SqliteObjectStore } from '../adapters/store-sqlite/object-store.ts';
import { openRecordStore } from '../adapters/store-sqlite/open-record-store.ts';
import { PeriodCounters } from '../adapters/store-sqlite/period-counters.ts';
import { newId } from '../adapters/system-clock.ts';
import type { Snapshot } from '../config/snapshot.ts';
import { KeyBreaker } from '../core/key-breaker/key-breaker.ts';
import { LimitBoard } from '../core/limits/limit-board.ts';
import type { Clock } from '../ports/clock.ts';
import { Accounts } from '../runtime/accounts.ts';
import type { Gateway } from '../runtime/gateway.ts';
import type { Closers } from './closers.ts';
import type { Tell } from './tell.ts';

export interface BookParts {
  readonly state: StateDb;
  readonly dataDir: string;
  readonly first: Snapshot;
  readonly clock: Clock;
  readonly log: ProcessLog;
  /** Where records that the log had no room for are counted. */
  readonly metrics: { logDropped(count: number): void };
  readonly tell: Tell;
}

export type Books = Pick<Gateway, 'records' | 'accounts' | 'limits' | 'bans' | 'keyBreaker'>;

/** Rejects with RecordStoreUnusable or StateStoreUnavailable. */
export async function openBooks(parts: BookParts, closers: Closers): Promise<Books> {
  const { state, dataDir, first, clock, log, metrics, tell } = parts;
  const records = await openRecordStore({
    path: join(dataDir, basename(first.storePath)),
    queueLimit: first.server.logQueue,
    clock,
    onProblem: (problem) => log.store(problem),
    onDropped: (count) => metrics.logDropped(count),
  });
  closers.add(() => records.close());
  const ledger = createLedger({ db: state, clock, newId });
  closers.add(() => ledger.close());
  const accounts = await Accounts.open(ledger, clock);
  if (accounts.released > 0)
    log.warn(`${accounts.released} calls were cut off by the last stop; what they held back of balances is free again`);
  const limits = new LimitBoard();
  const periods = new PeriodCounters({ db: state, board: limits, clock, onProblem: tell('limits.not_stored') });
  await periods.start();
  closers.add(() => periods.close());
  const bans = new BanKeeper({ objects: new SqliteObjectStore(state), clock, onProblem: tell('bans.not_stored') });
  closers.add(() => bans.close());
  const keyBreaker = new KeyBreaker();
  keyBreaker.restore(await bans.load());
  return { records, accounts, limits, bans, keyBreaker };
}
