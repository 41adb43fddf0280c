/**
 * The configuration as the running gateway sees it: immutable, versioned, dense. A reload makes a new snapshot; a
 * request keeps the one it started with.
 */

import type { ModelIx } from '../core/failover/plan-types.ts';
import type { PolicyName, PolicyOverrides } from '../core/failover/policy.ts';
import type { HealthSettings } from '../core/health/settings.ts';
import type { NetworkRules } from '../core/net/network-rules.ts';
import type { RedundancyInput } from '../core/request/redundancy-types.ts';
import type { KeyEntry, MemberEntry } from './snapshot/callers.ts';
import type { ModelEntry } from './snapshot/models.ts';
import type {
  AlertSettings,
  EntitlementSettings,
  RetentionSettings,
  ServerSettings,
  StreamingSettings,
  WebhookEntry,
} from './snapshot/process-settings.ts';
import type { Secret } from './snapshot/secret.ts';
import type { WorkspaceEntry } from './snapshot/tenants.ts';
import type { ChannelEntry, CredentialEntry } from './snapshot/upstreams.ts';
import type { Wildcards } from './snapshot/wildcards.ts';

export type { FailoverDefaults, KeyEntry, KeyIdempotency, MemberEntry } from './snapshot/callers.ts';
export type { ManagedBy } from './snapshot/managed-by.ts';
export type { CapabilitiesEntry, Catalogued, ModelEntry, PriceEntry } from './snapshot/models.ts';
export type {
  AlertSettings,
  EntitlementSettings,
  RetentionSettings,
  ServerSettings,
  StreamingSettings,
  WebhookEntry,
} from './snapshot/process-settings.ts';
export {
  type ChannelPreference,
  ROUTING_STRATEGIES,
  type RoutingEntry,
  type RoutingStrategy,
} from './snapshot/routing.ts';
export { Secret } from './snapshot/secret.ts';
export type { AnswerKeeping, GuardrailsEntry, VirtualModelEntry, WorkspaceEntry } from './snapshot/tenants.ts';
export type { ChannelEntry, CredentialEntry, ProviderEntry } from './snapshot/upstreams.ts';
export type { WildcardEntry, Wildcards } from './snapshot/wildcards.ts';

export interface Snapshot {
  readonly version: number;
  readonly server: ServerSettings;
  /** The SQLite file; its folder is the data folder whatever the store is. */
  readonly storePath: string;
  /** `postgres://…`; null = SQLite at `storePath`. */
  readonly storeUrl: Secret | null;
  /** `redis://…`; null = this process alone. */
  readonly sharedUrl: Secret | null;
  readonly alerts: AlertSettings;
  readonly webhooks: ReadonlyMap<string, WebhookEntry>;
  readonly retention: RetentionSettings;
  readonly entitlement: EntitlementSettings;
  readonly adminTokenHash: string | null;
  readonly models: readonly ModelEntry[];
  readonly channels: readonly ChannelEntry[];
  readonly credentials: readonly CredentialEntry[];
  readonly modelById: ReadonlyMap<string, ModelIx>;
  /** Absent = none. `withModel` makes `PROVIDER/NAME` of them. */
  readonly wildcards?: Wildcards;
  /** Everything behind a slash of an id → models ending in it, for C-9's "the only enabled `*​/NAME`". */
  readonly modelsByTail: ReadonlyMap<string, readonly ModelIx[]>;
  /** Other names → model ids, chains of aliases already followed. */
  readonly aliases: ReadonlyMap<string, string>;
  readonly workspaces: ReadonlyMap<string, WorkspaceEntry>;
  /** Client keys by hash. */
  readonly keys: ReadonlyMap<string, KeyEntry>;
  /** Texts of static answers by name (E-4). */
  readonly answers: ReadonlyMap<string, string>;
  /** Members by the hash of their token. */
  readonly members: ReadonlyMap<string, MemberEntry>;
  /** Operator's defaults; may lie outside C-4's ranges. */
  readonly defaults: RedundancyInput;
  readonly policies: Partial<Record<PolicyName, PolicyOverrides>>;
  readonly backoff: { readonly baseMs: number; readonly capMs: number };
  readonly health: HealthSettings;
  readonly retryBudget: { readonly ratio: number; readonly windowMs: number; readonly min: number };
  readonly streaming: StreamingSettings;
  /** `windowMs`: how long a key is kept (I-1); `maxAttemptsPerKey`: I-7. */
  readonly idempotency: { readonly windowMs: number; readonly maxAttemptsPerKey: number };
  /** Where addresses that workspaces and clients name may lead (G-9). */
  readonly network: NetworkRules;
  /** Every secret in the configuration, for the masker (E-5). */
  readonly secrets: readonly Secret[];
}
