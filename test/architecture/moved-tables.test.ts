/** A migration leaves no table of a data folder behind without a word. */
import Database from 'libsql';
import { describe, expect, it } from 'vitest';
import { MOVED_TABLES } from '../../src/adapters/store-move/tables.ts';
import { MIGRATIONS } from '../../src/adapters/store-sqlite/schema.ts';
import { STATE_MIGRATIONS } from '../../src/adapters/store-sqlite/state-schema.ts';

/** Tables that stay, and why. */
const STAYS: Readonly<Record<string, string>> = {
  reservations: 'what a stopped gateway held of balances is free again',
  audit_retention: 'zero outside a transaction',
  sessions: 'people sign in to the console again, at its new address',
};

describe.each([
  ['state', STATE_MIGRATIONS],
  ['log', MIGRATIONS],
] as const)('the %s', (file, migrations) => {
  const db = new Database(':memory:');
  for (const step of migrations) db.exec(step);
  const names = (sql: string): string[] => (db.prepare(sql).all() as { name: string }[]).map(({ name }) => name);
  const tables = names("SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'");
  const moved = MOVED_TABLES.filter((table) => table.file === file);

  it('every table moves, or stays for a reason', () => {
    const known = [...moved.map(({ name }) => name), ...Object.keys(STAYS).filter((name) => tables.includes(name))];
    expect(known.sort()).toEqual(tables.sort());
  });

  it.each(moved.map((table) => [table.name, table] as const))('%s moves with every column', (name, table) => {
    expect(table.columns.map(([column]) => column).sort()).toEqual(
      names(`SELECT name FROM pragma_table_info('${name}')`).sort(),
    );
    expect(table.columns.map(([column]) => column)).toEqual(expect.arrayContaining([...table.by]));
  });
});
