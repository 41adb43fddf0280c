/** What happens on one replica’s health board and concerns the others (H-3, H-4). Lengths in ms from when it is told. */
import type { SkipReason } from '../failover/plan-types.ts';
import type { FailureClass } from '../failure.ts';

/** A credential, or a credential at one upstream model, rests; `forMs` 0 = no longer. */
export interface RestNews {
  readonly kind: 'rest';
  /** `HealthKeys.credentialKey` or `.credentialModel`. */
  readonly key: string;
  readonly reason: SkipReason;
  readonly cause: FailureClass;
  readonly forMs: number;
  readonly stated: boolean;
  /** n of the next `base · 2ⁿ`. */
  readonly level: number;
}

/** A channel’s circuit has opened for so long, or closed (`forMs` 0). */
export interface CircuitNews {
  readonly kind: 'circuit';
  readonly channel: string;
  readonly forMs: number;
  readonly level: number;
  readonly cause: FailureClass | null;
}

/** An operator takes a target out of every plan, or lets it take part again. */
export interface DrainNews {
  readonly kind: 'drain' | 'undrain';
  readonly id: string;
}

export type HealthNews = RestNews | CircuitNews | DrainNews;
