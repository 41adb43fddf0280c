/**
 * Statements of queued requests in PostgreSQL. What there is of each owner, and of all together, stands in `job_room`, which
 * a trigger keeps: who adds holds the row of all, so that two do not take the same last place.
 */
import type { JobsSql } from '../store-sql/statements.ts';
import { isGone } from './replicas-sql.ts';

export const JOB_ROOM = `
  INSERT INTO job_room (owner, open, bytes) VALUES ('', 0, 0);
  CREATE FUNCTION us_job_room() RETURNS trigger LANGUAGE plpgsql AS $$
    DECLARE
      opened int := 0;
      grown bigint := 0;
      one text := '';
    BEGIN
      IF TG_OP <> 'INSERT' THEN
        opened := opened - (OLD.finished_at IS NULL)::int;
        grown := grown - OLD.size;
        one := OLD.workspace || ' ' || OLD.key;
      END IF;
      IF TG_OP <> 'DELETE' THEN
        opened := opened + (NEW.finished_at IS NULL)::int;
        grown := grown + NEW.size;
        one := NEW.workspace || ' ' || NEW.key;
      END IF;
      IF opened <> 0 OR grown <> 0 THEN
        UPDATE job_room SET open = open + opened, bytes = bytes + grown WHERE owner = '';
        INSERT INTO job_room AS m (owner, open, bytes) VALUES (one, opened, grown)
          ON CONFLICT (owner) DO UPDATE SET open = m.open + excluded.open, bytes = m.bytes + excluded.bytes;
      END IF;
      RETURN NULL;
    END $$;
  CREATE TRIGGER job_room_is_kept AFTER INSERT OR UPDATE OR DELETE ON jobs FOR EACH ROW EXECUTE FUNCTION us_job_room();`;

const COLUMNS = `id, workspace, key, request_id, ref, state, tries, max_tries, strict, cost_left, at, due_at, finished_at,
  expires_at, sealed`;
/** Waits, and its client has been told, or nobody is left to tell him; $1 = who asks. */
const FREE = `finished_at IS NULL AND state = 'waiting' AND (ready OR ${isGone('jobs.holder')}) AND $1::text IS NOT NULL`;
/** No other living process holds it; `asked`: the column of the row that says who asks. */
const nobodyElses = (asked: string): string => `(j.holder = ${asked} OR ${isGone('j.holder')})`;

const FINISH = `UPDATE jobs j SET state = r ->> 1, finished_at = (r ->> 2)::bigint, size = (r ->> 3)::bigint, seal_key = r ->> 4,
    sealed = us_bytes($2, r -> 5), holder = r ->> 6
  FROM json_array_elements($1) r WHERE j.id = r ->> 0 AND j.finished_at IS NULL AND ${nobodyElses('r ->> 6')}`;

/** A row of `job_room` that nobody else changes from now on. */
const heldRoom = (owner: string): string => `SELECT open, bytes FROM job_room WHERE owner = ${owner} FOR UPDATE`;

export const JOBS_SQL: JobsSql = {
  find: `SELECT ${COLUMNS} FROM jobs WHERE id = $1`,
  findByRef: `SELECT ${COLUMNS} FROM jobs WHERE ref = $1`,
  open: `SELECT ${COLUMNS} FROM jobs WHERE finished_at IS NULL ORDER BY due_at, ix`,
  letGo: `UPDATE jobs j SET ref = NULL FROM json_array_elements($1) r WHERE j.ref = r ->> 0 AND j.state = 'failed'`,
  add: `WITH asked AS (SELECT r, (r ->> 11)::bigint AS size FROM json_array_elements($1) r),
    everybody AS (${heldRoom(`''`)}),
    owner AS (${heldRoom(`($1 -> 0 ->> 1) || ' ' || ($1 -> 0 ->> 2)`)}),
    made AS (INSERT INTO jobs (id, workspace, key, request_id, ref, state, tries, max_tries, strict, cost_left, at, due_at,
        expires_at, size, seal_key, sealed, holder, ready)
      SELECT r ->> 0, r ->> 1, r ->> 2, r ->> 3, r ->> 4, 'waiting', 0, (r ->> 5)::int, r ->> 6 = '1', r ->> 7, (r ->> 8)::bigint,
        (r ->> 9)::bigint, (r ->> 10)::bigint, a.size, r ->> 12, us_bytes($2, r -> 13), r ->> 14, false
      FROM asked a, everybody e LEFT JOIN owner o ON true
      WHERE e.open < (r ->> 15)::bigint AND coalesce(o.open, 0) < (r ->> 16)::bigint
        AND e.bytes + a.size <= (r ->> 17)::bigint AND coalesce(o.bytes, 0) + a.size <= (r ->> 18)::bigint
      ON CONFLICT DO NOTHING RETURNING 1)
    SELECT us_expect(count(*), $3) FROM made`,
  release: 'UPDATE jobs j SET ready = true FROM json_array_elements($1) r WHERE j.id = r ->> 0',
  due: `SELECT ${COLUMNS} FROM jobs WHERE ${FREE} AND due_at <= $2 ORDER BY due_at, ix LIMIT $3`,
  orphans: `SELECT ${COLUMNS} FROM jobs
    WHERE finished_at IS NULL AND state = 'running' AND holder IS DISTINCT FROM $1 AND ${isGone('jobs.holder')} AND at <= $2
    ORDER BY due_at, ix LIMIT $3`,
  nextDue: `SELECT min(due_at) FROM jobs WHERE ${FREE} AND due_at > $2`,
  begin: `UPDATE jobs j SET state = 'running', tries = j.tries + (j.state = 'waiting')::int, holder = r ->> 2, ready = true
    FROM json_array_elements($1) r WHERE j.id = r ->> 0 AND j.finished_at IS NULL AND j.expires_at > (r ->> 1)::bigint
      AND (j.ready AND (j.state = 'waiting' OR j.holder = r ->> 2) OR ${isGone('j.holder')})`,
  again: `UPDATE jobs j SET state = 'waiting', due_at = (r ->> 1)::bigint, cost_left = r ->> 2, tries = j.tries - (r ->> 3)::int,
      holder = r ->> 4
    FROM json_array_elements($1) r WHERE j.id = r ->> 0 AND j.state = 'running' AND ${nobodyElses('r ->> 4')}`,
  finish: FINISH,
  finishInRoom: `WITH everybody AS (${heldRoom(`''`)}),
    owner AS (SELECT m.open, m.bytes FROM job_room m JOIN jobs k ON m.owner = k.workspace || ' ' || k.key
      WHERE k.id = $1 -> 0 ->> 0 FOR UPDATE OF m),
    done AS (${FINISH} AND EXISTS (SELECT 1 FROM everybody e, owner o
      WHERE e.bytes - j.size + (r ->> 3)::bigint <= (r ->> 7)::bigint AND o.bytes - j.size + (r ->> 3)::bigint <= (r ->> 8)::bigint)
      RETURNING 1)
    SELECT us_expect(count(*), $3) FROM done`,
  remove: 'DELETE FROM jobs j USING json_array_elements($1) r WHERE j.id = r ->> 0',
  expire: 'DELETE FROM jobs j USING json_array_elements($1) r WHERE j.expires_at <= (r ->> 0)::bigint',
  sealKeys: 'SELECT DISTINCT seal_key FROM jobs',
};
