/**
 * The ledger in a database. Orders that come while a transaction is on its way to the disk go together into the next
 * one: a burst of reservations costs a few syncs, not one each.
 */
import type { Cancel, Clock } from '../../ports/clock.ts';
import type { Holder } from '../../ports/holder.ts';
import type {
  Ledger,
  LedgerEntry,
  LedgerEntryKind,
  LedgerOpening,
  LedgerPage,
  LedgerReservation,
  OpenReservation,
  SharedSums,
} from '../../ports/ledger.ts';
import type { SqlRow, SqlStep } from './sql-step.ts';
import type { StateDb } from './state-db.ts';
import type { LedgerSql } from './statements.ts';

/** What is ordered, in the order in which it is run within a transaction: each for all its rows before the next. */
const STATEMENTS = ['reserve', 'charge', 'release', 'grant', 'add', 'undo'] as const;
type StatementName = (typeof STATEMENTS)[number];

/**
 * One statement's row, and whom to tell. Without `reject` it is written again until it is durable. `done`: false = the statement
 * found that it may not be.
 */
interface Order {
  readonly statement: StatementName;
  readonly row: SqlRow;
  readonly resolve?: (done: boolean) => void;
  readonly reject?: (error: unknown) => void;
}

/** Most orders of one transaction: a longer one would make those that come next wait too long. */
const LARGEST_BATCH = 1000;
/** How long the disk is left alone after a fault before what must be written is tried again. */
const RETRY_MS = 1000;

/** What the ledger stands on. */
export interface LedgerOptions {
  readonly db: Pick<StateDb, 'write' | 'read'>;
  readonly sql: LedgerSql;
  readonly clock: Clock;
  readonly holder: Pick<Holder, 'id'>;
  readonly newId: (prefix: string) => string;
}

/** The prepaid ledger (G-4). What it answers for is durable then; settlements are written in batches. */
export function createLedger(options: LedgerOptions): Ledger {
  return new SqlLedger(options);
}

class SqlLedger implements Ledger {
  readonly #options: LedgerOptions;
  #queue: Order[] = [];
  #writing: Promise<void> | null = null;
  #cancelRetry: Cancel | null = null;
  #closed = false;

  readonly refresh?: () => Promise<ReadonlyMap<string, SharedSums>>;

  constructor(options: LedgerOptions) {
    this.#options = options;
    if (!options.sql.alone) this.refresh = () => this.#sums();
  }

  async open(): Promise<LedgerOpening> {
    const released = await this.#abandon(this.#options.clock.wall());
    return { accounts: await this.#sums(), released };
  }

  reserve({ attemptId, workspace, amount, at }: OpenReservation): Promise<LedgerReservation> {
    const { sql, holder } = this.#options;
    const columns = [attemptId, workspace, String(amount), at];
    const row = sql.alone ? columns : [...columns, holder.id];
    return new Promise((resolve, reject) => {
      this.#take({ statement: 'reserve', row, resolve: (done) => resolve(done ? 'ok' : 'empty'), reject });
    });
  }

  settle(attemptId: string, charge: bigint, at: number, workspace: string): void {
    if (charge > 0n) this.#order('charge', [`chg_${attemptId}`, workspace, String(-charge), at, attemptId]);
    this.#order('release', [attemptId]);
  }

  async add(entry: Omit<LedgerEntry, 'id' | 'attemptId'>, granted?: bigint): Promise<'added' | 'moved'> {
    const { workspace, kind, amount, at, note, by } = entry;
    const id = this.#options.newId('led_');
    const row = [id, workspace, kind, String(amount), at, note, by];
    const isGrant = granted !== undefined && this.#options.sql.grant !== null;
    try {
      const added = isGrant ? this.#ask('grant', [...row, String(granted)]) : this.#ask('add', row);
      return (await added) ? 'added' : 'moved';
    } catch (error) {
      // It may have become durable without a word; whoever was told that it failed will add it again.
      this.#order('undo', [id]);
      throw error;
    }
  }

  async release(wall: number): Promise<number> {
    return this.#options.sql.alone ? 0 : this.#abandon(wall);
  }

  async entries(workspace: string, limit: number, cursor?: string): Promise<LedgerPage> {
    const before = cursor === undefined ? Number.MAX_SAFE_INTEGER : Number(cursor);
    const { db, sql } = this.#options;
    const rows = await db.read(sql.entries, [workspace, Number.isSafeInteger(before) ? before : 0, limit + 1]);
    const shown = rows.slice(0, limit);
    const last = rows.length > limit ? shown.at(-1) : undefined;
    return { data: shown.map(entryOf), next_cursor: last === undefined ? null : String(last[0]) };
  }

  async close(): Promise<void> {
    await this.#writing;
    if (this.#queue.length > 0) await this.#write();
    this.#closed = true;
    this.#cancelRetry?.();
  }

  async #abandon(wall: number): Promise<number> {
    const { db, sql } = this.#options;
    const { changes } = await db.write([...beginSteps(sql), { sql: sql.abandon, rows: [sql.alone ? [] : [wall]] }]);
    return changes - beginSteps(sql).length;
  }

  async #sums(): Promise<ReadonlyMap<string, SharedSums>> {
    const { db, sql } = this.#options;
    return new Map((await db.read(sql.sums, [])).map(sumsOf));
  }

  #ask(statement: StatementName, row: SqlRow): Promise<boolean> {
    return new Promise((resolve, reject) => this.#take({ statement, row, resolve, reject }));
  }

  #order(statement: StatementName, row: SqlRow): void {
    this.#take({ statement, row });
  }

  #take(order: Order): void {
    this.#queue.push(order);
    // Somebody waits: a disk that is well again is noticed at once.
    if (this.#writing === null && (this.#cancelRetry === null || order.reject !== undefined)) void this.#write();
  }

  /** One transaction after the other while there is something to write. */
  #write(): Promise<void> {
    this.#cancelRetry?.();
    this.#cancelRetry = null;
    this.#writing = this.#writeAll();
    return this.#writing;
  }

  async #writeAll(): Promise<void> {
    while (this.#queue.length > 0) {
      // What is asked for in the same turn goes along.
      await Promise.resolve();
      const batch = this.#queue.splice(0, LARGEST_BATCH);
      try {
        const { returned } = await this.#options.db.write(stepsOf(batch, this.#options.sql));
        const done = returned === undefined ? null : new Set(returned.map(([id]) => id));
        for (const { statement, row, resolve } of batch) {
          resolve?.(done === null || !IS_CONDITIONAL[statement] || done.has(row[0] ?? null));
        }
      } catch (error) {
        this.#refused(batch, error);
        break;
      }
    }
    // In the same turn as the last look at the queue, so that nobody comes between and waits for ever.
    this.#writing = null;
  }

  /** Who asked is told; the rest waits for the disk. */
  #refused(batch: readonly Order[], error: unknown): void {
    this.#queue.unshift(...batch.filter(({ reject }) => reject === undefined));
    for (const { reject } of batch) reject?.(error);
    if (this.#closed) return;
    this.#cancelRetry = this.#options.clock.after(RETRY_MS, () => {
      this.#cancelRetry = null;
      if (this.#writing === null && this.#queue.length > 0) void this.#write();
    });
  }
}

/** Their statements give the ids of what they did, where they may find that it may not be done. */
const IS_CONDITIONAL: Readonly<Partial<Record<StatementName, boolean>>> = { reserve: true, grant: true };

function beginSteps({ begin }: LedgerSql): SqlStep[] {
  return begin === null ? [] : [{ sql: begin, rows: [[]] }];
}

function stepsOf(batch: readonly Order[], sql: LedgerSql): SqlStep[] {
  const steps = beginSteps(sql);
  for (const name of STATEMENTS) {
    const rows = batch.filter(({ statement }) => statement === name).map(({ row }) => row);
    const text = sql[name];
    if (rows.length === 0 || text === null) continue;
    steps.push({ sql: text, rows, ...(!sql.alone && IS_CONDITIONAL[name] === true ? { returns: true } : {}) });
  }
  return steps;
}

function sumsOf([workspace, balance, granted, held]: SqlRow): readonly [string, SharedSums] {
  const sums = { balance: BigInt(String(balance)), granted: BigInt(String(granted)), held: BigInt(String(held)) };
  return [String(workspace), sums];
}

function entryOf([, id, workspace, kind, amount, at, attemptId, note, by]: SqlRow): LedgerEntry {
  return {
    id: String(id),
    workspace: String(workspace),
    kind: String(kind) as LedgerEntryKind,
    amount: BigInt(String(amount)),
    at: Number(at),
    attemptId: attemptId === null || attemptId === undefined ? null : String(attemptId),
    note: note === null || note === undefined ? null : String(note),
    by: String(by),
  };
}
