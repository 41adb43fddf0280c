/** The part of the configuration that plans are made of. A snapshot fits it. */
import type { ChannelIx, CredentialIx, ModelIx } from '../failover/plan-types.ts';
import type { Limits } from '../limits/limits.ts';
import type { Routing } from '../request/routing.ts';

/** Nano-dollars per million tokens; null = unknown, which is not 0 (G-4). */
export interface SourcePrice {
  readonly input: bigint | null;
  readonly output: bigint | null;
}

export interface SourceModel {
  readonly ix: ModelIx;
  readonly id: string;
  /** By priority. */
  readonly channels: readonly ChannelIx[];
  readonly contextWindow: number | null;
  readonly capabilities: { readonly features: readonly string[] | null };
  readonly price: SourcePrice | null;
}

export interface SourceChannel {
  readonly ix: ChannelIx;
  readonly model: ModelIx;
  readonly id: string;
  /** `MODEL#ID`. */
  readonly healthKey: string;
  readonly upstreamModel: string;
  readonly contextWindow: number | null;
  readonly weight: number;
  readonly region: string | null;
  /** Most private request it may be sent (G-2). */
  readonly maxPrivacy: string;
  readonly limits: Limits | null;
  /** Where it differs from its model's. */
  readonly price?: SourcePrice;
  /** BYOK by order, then platform by order, of all workspaces. Empty = call without credential. */
  readonly credentials: readonly CredentialIx[];
}

export interface SourceCredential {
  readonly name: string;
  readonly kind: 'platform' | 'byok';
  readonly workspace: string | null;
  readonly order: number;
  readonly limits: Limits | null;
  /** An address of its own; its server is not the channel's. */
  readonly baseUrl?: string | null;
}

export interface SourceGuardrails {
  readonly denyModels: readonly string[];
  /** Patterns of `MODEL#CHANNEL`. */
  readonly denyChannels: readonly string[];
  /** Null = any. A channel without region is outside every list. */
  readonly allowRegions: readonly string[] | null;
  readonly denyRegions: readonly string[];
  readonly maxPrivacy: string | null;
}

export interface SourceWorkspace {
  /** Patterns of `MODEL#CHANNEL` whose platform credentials it may use (P-1). */
  readonly enabledChannels: readonly string[];
  readonly routing: Routing;
  readonly guardrails: SourceGuardrails;
}

export interface PlanSource {
  readonly version: number;
  readonly models: readonly SourceModel[];
  readonly channels: readonly SourceChannel[];
  readonly credentials: readonly SourceCredential[];
  readonly workspaces: ReadonlyMap<string, SourceWorkspace>;
}
