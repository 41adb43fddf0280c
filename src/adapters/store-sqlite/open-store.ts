/** The store in a data folder: `state.db` and the request log beside it. The folder is locked for this process. */
import { join } from 'node:path';
import { soleHolder } from '../../ports/holder.ts';
import type { LogSettings, Store, StoreOptions } from '../../ports/store.ts';
import { SqlAuditLog } from '../store-sql/audit.ts';
import { SqlBoundStates } from '../store-sql/bound-state.ts';
import { createIdempotencyStore } from '../store-sql/idempotency-store.ts';
import { SqlJobStore } from '../store-sql/jobs.ts';
import { SqlKeptAnswers } from '../store-sql/kept-answers.ts';
import { createLedger } from '../store-sql/ledger.ts';
import { LocalNotifier } from '../store-sql/local-notifier.ts';
import { SqlObjectStore } from '../store-sql/object-store.ts';
import { SqlOutbox } from '../store-sql/outbox.ts';
import { SqlPeriodStore } from '../store-sql/period-store.ts';
import { AUDIT_SQL } from './audit-sql.ts';
import { BOUND_SQL } from './bound-sql.ts';
import { IDEMPOTENCY_SQL } from './idempotency-sql.ts';
import { JOBS_SQL } from './jobs-sql.ts';
import { KEPT_SQL } from './kept-sql.ts';
import { LEDGER_SQL } from './ledger-sql.ts';
import { OBJECTS_SQL } from './objects-sql.ts';
import { openRecordStore } from './open-record-store.ts';
import { openStateDb, openStateReader } from './open-state-db.ts';
import { OUTBOX_SQL } from './outbox-sql.ts';
import { PERIODS_SQL } from './periods-sql.ts';

export interface SqliteStoreOptions extends StoreOptions {
  /** Exists, and is locked for this process. */
  readonly dataDir: string;
}

/** Rejects with StateDbUnusable. */
export async function openSqliteStore(options: SqliteStoreOptions): Promise<Store> {
  const { dataDir, clock, sealer, newId, onProblem, onNotKept, onBug } = options;
  const path = join(dataDir, 'state.db');
  const db = await openStateDb({ path, clock, onProblem });
  const reader = openStateReader({ path, clock });
  const holder = soleHolder(newId('proc_'));
  const idempotency = createIdempotencyStore({ db, sql: IDEMPOTENCY_SQL, reader, sealer, clock, holder, onBug });
  const ledger = createLedger({ db, sql: LEDGER_SQL, clock, holder, newId });
  const kept = new SqlKeptAnswers({ db, sql: KEPT_SQL, sealer, clock, onProblem: onNotKept });
  const audit = new SqlAuditLog({ db, sql: AUDIT_SQL, clock, onBug });
  const bound = new SqlBoundStates({ db, sql: BOUND_SQL, clock });
  return {
    kind: 'sqlite',
    holder,
    clock,
    objects: new SqlObjectStore({ db, sql: OBJECTS_SQL, auditSql: AUDIT_SQL }),
    idempotency,
    ledger,
    jobs: new SqlJobStore({ db, sql: JOBS_SQL, sealer, holder }),
    kept,
    bound,
    audit,
    outbox: new SqlOutbox({ db, sql: OUTBOX_SQL, holder }),
    periods: new SqlPeriodStore({ db, sql: PERIODS_SQL }),
    notifier: new LocalNotifier(),
    openRecords: ({ file, ...settings }: LogSettings) =>
      openRecordStore({ path: join(dataDir, file), clock, ...settings }),
    get problem() {
      return db.problem;
    },
    async close() {
      await Promise.all([idempotency.close(), ledger.close(), kept.close(), bound.close(), audit.close()]);
      await Promise.all([reader.close(), db.close()]);
    },
  };
}
