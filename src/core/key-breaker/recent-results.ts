/** Results of one key within the last minute, counted by the second. */
import type { KeyResult } from './key-result.ts';

const SLOTS = 60;

/** A ring of seconds. Instants in monotonic ms, never going back. */
export class RecentResults {
  readonly #slotMs: number;
  readonly #total = new Uint32Array(SLOTS);
  readonly #caller = new Uint32Array(SLOTS);
  readonly #upstream = new Uint32Array(SLOTS);
  #slot = 0;
  /** Sums over all slots. */
  total = 0;
  callerFaults = 0;
  upstreamFaults = 0;

  /** @param windowMs the window; its last 60th is always the running one, so nothing older than it is ever counted */
  constructor(windowMs: number) {
    this.#slotMs = windowMs / SLOTS;
  }

  get failures(): number {
    return this.callerFaults + this.upstreamFaults;
  }

  /** Lets go of what is too old at `now` (monotonic ms). */
  advance(now: number): void {
    const slot = Math.floor(now / this.#slotMs);
    const passed = slot - this.#slot;
    if (passed <= 0) return;
    for (let step = 1; step <= Math.min(passed, SLOTS); step += 1) this.#empty((this.#slot + step) % SLOTS);
    this.#slot = slot;
  }

  add(result: KeyResult, now: number): void {
    this.advance(now);
    const at = this.#slot % SLOTS;
    this.#total[at]! += 1;
    this.total += 1;
    if (result === 'caller_fault') {
      this.#caller[at]! += 1;
      this.callerFaults += 1;
    } else if (result === 'upstream_fault') {
      this.#upstream[at]! += 1;
      this.upstreamFaults += 1;
    }
  }

  clear(): void {
    for (let at = 0; at < SLOTS; at += 1) this.#empty(at);
  }

  #empty(at: number): void {
    this.total -= this.#total[at]!;
    this.callerFaults -= this.#caller[at]!;
    this.upstreamFaults -= this.#upstream[at]!;
    this.#total[at] = 0;
    this.#caller[at] = 0;
    this.#upstream[at] = 0;
  }
}
