/** All statements of `state.db`. */
import type { StateSql } from '../store-sql/state-stores.ts';
import { AUDIT_SQL } from './audit-sql.ts';
import { BOUND_SQL } from './bound-sql.ts';
import { IDEMPOTENCY_SQL } from './idempotency-sql.ts';
import { JOBS_SQL } from './jobs-sql.ts';
import { KEPT_SQL } from './kept-sql.ts';
import { LEDGER_SQL } from './ledger-sql.ts';
import { OBJECTS_SQL } from './objects-sql.ts';
import { OUTBOX_SQL } from './outbox-sql.ts';
import { PERIODS_SQL } from './periods-sql.ts';
import { SESSIONS_SQL } from './sessions-sql.ts';
import { SIGNALS_SQL } from './signals-sql.ts';

export const STATE_SQL: StateSql = {
  idempotency: IDEMPOTENCY_SQL,
  ledger: LEDGER_SQL,
  jobs: JOBS_SQL,
  kept: KEPT_SQL,
  bound: BOUND_SQL,
  objects: OBJECTS_SQL,
  periods: PERIODS_SQL,
  audit: AUDIT_SQL,
  outbox: OUTBOX_SQL,
  signals: SIGNALS_SQL,
  sessions: SESSIONS_SQL,
};
