/** The audit log in the state (G-7): entries of changes go with them, all others are queued and insisted on. */
import type { JsonObject } from '../../core/failover/json-form.ts';
import type { AuditEntry, AuditFilter, AuditLog, AuditPage, StoredAuditEntry } from '../../ports/audit.ts';
import type { Clock } from '../../ports/clock.ts';
import { InsistentQueue } from '../insistent-queue.ts';
import type { SqlRow, SqlScalar, SqlStep } from './sql-step.ts';
import type { StateDb } from './state-db.ts';

/** What an engine says for each of it. Columns of an entry: at, actor, action, object, workspace, request_id, before, after, ip. */
export interface AuditSql {
  /** Row: the columns. */
  readonly add: string;
  /** Gives seq and the columns, newest first by time and seq; only entries before that place. */
  list(filter: Omit<AuditFilter, 'cursor' | 'limit'>, before: AuditPlace, limit: number): AuditQuery;
  /**
   * Takes away at most `limit` entries that are older, and nothing else ever; the first statement's changes are not entries.
   * Null = the engine does it in another way.
   */
  readonly prune: ((before: number, limit: number) => PruneSteps) | null;
}

/** Where an entry stands: entries that are queued come later than those of changes at the same time. */
export interface AuditPlace {
  readonly at: number;
  readonly seq: number;
}

export interface AuditQuery {
  readonly sql: string;
  readonly params: readonly SqlScalar[];
}

export interface PruneSteps {
  readonly steps: readonly SqlStep[];
  /** Rows that the steps change beside the entries. */
  readonly beside: number;
}

export interface SqlAuditOptions {
  readonly db: Pick<StateDb, 'read' | 'write'>;
  readonly sql: AuditSql;
  readonly clock: Clock;
  readonly onBug: (error: unknown) => void;
}

/** Waiting to be written. */
const LIMIT = 10_000;
const BATCH = 200;
const PRUNED_AT_ONCE = 500;

/** Entries as a step of the transaction that does what they tell of. */
export function auditSteps(sql: AuditSql, entries: readonly AuditEntry[]): SqlStep[] {
  return entries.length === 0 ? [] : [{ sql: sql.add, rows: entries.map(rowOf), expect: entries.length }];
}

export class SqlAuditLog implements AuditLog {
  readonly #options: SqlAuditOptions;
  readonly #queue: InsistentQueue<AuditEntry>;

  constructor(options: SqlAuditOptions) {
    const { db, sql, clock, onBug } = options;
    this.#options = options;
    this.#queue = new InsistentQueue({
      clock,
      limit: LIMIT,
      batch: BATCH,
      onBug,
      write: async (entries) => void (await db.write(auditSteps(sql, entries))),
    });
  }

  get dropped(): number {
    return this.#queue.dropped;
  }

  append(entry: AuditEntry): void {
    this.#queue.push(entry);
  }

  async list({ limit, cursor, ...filter }: AuditFilter): Promise<AuditPage> {
    // What has been done a moment ago is seen by whoever looks.
    await this.#queue.flush();
    const { sql, params } = this.#options.sql.list(filter, placeOf(cursor), limit + 1);
    const rows = await this.#options.db.read(sql, params);
    const shown = rows.slice(0, limit);
    const last = rows.length > limit ? shown.at(-1) : undefined;
    return { data: shown.map(toEntry), next_cursor: last === undefined ? null : `${last[1]}-${last[0]}` };
  }

  async prune(before: number): Promise<number> {
    const { db, sql } = this.#options;
    if (sql.prune === null) return 0;
    for (let all = 0; ; ) {
      const { steps, beside } = sql.prune(before, PRUNED_AT_ONCE);
      const gone = (await db.write(steps)).changes - beside;
      all += gone;
      if (gone < PRUNED_AT_ONCE) return all;
    }
  }

  close(): Promise<void> {
    return this.#queue.close();
  }
}

const END: AuditPlace = { at: Number.MAX_SAFE_INTEGER, seq: Number.MAX_SAFE_INTEGER };

/** A cursor that nobody gave out shows the first page. */
function placeOf(cursor: string | undefined): AuditPlace {
  const [at, seq] = (cursor ?? '').split('-').map(Number);
  const isPlace = Number.isSafeInteger(at) && Number.isSafeInteger(seq);
  return cursor !== undefined && isPlace ? { at: at!, seq: seq! } : END;
}

function rowOf({ at, actor, action, object, workspace, requestId, before, after, ip }: AuditEntry): SqlRow {
  return [at, actor, action, object, workspace, requestId, written(before), written(after), ip];
}

function written(fields: JsonObject | null): string | null {
  return fields === null ? null : JSON.stringify(fields);
}

function toEntry(row: SqlRow): StoredAuditEntry {
  const [seq, at, actor, action, object, workspace, requestId, before, after, ip] = row;
  return {
    seq: String(seq),
    at: Number(at),
    actor: String(actor),
    action: String(action),
    object: String(object),
    workspace: textOrNull(workspace),
    requestId: textOrNull(requestId),
    before: fieldsOf(before),
    after: fieldsOf(after),
    ip: textOrNull(ip),
  };
}

function textOrNull(value: SqlScalar | undefined): string | null {
  return value == null ? null : String(value);
}

/** What was written by hand and is no JSON is shown as it stands: an entry is never a reason to show none. */
function fieldsOf(value: SqlScalar | undefined): JsonObject | null {
  if (value == null) return null;
  try {
    return JSON.parse(String(value)) as JsonObject;
  } catch {
    return { unreadable: String(value) };
  }
}
