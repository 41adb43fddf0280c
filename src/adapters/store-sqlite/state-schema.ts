/**
 * Tables of the state (`state.db`): configuration objects, the money ledger, counters of limits, idempotency keys. Amounts of money are
 * whole nano-dollars in 64 bits, more than a JavaScript number holds: they are written as text (`INTEGER` takes it
 * exactly) and read by `CAST(… AS TEXT)`.
 */

import { AUDIT_TABLES } from './audit-sql.ts';
import { BOUND_STATE_TABLE } from './bound-sql.ts';
import { KEYS_IN_ORDER } from './keys-in-order.ts';
import { JOBS_BY_KEY, JOBS_OF_HOLDERS, LADDER_TABLES } from './ladder-schema.ts';
import { OUTBOX_TABLES } from './outbox-sql.ts';
import { SESSIONS_TABLE } from './sessions-sql.ts';
import { SIGNALS_TABLE } from './signals-sql.ts';

/** Forward only; entry i takes the file from schema i to i + 1. Entries that were released are never edited. */
export const STATE_MIGRATIONS: readonly string[] = [
  // `body`: JSON as in the configuration file, secrets sealed or hashed. `ix` keeps the order in which they were made.
  `CREATE TABLE objects (
     ix INTEGER PRIMARY KEY AUTOINCREMENT,
     kind TEXT NOT NULL,
     name TEXT NOT NULL,
     body TEXT NOT NULL,
     version INTEGER NOT NULL,
     created_at INTEGER NOT NULL,
     updated_at INTEGER NOT NULL,
     updated_by TEXT NOT NULL,
     UNIQUE (kind, name)
   );
   CREATE TABLE ledger_entries (
     ix INTEGER PRIMARY KEY AUTOINCREMENT,
     id TEXT NOT NULL UNIQUE,
     workspace TEXT NOT NULL,
     kind TEXT NOT NULL,
     amount INTEGER NOT NULL,
     at INTEGER NOT NULL,
     attempt_id TEXT,
     note TEXT,
     made_by TEXT NOT NULL
   );
   CREATE INDEX ledger_by_workspace ON ledger_entries (workspace, ix);
   CREATE UNIQUE INDEX ledger_one_charge ON ledger_entries (attempt_id) WHERE kind = 'charge';
   CREATE TABLE reservations (
     attempt_id TEXT PRIMARY KEY,
     workspace TEXT NOT NULL,
     amount INTEGER NOT NULL,
     at INTEGER NOT NULL
   ) WITHOUT ROWID;
   CREATE TABLE period_counters (
     kind TEXT NOT NULL,
     id TEXT NOT NULL,
     period TEXT NOT NULL,
     start INTEGER NOT NULL,
     requests INTEGER NOT NULL,
     tokens INTEGER NOT NULL,
     spend INTEGER NOT NULL,
     told INTEGER NOT NULL,
     PRIMARY KEY (kind, id, period)
   ) WITHOUT ROWID`,
  // `version` grows with every change; whoever writes names the one it read. `pending`: held, or attempts still open.
  // `sealed`: status, headers and body of the success, encrypted; in a table of its own, so that no page of it is read
  // where only the state is asked for.
  `CREATE TABLE idempotency_keys (
     key_hash TEXT NOT NULL,
     scope TEXT NOT NULL,
     version INTEGER NOT NULL,
     pending INTEGER NOT NULL,
     state TEXT NOT NULL,
     fingerprint TEXT NOT NULL,
     released INTEGER NOT NULL,
     life INTEGER NOT NULL,
     round INTEGER NOT NULL,
     attempts INTEGER NOT NULL,
     open_attempts INTEGER NOT NULL,
     maybe_executed INTEGER NOT NULL,
     max_attempts INTEGER NOT NULL,
     request_id TEXT NOT NULL,
     holder TEXT NOT NULL,
     lease_until INTEGER,
     began_at INTEGER NOT NULL,
     expires_at INTEGER NOT NULL,
     failure TEXT,
     digest TEXT,
     answer_stored INTEGER NOT NULL,
     delivered INTEGER NOT NULL,
     PRIMARY KEY (key_hash, scope)
   ) WITHOUT ROWID;
   CREATE INDEX idempotency_pending ON idempotency_keys (pending) WHERE pending = 1;
   CREATE INDEX idempotency_expiry ON idempotency_keys (expires_at);
   CREATE TABLE idempotency_attempts (
     key_hash TEXT NOT NULL,
     scope TEXT NOT NULL,
     attempt_id TEXT NOT NULL,
     round INTEGER NOT NULL,
     no INTEGER NOT NULL,
     target TEXT NOT NULL,
     started_at INTEGER NOT NULL,
     ended_at INTEGER,
     result TEXT,
     maybe_executed INTEGER NOT NULL,
     PRIMARY KEY (key_hash, scope, attempt_id)
   ) WITHOUT ROWID;
   CREATE TABLE idempotency_answers (
     key_hash TEXT NOT NULL,
     scope TEXT NOT NULL,
     seal_key TEXT NOT NULL,
     sealed BLOB NOT NULL,
     UNIQUE (key_hash, scope)
   )`,
  LADDER_TABLES,
  JOBS_BY_KEY,
  BOUND_STATE_TABLE,
  KEYS_IN_ORDER,
  JOBS_OF_HOLDERS,
  `${AUDIT_TABLES};
   ${OUTBOX_TABLES}`,
  SIGNALS_TABLE,
  SESSIONS_TABLE,
];

/** Connection settings. `synchronous = FULL`: what was answered survives a power cut. `maxBytes`: null = the disk's. */
export function stateSetup(maxBytes: number | null): readonly string[] {
  const bound = maxBytes === null ? [] : [`PRAGMA max_page_count = ${Math.max(1, Math.floor(maxBytes / 4096))}`];
  return [
    // How long a lock of another program (a backup) is waited for. On the SQL thread, so nobody else waits.
    'PRAGMA busy_timeout = 2000',
    'PRAGMA page_size = 4096',
    'PRAGMA journal_mode = WAL',
    'PRAGMA synchronous = FULL',
    // What a burst of reservations made it grow to is given back.
    'PRAGMA journal_size_limit = 16777216',
    // Pages that are written again and again go into the file once; as long as the limit above.
    'PRAGMA wal_autocheckpoint = 4000',
    ...bound,
  ];
}
