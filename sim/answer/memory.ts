/** What a simulated provider keeps between calls: answers it made and stored. */

/** Bounded; the oldest are forgotten first. */
export class Memory {
  readonly #held = new Map<string, unknown>();
  readonly #most: number;

  constructor(most = 10_000) {
    this.#most = most;
  }

  keep(id: string, value: unknown): void {
    this.#held.delete(id);
    this.#held.set(id, value);
    if (this.#held.size <= this.#most) return;
    for (const oldest of this.#held.keys()) {
      this.#held.delete(oldest);
      break;
    }
  }

  /** Undefined = never kept, or forgotten. */
  recall(id: string): unknown {
    return this.#held.get(id);
  }

  /** Whether there was something to forget. */
  forget(id: string): boolean {
    return this.#held.delete(id);
  }

  clear(): void {
    this.#held.clear();
  }
}
