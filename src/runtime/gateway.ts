/** What every request of one process shares: ports, health, counters. Assembled once. */
import type { Snapshot } from '../config/snapshot.ts';
import type { ClientRetryWatch } from '../core/client-retry.ts';
import type { RetryBudget } from '../core/failover/retry-budget.ts';
import type { HealthBoard } from '../core/health/board.ts';
import type { KeyBreaker } from '../core/key-breaker/key-breaker.ts';
import type { LimitKeeper } from '../core/limits/limit-keeper.ts';
import type { Affinity } from '../core/plan/affinity.ts';
import type { Measurements } from '../core/plan/measurements.ts';
import type { Rotation } from '../core/plan/rotation.ts';
import type { Alerts } from '../ports/alerts.ts';
import type { BanBook } from '../ports/bans.ts';
import type { BoundStates } from '../ports/bound-state.ts';
import type { Clock, Random } from '../ports/clock.ts';
import type { Entitlement } from '../ports/entitlement.ts';
import type { GatewayMetrics } from '../ports/metrics.ts';
import type { RecordStore } from '../ports/record-store.ts';
import type { RequestWatcher } from '../ports/request-watcher.ts';
import type { SessionStore } from '../ports/sessions.ts';
import type { ChannelCaps } from '../ports/signals.ts';
import type { Transport } from '../ports/transport.ts';
import type { OpenUploadSpool } from '../ports/upload-spool.ts';
import type { Accounts } from './accounts.ts';
import type { Elsewhere } from './elsewhere.ts';
import type { KeyedRuns } from './keyed/keyed-runs.ts';
import type { Ladder } from './ladder/ladder.ts';
import type { Peers } from './peers.ts';

/** A request from its arrival until its client has the whole answer: what a drain waits for. */
export interface LiveRequest {
  /** The drain's end closes it honestly; how, changes as it goes on. */
  terminate: () => void;
}

/** The shared parts, as every room of a request reaches them. */
export interface Gateway {
  readonly clock: Clock;
  /** Its wall time is the store's: for every instant that is kept there, or compared with one. */
  readonly storeClock: Clock;
  readonly random: Random;
  readonly transport: Transport;
  /** Signs tokens for providers that ask for them (G-5). */
  readonly entitlement: Entitlement;
  readonly records: RecordStore;
  readonly board: HealthBoard;
  readonly rotation: Rotation;
  /** How fast and busy channels are (P-2). */
  readonly measurements: Measurements;
  /** Which channel callers stay on (P-2). */
  readonly affinity: Affinity;
  /** Made anew by a reload: its figures are the configuration's. */
  retryBudget: RetryBudget;
  readonly retryWatch: ClientRetryWatch;
  readonly limits: LimitKeeper;
  /** Other replicas, as far as they are told of something (H-4); null where there are none. */
  readonly peers: Peers | null;
  /** Other processes on the same store; null = this one has it alone. */
  readonly elsewhere: Elsewhere | null;
  readonly accounts: Accounts;
  readonly keyBreaker: KeyBreaker;
  /** Bans on their way to the store. */
  readonly bans: BanBook;
  readonly metrics: GatewayMetrics;
  /** Who looks at every finished request, beside metrics and log. */
  readonly watchers: readonly RequestWatcher[];
  /** Channels that are slowed down (O-4). */
  readonly caps: ChannelCaps;
  /** Runs under idempotency keys, and the ledger behind them. */
  readonly keyed: KeyedRuns;
  readonly alerts: Alerts;
  /** What lives at upstream accounts (P-8). */
  readonly bound: BoundStates;
  /** Who has signed in to the console. */
  readonly sessions: SessionStore;
  /** Where forms are taken in. */
  readonly openUpload: OpenUploadSpool;
  /** What may answer when everything failed (E-4). */
  readonly ladder: Ladder;
  readonly live: Set<LiveRequest>;
  /** The current configuration. A request reads it once. */
  snapshot(): Snapshot;
  /** The current configuration with these names made from wildcards where they cover them. */
  snapshotFor(names: readonly string[]): Snapshot;
  /** Masks every configured secret in a text (E-5). */
  mask(text: string, spares?: (run: string) => boolean): string;
  /** Hides an identifier that holds a configured secret; others stay as they are (E-5). */
  guard(text: string, spares?: (run: string) => boolean): string;
  newId(prefix: 'req_' | 'job_'): string;
  /** It is about to stop and says so; requests are served all the same. Begins no job any more (SIGTERM). */
  leaving: boolean;
  /** New requests are refused. */
  draining: boolean;
  /** One funnel for bugs: logged with its stack, never shown. */
  reportBug(error: unknown, requestId: string): void;
}
