/** What the admin plane and the operator's endpoints need; the running gateway has all of it. */
import type { ConfigApplier } from '../../config/objects/applying.ts';
import type { ConfigObjects } from '../../config/objects/config-objects.ts';
import type { KeyEntry, Secret, Snapshot, WebhookEntry } from '../../config/snapshot.ts';
import type { TargetReport } from '../../core/health/board.ts';
import type { KeyBreaker } from '../../core/key-breaker/key-breaker.ts';
import type { LimitKeeper } from '../../core/limits/limit-keeper.ts';
import type { Read } from '../../core/request/read.ts';
import type { ActiveAlert } from '../../core/signals/active-alerts.ts';
import type { AlertHistory } from '../../ports/alerts.ts';
import type { AuditLog } from '../../ports/audit.ts';
import type { BanBook } from '../../ports/bans.ts';
import type { Clock } from '../../ports/clock.ts';
import type { SigningDesk } from '../../ports/entitlement.ts';
import type { DeliveryFilter, DeliveryPage, DeliveryRecord, WebhookAnswer } from '../../ports/events.ts';
import type { RecordStore } from '../../ports/record-store.ts';
import type { RotatingSealer } from '../../ports/sealer.ts';
import type { SessionStore } from '../../ports/sessions.ts';
import type { Accounts } from '../../runtime/accounts.ts';
import type { Elsewhere } from '../../runtime/elsewhere.ts';
import type { Gateway } from '../../runtime/gateway.ts';
import type { Peers } from '../../runtime/peers.ts';

/** H-3: what an operator sees and may do. The changes answer false for an unknown id. */
export interface HealthBoardView {
  list(now: number, wall: number): readonly TargetReport[];
  reset(id: string): boolean;
  drain(id: string, now: number): boolean;
  undrain(id: string): boolean;
}

export interface AdminGateway {
  readonly records: Pick<RecordStore, 'get' | 'list' | 'usage' | 'failed' | 'overview'>;
  readonly board: HealthBoardView;
  readonly limits: Pick<LimitKeeper, 'usage' | 'forget'>;
  readonly peers: Pick<Peers, 'tell'> | null;
  /** Other processes on the same store; null = this one has it alone. */
  readonly elsewhere: Elsewhere | null;
  readonly keyBreaker: KeyBreaker;
  readonly bans: BanBook;
  readonly accounts: Pick<Accounts, 'isPrepaid' | 'balance' | 'available' | 'add' | 'entries'>;
  readonly clock: Clock;
  /** Requests under way. */
  readonly live: Gateway['live'];
  /** Its wall time is the store's. */
  readonly storeClock: Pick<Clock, 'wall'>;
  readonly sessions: SessionStore;
  snapshot(): Snapshot;
  newId(prefix: 'req_'): string;
  reportBug(error: unknown, requestId: string): void;
}

/** Everything the routes of the admin plane work on. */
export interface AdminDeps {
  readonly gateway: AdminGateway;
  readonly objects: ConfigObjects;
  readonly applier: ConfigApplier;
  readonly sealer: Pick<RotatingSealer, 'rotate' | 'keySource'>;
  readonly planner: Planner;
  readonly alerts: AlertsView;
  readonly audit: Pick<AuditLog, 'append' | 'list'>;
  readonly webhooks: WebhookDesk;
  readonly signing: SigningDesk;
}

/** G-7: what became of messages to webhooks. All but `test` and `removed` reject with `StateStoreUnavailable`. */
export interface WebhookDesk {
  deliveries(filter: DeliveryFilter): Promise<DeliveryPage>;
  delivery(id: string): Promise<DeliveryRecord | null>;
  /** Sends a message again, at once. */
  replay(id: string): Promise<'due' | 'under_way' | 'gone'>;
  /** What waits for a hook that is gone is not sent to another one of its name. Never rejects. */
  removed(hook: string): Promise<void>;
  /** Sends `webhook.test` once, whatever the hook asked for. */
  test(hook: WebhookEntry): Promise<WebhookAnswer & { readonly id: string }>;
}

/** O-4. */
export interface AlertsView extends AlertHistory {
  /** Built-in alerts that are on, of all replicas. */
  active(): readonly ActiveAlert[];
}

/** what would become of a chat request that this key sends. Header names in lower case. */
export type Planner = (
  key: KeyEntry,
  asked: { readonly body: Uint8Array; readonly headers: Readonly<Record<string, string>> },
) => Read<object>;

export interface OpsGateway {
  readonly clock: Pick<Clock, 'wall'>;
  readonly draining: boolean;
  snapshot(): { readonly server: { readonly metricsToken: Secret | null } };
  newId(prefix: 'req_'): string;
}
