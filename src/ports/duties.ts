/** Work that one replica does for all: who holds a duty does it, the others leave it. */

export type Duty = 'alerts' | 'partitions' | 'retention' | 'signing';

export interface Duties {
  /**
   * Whether this process holds the duty now. Leased for 30 s and asked for again each 10 s by itself; false until the
   * store has said so. The embedded store: always true.
   */
  hold(duty: Duty): boolean;
}

/** Of a store that one process has for itself. */
export const ALL_DUTIES: Duties = { hold: () => true };
