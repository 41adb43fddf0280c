/** This process's own figures of the last minutes, in buckets of the time between two looks (O-4). */

import type { RecordDraft } from '../../core/record.ts';
import {
  closedTallies,
  countRequest,
  type OpenTallies,
  sumTallies,
  type Tally,
  tallyIn,
} from '../../core/signals/tallies.ts';

/** So long a bucket is open, ms. */
export const LOOK_MS = 10_000;
/** Whether a slowed channel has become better is seen in so many buckets. */
const RECENT = 3;

interface Bucket {
  readonly closedAt: number;
  readonly tallies: readonly Tally[];
}

export class SignalWindows {
  #open: OpenTallies = new Map();
  #closed: Bucket[] = [];

  /** One finished request. @param primary the model it was meant for */
  count(draft: RecordDraft, primary: string | null): void {
    countRequest(this.#open, draft, primary);
  }

  /**
   * Closes the open bucket; forgets what is older than `windowMs`. Gives the sums of the closed one.
   * @param peaks most calls in flight per channel since the last turn
   */
  turn(now: number, windowMs: number, peaks: Iterable<readonly [string, number]>): readonly Tally[] {
    for (const [channel, peak] of peaks) if (peak > 0) tallyIn(this.#open, channel).peak = peak;
    const tallies = closedTallies(this.#open);
    this.#open = new Map();
    this.#closed.push({ closedAt: now, tallies });
    this.#closed = this.#closed.filter(({ closedAt }) => closedAt > now - windowMs);
    return tallies;
  }

  window(): Tally[] {
    return sumTallies(this.#closed.map(({ tallies }) => tallies));
  }

  recent(): Tally[] {
    return sumTallies(this.#closed.slice(-RECENT).map(({ tallies }) => tallies));
  }
}
