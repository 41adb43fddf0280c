/** A clock that is moved by hand: timers fire when they are told to. */
import type { Clock } from '../../src/ports/clock.ts';

export class HandClock implements Clock {
  #now = 0;
  readonly #timers: { at: number; callback: () => void }[] = [];
  now = (): number => this.#now;
  wall = (): number => 1_000_000 + this.#now;
  after = (ms: number, callback: () => void) => {
    const timer = { at: this.#now + ms, callback };
    this.#timers.push(timer);
    return () => {
      const at = this.#timers.indexOf(timer);
      if (at >= 0) this.#timers.splice(at, 1);
    };
  };

  async pass(ms: number): Promise<void> {
    const until = this.#now + ms;
    for (;;) {
      await new Promise((resolve) => setImmediate(resolve));
      const next = this.#timers.filter(({ at }) => at <= until).sort((a, b) => a.at - b.at)[0];
      if (next === undefined) break;
      this.#timers.splice(this.#timers.indexOf(next), 1);
      this.#now = Math.max(this.#now, next.at);
      next.callback();
    }
    this.#now = until;
  }
}
