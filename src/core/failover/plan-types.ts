/** Targets and plans: dense ids into one immutable snapshot. */
import type { NanoUsd } from '../usage/usage.ts';

/** Dense index into `Snapshot.models`, `.channels`, `.credentials`. */
export type ModelIx = number;
export type ChannelIx = number;
export type CredentialIx = number;

/** What one attempt calls. Credential null = a provider without credentials. */
export interface Target {
  readonly model: ModelIx;
  readonly channel: ChannelIx;
  readonly credential: CredentialIx | null;
}

/** Why a candidate is not in the order (P-4, P-7), or was passed over while the request ran. */
export const SKIP_REASONS = [
  'cooling_rate_limit',
  'cooling_quota',
  'cooling_auth',
  'cooling_permission',
  'cooling_model_not_found',
  'cooling_backoff',
  'drained',
  'limit',
  'channel_fault',
  'model_over',
  'probe_in_flight',
  'no_larger_window',
  'cross_model_off',
  'incapable',
  'guardrail',
  'price_unknown',
  'circuit_open',
  'byok_only',
  'channel_not_enabled',
  'balance',
  'store_unavailable',
  'entitlement_unavailable',
  'model_not_allowed',
  'state_elsewhere',
] as const;
export type SkipReason = (typeof SKIP_REASONS)[number];

/** One row of the routing trace. `rank` from 1, in order of preference; every candidate has one (P-7). */
export interface Candidate {
  readonly rank: number;
  readonly target: Target;
  /** Set at planning time; `availableAt` in ms of the wall clock, null when nobody knows. */
  readonly skip: { readonly reason: SkipReason; readonly availableAt: number | null } | null;
  /** Its circuit was open, or its one probe was out: it went to the back instead of out (P-5). */
  readonly throughOpenCircuit?: boolean;
}

/** A target the engine may try. */
export interface PlannedTarget {
  readonly rank: number;
  readonly target: Target;
  /** Known context window in tokens, for the `…_larger` steps. */
  readonly contextWindow: number | null;
  /** The circuit was open at planning time and it was let through because nothing else is left (P-5). */
  readonly throughOpenCircuit: boolean;
  /** It backs off without a stated wait and is tried because nothing else is left: one call per channel at a time (P-4). */
  readonly throughBackoff?: boolean;
  /** What one attempt costs at most (D-4, `max_cost_usd`); null = price unknown, absent = not computed. */
  readonly worstCost?: NanoUsd | null;
  /** Its credential has an address of its own: other targets of the channel are at another server (D-2). */
  readonly ownAddress?: boolean;
}

/** One model of the chain with its targets in the order to try them. */
export interface PlannedModel {
  readonly model: ModelIx;
  /** Public id, for reports. */
  readonly name: string;
  readonly targets: readonly PlannedTarget[];
  /** Entry values of the chain beat `redundancy` (C-3); null = take the request's. */
  readonly timeoutMs: number | null;
  readonly firstTokenTimeoutMs: number | null;
  /** A model that reasons has no first-token timeout of its own but `timeoutMs` (T-3). */
  readonly reasons: boolean;
  /** Largest known window among its targets. */
  readonly contextWindow: number | null;
  /**
   * Why it has no targets: S1's status `skipped`; null when it has some. `guardrail`: the engine itself ends the request
   * with `guardrailFailure()` at the model's turn (G-2), so admission never sees a target of it.
   */
  readonly skipped: { readonly reason: SkipReason; readonly availableAt: number | null } | null;
  /** How the model came into the chain: `default` is barred by D-1 under strict. */
  readonly origin: 'request' | 'virtual' | 'failover_defaults' | 'default_model';
}

export interface Plan {
  readonly snapshotVersion: number;
  readonly models: readonly PlannedModel[];
  readonly candidates: readonly Candidate[];
  /** The chain came from `models`, `fallback_models` or `failover_defaults` (E-1 / E-2). */
  readonly explicit: boolean;
}
