/** The request log in a database (O-1, O-2): the main thread only queues. */
import { randomBytes } from 'node:crypto';
import { ClientError, gatewayError } from '../../core/errors/catalogue.ts';
import { type JsonObject, toJson } from '../../core/failover/json-form.ts';
import { type Overview, OverviewMaker } from '../../core/overview/overview.ts';
import { windowOf } from '../../core/overview/window.ts';
import type { RecordDraft, RequestRecord } from '../../core/record.ts';
import type { Clock } from '../../ports/clock.ts';
import type {
  FailedQuery,
  FailedRecord,
  OverviewQuery,
  RetainingRecordStore,
  UsageQuery,
  UsageRow,
} from '../../ports/record-store.ts';
import type { LogSettings } from '../../ports/store.ts';
import { failedRecords } from './failed-records.ts';
import { SqlError } from './fault.ts';
import { ALL_SCOPES, FigureRegister } from './figure-register.ts';
import type { LogWriter } from './log-writer.ts';
import {
  REQUEST_COLUMNS,
  type RowReferences,
  readDetail,
  readRecord,
  readSummary,
  setupPartIds,
  toRow,
} from './record-row.ts';
import { Registers } from './registers.ts';
import { listPage } from './request-list.ts';
import { type PagePosition, writeCursor } from './request-query.ts';
import { rowText } from './row-text.ts';
import { SetupRegister } from './setup-register.ts';
import { SnapshotRegister } from './snapshot-register.ts';
import type { SqlRow, SqlScalar } from './sql-step.ts';
import type { RequestsSql } from './statements.ts';
import { addSums, stepEnd, stepSums } from './usage-query.ts';
import { type Row, WriteLane } from './write-lane.ts';

export interface RecordStoreParts extends Omit<LogSettings, 'file' | 'onProblem' | 'onDropped'> {
  readonly sql: RequestsSql;
  readonly clock: Clock;
  readonly writer: LogWriter;
  /** Beside the writer. Rejects with `SqlError`. */
  read(sql: string, params: readonly SqlScalar[]): Promise<readonly SqlRow[]>;
  /** Deletes older records, then what nothing refers to that was last used before `unused` (wall ms). Rejects with `SqlError`. */
  prune(before: number, unused: number): Promise<number>;
  /** Closes writer and reader. Never rejects. */
  closeDown(): Promise<void>;
  readonly onProblem?: ((problem: string | null) => void) | undefined;
  readonly onDropped?: ((count: number) => void) | undefined;
}

/** A reader sees what was queued before it asked, if the disk answers within this time. */
const SETTLE_MS = 500;
/**
 * What rows refer to stays this much longer than they do: requests keep the snapshot they started with, and a setup part
 * in use is stamped only once a day.
 */
const REFERENCES_GRACE_MS = 2 * 86_400_000;

/** Stretches read and added up in one go, some 10 ms of the main thread: requests must not wait for an overview of a month. */
const FIGURES_AT_ONCE = 200;
const AT = REQUEST_COLUMNS.indexOf('at');

export class SqlRecordStore implements RetainingRecordStore {
  readonly lane: WriteLane;
  readonly #parts: RecordStoreParts;
  readonly #snapshots: SnapshotRegister;
  readonly #setups: SetupRegister;
  readonly #figures: FigureRegister;

  constructor(parts: RecordStoreParts) {
    const { sql, clock, writer, queueLimit, onProblem, onDropped } = parts;
    this.#parts = parts;
    this.#snapshots = new SnapshotRegister(sql);
    this.#setups = new SetupRegister(sql);
    const register = new Registers(this.#snapshots, this.#setups);
    this.#figures = new FigureRegister(sql, randomBytes(6).toString('hex'));
    this.lane = new WriteLane({
      writer,
      register,
      figures: this.#figures,
      insert: sql.insert,
      clock,
      rowOf: (draft) => this.#rowOrNull(draft),
      queueLimit,
      onProblem,
      onDropped,
    });
  }

  get dropped(): number {
    return this.lane.dropped;
  }

  get problem(): string | null {
    return this.lane.problem;
  }

  append(draft: RecordDraft): boolean {
    return this.lane.push(draft);
  }

  registerSnapshot(names: Parameters<RetainingRecordStore['registerSnapshot']>[0]): void {
    this.#snapshots.add(names, this.#parts.clock.wall());
    this.lane.wake();
  }

  async get(id: string): Promise<RequestRecord | null> {
    const { sql } = this.#parts;
    await this.#settled();
    const [row] = await this.#read(sql.get, [id]);
    if (row === undefined) return null;
    const [summary, detail, names] = row;
    const stored = readDetail(String(detail));
    const partIds = setupPartIds(stored);
    const parts = partIds.length === 0 ? [] : await this.#read(sql.setupParts, [JSON.stringify(partIds)]);
    return readRecord(String(summary), stored, {
      names: names === null || names === undefined ? null : String(names),
      parts: new Map(parts.map(([part, content]) => [String(part), String(content)])),
    });
  }

  async list(filter: Parameters<RetainingRecordStore['list']>[0]): ReturnType<RetainingRecordStore['list']> {
    // A further page is older than what is still on its way.
    if (filter.cursor === undefined) await this.#settled();
    const { sql, clock } = this.#parts;
    const page = await listPage({ sql, clock, read: (text, params) => this.#read(text, params) }, filter);
    return {
      data: page.rows.map((row) => readSummary(String(row[2]))),
      next_cursor: page.next === null ? null : writeCursor(page.next),
    };
  }

  async usage(query: UsageQuery): Promise<UsageRow[]> {
    await this.#settled();
    const total = new Map<string | null, UsageRow>();
    let start: PagePosition | null = null;
    do {
      const step = stepEnd(query, start);
      const [next]: readonly SqlRow[] = await this.#read(step.sql, step.params);
      const end: PagePosition | null = next === undefined ? null : { at: Number(next[0]), id: String(next[1]) };
      const sums = stepSums(this.#parts.sql, query, start, end);
      addSums(total, await this.#read(sums.sql, sums.params));
      start = end;
    } while (start !== null);
    return [...total.values()].sort((a, b) => ((a.name ?? '') < (b.name ?? '') ? -1 : 1));
  }

  async *failed(query: FailedQuery, goOn?: () => boolean): AsyncGenerator<FailedRecord, void, undefined> {
    await this.#settled();
    yield* failedRecords(this.#parts.sql, (sql, params) => this.#read(sql, params), query, { goOn });
  }

  async overview({ from, to, workspace }: OverviewQuery): Promise<Overview> {
    const { sql } = this.#parts;
    await this.#settled(true);
    const window = windowOf(from, to);
    const maker = new OverviewMaker(window);
    const of = [window.grainMs, workspace ?? ALL_SCOPES, 2 * window.from - window.to, window.to];
    let [slot, part] = [Number.MIN_SAFE_INTEGER, ''];
    for (;;) {
      const rows = await this.#read(sql.readFigures, [...of, slot, part, FIGURES_AT_ONCE]);
      for (const row of rows) {
        [slot, part] = [Number(row[0]), String(row[1])];
        maker.add(slot, String(row[2]));
      }
      if (rows.length < FIGURES_AT_ONCE) break;
    }
    const [since] = await this.#read(sql.figuresSince, []);
    return maker.overview(since === undefined ? null : Number(since[0]));
  }

  prune(before: number): Promise<number> {
    const unused = before - REFERENCES_GRACE_MS;
    this.#setups.forget(unused);
    return this.#parts.prune(before, unused);
  }

  flush(): Promise<void> {
    return this.lane.flush();
  }

  async close(): Promise<void> {
    await this.lane.close();
    await this.#parts.closeDown();
  }

  /** Null for a draft that breaks its type: that must not break its request, nor the others. */
  #rowOrNull(draft: RecordDraft): Row | null {
    const wall = this.#parts.clock.wall();
    try {
      const row = toRow(draft, this.#referencesOf(draft, wall), wall);
      this.#figures.count(draft, Number(row[AT]));
      return rowText(row);
    } catch {
      return null;
    }
  }

  #referencesOf({ snapshotVersion, setup }: RecordDraft, wall: number): RowReferences {
    const snapshot = this.#snapshots.idOf(snapshotVersion, wall);
    if (setup === null) return { snapshot, setup };
    const shared = setup.shared.map((part) => this.#setups.idOf(part, wall) ?? (toJson(part) as JsonObject));
    return { snapshot, setup: { shared, own: setup.own } };
  }

  /** Rows of a query; `ClientError` 503 store_unavailable when the log can't be read. */
  async #read(sql: string, params: readonly SqlScalar[]): Promise<readonly SqlRow[]> {
    try {
      return await this.#parts.read(sql, params);
    } catch (error) {
      const words = error instanceof SqlError ? this.#parts.writer.faults.inWords(error.fault) : String(error);
      const message = `The request log cannot be read: ${words}. Try again in a moment.`;
      throw new ClientError(gatewayError('store_unavailable', message, { shouldRetry: true }));
    }
  }

  /** Whoever asks for the request just made must find it; a disk in trouble must not keep them waiting. */
  #settled(withFigures = false): Promise<void> {
    return new Promise((done) => {
      const cancel = this.#parts.clock.after(SETTLE_MS, done);
      void this.lane.flush(withFigures).then(() => {
        cancel();
        done();
      });
    });
  }
}
