CREATE SCHEMA sample_schema;
CREATE FUNCTION sample_schema.us_append_only() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
    BEGIN
      IF TG_OP = 'DELETE' AND OLD.at < (SELECT before FROM audit_retention) THEN
        RETURN OLD;
      END IF;
      RAISE EXCEPTION 'the audit log is append-only';
    END $$;
CREATE FUNCTION sample_schema.us_bytes(bytes bytea, place json) RETURNS bytea
    LANGUAGE sql IMMUTABLE
    AS $$ SELECT substring(bytes FROM (place ->> 0)::int + 1 FOR (place ->> 1)::int) $$;
CREATE FUNCTION sample_schema.us_expect(done bigint, expected bigint) RETURNS bigint
    LANGUAGE plpgsql
    AS $$
    BEGIN
      IF done IS DISTINCT FROM expected THEN
        RAISE EXCEPTION '% rows changed, % expected', done, expected USING ERRCODE = 'US001';
      END IF;
      RETURN done;
    END $$;
CREATE FUNCTION sample_schema.us_job_room() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
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
CREATE FUNCTION sample_schema.us_now() RETURNS bigint
    LANGUAGE sql
    AS $$ SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint $$;
CREATE FUNCTION sample_schema.us_numbers(summary text) RETURNS double precision[]
    LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE
    AS $$
    DECLARE j jsonb := replace(summary, '\u', '/u');
    BEGIN
      RETURN ARRAY[(j #>> '{21,0}')::float8, (j #>> '{21,1}')::float8, (j #>> '{22}')::float8, (j #>> '{23}')::float8, (j #>> '{25}')::float8, (j #>> '{18,count}')::float8];
    END $$;
CREATE FUNCTION sample_schema.us_partition(parent text, part text, since bigint, until bigint) RETURNS boolean
    LANGUAGE plpgsql
    AS $$
    BEGIN
      IF to_regclass(part) IS NOT NULL THEN RETURN false; END IF;
      PERFORM pg_advisory_xact_lock(hashtext(current_schema()), hashtext(part));
      IF to_regclass(part) IS NOT NULL THEN RETURN false; END IF;
      EXECUTE format('CREATE TABLE %I (LIKE %I INCLUDING DEFAULTS INCLUDING GENERATED INCLUDING STORAGE)', part, parent);
      EXECUTE format('ALTER TABLE %I ATTACH PARTITION %I FOR VALUES FROM (%L) TO (%L)', parent, part, since, until);
      RETURN true;
    END $$;
CREATE TABLE sample_schema.accounts (
    workspace text NOT NULL,
    balance bigint NOT NULL,
    granted bigint NOT NULL,
    held bigint NOT NULL
)
WITH (fillfactor='50');
CREATE TABLE sample_schema.audit (
    seq bigint NOT NULL,
    at bigint NOT NULL,
    actor text NOT NULL,
    action text NOT NULL,
    object text NOT NULL,
    workspace text,
    request_id text,
    before text,
    after text,
    ip text
);
CREATE TABLE sample_schema.audit_retention (
    before bigint NOT NULL
);
CREATE SEQUENCE sample_schema.audit_seq_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE sample_schema.audit_seq_seq OWNED BY sample_schema.audit.seq;
CREATE TABLE sample_schema.bound_states (
    workspace text NOT NULL,
    id text NOT NULL,
    model text NOT NULL,
    channel text NOT NULL,
    credential text,
    at bigint NOT NULL,
    expires_at bigint NOT NULL
);
CREATE TABLE sample_schema.deliveries (
    ix bigint NOT NULL,
    id text NOT NULL,
    hook text NOT NULL,
    workspace text,
    event_ids text NOT NULL,
    types text NOT NULL,
    state text NOT NULL,
    fresh integer NOT NULL,
    tries integer NOT NULL,
    next_at bigint,
    holder text,
    lease bigint,
    leased_until bigint,
    status integer,
    answer text,
    took_ms bigint,
    at bigint NOT NULL,
    done_at bigint
);
CREATE SEQUENCE sample_schema.deliveries_ix_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE sample_schema.deliveries_ix_seq OWNED BY sample_schema.deliveries.ix;
CREATE TABLE sample_schema.duties (
    name text NOT NULL,
    holder text NOT NULL,
    until bigint NOT NULL
);
CREATE TABLE sample_schema.events (
    id text NOT NULL,
    at bigint NOT NULL,
    type text NOT NULL,
    workspace text,
    request_id text,
    data text NOT NULL
);
CREATE TABLE sample_schema.figures (
    grain bigint NOT NULL,
    scope text NOT NULL,
    slot bigint NOT NULL,
    part text NOT NULL,
    body text NOT NULL
)
WITH (fillfactor='70');
CREATE TABLE sample_schema.idempotency_answers (
    ix bigint NOT NULL,
    seal_key text NOT NULL,
    sealed bytea NOT NULL
);
ALTER TABLE ONLY sample_schema.idempotency_answers ALTER COLUMN sealed SET STORAGE EXTERNAL;
CREATE TABLE sample_schema.idempotency_keys (
    ix bigint NOT NULL,
    key_hash text NOT NULL COLLATE pg_catalog."C",
    scope text NOT NULL COLLATE pg_catalog."C",
    version integer NOT NULL,
    pending boolean NOT NULL,
    holder text NOT NULL,
    state text NOT NULL,
    expires_at bigint NOT NULL,
    "row" text NOT NULL,
    attempts text NOT NULL
)
WITH (fillfactor='70');
CREATE SEQUENCE sample_schema.idempotency_keys_ix_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE sample_schema.idempotency_keys_ix_seq OWNED BY sample_schema.idempotency_keys.ix;
CREATE TABLE sample_schema.job_room (
    owner text NOT NULL,
    open integer NOT NULL,
    bytes bigint NOT NULL
);
CREATE TABLE sample_schema.jobs (
    ix bigint NOT NULL,
    id text NOT NULL,
    workspace text NOT NULL,
    key text NOT NULL,
    request_id text NOT NULL,
    ref text,
    state text NOT NULL,
    tries integer NOT NULL,
    max_tries integer NOT NULL,
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
ALTER TABLE ONLY sample_schema.jobs ALTER COLUMN sealed SET STORAGE EXTERNAL;
CREATE SEQUENCE sample_schema.jobs_ix_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE sample_schema.jobs_ix_seq OWNED BY sample_schema.jobs.ix;
CREATE UNLOGGED TABLE sample_schema.joins (
    key_hash text NOT NULL,
    scope text NOT NULL,
    round integer NOT NULL,
    joiner text NOT NULL,
    holder text NOT NULL,
    wants_bytes boolean NOT NULL,
    until bigint NOT NULL
);
CREATE TABLE sample_schema.kept_answers (
    ix bigint NOT NULL,
    scope text NOT NULL,
    fingerprint text NOT NULL,
    workspace text NOT NULL,
    at bigint NOT NULL,
    expires_at bigint NOT NULL,
    size bigint NOT NULL,
    seal_key text NOT NULL,
    sealed bytea NOT NULL
);
ALTER TABLE ONLY sample_schema.kept_answers ALTER COLUMN sealed SET STORAGE EXTERNAL;
CREATE SEQUENCE sample_schema.kept_answers_ix_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE sample_schema.kept_answers_ix_seq OWNED BY sample_schema.kept_answers.ix;
CREATE TABLE sample_schema.ledger_entries (
    ix bigint NOT NULL,
    id text NOT NULL,
    workspace text NOT NULL,
    kind text NOT NULL,
    amount bigint NOT NULL,
    at bigint NOT NULL,
    attempt_id text,
    note text,
    made_by text NOT NULL
);
CREATE SEQUENCE sample_schema.ledger_entries_ix_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE sample_schema.ledger_entries_ix_seq OWNED BY sample_schema.ledger_entries.ix;
CREATE TABLE sample_schema.objects (
    ix bigint NOT NULL,
    kind text NOT NULL,
    name text NOT NULL,
    body text NOT NULL,
    version integer NOT NULL,
    created_at bigint NOT NULL,
    updated_at bigint NOT NULL,
    updated_by text NOT NULL
);
CREATE SEQUENCE sample_schema.objects_ix_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE sample_schema.objects_ix_seq OWNED BY sample_schema.objects.ix;
CREATE TABLE sample_schema.period_counters (
    kind text NOT NULL,
    id text NOT NULL,
    period text NOT NULL,
    start bigint NOT NULL,
    requests bigint NOT NULL,
    tokens bigint NOT NULL,
    spend bigint NOT NULL,
    told integer NOT NULL
)
WITH (fillfactor='50');
CREATE TABLE sample_schema.replicas (
    holder text NOT NULL,
    lease_until bigint NOT NULL,
    fenced boolean DEFAULT false NOT NULL,
    started_at bigint NOT NULL,
    app_version text NOT NULL,
    schema_known integer NOT NULL,
    host text NOT NULL
);
CREATE TABLE sample_schema.requests (
    id text NOT NULL,
    at bigint NOT NULL,
    workspace text NOT NULL,
    key text,
    requested_model text,
    served_model text,
    virtual_model text,
    status integer NOT NULL,
    outcome text NOT NULL,
    degraded boolean NOT NULL,
    failover boolean NOT NULL,
    idempotency text,
    snapshot text,
    summary text NOT NULL,
    detail text NOT NULL,
    numbers double precision[] GENERATED ALWAYS AS (sample_schema.us_numbers(summary)) STORED
)
PARTITION BY RANGE (at);
CREATE TABLE sample_schema.reservations (
    attempt_id text NOT NULL,
    workspace text NOT NULL,
    amount bigint NOT NULL,
    at bigint NOT NULL,
    holder text NOT NULL
);
CREATE TABLE sample_schema.revisions (
    name text NOT NULL,
    value bigint NOT NULL
);
CREATE TABLE sample_schema.schema_steps (
    no integer NOT NULL,
    name text NOT NULL,
    kind text NOT NULL,
    applied_at timestamp with time zone DEFAULT now() NOT NULL,
    by_version text NOT NULL,
    digest text NOT NULL,
    CONSTRAINT schema_steps_kind_check CHECK ((kind = ANY (ARRAY['expand'::text, 'contract'::text])))
);
CREATE TABLE sample_schema.seal_canary (
    no integer NOT NULL,
    sealed text NOT NULL,
    CONSTRAINT seal_canary_no_check CHECK ((no = 1))
);
CREATE TABLE sample_schema.sessions (
    id_hash text NOT NULL,
    person text NOT NULL,
    token_hash text NOT NULL,
    csrf_token text NOT NULL,
    opened_at bigint NOT NULL,
    used_at bigint NOT NULL,
    expires_at bigint NOT NULL
)
WITH (fillfactor='50');
CREATE TABLE sample_schema.setup_parts (
    id text NOT NULL,
    content text NOT NULL,
    used_at bigint NOT NULL
);
CREATE TABLE sample_schema.signals (
    kind text NOT NULL,
    slot bigint NOT NULL,
    holder text NOT NULL,
    told_at bigint NOT NULL,
    body text NOT NULL
)
WITH (fillfactor='50');
CREATE TABLE sample_schema.snapshots (
    id text NOT NULL,
    names text NOT NULL,
    registered_at bigint NOT NULL,
    retired_at bigint
);
CREATE UNLOGGED TABLE sample_schema.spool_parts (
    key_hash text NOT NULL,
    scope text NOT NULL,
    round integer NOT NULL,
    seq integer NOT NULL,
    until bigint NOT NULL,
    sealed bytea NOT NULL
);
ALTER TABLE ONLY sample_schema.spool_parts ALTER COLUMN sealed SET STORAGE EXTERNAL;
ALTER TABLE ONLY sample_schema.audit ALTER COLUMN seq SET DEFAULT nextval('sample_schema.audit_seq_seq'::regclass);
ALTER TABLE ONLY sample_schema.deliveries ALTER COLUMN ix SET DEFAULT nextval('sample_schema.deliveries_ix_seq'::regclass);
ALTER TABLE ONLY sample_schema.idempotency_keys ALTER COLUMN ix SET DEFAULT nextval('sample_schema.idempotency_keys_ix_seq'::regclass);
ALTER TABLE ONLY sample_schema.jobs ALTER COLUMN ix SET DEFAULT nextval('sample_schema.jobs_ix_seq'::regclass);
ALTER TABLE ONLY sample_schema.kept_answers ALTER COLUMN ix SET DEFAULT nextval('sample_schema.kept_answers_ix_seq'::regclass);
ALTER TABLE ONLY sample_schema.ledger_entries ALTER COLUMN ix SET DEFAULT nextval('sample_schema.ledger_entries_ix_seq'::regclass);
ALTER TABLE ONLY sample_schema.objects ALTER COLUMN ix SET DEFAULT nextval('sample_schema.objects_ix_seq'::regclass);
INSERT INTO sample_schema.accounts VALUES ('acme', 9007199254740986, 9007199254740993, 10);
INSERT INTO sample_schema.audit_retention VALUES (0);
INSERT INTO sample_schema.bound_states VALUES ('acme', 'video_1', 'm', 'c', NULL, 1700000000000, 1700003600000);
INSERT INTO sample_schema.idempotency_answers VALUES (1, '', '\x616e73776572206b65793a64657620636861742061346333656430346139356133646131346139643233356338336438363862656437633066343563663766336661613735316565386635303539386432323131207265715f310a000000da7b22737461747573223a3230302c2268656164657273223a7b22636f6e74656e742d74797065223a226170706c69636174696f6e2f6a736f6e222c22782d756e64657273747564792d617474656d707473223a2232227d2c2273747265616d223a66616c73652c226174223a313730303030303030303030352c227365727665644d6f64656c223a226d2f61222c22646967657374223a2237396630373661626464313961373532646237323637626666663266393032323136316431323064656139313966646163613266666466633234636138633936227d6b657074');
INSERT INTO sample_schema.idempotency_keys VALUES (3, 'c071cf5f5ed6f884cc70155b6f05f755fd46a302d05e4261b7e92ce878bbfed8', 'key:dev chat', 2, true, 'p1', 'running', 1700086400000, '{"state":"running","fingerprint":"f1","released":false,"life":1700000000000,"round":1,"attempts":1,"openAttempts":1,"maybeExecuted":false,"maxAttempts":12,"requestId":"req_1","holder":"p1","leaseUntil":null,"beganAt":1700000000000,"failure":null,"digest":null,"answerStored":false,"delivered":false}', '[{"attemptId":"att_running","round":1,"no":1,"target":"m#c","startedAt":1700000000001,"endedAt":null,"result":null,"maybeExecuted":false}]');
INSERT INTO sample_schema.idempotency_keys VALUES (1, 'a4c3ed04a95a3da14a9d235c83d868bed7c0f45cf7f3faa751ee8f50598d2211', 'key:dev chat', 3, false, 'p1', 'succeeded', 1700086400005, '{"state":"succeeded","fingerprint":"f1","released":false,"life":1700000000000,"round":1,"attempts":1,"openAttempts":0,"maybeExecuted":false,"maxAttempts":12,"requestId":"req_1","holder":"p1","leaseUntil":null,"beganAt":1700000000000,"failure":null,"digest":"79f076abdd19a752db7267bfff2f9022161d120dea919fdaca2ffdfc24ca8c96","answerStored":true,"delivered":false}', '[{"attemptId":"att_done","round":1,"no":1,"target":"m#c","startedAt":1700000000001,"endedAt":1700000000005,"result":"served","maybeExecuted":false}]');
INSERT INTO sample_schema.idempotency_keys VALUES (2, '5d28a90f4498a81461efbaf6f628a19d9778390bb5c81a393dd936181cc3d826', 'key:dev chat', 3, false, 'p1', 'failed', 1700086400000, '{"state":"failed","fingerprint":"f1","released":false,"life":1700000000000,"round":1,"attempts":1,"openAttempts":0,"maybeExecuted":false,"maxAttempts":12,"requestId":"req_1","holder":"p1","leaseUntil":null,"beganAt":1700000000000,"failure":{"status":502,"code":"all_models_failed","message":"no","requestId":"req_1","at":1700000000009},"digest":null,"answerStored":false,"delivered":false}', '[{"attemptId":"att_failed","round":1,"no":1,"target":"m#c","startedAt":1700000000001,"endedAt":1700000000000,"result":"failed","maybeExecuted":false}]');
INSERT INTO sample_schema.job_room VALUES ('', 2, 139);
INSERT INTO sample_schema.job_room VALUES ('acme dev#aaaaaaaaaaaaaaaa', 2, 139);
INSERT INTO sample_schema.jobs VALUES (1, 'job_waits', 'acme', 'dev#aaaaaaaaaaaaaaaa', 'req_1', 'job_waits', 'waiting', 0, 3, false, '12345678901234567890', 1700000000000, 1700000000000, NULL, 1700003600000, 70, '', '\x6a6f62206a6f625f7761697473206f726465720a0000002c7b2270617468223a222f76312f636861742f636f6d706c6574696f6e73222c2268656164657273223a7b7d7d7b7d', 'p1', true);
INSERT INTO sample_schema.jobs VALUES (2, 'job_runs', 'acme', 'dev#aaaaaaaaaaaaaaaa', 'req_1', 'job_runs', 'running', 1, 3, false, '12345678901234567890', 1700000000000, 1700000000000, NULL, 1700003600000, 69, '', '\x6a6f62206a6f625f72756e73206f726465720a0000002c7b2270617468223a222f76312f636861742f636f6d706c6574696f6e73222c2268656164657273223a7b7d7d7b7d', 'p1', true);
INSERT INTO sample_schema.kept_answers VALUES (1, 'key:dev chat', 'f1', 'acme', 1700000000000, 1700003600000, 7, '', '\x6b65707420616e73776572206b65793a64657620636861742066310a0000005e7b2273747265616d223a66616c73652c227365727665644d6f64656c223a226d222c226465677261646564526561736f6e73223a5b5d2c22726571756573744964223a227265715f31222c226174223a313730303030303030303030307d6561726c696572');
INSERT INTO sample_schema.ledger_entries VALUES (1, 'led_1_764', 'acme', 'grant', 9007199254740993, 1700000000000, NULL, NULL, '(configuration)');
INSERT INTO sample_schema.ledger_entries VALUES (2, 'chg_att_paid', 'acme', 'charge', -7, 1700000000000, 'att_paid', NULL, 'gateway');
INSERT INTO sample_schema.objects VALUES (1, 'workspace', 'acme', '{"note":"ü"}', 1, 1700000000000, 1700000000000, 'admin');
INSERT INTO sample_schema.period_counters VALUES ('key', 'dev', 'day', 1700000000000, 3, 40, 5, 1);
INSERT INTO sample_schema.replicas VALUES ('p1', 1700000030000, false, 1700000000000, '1.0.0', 3, 'h');
INSERT INTO sample_schema.reservations VALUES ('att_open', 'acme', 10, 1700000000000, 'p1');
INSERT INTO sample_schema.revisions VALUES ('objects', 1);
INSERT INTO sample_schema.schema_steps VALUES (1, 'state and request log', 'expand', '2026-11-30 16:23:41.450866+00', '1.0.0', 'b111f4c1da10c0f9');
INSERT INTO sample_schema.schema_steps VALUES (2, 'sessions of the console', 'expand', '2026-11-30 16:23:41.502017+00', '1.0.0', 'e2ea3fff66c44b62');
INSERT INTO sample_schema.schema_steps VALUES (3, 'figures of the request log', 'expand', '2026-11-30 16:23:41.503883+00', '1.0.0', '0f6bde9538b82e02');
INSERT INTO sample_schema.sessions VALUES ('bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb', 'member mia', 'cccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccc', 'csrf', 1700000000000, 1700000000000, 1700003600000);
SELECT pg_catalog.setval('sample_schema.audit_seq_seq', 1, false);
SELECT pg_catalog.setval('sample_schema.deliveries_ix_seq', 1, false);
SELECT pg_catalog.setval('sample_schema.idempotency_keys_ix_seq', 3, true);
SELECT pg_catalog.setval('sample_schema.jobs_ix_seq', 2, true);
SELECT pg_catalog.setval('sample_schema.kept_answers_ix_seq', 1, true);
SELECT pg_catalog.setval('sample_schema.ledger_entries_ix_seq', 2, true);
SELECT pg_catalog.setval('sample_schema.objects_ix_seq', 1, true);
ALTER TABLE ONLY sample_schema.accounts
    ADD CONSTRAINT accounts_pkey PRIMARY KEY (workspace);
ALTER TABLE ONLY sample_schema.audit
    ADD CONSTRAINT audit_pkey PRIMARY KEY (seq);
ALTER TABLE ONLY sample_schema.bound_states
    ADD CONSTRAINT bound_states_pkey PRIMARY KEY (workspace, id);
ALTER TABLE ONLY sample_schema.deliveries
    ADD CONSTRAINT deliveries_id_key UNIQUE (id);
ALTER TABLE ONLY sample_schema.deliveries
    ADD CONSTRAINT deliveries_pkey PRIMARY KEY (ix);
ALTER TABLE ONLY sample_schema.duties
    ADD CONSTRAINT duties_pkey PRIMARY KEY (name);
ALTER TABLE ONLY sample_schema.events
    ADD CONSTRAINT events_pkey PRIMARY KEY (id);
ALTER TABLE ONLY sample_schema.figures
    ADD CONSTRAINT figures_pkey PRIMARY KEY (grain, scope, slot, part);
ALTER TABLE ONLY sample_schema.idempotency_answers
    ADD CONSTRAINT idempotency_answers_pkey PRIMARY KEY (ix);
ALTER TABLE ONLY sample_schema.idempotency_keys
    ADD CONSTRAINT idempotency_keys_key_hash_scope_key UNIQUE (key_hash, scope);
ALTER TABLE ONLY sample_schema.idempotency_keys
    ADD CONSTRAINT idempotency_keys_pkey PRIMARY KEY (ix);
ALTER TABLE ONLY sample_schema.job_room
    ADD CONSTRAINT job_room_pkey PRIMARY KEY (owner);
ALTER TABLE ONLY sample_schema.jobs
    ADD CONSTRAINT jobs_id_key UNIQUE (id);
ALTER TABLE ONLY sample_schema.jobs
    ADD CONSTRAINT jobs_pkey PRIMARY KEY (ix);
ALTER TABLE ONLY sample_schema.jobs
    ADD CONSTRAINT jobs_ref_key UNIQUE (ref);
ALTER TABLE ONLY sample_schema.joins
    ADD CONSTRAINT joins_pkey PRIMARY KEY (key_hash, scope, round, joiner);
ALTER TABLE ONLY sample_schema.kept_answers
    ADD CONSTRAINT kept_answers_pkey PRIMARY KEY (ix);
ALTER TABLE ONLY sample_schema.kept_answers
    ADD CONSTRAINT kept_answers_scope_fingerprint_key UNIQUE (scope, fingerprint);
ALTER TABLE ONLY sample_schema.ledger_entries
    ADD CONSTRAINT ledger_entries_id_key UNIQUE (id);
ALTER TABLE ONLY sample_schema.ledger_entries
    ADD CONSTRAINT ledger_entries_pkey PRIMARY KEY (ix);
ALTER TABLE ONLY sample_schema.objects
    ADD CONSTRAINT objects_kind_name_key UNIQUE (kind, name);
ALTER TABLE ONLY sample_schema.objects
    ADD CONSTRAINT objects_pkey PRIMARY KEY (ix);
ALTER TABLE ONLY sample_schema.period_counters
    ADD CONSTRAINT period_counters_pkey PRIMARY KEY (kind, id, period);
ALTER TABLE ONLY sample_schema.replicas
    ADD CONSTRAINT replicas_pkey PRIMARY KEY (holder);
ALTER TABLE ONLY sample_schema.requests
    ADD CONSTRAINT requests_pkey PRIMARY KEY (at, id);
ALTER TABLE ONLY sample_schema.reservations
    ADD CONSTRAINT reservations_pkey PRIMARY KEY (attempt_id);
ALTER TABLE ONLY sample_schema.revisions
    ADD CONSTRAINT revisions_pkey PRIMARY KEY (name);
ALTER TABLE ONLY sample_schema.schema_steps
    ADD CONSTRAINT schema_steps_pkey PRIMARY KEY (no);
ALTER TABLE ONLY sample_schema.seal_canary
    ADD CONSTRAINT seal_canary_pkey PRIMARY KEY (no);
ALTER TABLE ONLY sample_schema.sessions
    ADD CONSTRAINT sessions_pkey PRIMARY KEY (id_hash);
ALTER TABLE ONLY sample_schema.setup_parts
    ADD CONSTRAINT setup_parts_pkey PRIMARY KEY (id);
ALTER TABLE ONLY sample_schema.signals
    ADD CONSTRAINT signals_pkey PRIMARY KEY (kind, slot, holder);
ALTER TABLE ONLY sample_schema.snapshots
    ADD CONSTRAINT snapshots_pkey PRIMARY KEY (id);
ALTER TABLE ONLY sample_schema.spool_parts
    ADD CONSTRAINT spool_parts_pkey PRIMARY KEY (key_hash, scope, round, seq);
CREATE INDEX audit_by_object ON sample_schema.audit USING btree (object, at);
CREATE INDEX audit_by_time ON sample_schema.audit USING btree (at);
CREATE INDEX audit_by_workspace ON sample_schema.audit USING btree (workspace, at);
CREATE INDEX bound_states_expiry ON sample_schema.bound_states USING btree (expires_at);
CREATE INDEX deliveries_by_hook ON sample_schema.deliveries USING btree (hook, ix);
CREATE INDEX deliveries_done ON sample_schema.deliveries USING btree (done_at) WHERE (done_at IS NOT NULL);
CREATE INDEX deliveries_due ON sample_schema.deliveries USING btree (next_at) WHERE (state = 'waiting'::text);
CREATE INDEX deliveries_waiting ON sample_schema.deliveries USING btree (hook, ix) WHERE (state = 'waiting'::text);
CREATE INDEX events_by_time ON sample_schema.events USING btree (at);
CREATE INDEX figures_by_slot ON sample_schema.figures USING btree (slot);
CREATE INDEX idempotency_expiry ON sample_schema.idempotency_keys USING btree (expires_at);
CREATE INDEX idempotency_pending ON sample_schema.idempotency_keys USING btree (holder) WHERE pending;
CREATE INDEX jobs_expiry ON sample_schema.jobs USING btree (expires_at);
CREATE INDEX jobs_open ON sample_schema.jobs USING btree (due_at, ix) WHERE (finished_at IS NULL);
CREATE INDEX joins_of_holder ON sample_schema.joins USING btree (holder);
CREATE INDEX kept_by_workspace ON sample_schema.kept_answers USING btree (workspace, ix) INCLUDE (size);
CREATE INDEX kept_expiry ON sample_schema.kept_answers USING btree (expires_at);
CREATE INDEX ledger_by_workspace ON sample_schema.ledger_entries USING btree (workspace, ix);
CREATE UNIQUE INDEX ledger_one_charge ON sample_schema.ledger_entries USING btree (attempt_id) WHERE (kind = 'charge'::text);
CREATE INDEX requests_by_id ON ONLY sample_schema.requests USING btree (id);
CREATE INDEX requests_by_idempotency ON ONLY sample_schema.requests USING btree (idempotency, at, id) WHERE (idempotency IS NOT NULL);
CREATE INDEX requests_by_key ON ONLY sample_schema.requests USING btree (key, at, id);
CREATE INDEX requests_by_requested ON ONLY sample_schema.requests USING btree (requested_model, at, id);
CREATE INDEX requests_by_served ON ONLY sample_schema.requests USING btree (served_model, at, id);
CREATE INDEX requests_by_virtual ON ONLY sample_schema.requests USING btree (virtual_model, at, id) WHERE (virtual_model IS NOT NULL);
CREATE INDEX requests_by_workspace ON ONLY sample_schema.requests USING btree (workspace, at, id);
CREATE INDEX requests_degraded ON ONLY sample_schema.requests USING btree (at, id) WHERE degraded;
CREATE INDEX requests_failed_over ON ONLY sample_schema.requests USING btree (at, id) WHERE failover;
CREATE INDEX requests_unsuccessful ON ONLY sample_schema.requests USING btree (at, id) WHERE (outcome <> 'success'::text);
CREATE INDEX reservations_of_holder ON sample_schema.reservations USING btree (holder);
CREATE INDEX sessions_by_person ON sample_schema.sessions USING btree (person, opened_at);
CREATE INDEX sessions_expiry ON sample_schema.sessions USING btree (expires_at);
CREATE INDEX spool_parts_expiry ON sample_schema.spool_parts USING btree (until);
CREATE TRIGGER audit_never_changes BEFORE DELETE OR UPDATE ON sample_schema.audit FOR EACH ROW EXECUTE FUNCTION sample_schema.us_append_only();
CREATE TRIGGER audit_never_empties BEFORE TRUNCATE ON sample_schema.audit FOR EACH STATEMENT EXECUTE FUNCTION sample_schema.us_append_only();
CREATE TRIGGER job_room_is_kept AFTER INSERT OR DELETE OR UPDATE ON sample_schema.jobs FOR EACH ROW EXECUTE FUNCTION sample_schema.us_job_room();
