/** Requests at the same time that a replica may begin without asking (H-4, P-4): kept while they are of use to it. */

/** A replica that had to refuse so lately keeps what it has: ms. */
const HUNGRY_MS = 20;
/** From this part of the limit on others need what is idle. */
const TIGHT = 0.8;

/** What all replicas have, as last heard. */
interface FleetSlots {
  readonly peers: number;
  readonly slots: number;
}

export class IdleSlots {
  #count = 0;
  /** The fewest since the last tick: nobody needed them. */
  #low = 0;

  get count(): number {
    return this.#count;
  }

  add(slots: number): void {
    this.#count += slots;
  }

  /** One begins; without an idle one it is one more that runs. */
  take(): void {
    if (this.#count === 0) return;
    this.#count -= 1;
    this.#low = Math.min(this.#low, this.#count);
  }

  /**
   * One has ended; `inFlight` still run. Where slots are short a replica keeps no more than its share, and that only while
   * it refuses calls itself. True = it is given back and must be told at once.
   */
  release(limit: number, inFlight: number, fleet: FleetSlots | null, unmetForMs: number): boolean {
    this.#count += 1;
    if (fleet === null || fleet.slots < TIGHT * limit) return false;
    const held = inFlight + this.#count;
    if (unmetForMs < HUNGRY_MS && held <= Math.floor(limit / fleet.peers)) return false;
    this.drop();
    return true;
  }

  /** Once in a while: lets go of what nobody needed since the last time. */
  trim(): void {
    this.#count -= Math.min(this.#low, this.#count);
    this.#low = this.#count;
  }

  drop(): void {
    this.#count = 0;
    this.#low = 0;
  }
}
