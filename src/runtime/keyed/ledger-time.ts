/** A ledger that does not answer in time counts as one that can't be written: a hanging disk must not hang requests (H-5). */
import type { Clock } from '../../ports/clock.ts';
import { StateStoreUnavailable } from '../../ports/object-store.ts';

export const LEDGER_MS = 5000;

/** Rejects with `StateStoreUnavailable` after 5 s, or `ms`; `late` then hears what the order came to after all. */
export function inTime<T>(clock: Clock, asked: Promise<T>, late: (result: T) => void, ms = LEDGER_MS): Promise<T> {
  return new Promise((resolve, reject) => {
    let waiting = true;
    const cancel = clock.after(ms, () => {
      waiting = false;
      reject(new StateStoreUnavailable('the ledger does not answer'));
    });
    asked.then(
      (result) => {
        cancel();
        if (waiting) resolve(result);
        else late(result);
      },
      (error: unknown) => {
        cancel();
        reject(error);
      },
    );
  });
}
