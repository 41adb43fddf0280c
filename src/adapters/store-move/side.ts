/** Rows of a table, page by page, as either engine gives them: the same values on both sides. */
import type { SqlRow, SqlScalar } from '../store-sql/sql-step.ts';
import type { StateDb } from '../store-sql/state-db.ts';
import type { MovedTable } from './tables.ts';

/** How an engine writes what both can. */
export interface Dialect {
  /** The nth parameter, from 1. */
  param(n: number): string;
  /** A column of money, as text. */
  asText(column: string): string;
}

export const SQLITE: Dialect = { param: () => '?', asText: (column) => `CAST(${column} AS TEXT)` };
export const POSTGRES: Dialect = { param: (n) => `$${n}`, asText: (column) => `${column}::text` };

/** Where rows are read. */
export interface Side {
  readonly db: Pick<StateDb, 'read'>;
  readonly dialect: Dialect;
}

const PAGE = 1000;
/** Longer bytes are read one by one: a page of the longest would not fit into memory. */
const PAGE_BYTES = 32_768;
const OF_BYTES = 200;

/** All rows behind `after`, in order. Rejects as the database does. */
export async function* pages(side: Side, table: MovedTable, after: SqlRow | null): AsyncGenerator<readonly SqlRow[]> {
  const limit = table.columns.some(([, type]) => type === 'bytes') ? OF_BYTES : PAGE;
  const places = table.by.map((name) => table.columns.findIndex(([column]) => column === name));
  let last = after;
  for (;;) {
    const found = await side.db.read(pageSql(side, table, last !== null), [...(last ?? []), limit]);
    const rows: SqlRow[] = [];
    for (const row of found) rows.push(await whole(side, table, row));
    if (rows.length > 0) yield rows;
    if (found.length < limit) return;
    last = places.map((place) => found.at(-1)![place]!);
  }
}

/** So many there are. */
export async function countRows({ db }: Side, { name }: MovedTable): Promise<number> {
  return Number((await db.read(`SELECT count(*) FROM ${name}`, []))[0]?.[0] ?? 0);
}

export const quoted = (name: string): string => `"${name}"`;

function pageSql({ dialect }: Side, table: MovedTable, behind: boolean): string {
  const key = table.by.map(quoted);
  const columns = table.columns.map(([name, type]) => {
    if (type === 'money') return dialect.asText(quoted(name));
    return type === 'bytes'
      ? `CASE WHEN length(${quoted(name)}) <= ${PAGE_BYTES} THEN ${quoted(name)} END`
      : quoted(name);
  });
  const params = key.map((_, at) => dialect.param(at + 1));
  const where = behind ? ` WHERE (${key.join(', ')}) > (${params.join(', ')})` : '';
  const limit = dialect.param(behind ? key.length + 1 : 1);
  return `SELECT ${columns.join(', ')} FROM ${table.name}${where} ORDER BY ${key.join(', ')} LIMIT ${limit}`;
}

/** With its long bytes. */
async function whole({ db, dialect }: Side, table: MovedTable, row: SqlRow): Promise<SqlRow> {
  const missing = table.columns.findIndex(([, type], at) => type === 'bytes' && row[at] === null);
  if (missing < 0) return row;
  const key = table.by.map((name) => row[table.columns.findIndex(([column]) => column === name)]!);
  const where = table.by.map((name, at) => `${quoted(name)} = ${dialect.param(at + 1)}`).join(' AND ');
  const column = quoted(table.columns[missing]![0]);
  const [found] = await db.read(`SELECT ${column} FROM ${table.name} WHERE ${where}`, key);
  return row.with(missing, (found?.[0] ?? null) as SqlScalar);
}
