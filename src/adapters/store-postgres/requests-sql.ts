/** Statements of the request log in PostgreSQL. */
import { REQUEST_COLUMNS } from '../store-sql/record-row.ts';
import type { RequestsSql } from '../store-sql/statements.ts';
import { summaryPath } from '../store-sql/stored-fields.ts';

/** Columns that are no text; fields of a row come as text. */
const TYPES: Partial<Record<(typeof REQUEST_COLUMNS)[number], string>> = {
  at: '::bigint',
  status: '::int',
  degraded: '::int::boolean',
  failover: '::int::boolean',
};
const FIELDS = REQUEST_COLUMNS.map((column, index) => `f[${index + 1}]${TYPES[column] ?? ''}`);

/** What is summed up of a summary, in the order of the column `numbers`. */
const SUMMED = {
  input: summaryPath('usage', 0),
  output: summaryPath('usage', 1),
  cost: summaryPath('cost_nano_usd'),
  waste: summaryPath('waste_nano_usd'),
  calls: summaryPath('upstream_calls'),
  retries: `${summaryPath('client_retry')}.count`,
} as const;

/** `$[21][0]` as the server takes it. */
const pathOf = (path: string): string => `'{${[...path.matchAll(/\w+/g)].join(',')}}'`;
const NUMBERS = Object.values(SUMMED).map((path) => `(j #>> ${pathOf(path)})::float8`);

/**
 * The server's JSON refuses a whole text for one NUL or half a character somewhere in it: escapes are taken out before, which
 * changes no number. Part of a released step of the schema: another order is another function.
 */
export const NUMBERS_OF_SUMMARY = `CREATE FUNCTION us_numbers(summary text) RETURNS float8[] LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
    DECLARE j jsonb := replace(summary, '\\u', '/u');
    BEGIN
      RETURN ARRAY[${NUMBERS.join(', ')}];
    END $$;`;

const of = (name: keyof typeof SUMMED): string => `numbers[${Object.keys(SUMMED).indexOf(name) + 1}]`;
const sum = (name: keyof typeof SUMMED): string => `coalesce(sum(${of(name)}), 0)`;
const countOf = (condition: string): string => `count(*) FILTER (WHERE ${condition})`;

/** Times beyond these are none: a clock that was never set. Wall ms: 2000-01-01 to 2100-01-01. */
export const EARLIEST = 946_684_800_000;
export const LATEST = 4_102_444_799_999;
const AT = `least(greatest(${FIELDS[REQUEST_COLUMNS.indexOf('at')]}, ${EARLIEST}), ${LATEST})`;

export const REQUESTS_SQL: RequestsSql = {
  // The server takes the text apart. A batch is sent again when its answer got lost: the second writing changes nothing.
  insert: `INSERT INTO requests (${REQUEST_COLUMNS.join(', ')})
    SELECT ${FIELDS.map((field, index) => (REQUEST_COLUMNS[index] === 'at' ? AT : field)).join(', ')}
    FROM (SELECT string_to_array(r, E'\\x1f', E'\\x1d') f FROM string_to_table($1, E'\\x1e') r) x ON CONFLICT DO NOTHING`,
  insertSnapshot: `INSERT INTO snapshots (id, names, registered_at)
    SELECT DISTINCT ON (1) r ->> 0, r ->> 1, (r ->> 2)::bigint FROM json_array_elements($1) r
    ON CONFLICT (id) DO UPDATE SET retired_at = NULL`,
  retireOtherSnapshots: `UPDATE snapshots s SET retired_at = (r ->> 0)::bigint FROM json_array_elements($1) r
    WHERE s.id <> r ->> 1 AND s.retired_at IS NULL`,
  insertSetupPart: `INSERT INTO setup_parts AS p (id, content, used_at)
    SELECT DISTINCT ON (1) r ->> 0, r ->> 1, (r ->> 2)::bigint FROM json_array_elements($1) r ORDER BY 1, 3 DESC
    ON CONFLICT (id) DO UPDATE SET used_at = excluded.used_at WHERE p.used_at < excluded.used_at`,
  get: `SELECT r.summary, r.detail, s.names FROM requests r LEFT JOIN snapshots s ON s.id = r.snapshot WHERE r.id = ?`,
  setupParts: 'SELECT id, content FROM setup_parts WHERE id IN (SELECT json_array_elements_text(?::json))',
  flag: (column, is) => (is ? column : `NOT ${column}`),
  along: () => 'requests',
  isNot: (column) => `${column} IS DISTINCT FROM ?`,
  someFailed: `(failover OR ${of('calls')} > 1 OR (outcome <> 'success' AND ${of('calls')} > 0))`,
  sums: [
    'count(*)',
    countOf("outcome <> 'success'"),
    sum('input'),
    sum('output'),
    sum('cost'),
    sum('waste'),
    countOf(`outcome = 'success' AND ${of('cost')} IS NULL`),
    sum('calls'),
    countOf(`${of('retries')} > 0`),
  ],
  putFigures: `INSERT INTO figures (grain, scope, slot, part, body)
    SELECT (r ->> 0)::bigint, r ->> 1, (r ->> 2)::bigint, r ->> 3, r ->> 4 FROM json_array_elements($1) r
    ON CONFLICT (grain, scope, slot, part) DO UPDATE SET body = excluded.body`,
  readFigures: `SELECT slot, part, body FROM figures
    WHERE grain = ? AND scope = ? AND slot >= ? AND slot < ? AND (slot, part) > (?, ?) ORDER BY slot, part LIMIT ?`,
  figuresSince: 'SELECT slot FROM figures WHERE grain = 0',
  countKeyed: 'SELECT count(*) FROM requests WHERE idempotency IS NOT NULL',
  nextKeyed: `SELECT idempotency, at, id, summary FROM requests
    WHERE idempotency IS NOT NULL AND (idempotency, at, id) > (?, ?, ?) ORDER BY idempotency, at, id LIMIT ?`,
};

/** Rows of `us_partition`: table, its partition, first and next beginning (wall ms). */
export const MAKE_PARTITIONS = `SELECT us_partition(r ->> 0, r ->> 1, (r ->> 2)::bigint, (r ->> 3)::bigint)
  FROM json_array_elements($1) r ORDER BY r ->> 1`;

/** Params: a pattern of names. Gives each partition's name, whether it is attached, and whether it is on its way out. */
export const PARTITIONS = `SELECT c.relname, i.inhrelid IS NOT NULL, coalesce(i.inhdetachpending, false)
  FROM pg_class c LEFT JOIN pg_inherits i ON i.inhrelid = c.oid
  WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind = 'r' AND c.relname ~ $1 ORDER BY c.relname`;

/** Row: wall ms. */
export const DELETE_OLD_SNAPSHOTS =
  'DELETE FROM snapshots s USING json_array_elements($1) r WHERE s.retired_at < (r ->> 0)::bigint';
export const DELETE_OLD_SETUP_PARTS =
  'DELETE FROM setup_parts p USING json_array_elements($1) r WHERE p.used_at < (r ->> 0)::bigint';

export const DELETE_OLD_FIGURES =
  'DELETE FROM figures f USING json_array_elements($1) r WHERE f.slot < (r ->> 0)::bigint';

/** Statements of the log are written for every engine: the server counts their parameters. */
export function withNumbers(sql: string): string {
  let count = 0;
  return sql.replaceAll('?', () => {
    count += 1;
    return `$${count}`;
  });
}
