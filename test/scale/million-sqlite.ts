/** A million requests in an SQLite file. */
import Database from 'libsql';
import { openRecordStore } from '../../src/adapters/store-sqlite/open-record-store.ts';
import { REQUESTS_SQL } from '../../src/adapters/store-sqlite/requests-sql.ts';
import { systemClock } from '../../src/adapters/system-clock.ts';
import { figureRows } from './million-figures.ts';
import { columnsOf, ROWS, type Words } from './million-rows.ts';

const WORDS: Words = {
  padded: "printf('%08d', n)",
  list: (...values) => `json_array(${values.join(', ')})`,
  yes: (condition) => `(${condition})`,
  times: (text, count) => `replace(hex(zeroblob(${count})), '00', '${text}')`,
};

/** Makes the file, with the schema as the product makes it. Indexes are made behind the rows: that takes a third of the time. */
export async function seedFile(path: string): Promise<void> {
  await (await openRecordStore({ path, queueLimit: 10, clock: systemClock })).close();
  const db = new Database(path);
  db.exec('PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA cache_size = -200000');
  const indexes = db
    .prepare("SELECT name, sql FROM sqlite_master WHERE tbl_name = 'requests' AND type = 'index' AND sql IS NOT NULL")
    .all() as { name: string; sql: string }[];
  for (const { name } of indexes) db.exec(`DROP INDEX ${name}`);
  const columns = columnsOf(WORDS);
  db.exec(`INSERT INTO requests (${Object.keys(columns).join(', ')})
    WITH RECURSIVE numbers(n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM numbers WHERE n < ${ROWS - 1})
    SELECT ${Object.values(columns).join(', ')} FROM numbers`);
  for (const { sql } of indexes) db.exec(sql);
  const put = db.prepare(REQUESTS_SQL.putFigures);
  db.exec('BEGIN');
  for (const row of figureRows()) put.run(row);
  db.exec('COMMIT');
  db.exec('PRAGMA journal_mode = WAL');
  db.close();
}
