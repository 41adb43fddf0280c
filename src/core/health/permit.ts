/** The right to make one call, as the board granted it. Opaque to its holder, who gives it back exactly once. */
import type { TargetHealth } from './targets.ts';

export interface PermitGrant {
  readonly target: TargetHealth;
  /** Number of the call on this board, from 1. */
  readonly call: number;
  readonly holdsProbe: boolean;
  readonly holdsBackoffCall: boolean;
}

export class Permit {
  readonly target: TargetHealth;
  readonly call: number;
  /** It is the half-open circuit's one probe; no longer, when another replica makes it (H-4). */
  holdsProbe: boolean;
  /** It is the channel's one call while its credential backs off (P-4). */
  readonly holdsBackoffCall: boolean;
  /** The circuit's epoch at admission: its end counts only while that lasts. */
  readonly epoch: number;
  settled = false;

  constructor({ target, call, holdsProbe, holdsBackoffCall }: PermitGrant) {
    this.target = target;
    this.call = call;
    this.holdsProbe = holdsProbe;
    this.holdsBackoffCall = holdsBackoffCall;
    this.epoch = target.channel.breaker.epoch;
  }
}
