/** Events and their deliveries on SQLite. */
import type { OutboxSql } from '../store-sql/outbox.ts';
import { DELIVERY_COLUMNS } from '../store-sql/outbox-rows.ts';

/** `fresh`: 1 = never taken, and may still be told with others; 2 = taken for the first time; 0 = it may have been sent. `holder`, `lease`, `leased_until`: who carries it out now. */
export const OUTBOX_TABLES = `CREATE TABLE events (
     id TEXT PRIMARY KEY,
     at INTEGER NOT NULL,
     type TEXT NOT NULL,
     workspace TEXT,
     request_id TEXT,
     data TEXT NOT NULL
   ) WITHOUT ROWID;
   CREATE INDEX events_by_time ON events (at);
   CREATE TABLE deliveries (
     ix INTEGER PRIMARY KEY AUTOINCREMENT,
     id TEXT NOT NULL UNIQUE,
     hook TEXT NOT NULL,
     workspace TEXT,
     event_ids TEXT NOT NULL,
     types TEXT NOT NULL,
     state TEXT NOT NULL,
     fresh INTEGER NOT NULL,
     tries INTEGER NOT NULL,
     next_at INTEGER,
     holder TEXT,
     lease INTEGER,
     leased_until INTEGER,
     status INTEGER,
     answer TEXT,
     took_ms INTEGER,
     at INTEGER NOT NULL,
     done_at INTEGER
   );
   CREATE INDEX deliveries_due ON deliveries (next_at) WHERE state = 'waiting';
   CREATE INDEX deliveries_waiting ON deliveries (hook, ix) WHERE state = 'waiting';
   CREATE INDEX deliveries_by_hook ON deliveries (hook, ix);
   CREATE INDEX deliveries_done ON deliveries (done_at) WHERE done_at IS NOT NULL`;

const SHOWN = DELIVERY_COLUMNS.join(', ');

export const OUTBOX_SQL: OutboxSql = {
  addEvent: 'INSERT INTO events (id, at, type, workspace, request_id, data) VALUES (?, ?, ?, ?, ?, ?)',
  addDelivery: `INSERT INTO deliveries (id, hook, workspace, event_ids, types, state, fresh, tries, at, next_at)
    VALUES (?, ?, ?, ?, ?, 'waiting', 1, 0, ?, ?)`,
  // One process has the file alone: what another one had taken is nobody's any more.
  take: `WITH asked (holder, lease, until, wall, busy, most) AS (VALUES (?, ?, ?, ?, ?, ?)),
    due AS (SELECT one.ix, one.next_at, ROW_NUMBER() OVER (PARTITION BY one.hook ORDER BY one.next_at, one.ix) AS place
      FROM deliveries AS one, asked
      WHERE one.state = 'waiting' AND one.next_at <= asked.wall
        AND (one.holder IS NULL OR one.holder <> asked.holder OR one.leased_until <= asked.wall)
        AND one.hook NOT IN (SELECT value FROM json_each(asked.busy)))
    UPDATE deliveries SET (holder, lease, leased_until) = (SELECT holder, lease, until FROM asked),
      fresh = CASE fresh WHEN 1 THEN 2 ELSE 0 END
    WHERE ix IN (SELECT ix FROM due WHERE place = 1 ORDER BY next_at, ix LIMIT (SELECT most FROM asked))`,
  taken: `SELECT id, hook, workspace, tries, at, event_ids, types, fresh FROM deliveries
    WHERE state = 'waiting' AND holder = ? AND lease = ? ORDER BY next_at, ix`,
  fresh: `SELECT id, event_ids, types FROM deliveries
    WHERE state = 'waiting' AND hook = ? AND workspace IS ? AND fresh = 1 AND holder IS NULL
    ORDER BY ix LIMIT ?`,
  absorb: `UPDATE deliveries SET event_ids = ?, types = ? WHERE id = ? AND holder = ? AND state = 'waiting'`,
  absorbed: `DELETE FROM deliveries WHERE id = ? AND state = 'waiting' AND fresh = 1 AND holder IS NULL`,
  events: `SELECT id, at, type, workspace, request_id, data FROM events
    WHERE id IN (SELECT value FROM json_each(?))`,
  nextDue: `SELECT MIN(CASE WHEN holder IS NULL THEN next_at ELSE leased_until END) FROM deliveries
    WHERE state = 'waiting' AND hook NOT IN (SELECT value FROM json_each(?))`,
  waiting: `SELECT hook, COUNT(*) FROM deliveries WHERE state = 'waiting' GROUP BY hook`,
  settle: `UPDATE deliveries SET state = ?, next_at = ?, status = ?, answer = ?, took_ms = ?, done_at = ?, fresh = 0,
      tries = tries + 1, holder = NULL, lease = NULL, leased_until = NULL
    WHERE id = ? AND state = 'waiting' AND holder = ?`,
  replay: `UPDATE deliveries SET state = 'waiting', next_at = ?, done_at = NULL, fresh = 0, tries = 0, holder = NULL,
      lease = NULL, leased_until = NULL
    WHERE id = ? AND (holder IS NULL OR leased_until <= ?)`,
  giveUp: `UPDATE deliveries SET state = 'given_up', next_at = NULL, answer = ?, done_at = ?, fresh = 0, holder = NULL,
      lease = NULL, leased_until = NULL
    WHERE hook = ? AND state = 'waiting'`,
  delivery: `SELECT ${SHOWN} FROM deliveries WHERE id = ?`,
  list({ hook, workspace, state }, before, limit) {
    const asked = Object.entries({ workspace, state }).filter(([, value]) => value !== undefined);
    const conditions = asked.map(([column]) => ` AND ${column} = ?`).join('');
    return {
      sql: `SELECT ${SHOWN} FROM deliveries WHERE hook = ? AND ix < ?${conditions} ORDER BY ix DESC LIMIT ?`,
      params: [hook, before, ...asked.map(([, value]) => value ?? null), limit],
    };
  },
  pruneEvents: 'DELETE FROM events WHERE id IN (SELECT id FROM events WHERE at < ? ORDER BY at LIMIT ?)',
  pruneDeliveries: `DELETE FROM deliveries WHERE ix IN
    (SELECT ix FROM deliveries WHERE done_at IS NOT NULL AND done_at < ? ORDER BY done_at LIMIT ?)`,
};
