/** What can be asked for, what it costs and what it can do. */
import type { ChannelIx, ModelIx } from '../../core/failover/plan-types.ts';

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
