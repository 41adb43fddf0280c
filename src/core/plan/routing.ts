/** How a workspace, or a virtual model of it, wants channels ordered (P-2, P-3). The configuration's entries fit it. */

export type RoutingStrategy =
  | 'priority'
  | 'price'
  | 'latency'
  | 'throughput'
  | 'least_busy'
  | 'weighted'
  | 'round_robin';

export interface Routing {
  readonly strategy: RoutingStrategy;
  /** What a caller is known by who is to stay on a channel. */
  readonly affinity: 'none' | 'prompt_cache_key' | 'user';
  /** Model id → channel id. */
  readonly channels: ReadonlyMap<string, ReadonlyMap<string, ChannelPreference>>;
}

export interface ChannelPreference {
  /** To the front; falls back like any other. */
  readonly prefer: boolean;
  /** Only the workspace's own credentials of this channel: when they are used up the model is over. */
  readonly byokOnly: boolean;
}

/** A workspace that says nothing. */
export const PLAIN_ROUTING: Routing = { strategy: 'priority', affinity: 'none', channels: new Map() };
