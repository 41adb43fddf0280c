/** The log's records of keyed requests, by key: for `verify-ledger`. Read beside whoever writes the log. */
import type { RequestSummary } from '../../core/record.ts';
import { readSummary } from './record-row.ts';
import type { StateDb } from './state-db.ts';
import type { RequestsSql } from './statements.ts';

/** The records that carry a key’s hash. */
export interface KeyedRecords {
  count(): Promise<number>;
  /** Hash by hash, all of a hash after one another. Rejects as the database does. */
  all(): AsyncIterable<{ readonly keyHash: string; readonly summary: RequestSummary }>;
  close(): Promise<void>;
}

const PAGE = 500;

export function keyedRecords({
  db,
  sql,
}: {
  readonly db: Pick<StateDb, 'read' | 'close'>;
  readonly sql: Pick<RequestsSql, 'countKeyed' | 'nextKeyed'>;
}): KeyedRecords {
  return {
    async count() {
      return Number((await db.read(sql.countKeyed, []))[0]?.[0] ?? 0);
    },
    async *all() {
      let after: readonly (string | number)[] = ['', 0, ''];
      for (;;) {
        const rows = await db.read(sql.nextKeyed, [...after, PAGE]);
        for (const [keyHash, at, id, summary] of rows) {
          yield { keyHash: String(keyHash), summary: readSummary(String(summary)) };
          after = [String(keyHash), Number(at), String(id)];
        }
        if (rows.length < PAGE) return;
      }
    },
    close: () => db.close(),
  };
}
