/**
 * Which ranks of a plan are not to be tried (again), and why. Immutable like all of the engine's state. Ranks are small whole
 * numbers without gaps, kept in pieces: a change copies the pieces it is in and no more, for a plan of a thousand targets
 * may have each of them refused.
 */
import type { SkipReason } from './plan-types.ts';

export type SpentReason = SkipReason | 'tried';

type Piece = readonly (SpentReason | undefined)[];

const PIECE = 64;

export class SpentRanks {
  static readonly none = new SpentRanks([]);

  /** Piece n has the ranks from n · PIECE on. */
  readonly pieces: readonly Piece[];

  private constructor(pieces: readonly Piece[]) {
    this.pieces = pieces;
  }

  has(rank: number): boolean {
    return this.get(rank) !== undefined;
  }

  get(rank: number): SpentReason | undefined {
    return this.pieces[Math.floor(rank / PIECE)]?.[rank % PIECE];
  }

  /** The same with these ranks spent; their latest reason counts. */
  with(ranks: Iterable<number>, reason: SpentReason): SpentRanks {
    const pieces = this.pieces.slice();
    for (const rank of ranks) {
      const at = Math.floor(rank / PIECE);
      while (pieces.length <= at) pieces.push([]);
      const known = pieces[at]!;
      const piece = known === this.pieces[at] ? known.slice() : (known as (SpentReason | undefined)[]);
      while (piece.length < rank % PIECE) piece.push(undefined);
      piece[rank % PIECE] = reason;
      pieces[at] = piece;
    }
    return new SpentRanks(pieces);
  }

  /** By rank. */
  *[Symbol.iterator](): Iterator<readonly [number, SpentReason]> {
    for (const [at, piece] of this.pieces.entries()) {
      for (const [place, reason] of piece.entries()) if (reason !== undefined) yield [at * PIECE + place, reason];
    }
  }
}
