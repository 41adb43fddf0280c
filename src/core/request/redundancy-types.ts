/** The `redundancy` object as sent, configured or defaulted: every field optional, names as on the wire (C-3, C-4). */
export interface RedundancyInput {
  readonly policy?: 'standard' | 'strict' | 'permissive';
  readonly on?: readonly string[];
  readonly cross_model?: boolean;
  readonly skip_incapable?: boolean;
  readonly timeout_ms?: number;
  readonly first_token_timeout_ms?: number;
  readonly idle_timeout_ms?: number;
  readonly stall_timeout_ms?: number;
  readonly retries?: number;
  readonly max_attempts?: number;
  readonly deadline_ms?: number;
  readonly max_cost_usd?: number;
  readonly max_wait_ms?: number;
  readonly priority?: 'low' | 'normal' | 'high';
  readonly privacy_level?: string;
  readonly commit?: 'first_token' | 'complete';
  readonly max_held_bytes?: number;
  readonly hedge_after_ms?: number;
  readonly on_truncated?: string;
  readonly on_duplicate?: string;
  readonly finish_on_disconnect?: boolean;
  readonly on_exhausted?: readonly unknown[];
}

/** An entry's explicit degradations. */
export interface Degrade {
  readonly max_output_tokens?: number;
  readonly drop_tools?: boolean;
  readonly drop_response_format?: boolean;
  readonly reasoning_effort?: string;
  readonly drop_params?: readonly string[];
}

/** One entry of a chain, C-3. */
export interface ChainEntryInput {
  readonly model: string;
  readonly timeout_ms?: number;
  readonly first_token_timeout_ms?: number;
  readonly degrade?: Degrade;
}

/** A workspace's or key's bounds: numbers are clamped, policies refused (C-3, C-4). */
export interface Ceilings {
  readonly max_attempts?: number;
  readonly retries?: number;
  readonly deadline_ms?: number;
  readonly timeout_ms?: number;
  readonly max_wait_ms?: number;
  readonly max_cost_usd?: number;
  readonly max_held_bytes?: number;
  readonly policies?: readonly string[];
}
