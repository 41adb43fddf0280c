/** The request log in an SQLite file: writes on one thread, reads on another. */
import { LONGEST_MS } from '../../core/overview/window.ts';
import type { Clock } from '../../ports/clock.ts';
import type { RetainingRecordStore } from '../../ports/record-store.ts';
import { SqlError, type SqlFault } from '../store-sql/fault.ts';
import type { LogWriter } from '../store-sql/log-writer.ts';
import { SqlRecordStore } from '../store-sql/record-store.ts';
import type { WriteLane } from '../store-sql/write-lane.ts';
import { REQUESTS_SQL } from './requests-sql.ts';
import {
  DELETE_OLD_FIGURES,
  DELETE_OLD_REQUESTS,
  DELETE_OLD_SETUP_PARTS,
  DELETE_OLD_SNAPSHOTS,
  MIGRATIONS,
  READER_SETUP,
  writerSetup,
} from './schema.ts';
import { faultInWords, isPassing } from './sql-protocol.ts';
import { SqlThread, type StartWorker } from './sql-thread.ts';

export interface RecordStoreOptions {
  /** The SQLite file; created if missing, in a folder that exists. */
  readonly path: string;
  /** Records waiting for the disk at most; more are dropped and counted (O-2). */
  readonly queueLimit: number;
  readonly clock: Clock;
  /** Upper bound of the file in bytes; null or absent = the disk's. Past it the log reports a full disk. */
  readonly maxBytes?: number | null;
  /** What is wrong in plain words, null when it is well again. For the log and an alert. */
  readonly onProblem?: (problem: string | null) => void;
  /** So many records were given up: the metric `understudy_log_dropped_total`. */
  readonly onDropped?: (count: number) => void;
  /** Tests only: to see the threads. */
  readonly startWorker?: StartWorker;
}

/** The file can't be used at all; the message says why and what to do. Thrown by `openRecordStore` only. */
export class RecordStoreUnusable extends Error {}

/** Rows per transaction of `prune`: the writer is free for records in between. */
const PRUNE_ROWS = 500;
/** Pages given back to the file system per step of `prune`. */
const PRUNE_PAGES = 2000;

/**
 * Opens the log. A file that is damaged, no database, or of a newer version rejects with `RecordStoreUnusable`; a full
 * or busy disk does not: the gateway starts, `problem` says so, and the log recovers by itself.
 */
export async function openRecordStore(options: RecordStoreOptions): Promise<RetainingRecordStore> {
  const { path, clock, startWorker, queueLimit, onProblem, onDropped } = options;
  const seam = startWorker === undefined ? {} : { startWorker };
  const writer: SqlThread = new SqlThread({
    settings: { path, mode: 'writer', setup: writerSetup(options.maxBytes ?? null), migrations: MIGRATIONS },
    clock,
    onCrash: (reason) => store.lane.trouble({ code: 'THREAD_GONE', message: `its thread ended (${reason})` }),
    ...seam,
  });
  const reader = new SqlThread({
    settings: { path, mode: 'reader', setup: READER_SETUP, migrations: [] },
    clock,
    ...seam,
  });
  const store = new SqlRecordStore({
    sql: REQUESTS_SQL,
    clock,
    writer: logWriter(writer),
    read: async (sql, params) => (await reader.call({ op: 'read', sql, params })).rows,
    prune: (before, unused) => prune(writer, before, unused),
    closeDown: async () => void (await Promise.all([writer.close(), reader.close()])),
    queueLimit,
    onProblem,
    onDropped,
  });
  await openFile(writer, store.lane, path);
  return store;
}

function logWriter(thread: SqlThread): LogWriter {
  return {
    async write(steps) {
      const { changes, opened } = await thread.call({ op: 'write', steps });
      return { changes, connection: `${thread.starts}:${opened}` };
    },
    faults: { isPassing, isCrash: ({ code }: SqlFault) => code === 'THREAD_GONE', inWords: faultInWords },
  };
}

async function openFile(writer: SqlThread, lane: WriteLane, path: string): Promise<void> {
  try {
    await writer.call({ op: 'open' });
  } catch (error) {
    const fault = error instanceof SqlError ? error.fault : { code: 'INTERNAL', message: String(error) };
    const heals = /^(SQLITE_(FULL|BUSY|LOCKED|IOERR|READONLY)|ENOSPC|EDQUOT|EIO|EROFS)/.test(fault.code);
    if (heals && isPassing(fault)) {
      lane.trouble(fault);
      return;
    }
    await lane.close();
    await writer.close();
    throw new RecordStoreUnusable(`The request log ${path} cannot be used: ${faultInWords(fault)}.`);
  }
}

async function prune(writer: SqlThread, before: number, unused: number): Promise<number> {
  const deleted = await pruneRows(writer, DELETE_OLD_REQUESTS, before);
  // Of a stretch that has not ended by then, requests are kept.
  await pruneRows(writer, DELETE_OLD_FIGURES, before - LONGEST_MS);
  const steps = [DELETE_OLD_SNAPSHOTS, DELETE_OLD_SETUP_PARTS].map((sql) => ({ sql, rows: [[unused]] }));
  await writer.call({ op: 'write', steps });
  return deleted;
}

/** Rows of one table, in steps; resolves with how many. */
async function pruneRows(writer: SqlThread, sql: string, before: number): Promise<number> {
  let deleted = 0;
  for (;;) {
    const { changes } = await writer.call({ op: 'write', steps: [{ sql, rows: [[before, PRUNE_ROWS]] }] });
    deleted += changes;
    if (changes > 0) await writer.call({ op: 'exec', sql: `PRAGMA incremental_vacuum(${PRUNE_PAGES})` });
    if (changes < PRUNE_ROWS) return deleted;
  }
}
