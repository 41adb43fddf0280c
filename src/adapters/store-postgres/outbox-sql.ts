/** Events and their deliveries on PostgreSQL. What a living process has taken is left alone. */
import type { OutboxSql } from '../store-sql/outbox.ts';
import { DELIVERY_COLUMNS } from '../store-sql/outbox-rows.ts';
import { isGone } from './replicas-sql.ts';

/** `fresh`: 1 = never taken, and may still be told with others; 2 = taken for the first time; 0 = it may have been sent. `holder`, `lease`, `leased_until`: who carries it out now. */
export const OUTBOX_TABLES = `
  CREATE TABLE events (
    id text PRIMARY KEY,
    at bigint NOT NULL,
    type text NOT NULL,
    workspace text,
    request_id text,
    data text NOT NULL
  );
  CREATE INDEX events_by_time ON events (at);
  CREATE TABLE deliveries (
    ix bigserial PRIMARY KEY,
    id text NOT NULL UNIQUE,
    hook text NOT NULL,
    workspace text,
    event_ids text NOT NULL,
    types text NOT NULL,
    state text NOT NULL,
    fresh int NOT NULL,
    tries int NOT NULL,
    next_at bigint,
    holder text,
    lease bigint,
    leased_until bigint,
    status int,
    answer text,
    took_ms bigint,
    at bigint NOT NULL,
    done_at bigint
  );
  CREATE INDEX deliveries_due ON deliveries (next_at) WHERE state = 'waiting';
  CREATE INDEX deliveries_waiting ON deliveries (hook, ix) WHERE state = 'waiting';
  CREATE INDEX deliveries_by_hook ON deliveries (hook, ix);
  CREATE INDEX deliveries_done ON deliveries (done_at) WHERE done_at IS NOT NULL;`;

const SHOWN = DELIVERY_COLUMNS.join(', ');
const NOBODYS = 'holder = NULL, lease = NULL, leased_until = NULL';
/** Of delivery `d`, at `a.wall`: whoever has taken it has given up, or is gone. */
const isFree = (d: string): string =>
  `(${d}.holder IS NULL OR ${d}.leased_until <= a.wall OR ${isGone(`${d}.holder`)})`;

export const OUTBOX_SQL: OutboxSql = {
  addEvent: `INSERT INTO events (id, at, type, workspace, request_id, data)
    SELECT r ->> 0, (r ->> 1)::bigint, r ->> 2, r ->> 3, r ->> 4, r ->> 5 FROM json_array_elements($1) r`,
  addDelivery: `INSERT INTO deliveries (id, hook, workspace, event_ids, types, state, fresh, tries, at, next_at)
    SELECT r ->> 0, r ->> 1, r ->> 2, r ->> 3, r ->> 4, 'waiting', 1, 0, (r ->> 5)::bigint, (r ->> 6)::bigint
    FROM json_array_elements($1) r`,
  // Of each hook one at a time, whichever process carries it out.
  take: `WITH a AS (SELECT r ->> 0 AS holder, (r ->> 1)::bigint AS lease, (r ->> 2)::bigint AS until, (r ->> 3)::bigint AS wall,
        (r ->> 4)::json AS busy FROM json_array_elements($1) r),
    due AS (SELECT DISTINCT ON (d.hook) d.ix, d.next_at FROM deliveries d, a
      WHERE d.state = 'waiting' AND d.next_at <= a.wall AND ${isFree('d')}
        AND d.hook NOT IN (SELECT json_array_elements_text(a.busy))
        AND NOT EXISTS (SELECT 1 FROM deliveries o
          WHERE o.state = 'waiting' AND o.hook = d.hook AND o.holder <> a.holder AND NOT ${isFree('o')})
      ORDER BY d.hook, d.next_at, d.ix),
    free AS (SELECT d.ix FROM deliveries d JOIN due ON due.ix = d.ix, a WHERE d.state = 'waiting' AND ${isFree('d')}
      ORDER BY due.next_at, d.ix LIMIT ($1 -> 0 ->> 5)::int FOR UPDATE OF d SKIP LOCKED)
    UPDATE deliveries d SET holder = a.holder, lease = a.lease, leased_until = a.until,
      fresh = CASE d.fresh WHEN 1 THEN 2 ELSE 0 END
    FROM free, a WHERE d.ix = free.ix`,
  taken: `SELECT id, hook, workspace, tries, at, event_ids, types, fresh FROM deliveries
    WHERE state = 'waiting' AND holder = $1 AND lease = $2 ORDER BY next_at, ix`,
  fresh: `SELECT id, event_ids, types FROM deliveries
    WHERE state = 'waiting' AND hook = $1 AND workspace IS NOT DISTINCT FROM $2 AND fresh = 1 AND holder IS NULL
    ORDER BY ix LIMIT $3`,
  absorb: `UPDATE deliveries d SET event_ids = r ->> 0, types = r ->> 1 FROM json_array_elements($1) r
    WHERE d.id = r ->> 2 AND d.holder = r ->> 3 AND d.state = 'waiting'`,
  absorbed: `DELETE FROM deliveries d USING json_array_elements($1) r
    WHERE d.id = r ->> 0 AND d.state = 'waiting' AND d.fresh = 1 AND d.holder IS NULL`,
  events: `SELECT id, at, type, workspace, request_id, data FROM events
    WHERE id IN (SELECT json_array_elements_text($1::json))`,
  nextDue: `SELECT min(CASE WHEN holder IS NULL THEN next_at ELSE leased_until END) FROM deliveries
    WHERE state = 'waiting' AND hook NOT IN (SELECT json_array_elements_text($1::json))`,
  waiting: `SELECT hook, COUNT(*) FROM deliveries WHERE state = 'waiting' GROUP BY hook`,
  settle: `UPDATE deliveries d SET state = r ->> 0, next_at = (r ->> 1)::bigint, status = (r ->> 2)::int, answer = r ->> 3,
      took_ms = (r ->> 4)::bigint, done_at = (r ->> 5)::bigint, fresh = 0, tries = d.tries + 1, ${NOBODYS}
    FROM json_array_elements($1) r WHERE d.id = r ->> 6 AND d.state = 'waiting' AND d.holder = r ->> 7`,
  replay: `UPDATE deliveries d SET state = 'waiting', next_at = (r ->> 0)::bigint, done_at = NULL, fresh = 0, tries = 0, ${NOBODYS}
    FROM json_array_elements($1) r WHERE d.id = r ->> 1 AND (d.holder IS NULL OR d.leased_until <= (r ->> 2)::bigint)`,
  giveUp: `UPDATE deliveries d SET state = 'given_up', next_at = NULL, answer = r ->> 0, done_at = (r ->> 1)::bigint, fresh = 0, ${NOBODYS}
    FROM json_array_elements($1) r WHERE d.hook = r ->> 2 AND d.state = 'waiting'`,
  delivery: `SELECT ${SHOWN} FROM deliveries WHERE id = $1`,
  list({ hook, workspace, state }, before, limit) {
    const asked = Object.entries({ workspace, state }).filter(([, value]) => value !== undefined);
    const conditions = asked.map(([column], index) => ` AND ${column} = $${index + 4}`).join('');
    return {
      sql: `SELECT ${SHOWN} FROM deliveries WHERE hook = $1 AND ix < $2${conditions} ORDER BY ix DESC LIMIT $3`,
      params: [hook, before, limit, ...asked.map(([, value]) => value ?? null)],
    };
  },
  pruneEvents: `DELETE FROM events WHERE id IN (SELECT id FROM events WHERE at < ($1 -> 0 ->> 0)::bigint ORDER BY at
    LIMIT ($1 -> 0 ->> 1)::int)`,
  pruneDeliveries: `DELETE FROM deliveries WHERE ix IN (SELECT ix FROM deliveries
    WHERE done_at IS NOT NULL AND done_at < ($1 -> 0 ->> 0)::bigint ORDER BY done_at LIMIT ($1 -> 0 ->> 1)::int)`,
};
