/**
 * Turns: among credentials of equal order each channel counts for itself (P-1), among channels each workspace and model
 * (P-2's round_robin), so that no pattern of requests meets one only.
 */
import type { ChannelIx } from '../failover/plan-types.ts';
import { RecentMap } from './recent-map.ts';

/** What a plan asks: whose turn it is, from 0. */
export interface Turns {
  ofChannel(channel: ChannelIx): number;
  /** `name`: workspace and model. */
  ofModel(name: string): number;
}

/** Model names can come from clients (wildcards): so many counters are kept at least, those that have rested longest go. */
const MODELS = 5000;

export class Rotation implements Turns {
  readonly #channels: number[] = [];
  readonly #models = new RecentMap<number>(MODELS);

  /** Takes the channel's turn. */
  ofChannel(channel: ChannelIx): number {
    const turn = this.#channels[channel] ?? 0;
    this.#channels[channel] = turn + 1;
    return turn;
  }

  /** Takes the model's turn. */
  ofModel(name: string): number {
    const turn = this.#models.get(name) ?? 0;
    this.#models.set(name, turn + 1);
    return turn;
  }

  /** The turns that would come next, without taking any. */
  standing(): Turns {
    return {
      ofChannel: (channel) => this.#channels[channel] ?? 0,
      ofModel: (name) => this.#models.peek(name) ?? 0,
    };
  }
}
