/**
 * The real clock, in whole microseconds: finer ones only make numbers longer where they are written down.  Timers never outlive
 * the process's will to end: a pending one does not keep it alive.
 */
import { randomUUID } from 'node:crypto';
import type { Clock } from '../ports/clock.ts';

// setTimeout wraps at 2^31 ms and would fire at once.
const MAX_TIMER_MS = 2_147_483_647;

export const systemClock: Clock = {
  wall: () => Date.now(),
  now,
  after(ms, callback) {
    const timer = setTimeout(callback, Math.min(Math.max(ms, 0), MAX_TIMER_MS));
    return () => clearTimeout(timer);
  },
};

function now(): number {
  return Math.round(performance.now() * 1000) / 1000;
}

/**
 * `req_` and 32 hex digits: the wall clock's milliseconds, then 80 random bits: unguessable, unique without
 * coordination, and in the order of time, so that the log's index grows at its end only.
 */
export function newId(prefix: string): string {
  const random = randomUUID();
  const time = Date.now().toString(16).padStart(12, '0');
  return `${prefix}${time}${random.slice(0, 8)}${random.slice(24)}`;
}

/** Uniform in [0, 1), in millionths: enough to spread waits and choices, and short where it is written down. */
export function randomShare(): number {
  return Math.floor(Math.random() * 1_000_000) / 1_000_000;
}
