/**
 * One scope as all replicas have it together (H-4, P-4, G-11): who is granted how much room. The script that runs inside
 * Redis does the same; this one says what that is. Time is the shared state’s own, in ms.
 */
import type { LimitReached, Limits } from './limits.ts';
import type { BlockAsk, BlockGrant, Elsewhere, OwnUse, PeriodUse, Room } from './room.ts';
import { NO_ROOM } from './room.ts';
import { WINDOW_MS } from './sliding-window.ts';

/** The minute is counted in slices of so many ms, which leave it as a whole. */
export const SLICE_MS = 250;
/** A replica that has not spoken of a scope for so many ms has nothing of it any more: it is gone. */
export const ALIVE_MS = 5000;
/** So long after that it is forgotten as soon as its month is over. */
export const GONE_MS = 2 * WINDOW_MS;
/** Of what is left all replicas together may take a quarter ahead: near a limit nothing lies unused. */
export const AHEAD = 4;

interface Slice {
  requests: number;
  tokens: number;
}

interface Replica extends OwnUse {
  readonly until: number;
}

type Reached = { readonly limit: LimitReached['limit']; readonly freeInMs: number | null };

export class SharedScope {
  readonly #slices = new Map<number, Slice>();
  readonly #replicas = new Map<string, Replica>();
  #requests = 0;
  #tokens = 0;

  /** `replica` speaks at `now`: what it has is noted, what it corrects is corrected, what is left is granted. */
  take(replica: string, ask: BlockAsk, now: number): BlockGrant {
    const { limits } = ask.scope;
    const slice = Math.floor(now / SLICE_MS);
    this.#advance(now);
    for (const { slice: where, requests, tokens } of ask.corrections)
      this.#correct(where || slice, requests, tokens, now);
    const known = this.#replicas.has(replica);
    this.#forgetGone(ask.own.month.start, replica, now);
    this.#replicas.set(replica, { ...ask.own, until: now + ALIVE_MS });
    const living = [...this.#replicas].filter(([, { until }]) => until > now);
    const others = living.filter(([name]) => name !== replica).map(([, its]) => its);
    const elsewhere = this.#elsewhere(replica, ask.own, others);
    const left = this.#left(limits, ask, others, elsewhere.day.requests);
    const reached = this.#reached(left, ask.least, limits, now);
    const got = reached === null ? granted(left, ask, living.length) : NO_ROOM;
    const { own } = ask;
    const has = {
      ...own,
      slots: own.slots + got.slots,
      idleRequests: own.idleRequests + got.requests,
      idleTokens: own.idleTokens + got.tokens,
    };
    this.#replicas.set(replica, { ...has, until: now + ALIVE_MS });
    return {
      got,
      slice,
      known,
      reached: reached?.limit ?? null,
      freeInMs: reached?.freeInMs ?? null,
      fleet: {
        peers: living.length,
        requests: this.#requests + sum(others, ({ idleRequests }) => idleRequests) + has.idleRequests,
        tokens: this.#tokens + sum(others, ({ idleTokens }) => idleTokens) + has.idleTokens,
        slots: sum(others, ({ slots }) => slots) + has.slots,
        others: elsewhere,
      },
    };
  }

  #advance(now: number): void {
    for (const [slice, { requests, tokens }] of this.#slices) {
      if (leavesAt(slice) > now) continue;
      this.#slices.delete(slice);
      this.#requests -= requests;
      this.#tokens -= tokens;
    }
  }

  #forgetGone(month: number, speaking: string, now: number): void {
    for (const [name, its] of this.#replicas) {
      if (name !== speaking && its.until + GONE_MS <= now && its.month.start < month) this.#replicas.delete(name);
    }
  }

  #correct(slice: number, requests: number, tokens: number, now: number): void {
    if (leavesAt(slice) <= now) return;
    const known = this.#slices.get(slice) ?? { requests: 0, tokens: 0 };
    this.#add(slice, Math.max(requests, -known.requests), Math.max(tokens, -known.tokens));
  }

  #add(slice: number, requests: number, tokens: number): void {
    if (requests === 0 && tokens === 0) return;
    const known = this.#slices.get(slice) ?? { requests: 0, tokens: 0 };
    this.#slices.set(slice, { requests: known.requests + requests, tokens: known.tokens + tokens });
    this.#requests += requests;
    this.#tokens += tokens;
  }

  /** Settled figures also of those that are gone; expectations of the living only. */
  #elsewhere(replica: string, own: OwnUse, living: readonly OwnUse[]): Elsewhere {
    const all = [...this.#replicas].filter(([name]) => name !== replica).map(([, its]) => its);
    return {
      heldTokens: sum(living, ({ heldTokens }) => heldTokens),
      heldSpend: living.reduce((total, { heldSpend }) => total + heldSpend, 0n),
      day: sumOf(own.day.start, all, ({ day }) => day),
      month: sumOf(own.month.start, all, ({ month }) => month),
    };
  }

  #left(limits: Limits, ask: BlockAsk, others: readonly OwnUse[], dayElsewhere: number): Left {
    const { own } = ask;
    const { requestsPerMinute, tokensPerMinute, concurrent, requestsPerDay } = limits;
    const idle = sum(others, ({ idleRequests }) => idleRequests) + own.idleRequests;
    const idleTokens = sum(others, (one) => one.idleTokens) + own.idleTokens;
    const day = own.day.requests + Math.max(ask.dayElsewhere, dayElsewhere) + idle;
    return {
      requests: leftOf(requestsPerMinute, this.#requests + idle),
      tokens: leftOf(tokensPerMinute, this.#tokens + idleTokens),
      slots: leftOf(concurrent, sum(others, ({ slots }) => slots) + own.slots),
      day: leftOf(requestsPerDay, day),
    };
  }

  /** The day first: nothing else is as long; then the later of the minute’s; nobody knows when a request ends. */
  #reached(left: Left, least: Room, limits: Limits, now: number): Reached | null {
    if (least.requests > left.day) return { limit: 'requests_per_day', freeInMs: null };
    const requests = least.requests > left.requests ? this.#freeIn('requests', least.requests - left.requests, now) : 0;
    const tokens = least.tokens > left.tokens ? this.#freeIn('tokens', least.tokens - left.tokens, now) : 0;
    if (requests > 0 && requests >= tokens) return { limit: 'requests_per_minute', freeInMs: requests };
    if (tokens > 0) return { limit: 'tokens_per_minute', freeInMs: tokens };
    return limits.concurrent !== null && least.slots > left.slots ? { limit: 'concurrent', freeInMs: null } : null;
  }

  /** When so much of the minute will have left it: ms from now. */
  #freeIn(what: keyof Slice, amount: number, now: number): number {
    let left = 0;
    for (const slice of [...this.#slices.keys()].sort((a, b) => a - b)) {
      left += this.#slices.get(slice)![what];
      if (left >= amount) return leavesAt(slice) - now;
    }
    return WINDOW_MS;
  }
}

interface Left extends Room {
  /** Requests of the day. */
  readonly day: number;
}

/** What is needed as far as it is there, and beyond that the part that may be taken ahead. */
function granted(left: Left, { need, want }: BlockAsk, peers: number): Room {
  const of = (there: number, needed: number, wanted: number): number => {
    const ahead = Math.min(wanted, Math.floor(there / (AHEAD * peers)));
    return Math.max(0, Math.min(there, Math.max(needed, ahead)));
  };
  return {
    requests: of(Math.min(left.requests, left.day), need.requests, want.requests),
    tokens: of(left.tokens, need.tokens, want.tokens),
    slots: of(left.slots, need.slots, want.slots),
  };
}

function leavesAt(slice: number): number {
  return (slice + 1) * SLICE_MS + WINDOW_MS;
}

function leftOf(limit: number | null, used: number): number {
  return limit === null ? Number.MAX_SAFE_INTEGER : limit - used;
}

function sum<T>(all: readonly T[], figure: (one: T) => number): number {
  return all.reduce((total, one) => total + figure(one), 0);
}

function sumOf(start: number, all: readonly OwnUse[], of: (one: OwnUse) => PeriodUse): PeriodUse {
  const total = { start, requests: 0, tokens: 0, spend: 0n };
  for (const one of all) {
    const use = of(one);
    if (use.start !== start) continue;
    total.requests += use.requests;
    total.tokens += use.tokens;
    total.spend += use.spend;
  }
  return total;
}
