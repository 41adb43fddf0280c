/** Something only one call may hold at a time: a half-open circuit's probe, a resting channel's single call. */

/**
 * A holder that never lets go (a fault elsewhere, a stream of an hour) must not keep a channel closed for ever: after
 * this long the next call may take over. Longer than any attempt lives before it commits.
 */
export const LEASE_MS = 900_000;

export class Lease {
  #holder = 0;
  #since = 0;

  busy(now: number): boolean {
    return this.#holder !== 0 && now - this.#since < LEASE_MS;
  }

  /** Takes it for call number `call` (from 1). The caller has asked `busy` before. */
  take(call: number, now: number): void {
    this.#holder = call;
    this.#since = now;
  }

  /** Gives it back; false when `call` does not hold it (any more). */
  release(call: number): boolean {
    if (this.#holder !== call) return false;
    this.#holder = 0;
    return true;
  }

  clear(): void {
    this.#holder = 0;
  }
}
