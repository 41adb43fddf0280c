/** Everything of a store that stands on `StateDb`, put together from an engine's connections and statements. */
import type { Clock } from '../../ports/clock.ts';
import type { Holder } from '../../ports/holder.ts';
import type { Notifier } from '../../ports/notifier.ts';
import type { RemoteJoins } from '../../ports/remote-joins.ts';
import type { Store, StoreOptions } from '../../ports/store.ts';
import { type AuditSql, SqlAuditLog } from './audit.ts';
import { SqlBoundStates } from './bound-state.ts';
import { createIdempotencyStore, type HolderLeases } from './idempotency-store.ts';
import { SqlJobStore } from './jobs.ts';
import { SqlKeptAnswers } from './kept-answers.ts';
import { createLedger } from './ledger.ts';
import { SqlObjectStore } from './object-store.ts';
import { type OutboxSql, SqlOutbox } from './outbox.ts';
import { SqlPeriodStore } from './period-store.ts';
import { type SessionsSql, SqlSessionStore } from './sessions.ts';
import { type SignalsSql, SqlSignalStore } from './signals.ts';
import type { StateDb } from './state-db.ts';
import type { BoundSql, IdempotencySql, JobsSql, KeptSql, LedgerSql, ObjectsSql, PeriodsSql } from './statements.ts';
import { timedDb } from './timed-db.ts';

/** An engine's statements of the state. */
export interface StateSql {
  readonly idempotency: IdempotencySql;
  readonly ledger: LedgerSql;
  readonly jobs: JobsSql;
  readonly kept: KeptSql;
  readonly bound: BoundSql;
  readonly objects: ObjectsSql;
  readonly periods: PeriodsSql;
  readonly audit: AuditSql;
  readonly outbox: OutboxSql;
  readonly signals: SignalsSql;
  readonly sessions: SessionsSql;
}

type Db = Pick<StateDb, 'read' | 'write'>;

export interface StateStoreParts extends Pick<StoreOptions, 'sealer' | 'newId' | 'onNotKept' | 'onTook' | 'onBug'> {
  /** May be one connection or three: keys and money must not wait for the rest. */
  readonly db: { readonly keys: Db; readonly money: Db; readonly rest: Db };
  /** Reads large answers, and sessions, beside the writers. */
  readonly reader: Pick<StateDb, 'read'>;
  readonly sql: StateSql;
  /** Its wall time is the store's. */
  readonly clock: Clock;
  readonly holder: Holder;
  /** Absent = one process has the store alone. */
  readonly leases?: HolderLeases;
  readonly joins?: RemoteJoins;
  /** Tells others of changed objects. */
  readonly notifier?: Pick<Notifier, 'publish'>;
}

export interface StateStores
  extends Pick<
    Store,
    | 'objects'
    | 'idempotency'
    | 'ledger'
    | 'jobs'
    | 'kept'
    | 'bound'
    | 'periods'
    | 'audit'
    | 'outbox'
    | 'signals'
    | 'sessions'
  > {
  /** Writes what is queued. Never rejects. */
  settle(): Promise<void>;
}

export function stateStores(parts: StateStoreParts): StateStores {
  const { db, reader, sql, sealer, clock, holder, newId, onNotKept, onTook, onBug, leases, joins, notifier } = parts;
  const timed = (one: Db, name: string): Db =>
    onTook === undefined ? one : timedDb(one, name, () => clock.now(), onTook);
  const [keys, money, rest] = [timed(db.keys, 'keys'), timed(db.money, 'money'), timed(db.rest, 'state')];
  const shared = { ...(leases === undefined ? {} : { leases }), ...(joins === undefined ? {} : { joins }) };
  const idempotency = createIdempotencyStore({
    db: keys,
    sql: sql.idempotency,
    reader,
    sealer,
    clock,
    holder,
    onBug,
    ...shared,
  });
  const ledger = createLedger({ db: money, sql: sql.ledger, clock, holder, newId });
  const kept = new SqlKeptAnswers({ db: rest, sql: sql.kept, sealer, clock, onProblem: onNotKept });
  const bound = new SqlBoundStates({ db: rest, sql: sql.bound, clock });
  const audit = new SqlAuditLog({ db: rest, sql: sql.audit, clock, onBug });
  return {
    objects: new SqlObjectStore({
      db: rest,
      sql: sql.objects,
      auditSql: sql.audit,
      onChanged: () => notifier?.publish('objects', 'changed'),
    }),
    idempotency,
    ledger,
    jobs: new SqlJobStore({ db: rest, sql: sql.jobs, sealer, holder }),
    kept,
    bound,
    periods: new SqlPeriodStore({ db: rest, sql: sql.periods }),
    audit,
    outbox: new SqlOutbox({ db: rest, sql: sql.outbox, holder }),
    signals: new SqlSignalStore({ db: rest, sql: sql.signals, holder: holder.id }),
    sessions: new SqlSessionStore({ db: rest, reader, sql: sql.sessions }),
    async settle() {
      await Promise.all([idempotency.close(), ledger.close(), kept.close(), bound.close(), audit.close()]);
    },
  };
}
