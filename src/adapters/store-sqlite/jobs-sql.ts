/** Statements of queued requests in `state.db`. Whoever else holds a job is gone: this process has the file alone. */
import type { JobsSql } from '../store-sql/statements.ts';

const COLUMNS = `id, workspace, key, request_id, ref, state, tries, max_tries, strict, cost_left, at, due_at, finished_at,
  expires_at, sealed`;
/** Waits, and its client has been told; ?1 = who asks. */
const FREE = `finished_at IS NULL AND state = 'waiting' AND (ready = 1 OR holder IS NOT ?1)`;
const FINISH = `UPDATE jobs SET state = ?2, finished_at = ?3, size = ?4, seal_key = ?5, sealed = ?6, holder = ?7
  WHERE id = ?1 AND finished_at IS NULL`;
const OTHERS = 'SELECT COALESCE(SUM(size), 0) FROM jobs WHERE id <> ?1';
const OTHERS_OF_KEY = `${OTHERS} AND (workspace, key) = (SELECT workspace, key FROM jobs WHERE id = ?1)`;

export const JOBS_SQL: JobsSql = {
  find: `SELECT ${COLUMNS} FROM jobs WHERE id = ?`,
  findByRef: `SELECT ${COLUMNS} FROM jobs WHERE ref = ?`,
  open: `SELECT ${COLUMNS} FROM jobs WHERE finished_at IS NULL ORDER BY due_at, ix`,
  letGo: `UPDATE jobs SET ref = NULL WHERE ref = ? AND state = 'failed'`,
  add: `INSERT INTO jobs (id, workspace, key, request_id, ref, state, tries, max_tries, strict, cost_left, at, due_at,
      expires_at, size, seal_key, sealed, holder, ready)
    SELECT ?1, ?2, ?3, ?4, ?5, 'waiting', 0, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, 0
    WHERE NOT EXISTS (SELECT 1 FROM jobs WHERE ref = ?5)
      AND (SELECT COUNT(*) FROM jobs WHERE finished_at IS NULL) < ?16
      AND (SELECT COUNT(*) FROM jobs WHERE finished_at IS NULL AND workspace = ?2 AND key = ?3) < ?17
      AND (SELECT COALESCE(SUM(size), 0) FROM jobs) + ?12 <= ?18
      AND (SELECT COALESCE(SUM(size), 0) FROM jobs WHERE workspace = ?2 AND key = ?3) + ?12 <= ?19`,
  release: 'UPDATE jobs SET ready = 1 WHERE id = ?',
  due: `SELECT ${COLUMNS} FROM jobs WHERE ${FREE} AND due_at <= ?2 ORDER BY due_at, ix LIMIT ?3`,
  orphans: `SELECT ${COLUMNS} FROM jobs
    WHERE finished_at IS NULL AND state = 'running' AND holder IS NOT ?1 AND at <= ?2 ORDER BY due_at, ix LIMIT ?3`,
  nextDue: `SELECT MIN(due_at) FROM jobs WHERE ${FREE} AND due_at > ?2`,
  begin: `UPDATE jobs SET state = 'running', tries = tries + (state = 'waiting'), holder = ?3, ready = 1
    WHERE id = ?1 AND finished_at IS NULL AND expires_at > ?2 AND (ready = 1 OR holder IS NOT ?3)`,
  again: `UPDATE jobs SET state = 'waiting', due_at = ?2, cost_left = ?3, tries = tries - ?4, holder = ?5
    WHERE id = ?1 AND state = 'running'`,
  finish: FINISH,
  finishInRoom: `${FINISH} AND (${OTHERS}) + ?4 <= ?8 AND (${OTHERS_OF_KEY}) + ?4 <= ?9`,
  remove: 'DELETE FROM jobs WHERE id = ?',
  expire: 'DELETE FROM jobs WHERE expires_at <= ?',
  sealKeys: 'SELECT DISTINCT seal_key FROM jobs',
};
