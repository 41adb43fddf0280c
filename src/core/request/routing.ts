/** How the channels of a chain's models are ordered (P-2, P-3): a workspace's words, or a virtual model's own (C-6). */

export interface Routing {
  readonly strategy: 'priority' | 'price' | 'latency' | 'throughput' | 'least_busy' | 'weighted' | 'round_robin';
  readonly affinity: 'none' | 'prompt_cache_key' | 'user';
  /** Model id → channel id. */
  readonly channels: ReadonlyMap<string, ReadonlyMap<string, { readonly prefer: boolean; readonly byokOnly: boolean }>>;
}
