/**
 * The circuit of one channel (H-1): opens on too many server-side faults, lets one probe through after a while, closes
 * when it succeeds. Only calls admitted while it was in the same state count: late news never moves it.
 */
import type { FailureClass } from '../failure.ts';
import { Lease } from './lease.ts';
import type { HealthSettings } from './settings.ts';

export type CircuitState = 'closed' | 'open' | 'half_open';
type CircuitFigures = HealthSettings['circuit'];

/** Slots of the sliding window: a count leaves it at most 1/30 of its length late. */
const SLOTS = 30;
/** Beyond this the cap has long been reached; keeps 2ⁿ finite. */
const MAX_LEVEL = 30;

export class Breaker {
  /** Grows whenever the circuit opens, closes or is reset; a call of an earlier epoch says nothing about this one. */
  epoch = 0;
  /** Openings in a row: n of `openMs · 2ⁿ` is one less. */
  level = 0;
  /** Class of the fault that opened it. */
  cause: FailureClass | null = null;
  readonly probe = new Lease();

  #openUntil: number | null = null;
  #openSince: number | null = null;
  #consecutive = 0;
  #calls = 0;
  #faults = 0;
  #slot = Number.NEGATIVE_INFINITY;
  readonly #callsBySlot = new Uint32Array(SLOTS);
  readonly #faultsBySlot = new Uint32Array(SLOTS);

  /** Nothing wrong: the common case, one comparison. */
  get closed(): boolean {
    return this.#openUntil === null;
  }

  /** Monotonic ms at which it turns, or turned, half-open; null while closed. */
  get openUntil(): number | null {
    return this.#openUntil;
  }

  /** Monotonic ms at which it left closed, failed probes since then notwithstanding; null while closed. */
  get openSince(): number | null {
    return this.#openSince;
  }

  state(now: number): CircuitState {
    if (this.#openUntil === null) return 'closed';
    return now < this.#openUntil ? 'open' : 'half_open';
  }

  /** Counts one answered call of the closed circuit. */
  recordSuccess(now: number, figures: CircuitFigures): void {
    this.#consecutive = 0;
    this.#count(now, 0, figures);
    // 19 calls with 10 faults and one success more are 20 with half of them failed.
    if (this.#tripped(figures)) this.#open(now, figures);
  }

  /** Counts one server-side fault of the closed circuit. */
  recordFault(now: number, cause: FailureClass, figures: CircuitFigures): void {
    this.#consecutive++;
    this.cause = cause;
    this.#count(now, 1, figures);
    if (this.#tripped(figures)) this.#open(now, figures);
  }

  probeSucceeded(): void {
    this.reset();
  }

  probeFailed(now: number, cause: FailureClass, figures: CircuitFigures): void {
    this.cause = cause;
    this.#open(now, figures);
  }

  /** Another replica has opened it: it is open until then at least (H-4). */
  openedElsewhere(until: number, level: number, cause: FailureClass | null, now: number): void {
    if (this.#openUntil !== null && this.#openUntil >= until) return;
    this.epoch++;
    this.#openSince ??= now;
    this.#openUntil = until;
    this.level = Math.min(Math.max(this.level, level), MAX_LEVEL);
    this.cause = cause;
    this.probe.clear();
    this.#forgetCounts();
  }

  /** Closed, and everything forgotten. */
  reset(): void {
    this.epoch++;
    this.level = 0;
    this.cause = null;
    this.#openUntil = null;
    this.#openSince = null;
    this.probe.clear();
    this.#forgetCounts();
  }

  #open(now: number, figures: CircuitFigures): void {
    this.epoch++;
    this.#openSince ??= now;
    this.#openUntil = now + Math.min(figures.openMs * 2 ** this.level, figures.openCapMs);
    this.level = Math.min(this.level + 1, MAX_LEVEL);
    this.probe.clear();
    this.#forgetCounts();
  }

  #tripped(figures: CircuitFigures): boolean {
    if (this.#consecutive >= figures.consecutive) return true;
    return this.#faults > 0 && this.#calls >= figures.minCalls && this.#faults >= this.#calls * figures.ratio;
  }

  #count(now: number, fault: 0 | 1, figures: CircuitFigures): void {
    const slot = Math.floor((now * SLOTS) / figures.windowMs);
    this.#slide(slot);
    const at = ((slot % SLOTS) + SLOTS) % SLOTS;
    this.#callsBySlot[at]!++;
    this.#calls++;
    this.#faultsBySlot[at]! += fault;
    this.#faults += fault;
  }

  /** Drops what has left the window. */
  #slide(slot: number): void {
    if (slot <= this.#slot) return;
    if (slot - this.#slot >= SLOTS) {
      this.#forgetWindow();
    } else {
      for (let old = this.#slot + 1; old <= slot; old++) {
        const at = ((old % SLOTS) + SLOTS) % SLOTS;
        this.#calls -= this.#callsBySlot[at]!;
        this.#faults -= this.#faultsBySlot[at]!;
        this.#callsBySlot[at] = 0;
        this.#faultsBySlot[at] = 0;
      }
    }
    this.#slot = slot;
  }

  #forgetCounts(): void {
    this.#consecutive = 0;
    this.#forgetWindow();
    this.#slot = Number.NEGATIVE_INFINITY;
  }

  #forgetWindow(): void {
    this.#calls = 0;
    this.#faults = 0;
    this.#callsBySlot.fill(0);
    this.#faultsBySlot.fill(0);
  }
}
