/** The request log on SQLite (O-1, O-2): writes on one thread, reads on another, the main thread only queues. */
import { ClientError, gatewayError } from '../../core/errors/catalogue.ts';
import { type JsonObject, toJson } from '../../core/failover/json-form.ts';
import type { RecordDraft, RequestRecord } from '../../core/record.ts';
import type { Clock } from '../../ports/clock.ts';
import type { RetainingRecordStore, UsageQuery, UsageRow } from '../../ports/record-store.ts';
import { SqlError } from '../store-sql/fault.ts';
import { type RowReferences, readDetail, readRecord, readSummary, setupPartIds, toRow } from './record-row.ts';
import { Registers } from './registers.ts';
import { getQuery, listQuery, type PagePosition, type Query, setupPartsQuery, writeCursor } from './request-query.ts';
import { rowText } from './row-text.ts';
import {
  DELETE_OLD_REQUESTS,
  DELETE_OLD_SETUP_PARTS,
  DELETE_OLD_SNAPSHOTS,
  MIGRATIONS,
  READER_SETUP,
  writerSetup,
} from './schema.ts';
import { SetupRegister } from './setup-register.ts';
import { SnapshotRegister } from './snapshot-register.ts';
import { faultInWords, isPassing, type SqlScalar } from './sql-protocol.ts';
import { SqlThread, type StartWorker } from './sql-thread.ts';
import { addSums, stepEnd, stepSums } from './usage-query.ts';
import { type Row, WriteLane } from './write-lane.ts';

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

/** A reader sees what was queued before it asked, if the disk answers within this time. */
const SETTLE_MS = 500;
/** Rows per transaction of `prune`: the writer is free for records in between. */
const PRUNE_ROWS = 500;
/** Pages given back to the file system per step of `prune`. */
const PRUNE_PAGES = 2000;
/**
 * What rows refer to stays this much longer than they do: requests keep the snapshot they started with, and a setup part
 * in use is stamped only once a day.
 */
const REFERENCES_GRACE_MS = 2 * 86_400_000;

/**
 * Opens the log. A file that is damaged, no database, or of a newer version rejects with `RecordStoreUnusable`; a full
 * or busy disk does not: the gateway starts, `problem` says so, and the log recovers by itself.
 */
export async function openRecordStore(options: RecordStoreOptions): Promise<RetainingRecordStore> {
  const { path, clock, startWorker } = options;
  const seam = startWorker === undefined ? {} : { startWorker };
  const snapshots = new SnapshotRegister();
  const setups = new SetupRegister();
  const register = new Registers(snapshots, setups);
  const writer: SqlThread = new SqlThread({
    settings: { path, mode: 'writer', setup: writerSetup(options.maxBytes ?? null), migrations: MIGRATIONS },
    clock,
    onCrash: (reason) => lane.trouble({ code: 'THREAD_GONE', message: `its thread ended (${reason})` }),
    ...seam,
  });
  const reader = new SqlThread({
    settings: { path, mode: 'reader', setup: READER_SETUP, migrations: [] },
    clock,
    ...seam,
  });
  const { queueLimit, onProblem, onDropped } = options;
  const rowOf = (draft: RecordDraft): Row | null => rowOrNull(draft, snapshots, setups, clock.wall());
  const lane = new WriteLane({ thread: writer, register, clock, rowOf, queueLimit, onProblem, onDropped });
  await openFile(writer, lane, path);
  return new SqliteRecordStore({ lane, writer, reader, snapshots, setups, clock });
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

interface StoreParts {
  readonly lane: WriteLane;
  readonly writer: SqlThread;
  readonly reader: SqlThread;
  readonly snapshots: SnapshotRegister;
  readonly setups: SetupRegister;
  readonly clock: Clock;
}

/** Null for a draft that breaks its type: that must not break its request, nor the others. */
function rowOrNull(draft: RecordDraft, snapshots: SnapshotRegister, setups: SetupRegister, wall: number): Row | null {
  try {
    return rowText(toRow(draft, referencesOf(draft, snapshots, setups, wall), wall));
  } catch {
    return null;
  }
}

function referencesOf(
  { snapshotVersion, setup }: RecordDraft,
  snapshots: SnapshotRegister,
  setups: SetupRegister,
  wall: number,
): RowReferences {
  const snapshot = snapshots.idOf(snapshotVersion);
  if (setup === null) return { snapshot, setup };
  const shared = setup.shared.map((part) => setups.idOf(part, wall) ?? (toJson(part) as JsonObject));
  return { snapshot, setup: { shared, own: setup.own } };
}

class SqliteRecordStore implements RetainingRecordStore {
  readonly #lane: WriteLane;
  readonly #writer: SqlThread;
  readonly #reader: SqlThread;
  readonly #snapshots: SnapshotRegister;
  readonly #setups: SetupRegister;
  readonly #clock: Clock;

  constructor({ lane, writer, reader, snapshots, setups, clock }: StoreParts) {
    this.#lane = lane;
    this.#writer = writer;
    this.#reader = reader;
    this.#snapshots = snapshots;
    this.#setups = setups;
    this.#clock = clock;
  }

  get dropped(): number {
    return this.#lane.dropped;
  }

  get problem(): string | null {
    return this.#lane.problem;
  }

  append(draft: Parameters<RetainingRecordStore['append']>[0]): boolean {
    return this.#lane.push(draft);
  }

  registerSnapshot(names: Parameters<RetainingRecordStore['registerSnapshot']>[0]): void {
    this.#snapshots.add(names, this.#clock.wall());
    this.#lane.wake();
  }

  async get(id: string): Promise<RequestRecord | null> {
    await this.#settled();
    const [row] = await this.#read(getQuery(id));
    if (row === undefined) return null;
    const [summary, detail, names] = row;
    const stored = readDetail(String(detail));
    const partIds = setupPartIds(stored);
    const parts = partIds.length === 0 ? [] : await this.#read(setupPartsQuery(partIds));
    return readRecord(String(summary), stored, {
      names: names === null || names === undefined ? null : String(names),
      parts: new Map(parts.map(([part, content]) => [String(part), String(content)])),
    });
  }

  async list(filter: Parameters<RetainingRecordStore['list']>[0]): ReturnType<RetainingRecordStore['list']> {
    const query = listQuery(filter);
    await this.#settled();
    const rows = await this.#read(query);
    const page = rows.slice(0, filter.limit);
    const last = page.at(-1);
    const more = rows.length > page.length && last !== undefined;
    return {
      data: page.map((row) => readSummary(String(row[2]))),
      next_cursor: more ? writeCursor({ at: Number(last[0]), id: String(last[1]) }) : null,
    };
  }

  async usage(query: UsageQuery): Promise<UsageRow[]> {
    await this.#settled();
    const total = new Map<string | null, UsageRow>();
    let start: PagePosition | null = null;
    do {
      const [next]: readonly (readonly SqlScalar[])[] = await this.#read(stepEnd(query, start));
      const end: PagePosition | null = next === undefined ? null : { at: Number(next[0]), id: String(next[1]) };
      addSums(total, await this.#read(stepSums(query, start, end)));
      start = end;
    } while (start !== null);
    return [...total.values()].sort((a, b) => ((a.name ?? '') < (b.name ?? '') ? -1 : 1));
  }

  async prune(before: number): Promise<number> {
    let deleted = 0;
    for (;;) {
      const rows = [[before, PRUNE_ROWS]];
      const { changes } = await this.#writer.call({ op: 'write', steps: [{ sql: DELETE_OLD_REQUESTS, rows }] });
      deleted += changes;
      if (changes > 0) await this.#writer.call({ op: 'exec', sql: `PRAGMA incremental_vacuum(${PRUNE_PAGES})` });
      if (changes < PRUNE_ROWS) break;
    }
    const unused = before - REFERENCES_GRACE_MS;
    this.#setups.forget(unused);
    const steps = [DELETE_OLD_SNAPSHOTS, DELETE_OLD_SETUP_PARTS].map((sql) => ({ sql, rows: [[unused]] }));
    await this.#writer.call({ op: 'write', steps });
    return deleted;
  }

  flush(): Promise<void> {
    return this.#lane.flush();
  }

  async close(): Promise<void> {
    await this.#lane.close();
    await Promise.all([this.#writer.close(), this.#reader.close()]);
  }

  /** Rows of a query; `ClientError` 503 store_unavailable when the file can't be read. */
  async #read(query: Query): Promise<readonly (readonly SqlScalar[])[]> {
    try {
      return (await this.#reader.call({ op: 'read', sql: query.sql, params: query.params })).rows;
    } catch (error) {
      const words = error instanceof SqlError ? faultInWords(error.fault) : String(error);
      const message = `The request log cannot be read: ${words}. Try again in a moment.`;
      throw new ClientError(gatewayError('store_unavailable', message, { shouldRetry: true }));
    }
  }

  /** Whoever asks for the request just made must find it; a disk in trouble must not keep them waiting. */
  #settled(): Promise<void> {
    return new Promise((done) => {
      const cancel = this.#clock.after(SETTLE_MS, done);
      void this.#lane.flush().then(() => {
        cancel();
        done();
      });
    });
  }
}
