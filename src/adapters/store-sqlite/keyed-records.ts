/** The log's records of keyed requests, by key: for `verify-ledger`. Read beside whoever writes the log. */
import type { RequestSummary } from '../../core/record.ts';
import type { Clock } from '../../ports/clock.ts';
import { readSummary } from './record-row.ts';
import { READER_SETUP } from './schema.ts';
import { SqlThread } from './sql-thread.ts';

/** The records that carry a key’s hash. */
export interface KeyedRecords {
  count(): Promise<number>;
  /** Hash by hash, all of a hash after one another. Rejects with `SqlError`. */
  all(): AsyncIterable<{ readonly keyHash: string; readonly summary: RequestSummary }>;
  close(): Promise<void>;
}

const PAGE = 500;

const COUNT = 'SELECT count(*) FROM requests WHERE idempotency IS NOT NULL';
const NEXT = `SELECT idempotency, at, id, summary FROM requests
  WHERE idempotency IS NOT NULL AND (idempotency, at, id) > (?, ?, ?) ORDER BY idempotency, at, id LIMIT ?`;

/** `path`: the log’s file, which must exist. */
export function openKeyedRecords(path: string, clock: Clock): KeyedRecords {
  const thread = new SqlThread({ settings: { path, mode: 'reader', setup: READER_SETUP, migrations: [] }, clock });
  return {
    async count() {
      const { rows } = await thread.call({ op: 'read', sql: COUNT, params: [] });
      return Number(rows[0]?.[0] ?? 0);
    },
    async *all() {
      let after: readonly (string | number)[] = ['', 0, ''];
      for (;;) {
        const { rows } = await thread.call({ op: 'read', sql: NEXT, params: [...after, PAGE] });
        for (const [keyHash, at, id, summary] of rows) {
          yield { keyHash: String(keyHash), summary: readSummary(String(summary)) };
          after = [String(keyHash), Number(at), String(id)];
        }
        if (rows.length < PAGE) return;
      }
    },
    close: () => thread.close(),
  };
}
