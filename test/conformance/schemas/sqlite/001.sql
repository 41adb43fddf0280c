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
INSERT INTO objects VALUES (1, 'workspace', 'acme', '{"note":"ü"}', 1, 1700000000000, 1700000000000, 'admin');
INSERT INTO ledger_entries VALUES (1, 'led_1_10037', 'acme', 'grant', 9007199254740993, 1700000000000, NULL, NULL, '(configuration)');
INSERT INTO ledger_entries VALUES (2, 'chg_att_paid', 'acme', 'charge', -7, 1700000000000, 'att_paid', NULL, 'gateway');
INSERT INTO reservations VALUES ('att_open', 'acme', 10, 1700000000000);
INSERT INTO period_counters VALUES ('key', 'dev', 'day', 1700000000000, 3, 40, 5, 1);
CREATE INDEX ledger_by_workspace ON ledger_entries (workspace, ix);
CREATE UNIQUE INDEX ledger_one_charge ON ledger_entries (attempt_id) WHERE kind = 'charge';
PRAGMA user_version = 1;
