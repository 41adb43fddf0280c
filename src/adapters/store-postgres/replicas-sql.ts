/** Statements of the processes that share a database: their leases, and the duties that one of them does for all. */

/** Of a column that names a holder: it is gone, or judged so. Its lease running out alone says nothing: somebody must judge. */
export const isGone = (holder: string): string =>
  `NOT EXISTS (SELECT 1 FROM replicas l WHERE l.holder = ${holder} AND NOT l.fenced)`;

export const REPLICAS_SQL = {
  /** Row: holder, lease_until, wall ms, version of the program, newest step it knows, host. */
  join: `INSERT INTO replicas (holder, lease_until, started_at, app_version, schema_known, host)
    SELECT r ->> 0, (r ->> 1)::bigint, (r ->> 2)::bigint, r ->> 3, (r ->> 4)::int, r ->> 5 FROM json_array_elements($1) r
    ON CONFLICT (holder) DO NOTHING`,
  /** Row: holder, lease_until, wall ms. Gives 1 or 0 (it is gone), the others that live, the server's wall ms. */
  renew: `WITH asked AS (SELECT r ->> 0 AS holder, (r ->> 1)::bigint AS until, (r ->> 2)::bigint AS wall FROM json_array_elements($1) r),
    mine AS (UPDATE replicas l SET lease_until = greatest(l.lease_until, a.until) FROM asked a
      WHERE l.holder = a.holder AND NOT l.fenced RETURNING 1)
    SELECT (SELECT count(*) FROM mine),
      (SELECT count(*) FROM replicas l, asked a WHERE l.holder <> a.holder AND NOT l.fenced AND l.lease_until > a.wall),
      us_now()`,
  /** Row: the holder that judges, wall ms. */
  fence: `UPDATE replicas l SET fenced = true FROM json_array_elements($1) r
    WHERE l.holder <> r ->> 0 AND l.lease_until <= (r ->> 1)::bigint AND NOT l.fenced`,
  /** Row: wall ms. Those gone for so long that nothing of theirs is left. */
  forget: `DELETE FROM replicas l USING json_array_elements($1) r WHERE l.fenced AND l.lease_until <= (r ->> 0)::bigint`,
  /** Row: holder. What it held is anybody's. */
  leave: `DELETE FROM replicas l USING json_array_elements($1) r WHERE l.holder = r ->> 0`,
  /** Row: duty, holder, until, wall ms. Gives the duties that are the holder's then. */
  hold: `INSERT INTO duties AS d (name, holder, until)
    SELECT r ->> 0, r ->> 1, (r ->> 2)::bigint FROM json_array_elements($1) r
    ON CONFLICT (name) DO UPDATE SET holder = excluded.holder, until = excluded.until
      WHERE d.holder = excluded.holder OR d.until <= (($1 -> 0) ->> 3)::bigint OR ${isGone('d.holder')}
    RETURNING name`,
} as const;
