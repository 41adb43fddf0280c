/** Which candidates of a stream have appeared, and what each said last of why it ended (T-5). */
export class LastWords {
  /** By the candidate's index; null = it has not finished, or has gone on since. */
  readonly #words = new Map<number, string | null>();
  #open = 0;

  /** Notes one candidate of a chunk: its finish reason, and whether it said something. */
  note(index: number, word: string | null, speaks: boolean): void {
    const before = this.#words.get(index);
    if (before === undefined) this.#open++;
    // Models that finish with every chunk only mean the last; one that goes on without has not finished.
    const now = word ?? (speaks ? null : (before ?? null));
    if (now === before) return;
    if (before === null || before === undefined) {
      if (now !== null) this.#open--;
    } else if (now === null) {
      this.#open++;
    }
    this.#words.set(index, now);
  }

  /** Null = it has not finished. */
  of(index: number): string | null {
    return this.#words.get(index) ?? null;
  }

  get size(): number {
    return this.#words.size;
  }

  /** At least one appeared, and all that did have finished. */
  get allFinished(): boolean {
    return this.#open === 0 && this.#words.size > 0;
  }

  /** Of those that have finished, in the order they appeared. */
  get reasons(): readonly string[] {
    return [...this.#words.values()].filter((word) => word !== null);
  }

  /** Every index from 0 to n − 1 has finished. */
  hasAll(n: number): boolean {
    for (let index = 0; index < n; index++) if ((this.#words.get(index) ?? null) === null) return false;
    return true;
  }
}
