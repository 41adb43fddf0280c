/** The machine's own time, for tests that run real threads. */
import type { Clock } from '../../src/ports/clock.ts';

export const REAL_CLOCK: Clock = {
  wall: () => Date.now(),
  now: () => performance.now(),
  after(ms, callback) {
    const timer = setTimeout(callback, ms);
    return () => clearTimeout(timer);
  },
};
