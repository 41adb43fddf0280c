/** Which choices of an answer have appeared and which have their finish reason (T-5). */

export class FinishLedger {
  /** In the order they came, one per choice. */
  readonly reasons: string[] = [];
  readonly #open = new Set<number>();
  readonly #finished = new Map<number, string>();
  // The usual stream has one choice: its index, while nothing is known to have changed, needs no lookup.
  #lastOpen = -1;

  /** Notes one choice of a chunk; true = this chunk finished it. */
  note(index: number, reason: string | null): boolean {
    if (reason === null && index === this.#lastOpen) return false;
    if (this.#finished.has(index)) return false;
    if (reason === null) {
      this.#open.add(index);
      this.#lastOpen = index;
      return false;
    }
    this.#open.delete(index);
    this.#finished.set(index, reason);
    this.#lastOpen = -1;
    this.reasons.push(reason);
    return true;
  }

  /** Of each finished choice: its index and its reason. */
  get finished(): ReadonlyMap<number, string> {
    return this.#finished;
  }

  /** The choice has appeared. */
  has(index: number): boolean {
    return this.#open.has(index) || this.#finished.has(index);
  }

  /** Choices that appeared. */
  get size(): number {
    return this.#open.size + this.#finished.size;
  }

  /** At least one choice appeared, and every one that did has its finish reason. */
  get allFinished(): boolean {
    return this.#open.size === 0 && this.#finished.size > 0;
  }

  /** Every index from 0 to n − 1 has its finish reason. */
  hasAll(n: number): boolean {
    for (let index = 0; index < n; index++) if (!this.#finished.has(index)) return false;
    return true;
  }
}
