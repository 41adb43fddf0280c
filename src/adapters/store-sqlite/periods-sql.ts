/** Statements of the limits' period counters in `state.db`. */
import type { PeriodsSql } from '../store-sql/statements.ts';

/** What there is of the period that is added to. */
const known = (column: string): string => `iif(known.start = excluded.start, known.${column}, 0)`;
const sum = (column: string): string => `${column} = ${known(column)} + excluded.${column}`;

export const PERIODS_SQL: PeriodsSql = {
  alone: true,
  load: `SELECT kind, id, period, start, requests, tokens, CAST(spend AS TEXT), told
    FROM period_counters WHERE start >= ?`,
  forget: 'DELETE FROM period_counters WHERE start < ?',
  // The text of an amount is made a number before anything is added to it.
  add: `INSERT INTO period_counters AS known (kind, id, period, start, requests, tokens, spend, told)
    VALUES (?1, ?2, ?3, ?4, ?5, ?6, CAST(?7 AS INTEGER), ?8)
    ON CONFLICT (kind, id, period) DO UPDATE SET start = excluded.start, ${sum('requests')}, ${sum('tokens')}, ${sum('spend')},
      told = iif(min(excluded.requests, excluded.tokens, excluded.spend) < 0, 0, ${known('told')}) | excluded.told
    WHERE excluded.start >= known.start`,
};
