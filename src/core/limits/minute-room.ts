/**
 * Room in the minute’s limits of a scope that was taken ahead (H-4): what is used of it counts in the shared minute as of
 * its use, once it is told; until then, and unused, it is held there. Instants in monotonic ms of this replica.
 */
import type { Recent } from './limit-board.ts';
import type { Correction, Room } from './room.ts';
import { SLICE_MS } from './shared-scope.ts';
import { SliceCorrections } from './slice-corrections.ts';

export class MinuteRoom {
  #requests = 0;
  #tokens = 0;
  /** The least since the last `trim`: nobody needed it. */
  #low = { requests: 0, tokens: 0 };
  /** How far the shared clock is ahead of this one, at most: what is counted by it leaves never too early. Null = unknown. */
  #ahead: number | null = null;
  readonly #corrections = new SliceCorrections();

  /** Requests that were taken and are not used. */
  get requests(): number {
    return this.#requests;
  }

  /** Tokens likewise. */
  get tokens(): number {
    return this.#tokens;
  }

  /** Something was used or corrected that has not been told. */
  get hasCorrections(): boolean {
    return !this.#corrections.isEmpty;
  }

  /** What must be told, once. */
  corrections(): readonly Correction[] {
    return this.#corrections.drain();
  }

  /** Got in slice `slice` of the shared minute, asked for at `sentAt`. */
  add({ requests, tokens }: Room, slice: number, sentAt: number): void {
    this.#ahead = (slice + 1) * SLICE_MS - sentAt;
    this.#requests += requests;
    this.#tokens += tokens;
  }

  /** A call uses so much of it, or more than there is. Gives the slice where it counts; 0 = when it is told. */
  take(requests: number, tokens: number, now: number): number {
    const slice = this.#sliceAt(now);
    this.#corrections.add(slice, requests, tokens);
    this.#requests = Math.max(0, this.#requests - requests);
    this.#tokens = Math.max(0, this.#tokens - tokens);
    const low = this.#low;
    low.requests = Math.min(low.requests, this.#requests);
    low.tokens = Math.min(low.tokens, this.#tokens);
    return slice;
  }

  /** So many more tokens were used than were counted at `slice`, negative = less: what is too much goes from there. */
  correct(slice: number, more: number, now: number): void {
    this.#corrections.add(more > 0 ? this.#sliceAt(now) : slice, 0, more);
  }

  /** What was used, because it is not known there. */
  tell(recent: readonly Recent[], now: number): void {
    for (const { age, requests, tokens } of recent) {
      this.#corrections.add(this.#sliceAt(now - age), requests, tokens);
    }
  }

  /** Once in a while: lets go of what nobody needed since the last time. True = there was something. */
  trim(): boolean {
    const { requests, tokens } = this.#low;
    this.#requests -= requests;
    this.#tokens -= tokens;
    this.#low = { requests: this.#requests, tokens: this.#tokens };
    return requests > 0 || tokens > 0;
  }

  /** Nothing that was taken is good any more. */
  drop(): void {
    this.#requests = 0;
    this.#tokens = 0;
    this.#low = { requests: 0, tokens: 0 };
    this.#corrections.drain();
  }

  #sliceAt(at: number): number {
    return this.#ahead === null ? 0 : Math.max(1, Math.floor((at + this.#ahead) / SLICE_MS));
  }
}
