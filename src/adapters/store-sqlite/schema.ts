/**
 * Tables of the request log. One row per request: columns that are filtered by, then two JSON texts. `summary` comes
 * before `detail`, so that a list never reads the pages of the long one.
 */

/** Forward only; entry i takes the file from schema i to i + 1. Entries that were released are never edited. */
export const MIGRATIONS: readonly string[] = [
  `CREATE TABLE snapshots (
     id TEXT PRIMARY KEY,
     names TEXT NOT NULL,
     registered_at INTEGER NOT NULL,
     retired_at INTEGER
   ) WITHOUT ROWID;
   CREATE TABLE requests (
     id TEXT NOT NULL UNIQUE,
     at INTEGER NOT NULL,
     workspace TEXT NOT NULL,
     key TEXT,
     requested_model TEXT,
     served_model TEXT,
     status INTEGER NOT NULL,
     outcome TEXT NOT NULL,
     degraded INTEGER NOT NULL,
     failover INTEGER NOT NULL,
     idempotency TEXT,
     snapshot TEXT,
     summary TEXT NOT NULL,
     detail TEXT NOT NULL
   );
   CREATE INDEX requests_by_time ON requests (at, id);
   CREATE INDEX requests_by_key ON requests (key, at, id);
   CREATE INDEX requests_by_requested ON requests (requested_model, at, id);
   CREATE INDEX requests_by_served ON requests (served_model, at, id);
   CREATE INDEX requests_unsuccessful ON requests (at, id) WHERE outcome <> 'success';
   CREATE INDEX requests_by_idempotency ON requests (idempotency, at, id) WHERE idempotency IS NOT NULL;
   CREATE INDEX requests_failed_over ON requests (at, id) WHERE failover = 1;
   CREATE INDEX requests_degraded ON requests (at, id) WHERE degraded = 1;`,
  `CREATE TABLE setup_parts (
     id TEXT PRIMARY KEY,
     content TEXT NOT NULL,
     used_at INTEGER NOT NULL
   ) WITHOUT ROWID;`,
  // A workspace's admin lists its own among everybody's.
  'CREATE INDEX requests_by_workspace ON requests (workspace, at, id);',
  // Rows of before keep null: their virtual model stands in `summary` alone.
  `ALTER TABLE requests ADD COLUMN virtual_model TEXT;
   CREATE INDEX requests_by_virtual ON requests (virtual_model, at, id) WHERE virtual_model IS NOT NULL;`,
  // The row of grain 0: requests of before are in no figures.
  `CREATE TABLE figures (
     grain INTEGER NOT NULL,
     scope TEXT NOT NULL,
     slot INTEGER NOT NULL,
     part TEXT NOT NULL,
     body TEXT NOT NULL,
     PRIMARY KEY (grain, scope, slot, part)
   );
   CREATE INDEX figures_by_slot ON figures (slot);
   INSERT INTO figures SELECT 0, '', CAST(unixepoch('subsec') * 1000 AS INTEGER), '', ''
     WHERE EXISTS (SELECT 1 FROM requests);`,
];

/** Parameters: wall ms, at most so many rows. */
export const DELETE_OLD_REQUESTS = `DELETE FROM requests WHERE rowid IN
  (SELECT rowid FROM requests WHERE at < ? ORDER BY at LIMIT ?)`;

/** Parameters: wall ms, at most so many rows. */
export const DELETE_OLD_FIGURES = `DELETE FROM figures WHERE rowid IN
  (SELECT rowid FROM figures WHERE slot < ? LIMIT ?)`;

/** Parameter: wall ms. */
export const DELETE_OLD_SNAPSHOTS = `DELETE FROM snapshots WHERE retired_at < ?`;

/** Parameter: wall ms. */
export const DELETE_OLD_SETUP_PARTS = `DELETE FROM setup_parts WHERE used_at < ?`;

/** How long a lock of another process is waited for. On the SQL thread, so nobody else waits. */
const BUSY_TIMEOUT = 'PRAGMA busy_timeout = 2000';

/** A usual record takes 2.5 KiB: three fit, where a page of 4 KiB would hold one and waste the rest. */
const PAGE_BYTES = 8192;

/**
 * Connection settings of the writer. `synchronous = FULL`: what was answered survives a power cut; group commit makes
 * it one fsync per batch. `maxBytes` bounds the file; null = the disk does.
 */
export function writerSetup(maxBytes: number | null): readonly string[] {
  const bound = maxBytes === null ? [] : [`PRAGMA max_page_count = ${Math.max(1, Math.floor(maxBytes / PAGE_BYTES))}`];
  return [
    BUSY_TIMEOUT,
    // These two before anything writes the first page: later they have no effect, and pruning gives no space back.
    `PRAGMA page_size = ${PAGE_BYTES}`,
    'PRAGMA auto_vacuum = INCREMENTAL',
    'PRAGMA journal_mode = WAL',
    'PRAGMA synchronous = FULL',
    'PRAGMA journal_size_limit = 67108864',
    // Each checkpoint writes every touched page again: four times rarer, and the log still ends at 32 MiB.
    'PRAGMA wal_autocheckpoint = 4000',
    ...bound,
  ];
}

/** Connection settings of readers. */
export const READER_SETUP: readonly string[] = [BUSY_TIMEOUT, 'PRAGMA query_only = 1'];
