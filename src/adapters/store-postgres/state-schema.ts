/**
 * Tables of the state in PostgreSQL: configuration objects, the money ledger, counters of limits, idempotency keys, queued
 * requests, who is alive. Times are wall milliseconds, money is whole nano-dollars.
 */
import { AUDIT_TABLES } from './audit-sql.ts';
import { JOB_ROOM } from './jobs-sql.ts';
import { OUTBOX_TABLES } from './outbox-sql.ts';
import { SIGNALS_TABLE } from './signals-sql.ts';

/** What statements call. `us_expect`: so many rows, or the whole transaction is undone. `us_bytes`: a row's piece of `$2`. */
const FUNCTIONS = `
  CREATE FUNCTION us_now() RETURNS bigint LANGUAGE sql VOLATILE
    AS $$ SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint $$;
  CREATE FUNCTION us_bytes(bytes bytea, place json) RETURNS bytea LANGUAGE sql IMMUTABLE
    AS $$ SELECT substring(bytes FROM (place ->> 0)::int + 1 FOR (place ->> 1)::int) $$;
  CREATE FUNCTION us_expect(done bigint, expected bigint) RETURNS bigint LANGUAGE plpgsql VOLATILE AS $$
    BEGIN
      IF done IS DISTINCT FROM expected THEN
        RAISE EXCEPTION '% rows changed, % expected', done, expected USING ERRCODE = 'US001';
      END IF;
      RETURN done;
    END $$;`;

/**
 * One row per start of a process. Its lease is that of everything it holds; `fenced`: others have judged it gone, and
 * nothing it does is its own any more. `schema_known`: the newest step it knows.
 */
const REPLICAS = `
  CREATE TABLE replicas (
    holder text PRIMARY KEY,
    lease_until bigint NOT NULL,
    fenced boolean NOT NULL DEFAULT false,
    started_at bigint NOT NULL,
    app_version text NOT NULL,
    schema_known int NOT NULL,
    host text NOT NULL
  );
  CREATE TABLE duties (name text PRIMARY KEY, holder text NOT NULL, until bigint NOT NULL);`;

/** `body`: JSON as in the configuration file, secrets sealed or hashed. `revisions`: one more with each change. */
const OBJECTS = `
  CREATE TABLE objects (
    ix bigserial PRIMARY KEY,
    kind text NOT NULL,
    name text NOT NULL,
    body text NOT NULL,
    version int NOT NULL,
    created_at bigint NOT NULL,
    updated_at bigint NOT NULL,
    updated_by text NOT NULL,
    UNIQUE (kind, name)
  );
  CREATE TABLE revisions (name text PRIMARY KEY, value bigint NOT NULL);
  INSERT INTO revisions (name, value) VALUES ('objects', 0);`;

/**
 * `row`: the key's state as JSON, `attempts` a JSON list; what is looked for stands beside them. `version` grows with every
 * change; whoever writes names the one it read. Rows change in place a few times, within their page.
 */
const IDEMPOTENCY = `
  CREATE TABLE idempotency_keys (
    ix bigserial PRIMARY KEY,
    key_hash text COLLATE "C" NOT NULL,
    scope text COLLATE "C" NOT NULL,
    version int NOT NULL,
    pending boolean NOT NULL,
    holder text NOT NULL,
    state text NOT NULL,
    expires_at bigint NOT NULL,
    row text NOT NULL,
    attempts text NOT NULL,
    UNIQUE (key_hash, scope)
  ) WITH (fillfactor = 70);
  CREATE INDEX idempotency_pending ON idempotency_keys (holder) WHERE pending;
  CREATE INDEX idempotency_expiry ON idempotency_keys (expires_at);
  CREATE TABLE idempotency_answers (
    ix bigint PRIMARY KEY,
    seal_key text NOT NULL,
    sealed bytea NOT NULL
  );
  ALTER TABLE idempotency_answers ALTER sealed SET STORAGE EXTERNAL;`;

/** Who waits elsewhere for a round, and the bytes on their way there. Empty after a crash: those who wait look by themselves. */
const JOINS = `
  CREATE UNLOGGED TABLE joins (
    key_hash text NOT NULL,
    scope text NOT NULL,
    round int NOT NULL,
    joiner text NOT NULL,
    holder text NOT NULL,
    wants_bytes boolean NOT NULL,
    until bigint NOT NULL,
    PRIMARY KEY (key_hash, scope, round, joiner)
  );
  CREATE INDEX joins_of_holder ON joins (holder);
  CREATE UNLOGGED TABLE spool_parts (
    key_hash text NOT NULL,
    scope text NOT NULL,
    round int NOT NULL,
    seq int NOT NULL,
    until bigint NOT NULL,
    sealed bytea NOT NULL,
    PRIMARY KEY (key_hash, scope, round, seq)
  );
  ALTER TABLE spool_parts ALTER sealed SET STORAGE EXTERNAL;
  CREATE INDEX spool_parts_expiry ON spool_parts (until);`;

/** `accounts`: the sums of the entries and of the reservations, changed in the same transaction as those. */
const MONEY = `
  CREATE TABLE accounts (
    workspace text PRIMARY KEY,
    balance bigint NOT NULL,
    granted bigint NOT NULL,
    held bigint NOT NULL
  ) WITH (fillfactor = 50);
  CREATE TABLE ledger_entries (
    ix bigserial PRIMARY KEY,
    id text NOT NULL UNIQUE,
    workspace text NOT NULL,
    kind text NOT NULL,
    amount bigint NOT NULL,
    at bigint NOT NULL,
    attempt_id text,
    note text,
    made_by text NOT NULL
  );
  CREATE INDEX ledger_by_workspace ON ledger_entries (workspace, ix);
  CREATE UNIQUE INDEX ledger_one_charge ON ledger_entries (attempt_id) WHERE kind = 'charge';
  CREATE TABLE reservations (
    attempt_id text PRIMARY KEY,
    workspace text NOT NULL,
    amount bigint NOT NULL,
    at bigint NOT NULL,
    holder text NOT NULL
  );
  CREATE INDEX reservations_of_holder ON reservations (holder);
  CREATE TABLE period_counters (
    kind text NOT NULL,
    id text NOT NULL,
    period text NOT NULL,
    start bigint NOT NULL,
    requests bigint NOT NULL,
    tokens bigint NOT NULL,
    spend bigint NOT NULL,
    told int NOT NULL,
    PRIMARY KEY (kind, id, period)
  ) WITH (fillfactor = 50);`;

/** A later row of kept answers is a later answer. `job_room`: what is there of each owner, and of all ('') together. */
const LADDER = `
  CREATE TABLE kept_answers (
    ix bigserial PRIMARY KEY,
    scope text NOT NULL,
    fingerprint text NOT NULL,
    workspace text NOT NULL,
    at bigint NOT NULL,
    expires_at bigint NOT NULL,
    size bigint NOT NULL,
    seal_key text NOT NULL,
    sealed bytea NOT NULL,
    UNIQUE (scope, fingerprint)
  );
  ALTER TABLE kept_answers ALTER sealed SET STORAGE EXTERNAL;
  CREATE INDEX kept_by_workspace ON kept_answers (workspace, ix) INCLUDE (size);
  CREATE INDEX kept_expiry ON kept_answers (expires_at);
  CREATE TABLE jobs (
    ix bigserial PRIMARY KEY,
    id text NOT NULL UNIQUE,
    workspace text NOT NULL,
    key text NOT NULL,
    request_id text NOT NULL,
    ref text UNIQUE,
    state text NOT NULL,
    tries int NOT NULL,
    max_tries int NOT NULL,
    strict boolean NOT NULL,
    cost_left text,
    at bigint NOT NULL,
    due_at bigint NOT NULL,
    finished_at bigint,
    expires_at bigint NOT NULL,
    size bigint NOT NULL,
    seal_key text NOT NULL,
    sealed bytea NOT NULL,
    holder text,
    ready boolean NOT NULL
  );
  ALTER TABLE jobs ALTER sealed SET STORAGE EXTERNAL;
  CREATE INDEX jobs_open ON jobs (due_at, ix) WHERE finished_at IS NULL;
  CREATE INDEX jobs_expiry ON jobs (expires_at);
  CREATE TABLE job_room (owner text PRIMARY KEY, open int NOT NULL, bytes bigint NOT NULL);
  CREATE TABLE bound_states (
    workspace text NOT NULL,
    id text NOT NULL,
    model text NOT NULL,
    channel text NOT NULL,
    credential text,
    at bigint NOT NULL,
    expires_at bigint NOT NULL,
    PRIMARY KEY (workspace, id)
  );
  CREATE INDEX bound_states_expiry ON bound_states (expires_at);`;

/** `canary`: something sealed, which every process must be able to open. */
const SEALS = `
  CREATE TABLE seal_canary (no int PRIMARY KEY CHECK (no = 1), sealed text NOT NULL);`;

export const STATE_TABLES: readonly string[] = [
  FUNCTIONS,
  REPLICAS,
  OBJECTS,
  IDEMPOTENCY,
  JOINS,
  MONEY,
  LADDER,
  JOB_ROOM,
  SEALS,
  SIGNALS_TABLE,
  AUDIT_TABLES,
  OUTBOX_TABLES,
];
