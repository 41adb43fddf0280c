/** How a workspace chooses among channels (P-2, P-3). */

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
