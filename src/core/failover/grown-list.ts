/**
 * A list that only grows, immutable like all of the engine's state. It is kept in pieces, of which a longer list shares all
 * but the last: a request may have a thousand refusals, and each makes a new state.
 */
const PIECE = 64;

export class GrownList<T> {
  /** All but the last are full. */
  readonly pieces: readonly (readonly T[])[];

  private constructor(pieces: readonly (readonly T[])[]) {
    this.pieces = pieces;
  }

  static none<T>(): GrownList<T> {
    return new GrownList<T>([]);
  }

  /** Undefined where there is none yet. */
  get last(): T | undefined {
    return this.pieces.at(-1)?.at(-1);
  }

  /** The same with one more. */
  with(entry: T): GrownList<T> {
    const last = this.pieces.at(-1);
    if (last === undefined || last.length === PIECE) return new GrownList([...this.pieces, [entry]]);
    return new GrownList([...this.pieces.slice(0, -1), [...last, entry]]);
  }

  /** The first that is so. */
  find(holds: (entry: T) => boolean): T | undefined {
    for (const piece of this.pieces) {
      const found = piece.find(holds);
      if (found !== undefined) return found;
    }
    return undefined;
  }

  /** True of an empty one. */
  every(holds: (entry: T) => boolean): boolean {
    return this.pieces.every((piece) => piece.every(holds));
  }

  *[Symbol.iterator](): Iterator<T> {
    for (const piece of this.pieces) yield* piece;
  }
}
