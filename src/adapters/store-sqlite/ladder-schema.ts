/** Tables of E-4's ladder in `state.db`: kept answers and queued requests. */

/** `sealed`: the answer, encrypted. A later row is a later answer. */
export const LADDER_TABLES = `CREATE TABLE kept_answers (
     ix INTEGER PRIMARY KEY AUTOINCREMENT,
     scope TEXT NOT NULL,
     fingerprint TEXT NOT NULL,
     workspace TEXT NOT NULL,
     at INTEGER NOT NULL,
     expires_at INTEGER NOT NULL,
     size INTEGER NOT NULL,
     seal_key TEXT NOT NULL,
     sealed BLOB NOT NULL,
     UNIQUE (scope, fingerprint)
   );
   CREATE INDEX kept_by_workspace ON kept_answers (workspace, ix, size);
   CREATE INDEX kept_expiry ON kept_answers (expires_at);
   CREATE TABLE jobs (
     ix INTEGER PRIMARY KEY,
     id TEXT NOT NULL UNIQUE,
     workspace TEXT NOT NULL,
     key TEXT NOT NULL,
     request_id TEXT NOT NULL,
     ref TEXT UNIQUE,
     state TEXT NOT NULL,
     tries INTEGER NOT NULL,
     max_tries INTEGER NOT NULL,
     strict INTEGER NOT NULL,
     cost_left TEXT,
     at INTEGER NOT NULL,
     due_at INTEGER NOT NULL,
     finished_at INTEGER,
     expires_at INTEGER NOT NULL,
     size INTEGER NOT NULL,
     seal_key TEXT NOT NULL,
     sealed BLOB NOT NULL
   );
   CREATE INDEX jobs_open ON jobs (due_at) WHERE finished_at IS NULL;
   CREATE INDEX jobs_size ON jobs (size);
   CREATE INDEX jobs_expiry ON jobs (expires_at)`;

/** How much one client key has there. */
export const JOBS_BY_KEY = 'CREATE INDEX jobs_by_key ON jobs (workspace, key, size)';

/** Who added a job or has begun it; `ready`: its client has been told. Jobs of before are nobody's. */
export const JOBS_OF_HOLDERS = `ALTER TABLE jobs ADD COLUMN holder TEXT;
   ALTER TABLE jobs ADD COLUMN ready INTEGER NOT NULL DEFAULT 1`;
