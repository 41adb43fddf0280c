/**
 * Which ranks of a plan are not to be tried (again), and why. Immutable like all of the engine's state. Ranks are small whole
 * numbers without gaps, so a change is one copy of an array: a plan of a thousand targets may have each of them refused.
 */
import type { SkipReason } from './plan-types.ts';

export type SpentReason = SkipReason | 'tried';

export class SpentRanks {
  static readonly none = new SpentRanks([]);

  /** By rank. */
  readonly reasons: readonly (SpentReason | undefined)[];

  private constructor(reasons: readonly (SpentReason | undefined)[]) {
    this.reasons = reasons;
  }

  has(rank: number): boolean {
    return this.reasons[rank] !== undefined;
  }

  get(rank: number): SpentReason | undefined {
    return this.reasons[rank];
  }

  /** The same with these ranks spent; their latest reason counts. */
  with(ranks: Iterable<number>, reason: SpentReason): SpentRanks {
    const reasons = this.reasons.slice();
    for (const rank of ranks) {
      while (reasons.length < rank) reasons.push(undefined);
      reasons[rank] = reason;
    }
    return new SpentRanks(reasons);
  }

  /** By rank. */
  *[Symbol.iterator](): Iterator<readonly [number, SpentReason]> {
    for (const [rank, reason] of this.reasons.entries()) if (reason !== undefined) yield [rank, reason];
  }
}
