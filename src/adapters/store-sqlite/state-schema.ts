/**
 * Tables of the state (`state.db`): configuration objects, the money ledger, counters of limits. Amounts of money are
 * whole nano-dollars in 64 bits, more than a JavaScript number holds: they are written as text (`INTEGER` takes it
 * exactly) and read by `CAST(… AS TEXT)`.
 */

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
    ...bound,
  ];
}
