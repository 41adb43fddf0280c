/** Events and their deliveries in the state (G-7): what was put there is told, whatever becomes of the process. */
import { MOST_EVENTS } from '../../core/signals/delivery-plan.ts';
import type {
  DeliveryFilter,
  DeliveryPage,
  DeliveryRecord,
  DeliveryResult,
  DueDelivery,
  EventOutbox,
  GatewayEvent,
  NewDelivery,
} from '../../ports/events.ts';
import type { Holder } from '../../ports/holder.ts';
import { isUnmet } from './fault.ts';
import { eventRow, type Taken, textsOf, toEvent, toRecord, toTaken } from './outbox-rows.ts';
import type { SqlScalar, SqlStep } from './sql-step.ts';
import type { StateDb } from './state-db.ts';

/**
 * What an engine says for each of it. `IDS`, `TYPES`, `BUSY`: JSON arrays of texts. Statements with rows are steps; those
 * with params are read.
 */
export interface OutboxSql {
  /** Row: id, at, type, workspace, request_id, data. */
  readonly addEvent: string;
  /** Row: id, hook, workspace, IDS, TYPES, at, due at. */
  readonly addDelivery: string;
  /**
   * Row: holder, lease, leased until, wall, BUSY, limit. Takes the first due delivery of each hook that is not busy; of a
   * `fresh` one 1 becomes 2, else 0.
   */
  readonly take: string;
  /** Params: holder, lease. Gives id, hook, workspace, tries, at, IDS, TYPES, fresh. */
  readonly taken: string;
  /** Params: hook, workspace, limit. Gives id, IDS, TYPES of deliveries never taken, oldest first. */
  readonly fresh: string;
  /** Row: IDS, TYPES, id, holder. */
  readonly absorb: string;
  /** Row: id. Removes one that was never taken. */
  readonly absorbed: string;
  /** Params: IDS. Gives id, at, type, workspace, request_id, data. */
  readonly events: string;
  /** Params: BUSY. Gives the earliest instant at which something that waits is due, or can be taken from who has it. */
  readonly nextDue: string;
  /** Gives hook and count of what waits. */
  readonly waiting: string;
  /** Row: state, next at, status, answer, took ms, done at, id, holder. */
  readonly settle: string;
  /** Row: due at, id, wall. Not while it is taken. */
  readonly replay: string;
  /** Row: answer, done at, hook. */
  readonly giveUp: string;
  /** Params: id. Gives `DELIVERY_COLUMNS`. */
  readonly delivery: string;
  /** Gives `DELIVERY_COLUMNS`, newest first; `before`: only those with a smaller ix. */
  list(filter: Omit<DeliveryFilter, 'cursor' | 'limit'>, before: number, limit: number): OutboxQuery;
  /** Row: before, limit. Null = the engine takes events away in another way. */
  readonly pruneEvents: string | null;
  /** Row: before, limit. Ended deliveries alone. */
  readonly pruneDeliveries: string;
}

export interface OutboxQuery {
  readonly sql: string;
  readonly params: readonly SqlScalar[];
}

export interface SqlOutboxOptions {
  readonly db: Pick<StateDb, 'read' | 'write'>;
  readonly sql: OutboxSql;
  /** This process: what another one on this database has taken is left alone. */
  readonly holder: Pick<Holder, 'id'>;
}

/** How long a taken delivery is this process's: longer than a try and its settling take. */
const LEASE_MS = 60_000;
const PRUNED_AT_ONCE = 500;

export class SqlOutbox implements EventOutbox {
  readonly #options: SqlOutboxOptions;
  #lease = 0;

  constructor(options: SqlOutboxOptions) {
    this.#options = options;
  }

  async put(events: readonly GatewayEvent[], deliveries: readonly NewDelivery[]): Promise<void> {
    const { db, sql } = this.#options;
    const types = new Map(events.map(({ id, type }) => [id, type]));
    const typesOf = (ids: readonly string[]) => [...new Set(ids.flatMap((id) => types.get(id) ?? []))];
    await db.write([
      { sql: sql.addEvent, rows: events.map(eventRow) },
      {
        sql: sql.addDelivery,
        rows: deliveries.map(({ id, hook, workspace, eventIds, at, dueAt }) => [
          id,
          hook,
          workspace,
          JSON.stringify(eventIds),
          JSON.stringify(typesOf(eventIds)),
          at,
          dueAt,
        ]),
      },
    ]);
  }

  async take(wall: number, limit: number, busy: readonly string[]): Promise<readonly DueDelivery[]> {
    const { db, sql, holder } = this.#options;
    this.#lease += 1;
    const lease = this.#lease;
    const row = [holder.id, lease, wall + LEASE_MS, wall, JSON.stringify(busy), limit];
    if ((await db.write([{ sql: sql.take, rows: [row] }])).changes === 0) return [];
    const taken = (await db.read(sql.taken, [holder.id, lease])).map(toTaken);
    return Promise.all(
      taken.map(async (one) => {
        const { id, hook, workspace, tries, at, ids } = one.fresh ? await this.#together(one) : one;
        return { id, hook, workspace, tries, at, events: await this.#eventsOf(ids) };
      }),
    );
  }

  async nextDue(busy: readonly string[]): Promise<number | null> {
    const { db, sql } = this.#options;
    const due = (await db.read(sql.nextDue, [JSON.stringify(busy)]))[0]?.[0];
    return due == null ? null : Number(due);
  }

  async waiting(): Promise<ReadonlyMap<string, number>> {
    const rows = await this.#options.db.read(this.#options.sql.waiting, []);
    return new Map(rows.map(([hook, count]) => [String(hook), Number(count)] as const));
  }

  async settle(id: string, { state, nextAt, status, answer, tookMs, at }: DeliveryResult): Promise<void> {
    const { db, sql, holder } = this.#options;
    const doneAt = state === 'waiting' ? null : at;
    await db.write([{ sql: sql.settle, rows: [[state, nextAt, status, answer, tookMs, doneAt, id, holder.id]] }]);
  }

  async deliveries({ limit, cursor, ...filter }: DeliveryFilter): Promise<DeliveryPage> {
    const before = cursor === undefined ? Number.MAX_SAFE_INTEGER : Number(cursor);
    const { sql, params } = this.#options.sql.list(filter, before, limit + 1);
    const rows = await this.#options.db.read(sql, params);
    const shown = rows.slice(0, limit);
    const last = rows.length > limit ? shown.at(-1) : undefined;
    return { data: shown.map(toRecord), next_cursor: last === undefined ? null : String(last[0]) };
  }

  async delivery(id: string): Promise<DeliveryRecord | null> {
    const [row] = await this.#options.db.read(this.#options.sql.delivery, [id]);
    return row === undefined ? null : toRecord(row);
  }

  async replay(id: string, wall: number): Promise<'due' | 'under_way' | 'gone'> {
    const { db, sql } = this.#options;
    const known = await this.delivery(id);
    if (known === null || (await this.#eventsOf(known.eventIds)).length === 0) return 'gone';
    const { changes } = await db.write([{ sql: sql.replay, rows: [[wall, id, wall]] }]);
    return changes === 1 ? 'due' : 'under_way';
  }

  async giveUp(hook: string, why: string, wall: number): Promise<number> {
    const { db, sql } = this.#options;
    return (await db.write([{ sql: sql.giveUp, rows: [[why, wall, hook]] }])).changes;
  }

  async prune(before: { readonly events: number; readonly deliveries: number }) {
    const { sql } = this.#options;
    return {
      deliveries: await this.#pruneAll(sql.pruneDeliveries, before.deliveries),
      events: sql.pruneEvents === null ? 0 : await this.#pruneAll(sql.pruneEvents, before.events),
    };
  }

  /** Other deliveries of its hook that were never tried go with it, due or not, as far as there is room. */
  async #together(first: Taken): Promise<Taken> {
    const { db, sql, holder } = this.#options;
    const others = await db.read(sql.fresh, [first.hook, first.workspace, MOST_EVENTS]);
    const ids = [...first.ids];
    const types = new Set(first.types);
    const gone: string[] = [];
    for (const [id, theirs, theirTypes] of others) {
      const more = textsOf(theirs);
      if (ids.length + more.length > MOST_EVENTS) break;
      ids.push(...more);
      for (const type of textsOf(theirTypes)) types.add(type);
      gone.push(String(id));
    }
    if (gone.length === 0) return first;
    const steps: SqlStep[] = [
      {
        sql: sql.absorb,
        rows: [[JSON.stringify(ids), JSON.stringify([...types]), first.id, holder.id]],
        expect: 1,
      },
      { sql: sql.absorbed, rows: gone.map((id) => [id]), expect: gone.length },
    ];
    try {
      await db.write(steps);
      return { ...first, ids };
    } catch (error) {
      // Another process has taken one of them meanwhile: each goes by itself.
      if (isUnmet(error)) return first;
      throw error;
    }
  }

  /** In the order of `ids`; what is not kept any more is missing. */
  async #eventsOf(ids: readonly string[]): Promise<readonly GatewayEvent[]> {
    const rows = await this.#options.db.read(this.#options.sql.events, [JSON.stringify(ids)]);
    const events = new Map(rows.map((row) => [String(row[0]), toEvent(row)]));
    return ids.flatMap((id) => events.get(id) ?? []);
  }

  async #pruneAll(sql: string, before: number): Promise<number> {
    for (let all = 0; ; ) {
      const { changes } = await this.#options.db.write([{ sql, rows: [[before, PRUNED_AT_ONCE]] }]);
      all += changes;
      if (changes < PRUNED_AT_ONCE) return all;
    }
  }
}
