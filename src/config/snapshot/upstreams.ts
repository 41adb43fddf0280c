/** Where calls go: providers, their credentials, the channels of a model. */
import type { ChannelIx, CredentialIx, ModelIx } from '../../core/failover/plan-types.ts';
import type { Limits } from '../../core/limits/limits.ts';
import type { Dialect, Operation } from '../../core/wire-names.ts';
import type { AuthKind, ErrorVocabulary, ForwardHeaders, ProviderPlace } from '../../providers/types.ts';
import type { ManagedBy } from './managed-by.ts';
import type { CapabilitiesEntry, Catalogued, PriceEntry } from './models.ts';
import type { Secret } from './secret.ts';

export interface ProviderEntry extends ProviderPlace {
  readonly name: string;
  /** Preset id: openai, openai-compatible, deepseek, sim, … */
  readonly type: string;
  /** What it speaks, the preferred first; which of them a model speaks says `dialectsOf`. */
  readonly dialects: readonly Dialect[];
  /** What may be asked there. */
  readonly operations: ReadonlySet<Operation>;
  /**
   * Without trailing slash, e.g. https://api.openai.com/v1. `sim:` (SIM_PLACEHOLDER) stands for the simulator in the
   * process until the assembly, which starts it, loads the configuration with its address.
   */
  readonly baseUrl: string;
  readonly vocabulary: ErrorVocabulary;
  readonly auth: AuthKind;
  /** Client headers passed on (G-10). */
  readonly forwardHeaders: ForwardHeaders;
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
  /** The dialect it is called in, whatever the client speaks; absent = the client’s own where the provider speaks it. */
  readonly api?: Dialect;
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
