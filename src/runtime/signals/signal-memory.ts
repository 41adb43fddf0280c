/** What windows are compared with: sums of whole hours that the store keeps (O-4). */

import type { References } from '../../core/signals/evaluate.ts';
import { ALL, addTallies, closedTallies, type OpenTallies, type Tally } from '../../core/signals/tallies.ts';
import type { SignalStore } from '../../ports/signals.ts';
import { LOOK_MS } from './windows.ts';

export const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** The running hour is written every so many looks. */
const WRITE_EVERY = 6;

/** Keeps this process's hours in the store, and the sums of all processes at hand. */
export class SignalMemory {
  readonly #store: Pick<SignalStore, 'putHour' | 'hours'>;
  /** By the hour's start: the running one, and those before it that are not written yet. */
  readonly #hours = new Map<number, OpenTallies>();
  #running = 0;
  #looks = 0;
  #readFor = 0;
  #references: References = { day: null, yesterday: null };

  constructor(store: Pick<SignalStore, 'putHour' | 'hours'>) {
    this.#store = store;
  }

  get references(): References {
    return this.#references;
  }

  /** Adds what was counted of late. `wall`: the store's clock. Rejects where the store is away; nothing is lost then. */
  async keep(tallies: readonly Tally[], wall: number): Promise<void> {
    const hour = wall - (wall % HOUR_MS);
    const ended = this.#running !== 0 && hour !== this.#running;
    this.#running = hour;
    const sums = this.#hours.get(hour) ?? new Map();
    this.#hours.set(hour, sums);
    const all = tallies.filter(({ name }) => name === ALL);
    addTallies(sums, all);
    this.#looks += 1;
    if (ended || this.#looks % WRITE_EVERY === 0) await this.write();
    await this.#read(wall);
  }

  /** Rejects where the store is away. */
  async write(): Promise<void> {
    for (const [hour, sums] of this.#hours) {
      if (sums.size > 0) await this.#store.putHour(hour, closedTallies(sums));
      if (hour !== this.#running) this.#hours.delete(hour);
    }
  }

  /** Once an hour, as whole hours do not change; a minute late, when all replicas have written theirs. */
  async #read(wall: number): Promise<void> {
    const late = wall - WRITE_EVERY * LOOK_MS;
    const hour = late - (late % HOUR_MS);
    if (this.#readFor === hour) return;
    const today = late - (late % DAY_MS);
    const [day] = await this.#store.hours(hour - DAY_MS, hour);
    const [yesterday] = await this.#store.hours(today - DAY_MS, today);
    this.#references = { day: day ?? null, yesterday: yesterday ?? null };
    this.#readFor = hour;
  }
}
