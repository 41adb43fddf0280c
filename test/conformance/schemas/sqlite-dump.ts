/** A whole SQLite file as text that makes it anew. */
import Database from 'libsql';

type Row = readonly (string | number | null)[];

export function dumpFile(path: string): string {
  const db = new Database(path);
  try {
    const all = (sql: string) => db.prepare(sql).raw().all() as unknown as readonly Row[];
    const made = all(
      "SELECT type, name, sql FROM sqlite_master WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite_%' ORDER BY rowid",
    );
    const tables = made.filter(([type]) => type === 'table').map(([, name]) => String(name));
    const rows = tables.flatMap((table) => {
      const columns = all(`PRAGMA table_info(${table})`).map(([, name]) => `quote("${name}")`);
      const found = all(`SELECT ${columns.join(', ')} FROM ${table}`);
      return found.map((row) => `INSERT INTO ${table} VALUES (${row.join(', ')});`);
    });
    const [[version = 0] = []] = all('PRAGMA user_version');
    const text = (kinds: readonly string[]) =>
      made.filter(([type]) => kinds.includes(String(type))).map(([, , sql]) => `${sql};`);
    return [...text(['table']), ...rows, ...text(['index', 'trigger']), `PRAGMA user_version = ${version};`, ''].join(
      '\n',
    );
  } finally {
    db.close();
  }
}

/** Makes the file that `dump` is of. */
export function restoreFile(path: string, dump: string): void {
  const db = new Database(path);
  db.exec(dump);
  db.close();
}
