/**
 * Requests and tokens of the last minute of one scope. Exact for up to 64 entries; beyond that entries of the same
 * second are kept together and leave together with their last one: never too early, at most a second late.
 */

/** The minute of `rpm` and `tpm`. */
export const WINDOW_MS = 60_000;
/** Entries kept apart: small limits, where a second's error would show, stay exact. */
const KEPT_APART = 64;
/** Beyond that an entry joins one begun less than this ago: about 125 entries at most, whatever the traffic. */
const JOIN_MS = 1000;

/** Entries that leave the window together. Times in monotonic ms. */
export interface Segment {
  readonly firstAt: number;
  lastAt: number;
  requests: number;
  tokens: number;
  /** It has left the window: what is corrected in it no longer counts. */
  gone: boolean;
  next: Segment | null;
}

/** Of one scope. Instants in monotonic ms. Figures are those of the last `advance` or `add`. */
export class SlidingWindow {
  #head: Segment | null = null;
  #tail: Segment | null = null;
  #segments = 0;
  #requests = 0;
  #tokens = 0;
  #lastRequestAt: number | null = null;
  #lastTokensAt: number | null = null;

  /** Requests within the minute that ends at the last `advance`. */
  get requests(): number {
    return this.#requests;
  }

  /** Tokens likewise. */
  get tokens(): number {
    return this.#tokens;
  }

  /** Entries held: bounded, for whoever measures. */
  get segments(): number {
    return this.#segments;
  }

  /** Lets go of what is a minute old at `now`. */
  advance(now: number): void {
    while (this.#head !== null && this.#head.lastAt + WINDOW_MS <= now) {
      this.#head.gone = true;
      this.#requests -= this.#head.requests;
      this.#tokens -= this.#head.tokens;
      this.#segments -= 1;
      this.#head = this.#head.next;
    }
    if (this.#head === null) this.#tail = null;
  }

  /** Counts at `now`; the segment is where a later correction goes. */
  add(now: number, requests: number, tokens: number): Segment {
    const segment = this.#segmentFor(now);
    segment.lastAt = Math.max(segment.lastAt, now);
    segment.requests += requests;
    segment.tokens += tokens;
    this.#requests += requests;
    this.#tokens += tokens;
    if (requests > 0) this.#lastRequestAt = segment.lastAt;
    if (tokens > 0) this.#lastTokensAt = segment.lastAt;
    return segment;
  }

  /** What was counted too much goes where it stands, if it still stands; what was counted too little counts now. */
  correct(segment: Segment, tokens: number, now: number): void {
    if (tokens > 0) this.add(now, 0, tokens);
    if (tokens >= 0 || segment.gone) return;
    segment.tokens += tokens;
    this.#tokens += tokens;
  }

  /** When so many requests, or tokens, have left: monotonic ms. Null = never, there are not so many. */
  leftAt(what: 'requests' | 'tokens', amount: number): number | null {
    let left = 0;
    for (let segment = this.#head; segment !== null; segment = segment.next) {
      left += segment[what];
      if (left >= amount) return segment.lastAt + WINDOW_MS;
    }
    return null;
  }

  /** When no request, or token, is left in the window: monotonic ms; null = there is none now. */
  emptyAt(what: 'requests' | 'tokens'): number | null {
    if (this[what] <= 0) return null;
    const last = what === 'requests' ? this.#lastRequestAt : this.#lastTokensAt;
    return last === null ? null : last + WINDOW_MS;
  }

  /** What stands in the window and was counted last at `since` or later; `at` is when. */
  since(since: number): { readonly at: number; readonly requests: number; readonly tokens: number }[] {
    const found = [];
    for (let segment = this.#head; segment !== null; segment = segment.next) {
      const { lastAt: at, requests, tokens } = segment;
      if (at >= since) found.push({ at, requests, tokens });
    }
    return found;
  }

  #segmentFor(now: number): Segment {
    const tail = this.#tail;
    const joins = this.#segments >= KEPT_APART && tail !== null && now - tail.firstAt < JOIN_MS;
    if (tail !== null && (joins || tail.lastAt >= now)) return tail;
    const made: Segment = { firstAt: now, lastAt: now, requests: 0, tokens: 0, gone: false, next: null };
    if (tail === null) this.#head = made;
    else tail.next = made;
    this.#tail = made;
    this.#segments += 1;
    return made;
  }
}
