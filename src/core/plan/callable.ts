/** One model as one workspace may call it, worked out once per configuration and read by every plan. */
import type { ChannelIx, ModelIx, SkipReason, Target } from '../failover/plan-types.ts';
import type { HealthKeys } from '../health/keys.ts';
import type { LimitScope } from '../limits/limits.ts';

export interface CallableTarget {
  readonly target: Target;
  readonly keys: HealthKeys;
  readonly contextWindow: number | null;
  /** Its credential has an address of its own (D-2). */
  readonly ownAddress: boolean;
  /** Its credential's limits; null = unbounded. */
  readonly limits: LimitScope | null;
  /** All limits a call of it counts against: its channel's and its credential's. */
  readonly scopes: readonly LimitScope[];
}

/** Never called in this workspace, only shown (P-7). */
export interface BarredTarget {
  readonly callable: CallableTarget;
  readonly reason: SkipReason;
}

/** One channel as one workspace may call it. */
export interface CallableChannel {
  readonly channel: ChannelIx;
  /** `MODEL#ID`: the name that measurements, limits and callers' affinity go by. */
  readonly key: string;
  /** Runs of equal order; only those of several platform credentials take turns (P-1). */
  readonly groups: readonly (readonly CallableTarget[])[];
  /** Some group has several targets that take turns. */
  readonly rotates: boolean;
  readonly barred: readonly BarredTarget[];
  /** To the front (P-3). */
  readonly preferred: boolean;
  readonly weight: number;
  /** Cost of a typical mix of tokens, in nano-dollars; null = unknown (P-2). */
  readonly price: bigint | null;
  readonly limits: LimitScope | null;
  /** Most private request it may be sent, as the level's number (G-2). */
  readonly privacy: number;
}

export interface CallableModel {
  readonly model: ModelIx;
  readonly name: string;
  readonly reasons: boolean;
  /** By priority, preferred ones first. */
  readonly channels: readonly CallableChannel[];
  /** The same by price: known before unknown (P-2). */
  readonly byPrice: readonly CallableChannel[];
  /** Some channel is preferred (P-3). */
  readonly prefers: boolean;
  /** Only the workspace's own credentials of some channels are used: the default model stays out as well (P-3). */
  readonly byokOnly: boolean;
  /** A guardrail forbids the model as such (G-2). */
  readonly denied: boolean;
}
