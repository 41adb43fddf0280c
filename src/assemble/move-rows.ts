/** One table's rows: from one side to the other, and compared. */
import { asStored, type PostgresTarget } from '../adapters/store-move/postgres-target.ts';
import { pages, type Side } from '../adapters/store-move/side.ts';
import { TableDigest } from '../adapters/store-move/table-digest.ts';
import type { MovedTable } from '../adapters/store-move/tables.ts';

type Tell = (rows: number) => void;

/** Goes on where an earlier try ended. */
export async function copyTable(from: Side, to: PostgresTarget, table: MovedTable, tell: Tell): Promise<void> {
  for await (const rows of pages(from, table, await to.reached(table))) {
    await to.put(table, rows.map(asStored));
    tell(rows.length);
  }
}

export interface Compared {
  readonly table: string;
  readonly source: Pick<TableDigest, 'rows' | 'sum'>;
  readonly target: Pick<TableDigest, 'rows' | 'sum'>;
  readonly same: boolean;
}

export async function compareTable(from: Side, to: Side, table: MovedTable, tell: Tell): Promise<Compared> {
  const source = await digestOf(from, table, tell);
  const target = await digestOf(to, table, () => undefined);
  return { table: table.name, source, target, same: source.rows === target.rows && source.sum === target.sum };
}

async function digestOf(side: Side, table: MovedTable, tell: Tell): Promise<TableDigest> {
  const digest = new TableDigest();
  for await (const rows of pages(side, table, null)) {
    for (const row of rows) digest.add(asStored(row));
    tell(rows.length);
  }
  return digest;
}
