/** What a replica has heard last of a scope: what all have of it together, and whether it is full (H-4). */
import type { LimitReached, Limits } from './limits.ts';
import type { BlockAsk, BlockGrant, FleetUse, Room } from './room.ts';
import { part } from './scope-usage.ts';

/** A full scope is not asked about again before: others give room back at any time. */
const ASK_AGAIN_MS = 50;
/** Likewise where only requests at the same time stand in the way: they come and go. */
const ASK_SLOT_AGAIN_MS = 5;
/** Where no answer comes, a word without an end of its own holds so long: ms. */
const HOLDS_MS = 1000;
/** Low priority is judged by what all have together: figures may be so old. */
const FRESH_MS = 250;
const DAY_MS = 86_400_000;

/** A full scope. Instants in monotonic ms. */
interface Closed {
  readonly limit: LimitReached['limit'];
  /** Nobody asks before. */
  readonly until: number;
  /** Null = nobody knows; of `requests_per_day` wall ms. */
  readonly availableAt: number | null;
  /** Tokens that are left all the same: a smaller call may ask. */
  readonly tokensLeft: number;
}

export class LastWord {
  #fleet: FleetUse | null = null;
  #at = Number.NEGATIVE_INFINITY;
  #closed: Closed | null = null;

  /** Null = nothing yet, or the shared state is away. */
  get fleet(): FleetUse | null {
    return this.#fleet;
  }

  heard({ fleet, reached, freeInMs }: BlockGrant, { scope, own }: BlockAsk, now: number): void {
    this.#fleet = fleet;
    this.#at = now;
    const tokensLeft = reached === 'tokens_per_minute' ? scope.limits.tokensPerMinute! - fleet.tokens : -1;
    this.#closed =
      reached === null ? null : { ...closedFor(reached, freeInMs, own.day.start + DAY_MS, now), tokensLeft };
  }

  drop(): void {
    this.#fleet = null;
    this.#closed = null;
  }

  /**
   * The limit that stood in the way a moment ago. `wall` is the wall clock at `now`; `tokens`: what the call needs at
   * least; `isLast`: an older word will do, there is no newer one.
   */
  closed(tokens: number, now: number, wall: number, isLast: boolean): LimitReached | null {
    const closed = this.#closed;
    if (closed === null || tokens <= closed.tokensLeft) return null;
    const { limit, availableAt } = closed;
    const isWall = limit === 'requests_per_day' || availableAt === null;
    const until = !isLast ? closed.until : isWall ? this.#at + HOLDS_MS : availableAt;
    if (until <= now) return null;
    return { limit, availableAt: isWall ? availableAt : wall + (availableAt - now) };
  }

  /**
   * Of concurrency and minute limits `share` is left to the call (C-4): which of them is reached by what all have, without
   * what is `idle` here. Null = none; `stale` = that is not known well enough.
   */
  reached(limits: Limits, share: number, idle: Room, at: Instant): LimitReached | null | 'stale' {
    const fleet = this.#fleet;
    if (fleet === null || at.now - this.#at > (at.isLast ? HOLDS_MS : FRESH_MS)) return 'stale';
    const { concurrent, requestsPerMinute, tokensPerMinute } = limits;
    const soon = at.wall + HOLDS_MS;
    const over = (limit: number | null, used: number): boolean => limit !== null && used >= part(limit, share);
    if (over(requestsPerMinute, fleet.requests - idle.requests))
      return { limit: 'requests_per_minute', availableAt: soon };
    if (over(tokensPerMinute, fleet.tokens - idle.tokens)) return { limit: 'tokens_per_minute', availableAt: soon };
    return over(concurrent, fleet.slots - idle.slots) ? { limit: 'concurrent', availableAt: null } : null;
  }
}

/** Now, by both clocks; `isLast`: an older word will do, there is no newer one. */
export interface Instant {
  readonly now: number;
  readonly wall: number;
  readonly isLast: boolean;
}

function closedFor(
  limit: Closed['limit'],
  freeInMs: number | null,
  dayEnd: number,
  now: number,
): Omit<Closed, 'tokensLeft'> {
  if (limit === 'requests_per_day') return { limit, until: now + ASK_AGAIN_MS, availableAt: dayEnd };
  if (freeInMs === null) return { limit, until: now + ASK_SLOT_AGAIN_MS, availableAt: null };
  return { limit, until: now + Math.min(freeInMs, ASK_AGAIN_MS), availableAt: now + freeInMs };
}
