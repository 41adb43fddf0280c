/** Statements of joins across processes. Both tables are unlogged: a crash of the server empties them, and nothing is lost. */
export const JOINS_SQL = {
  /** Row: hash, scope, round, joiner, 1 = wants bytes, until. Gives the holder of the round; nothing where it is no longer pending. */
  join: `INSERT INTO joins (key_hash, scope, round, joiner, holder, wants_bytes, until)
    SELECT k.key_hash, k.scope, (r ->> 2)::int, r ->> 3, k.holder, r ->> 4 = '1', (r ->> 5)::bigint
    FROM json_array_elements($1) r JOIN idempotency_keys k ON k.key_hash = r ->> 0 AND k.scope = r ->> 1 AND k.pending
    ON CONFLICT (key_hash, scope, round, joiner) DO UPDATE SET until = excluded.until, holder = excluded.holder
    RETURNING holder`,
  /** Row: hash, scope, round, joiner. */
  leave: `DELETE FROM joins j USING json_array_elements($1) r
    WHERE j.key_hash = r ->> 0 AND j.scope = r ->> 1 AND j.round = (r ->> 2)::int AND j.joiner = r ->> 3`,
  /** Params: holder, wall ms. Gives hash, scope, round, joiner, wants bytes. */
  ofHolder: 'SELECT key_hash, scope, round, joiner, wants_bytes FROM joins WHERE holder = $1 AND until > $2',
  /** Row: hash, scope, round, seq, until, sealed. Takes the place of what another life of the key has left. */
  push: `INSERT INTO spool_parts (key_hash, scope, round, seq, until, sealed)
    SELECT r ->> 0, r ->> 1, (r ->> 2)::int, (r ->> 3)::int, (r ->> 4)::bigint, us_bytes($2, r -> 5) FROM json_array_elements($1) r
    ON CONFLICT (key_hash, scope, round, seq) DO UPDATE SET until = excluded.until, sealed = excluded.sealed`,
  /** Params: hash, scope, round, the first seq that is wanted, at most so many. Gives seq, sealed. */
  parts: `SELECT seq, sealed FROM spool_parts WHERE key_hash = $1 AND scope = $2 AND round = $3 AND seq >= $4
    ORDER BY seq LIMIT $5`,
  /** Row: hash, scope, round. */
  drop: `DELETE FROM spool_parts p USING json_array_elements($1) r
    WHERE p.key_hash = r ->> 0 AND p.scope = r ->> 1 AND p.round = (r ->> 2)::int`,
  /** Rows: wall ms. */
  expireParts: 'DELETE FROM spool_parts p USING json_array_elements($1) r WHERE p.until <= (r ->> 0)::bigint',
  expireJoins: 'DELETE FROM joins j USING json_array_elements($1) r WHERE j.until <= (r ->> 0)::bigint',
} as const;
