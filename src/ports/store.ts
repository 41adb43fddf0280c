/**
 * Everything that outlives the process, as one object: one per process, whatever keeps it. `sqlite`: a folder that this
 * process has alone. `postgres`: a database that several processes share.
 */
import type { AuditLog } from './audit.ts';
import type { BoundStates } from './bound-state.ts';
import type { Clock } from './clock.ts';
import type { Duties } from './duties.ts';
import type { EventOutbox } from './events.ts';
import type { Holder } from './holder.ts';
import type { SharedIdempotency } from './idempotency-store.ts';
import type { JobStore } from './job-store.ts';
import type { KeptAnswers } from './kept-answers.ts';
import type { Ledger } from './ledger.ts';
import type { Notifier } from './notifier.ts';
import type { ObjectStore } from './object-store.ts';
import type { PeriodStore } from './period-store.ts';
import type { RetainingRecordStore } from './record-store.ts';
import type { Sealer } from './sealer.ts';
import type { SessionStore } from './sessions.ts';
import type { SignalStore } from './signals.ts';

export interface Store {
  readonly kind: 'sqlite' | 'postgres';
  readonly holder: Holder;
  /** Monotonic time of this process, wall time of the store: for every instant that is compared with one in the store. */
  readonly clock: Clock;
  readonly objects: ObjectStore;
  readonly idempotency: SharedIdempotency;
  readonly ledger: Ledger;
  readonly jobs: JobStore;
  readonly kept: KeptAnswers;
  readonly bound: BoundStates;
  readonly periods: PeriodStore;
  readonly audit: AuditLog;
  readonly outbox: EventOutbox;
  readonly signals: SignalStore;
  readonly sessions: SessionStore;
  readonly duties: Duties;
  readonly notifier: Notifier;
  /** The request log. Once, when the configuration is known; closed by whoever asked for it. Rejects with RecordStoreUnusable. */
  openRecords(settings: LogSettings): Promise<RetainingRecordStore>;
  /** In plain words, null when it is well. Never a reason to be unready: what needs the store is refused by itself (H-5). */
  readonly problem: string | null;
  /** Writes what is queued, then closes. Never rejects. */
  close(): Promise<void>;
}

export interface StoreOptions {
  readonly clock: Clock;
  readonly sealer: Sealer;
  readonly newId: (prefix: string) => string;
  /** Of the state: what is wrong in plain words, null = it is well again. Once per change. */
  readonly onProblem: (problem: string | null) => void;
  /** Of kept answers. */
  readonly onNotKept: (problem: string | null) => void;
  /** One order of the state took so long, ms; good or bad. `operation`: one of a few words. */
  readonly onTook?: (operation: string, ms: number) => void;
  /** Something was given up that no repetition makes acceptable: a fault of the program. */
  readonly onBug: (error: unknown) => void;
}

export interface LogSettings {
  /** Name of its file in the data folder, where it has one. */
  readonly file: string;
  /** Records waiting for the store at most; more are dropped and counted (O-2). */
  readonly queueLimit: number;
  /** What is wrong in plain words, null = it is well again. */
  readonly onProblem: (problem: string | null) => void;
  /** So many records were given up. */
  readonly onDropped: (count: number) => void;
}
