CREATE TABLE objects (
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
   ) WITHOUT ROWID;
CREATE TABLE kept_answers (
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
   , holder TEXT, ready INTEGER NOT NULL DEFAULT 1);
CREATE TABLE bound_states (
     workspace TEXT NOT NULL,
     id TEXT NOT NULL,
     model TEXT NOT NULL,
     channel TEXT NOT NULL,
     credential TEXT,
     at INTEGER NOT NULL,
     expires_at INTEGER NOT NULL,
     PRIMARY KEY (workspace, id)
   ) WITHOUT ROWID;
CREATE TABLE idempotency_keys (
    ix INTEGER PRIMARY KEY,
    key_hash TEXT NOT NULL,
    scope TEXT NOT NULL,
    version INTEGER NOT NULL,
    pending INTEGER NOT NULL,
    expires_at INTEGER NOT NULL,
    row TEXT NOT NULL,
    attempts TEXT NOT NULL,
    UNIQUE (key_hash, scope)
  );
CREATE TABLE idempotency_answers (
    ix INTEGER PRIMARY KEY,
    seal_key TEXT NOT NULL,
    sealed BLOB NOT NULL
  );
CREATE TABLE audit (
     seq INTEGER PRIMARY KEY AUTOINCREMENT,
     at INTEGER NOT NULL,
     actor TEXT NOT NULL,
     action TEXT NOT NULL,
     object TEXT NOT NULL,
     workspace TEXT,
     request_id TEXT,
     before TEXT,
     after TEXT,
     ip TEXT
   );
CREATE TABLE audit_retention (before INTEGER NOT NULL);
CREATE TABLE events (
     id TEXT PRIMARY KEY,
     at INTEGER NOT NULL,
     type TEXT NOT NULL,
     workspace TEXT,
     request_id TEXT,
     data TEXT NOT NULL
   ) WITHOUT ROWID;
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
CREATE TABLE signals (
     kind TEXT NOT NULL,
     slot INTEGER NOT NULL,
     holder TEXT NOT NULL,
     told_at INTEGER NOT NULL,
     body TEXT NOT NULL,
     PRIMARY KEY (kind, slot, holder)
   ) WITHOUT ROWID;
CREATE TABLE sessions (
     id_hash TEXT PRIMARY KEY,
     person TEXT NOT NULL,
     token_hash TEXT NOT NULL,
     csrf_token TEXT NOT NULL,
     opened_at INTEGER NOT NULL,
     used_at INTEGER NOT NULL,
     expires_at INTEGER NOT NULL
   ) WITHOUT ROWID;
INSERT INTO objects VALUES (1, 'workspace', 'acme', '{"note":"ü"}', 1, 1700000000000, 1700000000000, 'admin');
INSERT INTO ledger_entries VALUES (1, 'led_1_25574', 'acme', 'grant', 9007199254740993, 1700000000000, NULL, NULL, '(configuration)');
INSERT INTO ledger_entries VALUES (2, 'chg_att_paid', 'acme', 'charge', -7, 1700000000000, 'att_paid', NULL, 'gateway');
INSERT INTO reservations VALUES ('att_open', 'acme', 10, 1700000000000);
INSERT INTO period_counters VALUES ('key', 'dev', 'day', 1700000000000, 3, 40, 5, 1);
INSERT INTO kept_answers VALUES (1, 'key:dev chat', 'f1', 'acme', 1700000000000, 1700003600000, 7, '', X'6B65707420616E73776572206B65793A64657620636861742066310A0000005E7B2273747265616D223A66616C73652C227365727665644D6F64656C223A226D222C226465677261646564526561736F6E73223A5B5D2C22726571756573744964223A227265715F31222C226174223A313730303030303030303030307D6561726C696572');
INSERT INTO jobs VALUES (1, 'job_waits', 'acme', 'dev#aaaaaaaaaaaaaaaa', 'req_1', 'job_waits', 'waiting', 0, 3, 0, '12345678901234567890', 1700000000000, 1700000000000, NULL, 1700003600000, 70, '', X'6A6F62206A6F625F7761697473206F726465720A0000002C7B2270617468223A222F76312F636861742F636F6D706C6574696F6E73222C2268656164657273223A7B7D7D7B7D', 'p1', 1);
INSERT INTO jobs VALUES (2, 'job_runs', 'acme', 'dev#aaaaaaaaaaaaaaaa', 'req_1', 'job_runs', 'running', 1, 3, 0, '12345678901234567890', 1700000000000, 1700000000000, NULL, 1700003600000, 69, '', X'6A6F62206A6F625F72756E73206F726465720A0000002C7B2270617468223A222F76312F636861742F636F6D706C6574696F6E73222C2268656164657273223A7B7D7D7B7D', 'p1', 1);
INSERT INTO bound_states VALUES ('acme', 'video_1', 'm', 'c', NULL, 1700000000000, 1700003600000);
INSERT INTO idempotency_keys VALUES (1, 'a4c3ed04a95a3da14a9d235c83d868bed7c0f45cf7f3faa751ee8f50598d2211', 'key:dev chat', 2, 0, 1700086400005, '{"state":"succeeded","fingerprint":"f1","released":false,"life":1700000000000,"round":1,"attempts":1,"openAttempts":0,"maybeExecuted":false,"maxAttempts":12,"requestId":"req_1","holder":"p1","leaseUntil":null,"beganAt":1700000000000,"failure":null,"digest":"79f076abdd19a752db7267bfff2f9022161d120dea919fdaca2ffdfc24ca8c96","answerStored":true,"delivered":false}', '[{"attemptId":"att_done","round":1,"no":1,"target":"m#c","startedAt":1700000000001,"endedAt":1700000000005,"result":"served","maybeExecuted":false}]');
INSERT INTO idempotency_keys VALUES (2, '5d28a90f4498a81461efbaf6f628a19d9778390bb5c81a393dd936181cc3d826', 'key:dev chat', 2, 0, 1700086400000, '{"state":"failed","fingerprint":"f1","released":false,"life":1700000000000,"round":1,"attempts":1,"openAttempts":0,"maybeExecuted":false,"maxAttempts":12,"requestId":"req_1","holder":"p1","leaseUntil":null,"beganAt":1700000000000,"failure":{"status":502,"code":"all_models_failed","message":"no","requestId":"req_1","at":1700000000009},"digest":null,"answerStored":false,"delivered":false}', '[{"attemptId":"att_failed","round":1,"no":1,"target":"m#c","startedAt":1700000000001,"endedAt":1700000000000,"result":"failed","maybeExecuted":false}]');
INSERT INTO idempotency_keys VALUES (3, 'c071cf5f5ed6f884cc70155b6f05f755fd46a302d05e4261b7e92ce878bbfed8', 'key:dev chat', 1, 1, 1700086400000, '{"state":"running","fingerprint":"f1","released":false,"life":1700000000000,"round":1,"attempts":1,"openAttempts":1,"maybeExecuted":false,"maxAttempts":12,"requestId":"req_1","holder":"p1","leaseUntil":null,"beganAt":1700000000000,"failure":null,"digest":null,"answerStored":false,"delivered":false}', '[{"attemptId":"att_running","round":1,"no":1,"target":"m#c","startedAt":1700000000001,"endedAt":null,"result":null,"maybeExecuted":false}]');
INSERT INTO idempotency_answers VALUES (1, '', X'616E73776572206B65793A64657620636861742061346333656430346139356133646131346139643233356338336438363862656437633066343563663766336661613735316565386635303539386432323131207265715F310A000000DA7B22737461747573223A3230302C2268656164657273223A7B22636F6E74656E742D74797065223A226170706C69636174696F6E2F6A736F6E222C22782D756E64657273747564792D617474656D707473223A2232227D2C2273747265616D223A66616C73652C226174223A313730303030303030303030352C227365727665644D6F64656C223A226D2F61222C22646967657374223A2237396630373661626464313961373532646237323637626666663266393032323136316431323064656139313966646163613266666466633234636138633936227D6B657074');
INSERT INTO audit_retention VALUES (0);
INSERT INTO sessions VALUES ('bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb', 'member mia', 'cccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccc', 'csrf', 1700000000000, 1700000000000, 1700003600000);
CREATE INDEX ledger_by_workspace ON ledger_entries (workspace, ix);
CREATE UNIQUE INDEX ledger_one_charge ON ledger_entries (attempt_id) WHERE kind = 'charge';
CREATE INDEX kept_by_workspace ON kept_answers (workspace, ix, size);
CREATE INDEX kept_expiry ON kept_answers (expires_at);
CREATE INDEX jobs_open ON jobs (due_at) WHERE finished_at IS NULL;
CREATE INDEX jobs_size ON jobs (size);
CREATE INDEX jobs_expiry ON jobs (expires_at);
CREATE INDEX jobs_by_key ON jobs (workspace, key, size);
CREATE INDEX bound_states_expiry ON bound_states (expires_at);
CREATE INDEX idempotency_pending ON idempotency_keys (pending) WHERE pending = 1;
CREATE INDEX idempotency_expiry ON idempotency_keys (expires_at);
CREATE INDEX audit_by_time ON audit (at);
CREATE INDEX audit_by_workspace ON audit (workspace, at);
CREATE INDEX audit_by_object ON audit (object, at);
CREATE TRIGGER audit_never_changes BEFORE UPDATE ON audit BEGIN
     SELECT RAISE(ABORT, 'the audit log is append-only');
   END;
CREATE TRIGGER audit_never_shrinks BEFORE DELETE ON audit
     WHEN OLD.at >= (SELECT before FROM audit_retention) BEGIN
     SELECT RAISE(ABORT, 'the audit log is append-only');
   END;
CREATE TRIGGER audit_never_replaces BEFORE INSERT ON audit
     WHEN EXISTS (SELECT 1 FROM audit WHERE seq = NEW.seq) BEGIN
     SELECT RAISE(ABORT, 'the audit log is append-only');
   END;
CREATE INDEX events_by_time ON events (at);
CREATE INDEX deliveries_due ON deliveries (next_at) WHERE state = 'waiting';
CREATE INDEX deliveries_waiting ON deliveries (hook, ix) WHERE state = 'waiting';
CREATE INDEX deliveries_by_hook ON deliveries (hook, ix);
CREATE INDEX deliveries_done ON deliveries (done_at) WHERE done_at IS NOT NULL;
CREATE INDEX sessions_by_person ON sessions (person, opened_at);
CREATE INDEX sessions_expiry ON sessions (expires_at);
PRAGMA user_version = 10;
