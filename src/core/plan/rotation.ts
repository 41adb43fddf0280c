/** Turns among credentials of equal order (P-1): each channel counts for itself, so that no pattern of requests meets one only. */
import type { ChannelIx } from '../failover/plan-types.ts';

export class Rotation {
  readonly #turns: number[] = [];

  /** The number of the channel's turn, from 0. */
  next(channel: ChannelIx): number {
    const turn = this.#turns[channel] ?? 0;
    this.#turns[channel] = turn + 1;
    return turn;
  }
}
