/**
 * Our monotonic time, the database's wall time: instants in the store are then the same for every process, whatever its
 * machine believes. Each sample is what the server said and how long it took; the quickest of the last few is the best.
 */
import type { Cancel, Clock } from '../../ports/clock.ts';

interface Sample {
  /** The server's wall time less our monotonic time. */
  readonly offset: number;
  readonly tookMs: number;
}

const SAMPLES = 6;
/** One that took longer says too little. */
const LONGEST_MS = 500;
/** How fast a difference is made up for: 50 ms per second. Never back. */
const SLEW = 0.05;
/** Further behind than this (the machine slept) it is made up for at once. */
const LEAP_MS = 5000;

export class StoreClock implements Clock {
  readonly #local: Clock;
  readonly #samples: Sample[] = [];
  /** As of `#at`, on its way to `#target`. */
  #offset: number;
  #target: number;
  #at: number;
  #isKnown = false;

  /** Until the first sample it is the machine's. */
  constructor(local: Clock) {
    this.#local = local;
    this.#at = local.now();
    this.#offset = local.wall() - this.#at;
    this.#target = this.#offset;
  }

  wall(): number {
    const now = this.#local.now();
    return Math.floor(now + this.#offsetAt(now));
  }

  now(): number {
    return this.#local.now();
  }

  after(ms: number, callback: () => void): Cancel {
    return this.#local.after(ms, callback);
  }

  /** Asked at `askedAt` of `now()`, answered just now: the server's wall time, in ms. */
  sample(serverWall: number, askedAt: number): void {
    const now = this.#local.now();
    const tookMs = now - askedAt;
    // The first is better than none, however long it took.
    if (tookMs > LONGEST_MS && this.#isKnown) return;
    this.#samples.push({ offset: serverWall - (askedAt + tookMs / 2), tookMs });
    if (this.#samples.length > SAMPLES) this.#samples.shift();
    const best = this.#samples.reduce((least, one) => (one.tookMs < least.tookMs ? one : least));
    this.#offset = this.#offsetAt(now);
    this.#at = now;
    this.#target = best.offset;
    if (!this.#isKnown || this.#target - this.#offset > LEAP_MS) this.#offset = this.#target;
    this.#isKnown = true;
  }

  #offsetAt(now: number): number {
    const most = (now - this.#at) * SLEW;
    const missing = this.#target - this.#offset;
    return this.#offset + Math.max(-most, Math.min(most, missing));
  }
}
