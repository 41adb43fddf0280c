/** A promise that is not waited for longer than so many ms. */
import type { Clock } from '../../ports/clock.ts';

/**
 * Null = too late, or it rejected. A process that was busy itself looks once at what has arrived meanwhile before it calls
 * anything late.
 */
export function within<T>(clock: Pick<Clock, 'after'>, ms: number, promise: Promise<T>): Promise<T | null> {
  return new Promise((resolve) => {
    const cancel = clock.after(ms, () => setImmediate(() => setImmediate(() => resolve(null))));
    const settle = (value: T | null): void => {
      cancel();
      resolve(value);
    };
    promise.then(settle, () => settle(null));
  });
}
