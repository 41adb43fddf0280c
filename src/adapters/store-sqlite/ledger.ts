/**
 * The ledger in `state.db`. Orders that come while a transaction is on its way to the disk go together into the next
 * one: a burst of reservations costs a few syncs, not one each.
 */
import type { Cancel, Clock } from '../../ports/clock.ts';
import {
  BY_CONFIGURATION,
  type Ledger,
  type LedgerEntry,
  type LedgerEntryKind,
  type LedgerOpening,
  type LedgerPage,
  type LedgerReservation,
  type OpenReservation,
} from '../../ports/ledger.ts';
import type { StateDb } from '../store-sql/state-db.ts';
import type { SqlScalar, SqlStep } from './sql-protocol.ts';

type Row = readonly SqlScalar[];

/** Statements by what they do; each is run for all its rows before the next, in this order. */
const STATEMENTS = {
  reserve: 'INSERT OR IGNORE INTO reservations (attempt_id, workspace, amount, at) VALUES (?, ?, ?, ?)',
  // An index lets one attempt have one charge: writing it twice charges once.
  charge: `INSERT OR IGNORE INTO ledger_entries (id, workspace, kind, amount, at, attempt_id, note, made_by)
    VALUES (?, ?, 'charge', ?, ?, ?, NULL, 'gateway')`,
  release: 'DELETE FROM reservations WHERE attempt_id = ?',
  add: `INSERT INTO ledger_entries (id, workspace, kind, amount, at, attempt_id, note, made_by)
    VALUES (?, ?, ?, ?, ?, NULL, ?, ?)`,
  undo: 'DELETE FROM ledger_entries WHERE id = ?',
} as const;
type StatementName = keyof typeof STATEMENTS;

/** One statement's row, and whom to tell. Without `reject` it is written again until it is durable. */
interface Order {
  readonly statement: StatementName;
  readonly row: Row;
  readonly resolve?: () => void;
  readonly reject?: (error: unknown) => void;
}

/** Most orders of one transaction: a longer one would make those that come next wait too long. */
const LARGEST_BATCH = 1000;
/** How long the disk is left alone after a fault before what must be written is tried again. */
const RETRY_MS = 1000;

/** What the ledger stands on. */
export interface LedgerOptions {
  readonly db: Pick<StateDb, 'write' | 'read'>;
  readonly clock: Clock;
  readonly newId: (prefix: string) => string;
}

/** The prepaid ledger in `state.db` (G-4). What it answers for is durable then; settlements are written in batches. */
export function createLedger(options: LedgerOptions): Ledger {
  return new SqliteLedger(options);
}

class SqliteLedger implements Ledger {
  readonly #options: LedgerOptions;
  #queue: Order[] = [];
  #writing: Promise<void> | null = null;
  #cancelRetry: Cancel | null = null;
  #closed = false;

  constructor(options: LedgerOptions) {
    this.#options = options;
  }

  async open(): Promise<LedgerOpening> {
    const { db } = this.#options;
    const { changes } = await db.write([{ sql: 'DELETE FROM reservations', rows: [[]] }]);
    const sums = await db.read(
      `SELECT workspace, CAST(SUM(amount) AS TEXT),
              CAST(SUM(CASE WHEN made_by = ? THEN amount ELSE 0 END) AS TEXT)
       FROM ledger_entries GROUP BY workspace`,
      [BY_CONFIGURATION],
    );
    const accounts = sums.map(([workspace, balance, granted]) => {
      return [String(workspace), { balance: BigInt(String(balance)), granted: BigInt(String(granted)) }] as const;
    });
    return { accounts: new Map(accounts), released: changes };
  }

  async reserve({ attemptId, workspace, amount, at }: OpenReservation): Promise<LedgerReservation> {
    await this.#ask('reserve', [attemptId, workspace, String(amount), at]);
    return 'ok';
  }

  settle(attemptId: string, charge: bigint, at: number, workspace: string): void {
    if (charge > 0n) this.#order('charge', [`chg_${attemptId}`, workspace, String(-charge), at, attemptId]);
    this.#order('release', [attemptId]);
  }

  async add({ workspace, kind, amount, at, note, by }: Omit<LedgerEntry, 'id' | 'attemptId'>): Promise<'added'> {
    const id = this.#options.newId('led_');
    try {
      await this.#ask('add', [id, workspace, kind, String(amount), at, note, by]);
      return 'added';
    } catch (error) {
      // It may have become durable without a word; whoever was told that it failed will add it again.
      this.#order('undo', [id]);
      throw error;
    }
  }

  async release(): Promise<number> {
    return 0;
  }

  async entries(workspace: string, limit: number, cursor?: string): Promise<LedgerPage> {
    const before = cursor === undefined ? Number.MAX_SAFE_INTEGER : Number(cursor);
    const rows = await this.#options.db.read(
      `SELECT ix, id, workspace, kind, CAST(amount AS TEXT), at, attempt_id, note, made_by FROM ledger_entries
       WHERE workspace = ? AND ix < ? ORDER BY ix DESC LIMIT ?`,
      [workspace, Number.isSafeInteger(before) ? before : 0, limit + 1],
    );
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

  #ask(statement: StatementName, row: Row): Promise<void> {
    return new Promise((resolve, reject) => this.#take({ statement, row, resolve, reject }));
  }

  #order(statement: StatementName, row: Row): void {
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
        await this.#options.db.write(stepsOf(batch));
        for (const { resolve } of batch) resolve?.();
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

function stepsOf(batch: readonly Order[]): SqlStep[] {
  const steps: SqlStep[] = [];
  for (const name of Object.keys(STATEMENTS) as StatementName[]) {
    const rows = batch.filter(({ statement }) => statement === name).map(({ row }) => row);
    if (rows.length > 0) steps.push({ sql: STATEMENTS[name], rows });
  }
  return steps;
}

function entryOf([, id, workspace, kind, amount, at, attemptId, note, by]: Row): LedgerEntry {
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
