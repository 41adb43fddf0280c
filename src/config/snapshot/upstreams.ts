/** Where calls go: providers, their credentials, the channels of a model. */
import type { ChannelIx, CredentialIx, ModelIx } from '../../core/failover/plan-types.ts';
import type { Limits } from '../../core/limits/limits.ts';
import type { Dialect } from '../../core/wire-names.ts';
import type { ErrorVocabulary } from '../../providers/types.ts';
import type { ManagedBy } from './managed-by.ts';
import type { CapabilitiesEntry, Catalogued, PriceEntry } from './models.ts';
import type { Secret } from './secret.ts';

export interface ProviderEntry {
  readonly name: string;
  /** Preset id: openai, openai-compatible, deepseek, sim, … */
  readonly type: string;
  readonly dialect: Dialect;
  /**
   * Without trailing slash, e.g. https://api.openai.com/v1. `sim:` (SIM_PLACEHOLDER) stands for the simulator in the
   * process until the assembly, which starts it, loads the configuration with its address.
   */
  readonly baseUrl: string;
  readonly vocabulary: ErrorVocabulary;
  readonly auth: 'bearer' | 'api-key' | 'x-api-key' | 'none';
  /** Client headers passed on, lower case (G-10). */
  readonly forwardHeaders: readonly string[];
  /** Header name (lower case) → value, sent on every call. */
  readonly headers: Readonly<Record<string, string>>;
  readonly connectTimeoutMs: number;
  readonly proxy: Secret | null;
  /** Name of the list of the shipped catalogue that speaks of its models; null = none does. */
  readonly catalogue: string | null;
}

export interface CredentialEntry {
  readonly ix: CredentialIx;
  readonly name: string;
  readonly provider: string;
  readonly secret: Secret;
  readonly kind: 'platform' | 'byok';
  readonly workspace: string | null;
  readonly order: number;
  readonly limits: Limits | null;
  /** A workspace's own address for the provider, without trailing slash; null = the provider's. BYOK only (G-9). */
  readonly baseUrl: string | null;
  readonly managedBy: ManagedBy;
}

export interface ChannelEntry {
  readonly ix: ChannelIx;
  readonly model: ModelIx;
  /** Id within its model. */
  readonly id: string;
  /** `MODEL#ID`: stable over reloads; the health board's key for H-1's channel scope. */
  readonly healthKey: string;
  readonly provider: ProviderEntry;
  readonly upstreamModel: string;
  readonly priority: number;
  readonly weight: number;
  readonly region: string | null;
  readonly maxPrivacy: string;
  readonly contextWindow: number | null;
  readonly limits: Limits | null;
  /** Where the channel says otherwise than its model, or the file says nothing of it and the catalogue does. */
  readonly price?: PriceEntry;
  readonly capabilities?: CapabilitiesEntry;
  readonly maxOutputTokens?: number;
  readonly catalogued?: Catalogued;
  /** In the order to try: BYOK by order, then platform by order (P-1). Empty = call without Authorization. */
  readonly credentials: readonly CredentialIx[];
}
