/** The database that takes the rows. Everything is written so that writing it again changes nothing. */
import type { Clock } from '../../ports/clock.ts';
import { BY_CONFIGURATION } from '../../ports/ledger.ts';
import { MOVE_MARK } from '../store-postgres/half-moved.ts';
import { openStateDb, type PostgresState } from '../store-postgres/open-state-db.ts';
import { daysOf } from '../store-postgres/partitions.ts';
import { storable } from '../store-postgres/scalars.ts';
import type { SqlRow, SqlScalar, SqlStep } from '../store-sql/sql-step.ts';
import type { StateDb } from '../store-sql/state-db.ts';
import { POSTGRES, quoted, type Side } from './side.ts';
import { type ColumnType, MOVED_TABLES, type MovedTable, numberOf, REQUESTS } from './tables.ts';

export interface TargetOptions {
  /** `postgres://…` */
  readonly url: string;
  readonly clock: Clock;
  /** Of this program. */
  readonly version: string;
}

/** What the target says of itself. `other`: it holds something that this move did not bring. */
export type TargetState = 'empty' | 'begun' | 'done' | 'other' | 'in use';

/** Of the source whose number it is. */
const markOf = (source: string): string => `${MOVE_MARK}${source}`;

const CASTS: Readonly<Record<ColumnType, (value: string, place: number) => string>> = {
  text: (value) => value,
  int: (value) => `(${value})::bigint`,
  money: (value) => `(${value})::bigint`,
  flag: (value) => `(${value})::int::boolean`,
  bytes: (_, place) => `us_bytes($2, r -> ${place})`,
};

/** Longer bytes go alone. */
const LARGE = 4_000_000;

export class PostgresTarget implements Side {
  readonly dialect = POSTGRES;
  readonly db: StateDb;
  readonly #state: PostgresState;

  private constructor(state: PostgresState) {
    this.#state = state;
    this.db = state.on('state');
  }

  /** Its schema is made or brought up to date. Rejects with `StateDbUnusable`. */
  static async open({ url, clock, version }: TargetOptions): Promise<PostgresTarget> {
    return new PostgresTarget(await openStateDb({ url, clock, version, holder: 'migrate-store' }));
  }

  /** Without its password. */
  get shown(): string {
    return this.#state.address.shown;
  }

  async stateFor(source: string): Promise<TargetState> {
    const living = await this.db.read('SELECT 1 FROM replicas WHERE NOT fenced AND lease_until > us_now() LIMIT 1', []);
    if (living.length > 0) return 'in use';
    const marks = await this.db.read('SELECT name, value FROM revisions WHERE name LIKE $1', [`${MOVE_MARK}%`]);
    const mine = marks.find(([name]) => name === markOf(source));
    if (mine !== undefined && marks.length === 1) return mine[1] === 1 ? 'done' : 'begun';
    return marks.length === 0 && (await this.#isEmpty()) ? 'empty' : 'other';
  }

  async #isEmpty(): Promise<boolean> {
    for (const { name } of MOVED_TABLES)
      if ((await this.db.read(`SELECT 1 FROM ${name} LIMIT 1`, [])).length > 0) return false;
    return true;
  }

  async begin(source: string): Promise<void> {
    const sql = `INSERT INTO revisions (name, value) SELECT r ->> 0, 0 FROM json_array_elements($1) r ON CONFLICT DO NOTHING`;
    await this.db.write([{ sql, rows: [[markOf(source)]] }]);
  }

  /** From where an earlier try goes on: rows up to there are here. Null = from the beginning. */
  async reached(table: MovedTable): Promise<SqlRow | null> {
    const { name } = table;
    const number = numberOf(table);
    if (name === REQUESTS) return this.#reachedBy(`SELECT max(at), '' FROM ${REQUESTS}`);
    return number === null ? null : this.#reachedBy(`SELECT max(${number}) FROM ${name}`);
  }

  async #reachedBy(sql: string): Promise<SqlRow | null> {
    const [row] = await this.db.read(sql, []);
    return row?.[0] == null ? null : row;
  }

  async put(table: MovedTable, rows: readonly SqlRow[]): Promise<void> {
    const sql = insertOf(table);
    for (const part of parts(rows)) {
      const at = table.columns.findIndex(([name]) => name === 'at');
      const days = table.name === REQUESTS ? [daysOf(part.map((row) => Number(row[at])))] : [];
      await this.db.write([...days, { sql, rows: part }]);
    }
  }

  /** What follows from the rows, then the mark: all or nothing. */
  async finish(source: string): Promise<void> {
    const counters = MOVED_TABLES.flatMap((table) => nextNumber(table.name, numberOf(table)));
    await this.db.write([
      ...counters,
      ...ACCOUNTS.map(alone),
      alone(`UPDATE revisions SET value = value + 1 WHERE name = 'objects'`),
      {
        sql: 'UPDATE revisions v SET value = 1 FROM json_array_elements($1) r WHERE v.name = r ->> 0',
        rows: [[markOf(source)]],
        expect: 1,
      },
    ]);
  }

  close(): Promise<void> {
    return this.#state.close();
  }
}

/** A row as the target holds it: text without what it refuses, instants in whole milliseconds. */
export function asStored(row: SqlRow): SqlRow {
  return row.map((value: SqlScalar) => {
    if (typeof value === 'number') return Math.round(value);
    return typeof value === 'string' ? storable(value) : value;
  });
}

function insertOf({ name, columns, made = {} }: MovedTable): string {
  const own = columns.map(([column]) => quoted(column));
  const values = columns.map(([column, type], at) => `${CASTS[type](`r ->> ${at}`, at)} AS ${quoted(column)}`);
  const into = [...own, ...Object.keys(made)].join(', ');
  const from = [...own.map((column) => `r.${column}`), ...Object.values(made)].join(', ');
  return `INSERT INTO ${name} (${into}) SELECT ${from}
    FROM (SELECT ${values.join(', ')} FROM json_array_elements($1) r) r ON CONFLICT DO NOTHING`;
}

/** A page in parts that one order bears. */
function* parts(rows: readonly SqlRow[]): Generator<readonly SqlRow[]> {
  let part: SqlRow[] = [];
  let size = 0;
  for (const row of rows) {
    part.push(row);
    size += row.reduce<number>(
      (sum, value) => sum + (typeof value === 'object' ? (value?.length ?? 0) : String(value).length),
      0,
    );
    if (size < LARGE) continue;
    yield part;
    [part, size] = [[], 0];
  }
  if (part.length > 0) yield part;
}

/** Runs once, whatever is in its row. */
const alone = (sql: string): SqlStep => ({ sql, rows: [[]] });

function nextNumber(table: string, column: string | null): SqlStep[] {
  if (column === null) return [];
  const next = `SELECT coalesce(max(${column}), 0) + 1 FROM ${table}`;
  return [alone(`SELECT setval(pg_get_serial_sequence('${table}', '${column}'), (${next}), false)`)];
}

/** Nothing is held: calls of before are over. */
const ACCOUNTS = [
  'DELETE FROM accounts',
  `INSERT INTO accounts (workspace, balance, granted, held)
    SELECT workspace, sum(amount), coalesce(sum(amount) FILTER (WHERE made_by = '${BY_CONFIGURATION}'), 0), 0
    FROM ledger_entries GROUP BY workspace`,
];
