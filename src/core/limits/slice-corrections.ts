/** What has to be said of room in the minute that was counted elsewhere: given back, or used beyond it. By window slice. */
import type { Correction } from './room.ts';

export class SliceCorrections {
  #bySlice = new Map<number, { requests: number; tokens: number }>();

  get isEmpty(): boolean {
    return this.#bySlice.size === 0;
  }

  /** Negative figures give back. */
  add(slice: number, requests: number, tokens: number): void {
    if (requests === 0 && tokens === 0) return;
    const known = this.#bySlice.get(slice);
    if (known === undefined) {
      this.#bySlice.set(slice, { requests, tokens });
      return;
    }
    known.requests += requests;
    known.tokens += tokens;
  }

  /** All of them, once. */
  drain(): readonly Correction[] {
    if (this.#bySlice.size === 0) return NONE;
    const all = [...this.#bySlice].map(([slice, { requests, tokens }]) => ({ slice, requests, tokens }));
    this.#bySlice = new Map();
    return all;
  }
}

const NONE: readonly Correction[] = [];
