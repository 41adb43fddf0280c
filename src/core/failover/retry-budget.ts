/**
 * D-6: repeats into a channel that just failed by its own fault stay under a share of its first attempts, so that a
 * failing upstream is not buried under retries. Time is handed in; one process, one instance.
 */

export interface RetryBudgetSettings {
  /** Repeats per first attempt within the window. */
  readonly ratio: number;
  readonly windowMs: number;
  /** Repeats always granted per window. */
  readonly min: number;
}

/** D-6's built-in figures. */
export const DEFAULT_RETRY_BUDGET: RetryBudgetSettings = { ratio: 0.2, windowMs: 10_000, min: 10 };

/** Slices of one window: bounds memory per channel whatever the traffic, at 1 % of the window's precision. */
const SLICES = 100;

/** Channels remembered before silent ones are forgotten: bounds memory over reloads that rename channels. */
const CHANNELS_BEFORE_SWEEP = 4096;

/** Counts per slice of a sliding window. */
class SlidingCount {
  readonly #counts = new Uint32Array(SLICES);
  #total = 0;
  #slice = 0;

  /** Counts within the window that ends at `slice`. */
  totalAt(slice: number): number {
    const passed = slice - this.#slice;
    if (passed > 0) {
      for (let step = 1; step <= Math.min(passed, SLICES); step += 1) {
        const index = (this.#slice + step) % SLICES;
        this.#total -= this.#counts[index]!;
        this.#counts[index] = 0;
      }
      this.#slice = slice;
    }
    return this.#total;
  }

  add(slice: number): void {
    this.totalAt(slice);
    this.#counts[this.#slice % SLICES]! += 1;
    this.#total += 1;
  }
}

interface ChannelWindow {
  readonly firsts: SlidingCount;
  readonly repeats: SlidingCount;
}

/** The budgets of all channels of this process, by the channel's stable key. */
export class RetryBudget {
  readonly #settings: RetryBudgetSettings;
  readonly #channels = new Map<string, ChannelWindow>();

  constructor(settings: RetryBudgetSettings = DEFAULT_RETRY_BUDGET) {
    this.#settings = settings;
  }

  /** A first attempt into the channel: any call that does not draw. `now` in monotonic ms. */
  noteFirst(channel: string, now: number): void {
    const slice = this.#slice(now);
    this.#window(channel, slice).firsts.add(slice);
  }

  /** Whether the channel has a repeat left. Takes none: that is `noteRepeat`'s. */
  mayRepeat(channel: string, now: number): boolean {
    const slice = this.#slice(now);
    const window = this.#window(channel, slice);
    const { ratio, min } = this.#settings;
    const allowed = Math.max(min, Math.floor(ratio * window.firsts.totalAt(slice)));
    return window.repeats.totalAt(slice) < allowed;
  }

  /** A repeat into the channel. */
  noteRepeat(channel: string, now: number): void {
    const slice = this.#slice(now);
    this.#window(channel, slice).repeats.add(slice);
  }

  /** Channels remembered right now. */
  get size(): number {
    return this.#channels.size;
  }

  #slice(now: number): number {
    return Math.max(0, Math.floor((now * SLICES) / this.#settings.windowMs));
  }

  #window(channel: string, slice: number): ChannelWindow {
    const known = this.#channels.get(channel);
    if (known !== undefined) return known;
    if (this.#channels.size >= CHANNELS_BEFORE_SWEEP) this.#sweep(slice);
    const made: ChannelWindow = { firsts: new SlidingCount(), repeats: new SlidingCount() };
    this.#channels.set(channel, made);
    return made;
  }

  /** Forgets channels without a call in the window: their budget is the same as a fresh one's. */
  #sweep(slice: number): void {
    for (const [channel, { firsts, repeats }] of this.#channels) {
      if (firsts.totalAt(slice) === 0 && repeats.totalAt(slice) === 0) this.#channels.delete(channel);
    }
  }
}
