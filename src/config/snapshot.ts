/**
 * The configuration as the running gateway sees it: immutable, versioned, dense. A reload makes a new snapshot; a
 * request keeps the one it started with.
 */
import type { Role } from '../core/access/roles.ts';
import type { ChannelIx, CredentialIx, ModelIx } from '../core/failover/plan-types.ts';
import type { PolicyName, PolicyOverrides } from '../core/failover/policy.ts';
import type { HealthSettings } from '../core/health/settings.ts';
import type { Limits } from '../core/limits/limits.ts';
import type { NetworkRules } from '../core/net/network-rules.ts';
import type { Ceilings, RedundancyInput } from '../core/request/redundancy-types.ts';
import type { NanoUsd } from '../core/usage/usage.ts';
import type { Dialect, ErrorVocabulary } from '../providers/types.ts';

/** A secret that never prints itself: String(), JSON and inspect give `[secret]`. */
export class Secret {
  readonly #value: string;
  constructor(value: string) {
    this.#value = value;
  }
  /** The value itself. Only adapters and the masker call this. */
  reveal(): string {
    return this.#value;
  }
  toString(): string {
    return '[secret]';
  }
  toJSON(): string {
    return '[secret]';
  }
  [Symbol.for('nodejs.util.inspect.custom')](): string {
    return '[secret]';
  }
}

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

/** Objects named in the file belong to it and are read-only elsewhere; all others live in the store. */
export type ManagedBy = 'file' | 'store';

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

/** Nano-dollars per million tokens; null = unknown, which is not 0 (G-4). */
export interface PriceEntry {
  readonly input: bigint | null;
  readonly output: bigint | null;
  readonly cachedInput: bigint | null;
  readonly cacheWrite?: bigint | null;
  readonly audioIn?: bigint | null;
  readonly audioOut?: bigint | null;
  /** Other prices for requests with more input tokens than `above`; by `above`, the last that holds counts. */
  readonly tiers?: readonly (Omit<PriceEntry, 'tiers'> & { readonly above: number })[];
}

/** What a model or channel can do; null = unknown, which means supported (P-6). */
export interface CapabilitiesEntry {
  readonly apis: readonly string[] | null;
  readonly input: readonly string[] | null;
  readonly features: readonly string[] | null;
  /** Known to be missing, of a list that is not the whole truth: what stands in neither is unknown. Null = it is. */
  readonly lacks?: { readonly input: readonly string[] | null; readonly features: readonly string[] | null };
}

/** Which figures are the shipped catalogue's and not the file's; the ISO date they are of. */
export interface Catalogued {
  /** `estimate`: why the bill may say otherwise; null = it is the provider's list price. */
  readonly price?: { readonly date: string; readonly estimate: string | null };
  readonly contextWindow?: string;
  readonly maxOutputTokens?: string;
  readonly capabilities?: string;
}

export interface ModelEntry {
  readonly ix: ModelIx;
  readonly id: string;
  /** By priority, then by place in the file. */
  readonly channels: readonly ChannelIx[];
  readonly contextWindow: number | null;
  readonly capabilities: CapabilitiesEntry;
  /** Longest answer in tokens, where that is known. */
  readonly maxOutputTokens?: number;
  /** From the catalogue: the first channel's, and only where each channel has figures of its own. */
  readonly price: PriceEntry | null;
  readonly catalogued?: Catalogued;
  /** Made on demand from `PROVIDER/*` by `withModel`; lists of models leave it out. Absent = named in the file. */
  readonly wildcard?: true;
  /** Listed nowhere: a model because an alias, a chain or a workspace names it. */
  readonly implied?: true;
}

/** What every `PROVIDER/NAME` of a wildcard `PROVIDER/*` looks like. */
export interface WildcardEntry {
  readonly provider: ProviderEntry;
  readonly credentials: readonly CredentialIx[];
  readonly like: Pick<ModelEntry, 'contextWindow' | 'capabilities' | 'price' | 'maxOutputTokens'>;
}

/** Wildcards of a snapshot, and how many models and channels are the file's own (those come first, ids never change). */
export interface Wildcards {
  readonly byProvider: ReadonlyMap<string, WildcardEntry>;
  /** ISO date whose prices hold; absent = those of the catalogue's own day. */
  readonly day?: string;
  readonly ownModels: number;
  readonly ownChannels: number;
}

export interface KeyEntry {
  readonly name: string;
  readonly workspace: string;
  /** SHA-256 of the client key, hex: the key itself is not kept (G-9). */
  readonly hash: string;
  /** Glob patterns of model ids; `*` = all. */
  readonly models: readonly string[];
  /** Wall ms, null = never. */
  readonly expiresAt: number | null;
  readonly failoverDefaults: FailoverDefaults | null;
  readonly redundancy: RedundancyInput;
  readonly ceilings: Ceilings;
  readonly limits: Limits | null;
  /** It may fail its own requests on purpose (X-4). */
  readonly allowRehearse: boolean;
  readonly idempotency: KeyIdempotency;
  readonly managedBy: ManagedBy;
}

/** A key's own word, its workspace's, or the default. */
export interface KeyIdempotency {
  /** Keys are derived for requests without one (I-10). */
  readonly auto: boolean;
  /** Who shares keys (I-1). */
  readonly scope: 'key' | 'workspace';
}

/** Somebody with a token of their own for the admin plane (G-8). */
export interface MemberEntry {
  readonly name: string;
  readonly role: Role;
  /** Null for account admins. */
  readonly workspace: string | null;
  /** SHA-256 of the token, hex. */
  readonly hash: string;
  readonly managedBy: ManagedBy;
}

/** S1's defaults on a key. */
export interface FailoverDefaults {
  readonly models: readonly string[] | null;
  readonly options: RedundancyInput;
}

export interface WorkspaceEntry {
  readonly name: string;
  readonly enabledModels: readonly string[];
  /** Glob patterns of `MODEL#CHANNEL` whose platform credentials it may use (P-1). */
  readonly enabledChannels: readonly string[];
  readonly redundancy: RedundancyInput;
  readonly ceilings: Ceilings;
  /** Model id, tried last (C-7). */
  readonly defaultModel: string | null;
  readonly routing: RoutingEntry;
  /** By name (C-6). */
  readonly virtualModels: ReadonlyMap<string, VirtualModelEntry>;
  /** Model ids behind `understudy/auto`; empty = it has none. */
  readonly auto: readonly string[];
  readonly guardrails: GuardrailsEntry;
  readonly limits: Limits | null;
  /** Whether and how its answers are kept, to be given again when everything failed (E-4); null = they are not. */
  readonly answers: AnswerKeeping | null;
  /** What the file grants; null = the workspace is not prepaid (G-4). */
  readonly balance: NanoUsd | null;
  readonly managedBy: ManagedBy;
}

/** E-4: how long answers of a workspace are kept, and how many bytes of them at most. */
export interface AnswerKeeping {
  readonly maxAgeMs: number;
  readonly maxBytes: number;
}

export const ROUTING_STRATEGIES = [
  'priority',
  'price',
  'latency',
  'throughput',
  'least_busy',
  'weighted',
  'round_robin',
] as const;
export type RoutingStrategy = (typeof ROUTING_STRATEGIES)[number];

/** P-2, P-3. */
export interface RoutingEntry {
  readonly strategy: RoutingStrategy;
  readonly affinity: 'none' | 'prompt_cache_key' | 'user';
  /** Model id → channel id. */
  readonly channels: ReadonlyMap<string, ReadonlyMap<string, ChannelPreference>>;
}

export interface ChannelPreference {
  readonly prefer: boolean;
  readonly byokOnly: boolean;
}

/** C-6: `routing` null = the workspace's. */
export interface VirtualModelEntry {
  readonly name: string;
  /** Model ids, up to 10. */
  readonly models: readonly string[];
  readonly routing: RoutingEntry | null;
  readonly redundancy: RedundancyInput;
}

/** G-2. Patterns are globs; channels as `MODEL#CHANNEL`. */
export interface GuardrailsEntry {
  readonly denyModels: readonly string[];
  readonly denyChannels: readonly string[];
  /** Null = any. A channel without region is outside every list. */
  readonly allowRegions: readonly string[] | null;
  readonly denyRegions: readonly string[];
  /** Requests of this workspace may be this private at most. */
  readonly maxPrivacy: string | null;
}

export interface StreamingSettings {
  readonly keepAliveAfterMs: number;
  readonly keepAliveEveryMs: number;
  readonly maxEventBytes: number;
  readonly maxPreludeBytes: number;
}

export interface ServerSettings {
  readonly host: string;
  readonly port: number;
  readonly bodyLimit: number;
  readonly drainTimeoutMs: number;
  readonly maxAnswerBytes: number;
  readonly logQueue: number;
  readonly metricsToken: Secret | null;
}

export interface Snapshot {
  readonly version: number;
  readonly server: ServerSettings;
  readonly storePath: string;
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
