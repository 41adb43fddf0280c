/**
 * Room in the minute’s limits of a scope that was taken ahead (H-4): used from the oldest on, good for `HOLD_MS`, then given
 * back where it was counted. Instants in monotonic ms of this replica.
 */
import type { Recent } from './limit-board.ts';
import type { Correction, Room } from './room.ts';
import { HOLD_MS, SLICE_MS } from './shared-scope.ts';
import { SliceCorrections } from './slice-corrections.ts';

/** Tokens, and the slice of the shared minute in which they are counted. */
export interface CountedTokens {
  readonly slice: number;
  readonly tokens: number;
}

interface Lot {
  readonly slice: number;
  readonly until: number;
  requests: number;
  tokens: number;
}

export class MinuteRoom {
  #lots: Lot[] = [];
  #requests = 0;
  #tokens = 0;
  /** The shared minute’s slice at this replica’s instant 0; null = nothing has been heard yet. */
  #sliceZero: number | null = null;
  readonly #corrections = new SliceCorrections();

  /** Requests that were taken and are not used. */
  get requests(): number {
    return this.#requests;
  }

  /** Tokens likewise. */
  get tokens(): number {
    return this.#tokens;
  }

  /** Something must be told: given back, or used beyond what was taken. */
  get hasCorrections(): boolean {
    return !this.#corrections.isEmpty;
  }

  /** What must be told, once. */
  corrections(): readonly Correction[] {
    return this.#corrections.drain();
  }

  /** Taken at `sentAt` at the earliest, heard of at `now`. */
  add({ requests, tokens }: Room, slice: number, sentAt: number, now: number): void {
    this.#sliceZero = slice - Math.floor(now / SLICE_MS);
    if (requests === 0 && tokens === 0) return;
    this.#lots.push({ slice, until: sentAt + HOLD_MS, requests, tokens });
    this.#requests += requests;
    this.#tokens += tokens;
  }

  /** Gives back what is too old to be used. */
  expire(now: number): void {
    while (this.#lots.length > 0 && this.#lots[0]!.until <= now) {
      const { slice, requests, tokens } = this.#lots.shift()!;
      this.#requests -= requests;
      this.#tokens -= tokens;
      this.#corrections.add(slice, -requests, -tokens);
    }
  }

  /** One request; where there is no room it is told as used. */
  takeRequest(now: number): void {
    const lot = this.#lots.find(({ requests }) => requests > 0);
    if (lot === undefined) {
      this.#corrections.add(this.#sliceAt(now), 1, 0);
      return;
    }
    lot.requests -= 1;
    this.#requests -= 1;
    this.#dropUsed();
  }

  /** Likewise; says where they are counted. */
  takeTokens(tokens: number, now: number): readonly CountedTokens[] {
    const taken: CountedTokens[] = [];
    let left = tokens;
    for (const lot of this.#lots) {
      const here = Math.min(left, lot.tokens);
      if (here <= 0) continue;
      lot.tokens -= here;
      this.#tokens -= here;
      left -= here;
      taken.push({ slice: lot.slice, tokens: here });
    }
    this.#dropUsed();
    if (left <= 0) return taken;
    const slice = this.#sliceAt(now);
    this.#corrections.add(slice, 0, left);
    return [...taken, { slice, tokens: left }];
  }

  /** So many more tokens were used than taken, negative = less: what is too much goes from where it stands. */
  correct(taken: readonly CountedTokens[], more: number, now: number): void {
    if (more > 0) this.#corrections.add(this.#sliceAt(now), 0, more);
    let less = -more;
    for (let i = taken.length - 1; i >= 0 && less > 0; i -= 1) {
      const { slice, tokens } = taken[i]!;
      const here = Math.min(less, tokens);
      this.#corrections.add(slice, 0, -here);
      less -= here;
    }
  }

  /** What was used, because it is not known there. */
  tell(recent: readonly Recent[], now: number): void {
    for (const { age, requests, tokens } of recent) {
      this.#corrections.add(this.#sliceAt(now - age), requests, tokens);
    }
  }

  /** Nothing that was taken is good any more. */
  drop(): void {
    this.#lots = [];
    this.#requests = 0;
    this.#tokens = 0;
    this.#corrections.drain();
  }

  #dropUsed(): void {
    while (this.#lots.length > 0 && this.#lots[0]!.requests === 0 && this.#lots[0]!.tokens === 0) this.#lots.shift();
  }

  /** Where something of this instant is counted; 0 = now. */
  #sliceAt(at: number): number {
    return this.#sliceZero === null ? 0 : Math.max(1, this.#sliceZero + Math.floor(at / SLICE_MS));
  }
}
