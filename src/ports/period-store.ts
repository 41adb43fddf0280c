/** Counts of days and months of every limited scope (G-11), over restarts and of all processes of a store. Hints: nothing is refused for want of them. */
import type { PeriodRow } from '../core/limits/period-counter.ts';

export type { PeriodRow } from '../core/limits/period-counter.ts';

export interface PeriodStore {
  /** Totals of the periods that began at `from` (wall ms) or later; earlier ones may be forgotten. Rejects with `StateStoreUnavailable`. */
  load(from: number): Promise<readonly PeriodRow[]>;
  /**
   * Adds to the totals; negative figures take away (a scope that begins anew), bits of `told` are joined. A period later
   * than the one that is there begins anew with the figures, an earlier one changes nothing. Resolves with the totals of
   * these scopes as all processes made them; of a store that one process has alone with nothing. Rejects with
   * `StateStoreUnavailable`: then they may have been added all the same.
   */
  add(deltas: readonly PeriodRow[]): Promise<readonly PeriodRow[]>;
}
