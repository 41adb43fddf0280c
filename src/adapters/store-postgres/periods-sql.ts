/** Statements of the limits' period counters in PostgreSQL: every process adds what it has counted. */
import type { PeriodsSql } from '../store-sql/statements.ts';

/** What there is of the period that is added to. */
const known = (column: string): string => `CASE WHEN known.start = excluded.start THEN known.${column} ELSE 0 END`;
const sum = (column: string): string => `${column} = ${known(column)} + excluded.${column}`;

export const PERIODS_SQL: PeriodsSql = {
  alone: false,
  load: 'SELECT kind, id, period, start, requests, tokens, spend::text, told FROM period_counters WHERE start >= $1',
  forget: 'DELETE FROM period_counters p USING json_array_elements($1) r WHERE p.start < (r ->> 0)::bigint',
  // In one order, so that processes that add to the same ones do not wait for each other in a ring.
  add: `INSERT INTO period_counters AS known (kind, id, period, start, requests, tokens, spend, told)
    SELECT r ->> 0, r ->> 1, r ->> 2, (r ->> 3)::bigint, (r ->> 4)::bigint, (r ->> 5)::bigint, (r ->> 6)::bigint, (r ->> 7)::int
    FROM json_array_elements($1) r ORDER BY 1, 2, 3
    ON CONFLICT (kind, id, period) DO UPDATE SET start = excluded.start, ${sum('requests')}, ${sum('tokens')}, ${sum('spend')},
      told = CASE WHEN least(excluded.requests, excluded.tokens, excluded.spend) < 0 THEN 0 ELSE ${known('told')} END | excluded.told
    WHERE excluded.start >= known.start
    RETURNING kind, id, period, start, requests, tokens, spend::text, told`,
};
