/**
 * Idempotency keys and answers in the order in which they come. A row per key holds everything but the answer, and
 * neighbours in time are neighbours in the file: a transaction touches the last pages of a table instead of pages all over
 * it, each of which would go to the disk whole. Answers lie by the number of their key.
 *
 * `row`: the key's state as JSON (`KeyRow`, without `expiresAt`); `attempts`: a JSON list (`StoredAttempt`).
 */

const FLAG = (column: string) => `json(iif(${column}, 'true', 'false'))`;

const ROW = `json_object('state', state, 'fingerprint', fingerprint, 'released', ${FLAG('released')}, 'life', life,
  'round', round, 'attempts', attempts, 'openAttempts', open_attempts, 'maybeExecuted', ${FLAG('maybe_executed')},
  'maxAttempts', max_attempts, 'requestId', request_id, 'holder', holder, 'leaseUntil', lease_until, 'beganAt', began_at,
  'failure', json(failure), 'digest', digest, 'answerStored', ${FLAG('answer_stored')}, 'delivered', ${FLAG('delivered')})`;

const ATTEMPT = `json_object('attemptId', a.attempt_id, 'round', a.round, 'no', a.no, 'target', a.target, 'startedAt', a.started_at,
  'endedAt', a.ended_at, 'result', a.result, 'maybeExecuted', ${FLAG('a.maybe_executed')})`;

export const KEYS_IN_ORDER = `
  DROP INDEX idempotency_pending;
  DROP INDEX idempotency_expiry;
  ALTER TABLE idempotency_keys RENAME TO earlier_keys;
  ALTER TABLE idempotency_answers RENAME TO earlier_answers;
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
  INSERT INTO idempotency_keys (key_hash, scope, version, pending, expires_at, row, attempts)
    SELECT key_hash, scope, version, pending, expires_at, ${ROW}, (SELECT json_group_array(${ATTEMPT})
      FROM idempotency_attempts a WHERE a.key_hash = k.key_hash AND a.scope = k.scope)
    FROM earlier_keys k ORDER BY began_at;
  CREATE INDEX idempotency_pending ON idempotency_keys (pending) WHERE pending = 1;
  CREATE INDEX idempotency_expiry ON idempotency_keys (expires_at);
  CREATE TABLE idempotency_answers (
    ix INTEGER PRIMARY KEY,
    seal_key TEXT NOT NULL,
    sealed BLOB NOT NULL
  );
  INSERT INTO idempotency_answers (ix, seal_key, sealed)
    SELECT k.ix, b.seal_key, b.sealed FROM earlier_answers b JOIN idempotency_keys k USING (key_hash, scope);
  DROP TABLE idempotency_attempts;
  DROP TABLE earlier_answers;
  DROP TABLE earlier_keys`;
