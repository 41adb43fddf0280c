/** A million requests in a schema of PostgreSQL. */
import { REQUESTS_SQL } from '../../src/adapters/store-postgres/requests-sql.ts';
import type { PostgresSchema } from '../support/servers/postgres-schema.ts';
import { figureRows } from './million-figures.ts';
import { columnsOf, END_AT, FIRST_AT, ROWS, type Words } from './million-rows.ts';

const DAY_MS = 86_400_000;
/** Rows per statement: a server ends one that takes too long. */
const PORTION = 100_000;
const FIGURES = 2000;

const WORDS: Words = {
  padded: "lpad(n::text, 8, '0')",
  list: (...values) => `json_build_array(${values.join(', ')})`,
  yes: (condition) => `(${condition})`,
  times: (text, count) => `repeat('${text}', ${count})`,
};

/** Fills the log of a schema that the product has made. Indexes but the key's are made behind the rows. */
export async function seedSchema(schema: PostgresSchema): Promise<void> {
  await schema.query('SET synchronous_commit = off');
  for (let day = FIRST_AT; day < END_AT; day += DAY_MS) {
    const name = `requests_${new Date(day).toISOString().slice(0, 10).replaceAll('-', '')}`;
    await schema.query('SELECT us_partition($1, $2, $3, $4)', ['requests', name, day, day + DAY_MS]);
  }
  const indexes = (await schema.query(
    `SELECT indexname, indexdef FROM pg_indexes WHERE schemaname = current_schema() AND tablename = 'requests' AND indexname <> 'requests_pkey'`,
  )) as [string, string][];
  for (const [name] of indexes) await schema.query(`DROP INDEX ${name}`);
  // The figures of each row are the same, and working them out takes as long as everything else.
  const [[numbersOf]] = (await schema.query("SELECT pg_get_functiondef('us_numbers'::regproc)")) as [[string]];
  await schema.query(
    'CREATE OR REPLACE FUNCTION us_numbers(summary text) RETURNS float8[] LANGUAGE sql IMMUTABLE AS $$ SELECT ARRAY[10, 5, 1200, 30, 1, NULL]::float8[] $$',
  );
  const { summary, ...columns } = columnsOf(WORDS);
  const names = [...Object.keys(columns), 'summary'];
  for (let from = 0; from < ROWS; from += PORTION) {
    await schema.query(`INSERT INTO requests (${names.join(', ')})
      SELECT ${[...Object.values(columns), `(${summary})::text`].join(', ')}
      FROM (SELECT generate_series(${from}::bigint, ${from + PORTION - 1}::bigint) AS n) numbers`);
  }
  await schema.query(numbersOf);
  // As it is shown an index is none of the partitions.
  for (const [, definition] of indexes) await schema.query(definition.replace(' ON ONLY ', ' ON '));
  const rows = figureRows();
  for (let at = 0; at < rows.length; at += FIGURES) {
    await schema.query(REQUESTS_SQL.putFigures, [JSON.stringify(rows.slice(at, at + FIGURES))]);
  }
  await schema.query('ANALYZE requests, figures');
}
