/**
 * Tables of the request log in PostgreSQL. One row per request, in a partition per UTC day (`requests_YYYYMMDD`, made by
 * `partitions.ts`) that gets the indexes below, so that a day is dropped as a whole. `summary` and `detail` are JSON as
 * text: as JSON of the server's they could not hold every string that a client may send. `numbers`: what is summed up.
 *
 * `us_partition` makes a partition where it is missing. Attached and not made in place: that would wait for everybody who
 * reads or writes the log, and they for it.
 */
import { NUMBERS_OF_SUMMARY } from './requests-sql.ts';

export const LOG_TABLES = `
  ${NUMBERS_OF_SUMMARY}
  CREATE TABLE requests (
    id text NOT NULL,
    at bigint NOT NULL,
    workspace text NOT NULL,
    key text,
    requested_model text,
    served_model text,
    virtual_model text,
    status int NOT NULL,
    outcome text NOT NULL,
    degraded boolean NOT NULL,
    failover boolean NOT NULL,
    idempotency text,
    snapshot text,
    summary text NOT NULL,
    detail text NOT NULL,
    numbers float8[] GENERATED ALWAYS AS (us_numbers(summary)) STORED,
    PRIMARY KEY (at, id)
  ) PARTITION BY RANGE (at);
  CREATE INDEX requests_by_id ON requests (id);
  CREATE INDEX requests_by_key ON requests (key, at, id);
  CREATE INDEX requests_by_workspace ON requests (workspace, at, id);
  CREATE INDEX requests_by_requested ON requests (requested_model, at, id);
  CREATE INDEX requests_by_served ON requests (served_model, at, id);
  CREATE INDEX requests_by_virtual ON requests (virtual_model, at, id) WHERE virtual_model IS NOT NULL;
  CREATE INDEX requests_unsuccessful ON requests (at, id) WHERE outcome <> 'success';
  CREATE INDEX requests_by_idempotency ON requests (idempotency, at, id) WHERE idempotency IS NOT NULL;
  CREATE INDEX requests_failed_over ON requests (at, id) WHERE failover;
  CREATE INDEX requests_degraded ON requests (at, id) WHERE degraded;
  CREATE TABLE snapshots (
    id text PRIMARY KEY,
    names text NOT NULL,
    registered_at bigint NOT NULL,
    retired_at bigint
  );
  CREATE TABLE setup_parts (id text PRIMARY KEY, content text NOT NULL, used_at bigint NOT NULL);
  CREATE FUNCTION us_partition(parent text, part text, since bigint, until bigint) RETURNS boolean LANGUAGE plpgsql AS $$
    BEGIN
      IF to_regclass(part) IS NOT NULL THEN RETURN false; END IF;
      PERFORM pg_advisory_xact_lock(hashtext(current_schema()), hashtext(part));
      IF to_regclass(part) IS NOT NULL THEN RETURN false; END IF;
      EXECUTE format('CREATE TABLE %I (LIKE %I INCLUDING DEFAULTS INCLUDING GENERATED INCLUDING STORAGE)', part, parent);
      EXECUTE format('ALTER TABLE %I ATTACH PARTITION %I FOR VALUES FROM (%L) TO (%L)', parent, part, since, until);
      RETURN true;
    END $$;`;

/**
 * Sums of the log for the overview. Rows of the running minutes change every other second, in place. The row of grain 0: requests
 * of before are in no figures.
 */
export const FIGURES_TABLE = `
  CREATE TABLE figures (
    grain bigint NOT NULL,
    scope text NOT NULL,
    slot bigint NOT NULL,
    part text NOT NULL,
    body text NOT NULL,
    PRIMARY KEY (grain, scope, slot, part)
  ) WITH (fillfactor = 70);
  CREATE INDEX figures_by_slot ON figures (slot);
  INSERT INTO figures SELECT 0, '', (extract(epoch FROM clock_timestamp()) * 1000)::bigint, '', ''
    WHERE EXISTS (SELECT 1 FROM requests);`;
