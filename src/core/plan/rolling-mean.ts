/** A mean over the last minutes, in slots: bounded memory, and what is old leaves by itself. */

/** A sample counts for at most this long (P-2): a channel that was slow ten minutes ago may be the fastest now. */
export const WINDOW_MS = 300_000;
const SLOTS = 10;
const SLOT_MS = WINDOW_MS / SLOTS;

export class RollingMean {
  readonly #sums = new Float64Array(SLOTS);
  readonly #weights = new Float64Array(SLOTS);
  #slot = Number.NEGATIVE_INFINITY;

  /** Counts `sum / weight`, e.g. tokens in seconds. `now`: monotonic ms, never falling. */
  add(now: number, sum: number, weight: number): void {
    this.#slide(now);
    const at = place(this.#slot);
    this.#sums[at]! += sum;
    this.#weights[at]! += weight;
  }

  /** Null = nothing was counted in the window. */
  mean(now: number): number | null {
    if (this.#slot === Number.NEGATIVE_INFINITY) return null;
    this.#slide(now);
    let sum = 0;
    let weight = 0;
    for (let i = 0; i < SLOTS; i++) {
      sum += this.#sums[i]!;
      weight += this.#weights[i]!;
    }
    return weight === 0 ? null : sum / weight;
  }

  /** Drops what has left the window. */
  #slide(now: number): void {
    const slot = Math.floor(now / SLOT_MS);
    if (slot <= this.#slot) return;
    for (let old = Math.max(this.#slot + 1, slot - SLOTS + 1); old <= slot; old++) {
      this.#sums[place(old)] = 0;
      this.#weights[place(old)] = 0;
    }
    this.#slot = slot;
  }
}

function place(slot: number): number {
  return ((slot % SLOTS) + SLOTS) % SLOTS;
}
