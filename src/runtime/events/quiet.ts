/** Happenings that say the same within a while, as one: a storm at an upstream must not become a storm of messages. */

/** Remembered at most; beyond, the oldest may be told once more. */
const MOST = 1000;

export class Quiet {
  readonly #ms: number;
  /** The oldest first. */
  readonly #told = new Map<string, { readonly at: number; unsaid: number }>();

  /** @param ms how long a name is quiet after it was told */
  constructor(ms: number) {
    this.#ms = ms;
  }

  /** Whether to tell it now: null = no; else how many of that name were not told since the last one. `at`: wall ms. */
  ask(name: string, at: number): number | null {
    const known = this.#told.get(name);
    // A clock that was put back tells too often rather than never.
    if (known !== undefined && at >= known.at && at - known.at < this.#ms) {
      known.unsaid += 1;
      return null;
    }
    this.#told.delete(name);
    this.#told.set(name, { at, unsaid: 0 });
    if (this.#told.size > MOST) this.#told.delete(this.#told.keys().next().value!);
    return known?.unsaid ?? 0;
  }
}
