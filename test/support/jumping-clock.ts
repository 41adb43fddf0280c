/** The machine's own time, moved on at will: a minute passes at once, timers keep their own pace. */
import type { Clock } from '../../src/ports/clock.ts';
import { REAL_CLOCK } from './real-clock.ts';

export class JumpingClock implements Clock {
  #ahead = 0;
  #wallAhead = 0;
  #stopped: { readonly now: number; readonly wall: number } | null = null;

  /** @param wall wall ms it starts at; absent = the machine's */
  constructor(wall?: number) {
    if (wall !== undefined) this.#wallAhead = wall - REAL_CLOCK.wall();
  }

  wall(): number {
    return (this.#stopped?.wall ?? REAL_CLOCK.wall()) + this.#wallAhead;
  }

  now(): number {
    return (this.#stopped?.now ?? REAL_CLOCK.now()) + this.#ahead;
  }

  after(ms: number, callback: () => void): () => void {
    return REAL_CLOCK.after(ms, callback);
  }

  /** From here on time passes by `jump` only: what is computed from it no longer depends on how busy the machine is. */
  stop(): void {
    this.#stopped = { now: REAL_CLOCK.now(), wall: REAL_CLOCK.wall() };
  }

  /** Moves both clocks on. */
  jump(ms: number): void {
    this.#ahead += ms;
    this.#wallAhead += ms;
  }
}
