/** Signals on PostgreSQL (O-4). Rows that change every ten seconds change in place. */
import type { SignalsSql } from '../store-sql/signals.ts';

export const SIGNALS_TABLE = `
  CREATE TABLE signals (
    kind text NOT NULL,
    slot bigint NOT NULL,
    holder text NOT NULL,
    told_at bigint NOT NULL,
    body text NOT NULL,
    PRIMARY KEY (kind, slot, holder)
  ) WITH (fillfactor = 50);`;

export const SIGNALS_SQL: SignalsSql = {
  put: `INSERT INTO signals (kind, slot, holder, told_at, body)
    SELECT r ->> 0, (r ->> 1)::bigint, r ->> 2, (r ->> 3)::bigint, r ->> 4 FROM json_array_elements($1) r
    ON CONFLICT (kind, slot, holder) DO UPDATE SET told_at = excluded.told_at, body = excluded.body`,
  read: 'SELECT body FROM signals WHERE kind = $1 AND slot >= $2 AND slot < $3 AND told_at >= $4',
  prune: 'DELETE FROM signals s USING json_array_elements($1) r WHERE s.told_at < (r ->> 0)::bigint',
};
