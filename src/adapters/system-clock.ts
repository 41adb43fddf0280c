/** The real clock. Timers never outlive the process's will to end: a pending one does not keep it alive. */
import { randomUUID } from 'node:crypto';
import type { Clock } from '../ports/clock.ts';

// setTimeout wraps at 2^31 ms and would fire at once.
const MAX_TIMER_MS = 2_147_483_647;

export const systemClock: Clock = {
  wall: () => Date.now(),
  now: () => performance.now(),
  after(ms, callback) {
    const timer = setTimeout(callback, Math.min(Math.max(ms, 0), MAX_TIMER_MS));
    return () => clearTimeout(timer);
  },
};

/** `req_` or `att_` and 32 hex digits: unguessable, unique without coordination. */
export function newId(prefix: string): string {
  return prefix + randomUUID().replaceAll('-', '');
}
