/** Signals as several processes share them, without a database; can be away. */
import { sumTallies, type Tally } from '../../src/core/signals/tallies.ts';
import type { SignalStore, SignalVerdict, SignalWindow } from '../../src/ports/signals.ts';

export class SharedSignals {
  readonly windows = new Map<string, { at: number; window: SignalWindow }>();
  readonly hours = new Map<string, { hour: number; tallies: readonly Tally[] }>();
  verdict: SignalVerdict | null = null;

  /** The store as the process `holder` sees it; `isAway` makes every call reject. */
  of(holder: string, isAway: () => boolean = () => false): SignalStore {
    const reach = async <T>(use: () => T): Promise<T> => {
      if (isAway()) throw new Error('the store is away');
      return use();
    };
    return {
      putWindow: (at, window) => reach(() => void this.windows.set(holder, { at, window })),
      windows: (since) => reach(() => [...this.windows.values()].filter(({ at }) => at >= since).map((w) => w.window)),
      putHour: (hour, tallies) => reach(() => void this.hours.set(`${holder} ${hour}`, { hour, tallies })),
      hours: (from, to) =>
        reach(() =>
          sumTallies([...this.hours.values()].filter(({ hour }) => hour >= from && hour < to).map((h) => h.tallies)),
        ),
      putVerdict: (verdict) =>
        reach(() => {
          this.verdict = verdict;
        }),
      verdict: () => reach(() => this.verdict),
      prune: () => reach(() => 0),
    };
  }
}
