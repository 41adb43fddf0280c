/**
 * What one replica has taken ahead of a scope that replicas share (H-4): room to decide in memory, figures to tell, and
 * the last word about a scope that is full. Pure: time is handed in, monotonic ms of this replica.
 */
import type { OwnFigures, Recent } from './limit-board.ts';
import type { Expected, LimitReached, LimitScope, Limits } from './limits.ts';
import { type BlockAsk, type BlockGrant, type FleetUse, NO_ROOM, type Room } from './room.ts';
import { part } from './scope-usage.ts';
import { HOLD_MS, SLICE_MS } from './shared-scope.ts';
import { SliceCorrections } from './slice-corrections.ts';

/** How often use is told and unused room given back: ms. Room taken ahead is what was used in as long. */
export const TICK_MS = 100;
/** A scope that is used little, and far from its limits, is told of this often: ms. */
const CALM_MS = 1000;
/** A full scope is not asked about again before: others give room back at any time. */
const ASK_AGAIN_MS = 50;
/** Likewise where only requests at the same time stand in the way: they come and go. */
const ASK_SLOT_AGAIN_MS = 5;
/** Where no answer comes, a word without an end of its own holds so long: ms. */
const LAST_WORD_MS = 1000;
/** A replica that had to refuse so lately keeps the slots it has. */
const HUNGRY_MS = 20;
/** From this part of its slots or of a period’s budget on, a scope is told of at once. */
const TIGHT = 0.8;
const NEAR = 0.5;
/** So many requests within a tick are not little. */
const BUSY = 5;
/** Low priority is judged by what all have together: figures may be so old. */
const FRESH_MS = 250;
const DAY_MS = 86_400_000;

/** Where a request’s tokens are counted. */
export interface Taken {
  readonly block: Block;
  readonly tokens: readonly { readonly slice: number; readonly tokens: number }[];
}

interface Lot {
  readonly slice: number;
  readonly until: number;
  requests: number;
  tokens: number;
}

/** A full scope. Instants in monotonic ms. */
interface Closed {
  readonly limit: LimitReached['limit'];
  readonly until: number;
  /** It was heard then, and is the last word until there is another. */
  readonly at: number;
  /** Null = nobody knows; of `requests_per_day` wall ms. */
  readonly availableAt: number | null;
  /** Tokens that are left all the same: a smaller call may ask. */
  readonly tokensLeft: number;
}

export class Block {
  /** As last seen: a reload may change its limits. */
  scope: LimitScope;
  /** An ask is under way. */
  asking = false;
  /** Its own minute has not been told from this instant on; null = it has. */
  untoldSince: number | null = null;

  #lots: Lot[] = [];
  #idleSlots = 0;
  /** The fewest idle ones since the last tick: nobody needed them. */
  #idleLow = 0;
  #requestsNow = 0;
  #requestsBefore = 0;
  #tokensNow = 0;
  #tokensBefore = 0;
  #barred = false;
  #closed: Closed | null = null;
  #unmetAt = Number.NEGATIVE_INFINITY;
  #fleet: FleetUse | null = null;
  #fleetAt = Number.NEGATIVE_INFINITY;
  #sliceZero: number | null = null;
  readonly #corrections = new SliceCorrections();
  #changed = false;
  #slotsTold = 0;
  #toldAt = Number.NEGATIVE_INFINITY;
  #near = false;
  #usedAt: number;

  constructor(scope: LimitScope, now: number) {
    this.scope = scope;
    this.#usedAt = now;
  }

  /** Room that was taken and is not used. */
  get idle(): Room {
    let [requests, tokens] = [0, 0];
    for (const lot of this.#lots) {
      requests += lot.requests;
      tokens += lot.tokens;
    }
    return { requests, tokens, slots: this.#idleSlots };
  }

  /** As last heard; null = nothing yet, or the shared state is away. */
  get fleet(): FleetUse | null {
    return this.#fleet;
  }

  /** Nobody has asked for it, and nothing of it is out, for so long. */
  isQuiet(now: number, forMs: number): boolean {
    return now - this.#usedAt > forMs && this.#lots.length === 0 && this.#slotsTold === 0 && !this.asking;
  }

  /**
   * The limit that is reached by what all replicas have, while that was heard just now. `wall` is the wall clock at `now`;
   * `tokens`: what the call needs at least; `lastWord`: an older word will do, there is no newer one.
   */
  closed(tokens: number, now: number, wall: number, lastWord: boolean): LimitReached | null {
    const closed = this.#closed;
    if (closed === null || tokens <= closed.tokensLeft) return null;
    const { limit, availableAt, at } = closed;
    const isWall = limit === 'requests_per_day' || availableAt === null;
    const until = !lastWord ? closed.until : isWall ? at + LAST_WORD_MS : availableAt;
    if (until <= now) return null;
    return { limit, availableAt: isWall ? availableAt : wall + (availableAt - now) };
  }

  /** Whether the call can go without asking. */
  fits(expected: Expected, now: number): boolean {
    const { limits } = this.scope;
    this.#expire(now);
    if (limits.concurrent !== null && this.#idleSlots < 1) return false;
    if (!countsMinute(limits)) return true;
    const { requests, tokens } = this.idle;
    if (countsRequests(limits) && requests < 1) return false;
    return limits.tokensPerMinute === null || tokens >= certain(expected, limits.tokensPerMinute);
  }

  /** What the call needs of it. */
  roomFor(expected: Expected): { readonly need: Room; readonly least: Room } {
    const { limits } = this.scope;
    const requests = countsRequests(limits) ? 1 : 0;
    const slots = limits.concurrent === null ? 0 : 1;
    const tpm = limits.tokensPerMinute;
    const least = { requests, slots, tokens: tpm === null ? 0 : certain(expected, tpm) };
    return {
      least,
      need: { ...least, tokens: tpm === null ? 0 : Math.min(tpm, Math.max(least.tokens, expected.tokens)) },
    };
  }

  /**
   * Of concurrency and minute limits only `share` is left to the call (C-4): what refuses it by what all have, null =
   * nothing; `stale` = that is not known well enough. `lastWord`: older figures will do, there are no newer ones.
   */
  shareReached(share: number, now: number, wall: number, lastWord: boolean): LimitReached | null | 'stale' {
    const fleet = this.#fleet;
    if (fleet === null || now - this.#fleetAt > (lastWord ? LAST_WORD_MS : FRESH_MS)) return 'stale';
    const { concurrent, requestsPerMinute, tokensPerMinute } = this.scope.limits;
    const { requests, tokens, slots } = this.idle;
    const soon = wall + CALM_MS;
    const over = (limit: number | null, used: number): boolean => limit !== null && used >= part(limit, share);
    if (over(requestsPerMinute, fleet.requests - requests)) return { limit: 'requests_per_minute', availableAt: soon };
    if (over(tokensPerMinute, fleet.tokens - tokens)) return { limit: 'tokens_per_minute', availableAt: soon };
    return over(concurrent, fleet.slots - slots) ? { limit: 'concurrent', availableAt: null } : null;
  }

  /** The call goes out; what there is no room for is told as used. */
  take(expected: Expected, now: number): Taken {
    const { limits } = this.scope;
    this.#usedAt = now;
    this.#changed = true;
    this.#requestsNow += 1;
    this.#tokensNow += expected.tokens;
    if (limits.concurrent !== null && this.#idleSlots > 0) {
      this.#idleSlots -= 1;
      this.#idleLow = Math.min(this.#idleLow, this.#idleSlots);
    }
    if (countsRequests(limits)) this.#takeRequest(now);
    const tokens = limits.tokensPerMinute === null ? [] : this.#takeTokens(expected.tokens, now);
    if (this.#lots.length > 0 && this.#lots[0]!.requests === 0 && this.#lots[0]!.tokens === 0) this.#lots.shift();
    return { block: this, tokens };
  }

  /**
   * The call is over; `moreTokens` than expected were used, negative = less. `inFlight`: calls that still run. True = it
   * should be told at once: others need what it gives back.
   */
  settle({ tokens }: Taken, moreTokens: number, inFlight: number, now: number): boolean {
    this.#changed = true;
    if (this.scope.limits.tokensPerMinute !== null) this.#correctTokens(tokens, moreTokens, now);
    const { concurrent } = this.scope.limits;
    if (concurrent === null) return false;
    this.#idleSlots += 1;
    const fleet = this.#fleet;
    if (fleet === null || fleet.slots < TIGHT * concurrent) return false;
    const held = inFlight + this.#idleSlots;
    if (now - this.#unmetAt < HUNGRY_MS && held <= Math.floor(concurrent / fleet.peers)) return false;
    this.#idleSlots = 0;
    this.#idleLow = 0;
    return true;
  }

  /** Somebody had to be refused, or to wait. */
  unmet(now: number): void {
    this.#unmetAt = now;
    this.#usedAt = now;
  }

  /** Whether more should be taken ahead, before anybody has to wait for it. */
  wantsMore(): boolean {
    if (this.#barred || this.asking) return false;
    const want = this.#want();
    const { requests, tokens, slots } = this.idle;
    return requests < want.requests / 2 || tokens < want.tokens / 2 || slots < want.slots / 2;
  }

  /** Once per `TICK_MS`: lets go of what nobody needed. True = there is something to tell. */
  tick(inFlight: number, now: number): boolean {
    this.#expire(now);
    const spare = Math.min(this.#idleLow, this.#idleSlots);
    this.#idleSlots -= spare;
    this.#idleLow = this.#idleSlots;
    this.#requestsBefore = this.#requestsNow;
    this.#tokensBefore = this.#tokensNow;
    this.#requestsNow = 0;
    this.#tokensNow = 0;
    this.#barred = false;
    if (this.asking) return false;
    const slots = this.#slots(inFlight);
    if (!this.#corrections.isEmpty || slots !== this.#slotsTold) return true;
    const calm = now - this.#toldAt < CALM_MS;
    if (calm && (this.#requestsBefore >= BUSY || this.#near)) return this.#changed;
    return !calm && (this.#changed || slots > 0);
  }

  /** What is asked for next; `waiting` are those who wait, the first one first. */
  ask(own: OwnFigures, waiting: readonly { readonly need: Room; readonly least: Room }[], now: number): BlockAsk {
    this.#expire(now);
    this.#changed = false;
    this.#toldAt = now;
    this.#slotsTold = this.#slots(own.inFlight);
    this.#near = isNear(this.scope.limits, own, this.#fleet);
    const { inFlight: _inFlight, dayElsewhere, ...figures } = own;
    return {
      scope: this.scope,
      own: { ...figures, slots: this.#slotsTold, idleRequests: this.idle.requests },
      need: waiting.reduce((total, { need }) => plus(total, need), NO_ROOM),
      least: waiting[0]?.least ?? NO_ROOM,
      want: this.#barred ? NO_ROOM : this.#want(),
      dayElsewhere,
      corrections: this.#corrections.drain(),
    };
  }

  /** `sentAt`: when it was asked for: what is taken ahead is good from then on. */
  granted(grant: BlockGrant, ask: BlockAsk, sentAt: number, now: number): void {
    const { got, slice, fleet, reached, freeInMs } = grant;
    this.#sliceZero = slice - Math.floor(now / SLICE_MS);
    if (got.requests > 0 || got.tokens > 0) {
      this.#lots.push({ slice, until: sentAt + HOLD_MS, requests: got.requests, tokens: got.tokens });
    }
    this.#idleSlots += got.slots;
    this.#slotsTold += got.slots;
    this.#fleet = fleet;
    this.#fleetAt = now;
    this.#barred ||= got.requests < ask.want.requests || got.tokens < ask.want.tokens || got.slots < ask.want.slots;
    const tokensLeft = reached === 'tokens_per_minute' ? this.scope.limits.tokensPerMinute! - fleet.tokens : -1;
    const dayEnd = ask.own.day.start + DAY_MS;
    this.#closed = reached === null ? null : { ...closedBy(reached, freeInMs, dayEnd, now), tokensLeft };
  }

  /** The minute as this replica has counted it goes to where it was, because it is not known there. */
  tellRecent(recent: readonly Recent[], now: number): void {
    for (const { age, requests, tokens } of recent) {
      this.#corrections.add(this.#sliceAt(now - age), requests, tokens);
    }
  }

  /** The shared state is away: nothing that was taken ahead of it is good, nothing it said holds. */
  drop(): void {
    this.#lots = [];
    this.#idleSlots = 0;
    this.#idleLow = 0;
    this.#slotsTold = 0;
    this.#closed = null;
    this.#fleet = null;
    this.#toldAt = Number.NEGATIVE_INFINITY;
    this.#corrections.drain();
  }

  #slots(inFlight: number): number {
    return this.scope.limits.concurrent === null ? 0 : inFlight + this.#idleSlots;
  }

  /** As much as was used in the last tick, but for the one that is asked for by itself. */
  #want(): Room {
    const { limits } = this.scope;
    const calls = Math.max(this.#requestsNow, this.#requestsBefore) - 1;
    if (calls < 1) return NO_ROOM;
    return {
      requests: countsRequests(limits) ? calls : 0,
      tokens: limits.tokensPerMinute === null ? 0 : Math.max(this.#tokensNow, this.#tokensBefore),
      slots: limits.concurrent === null ? 0 : Math.max(0, calls - this.#idleSlots),
    };
  }

  #takeRequest(now: number): void {
    const lot = this.#lots.find(({ requests }) => requests > 0);
    if (lot === undefined) this.#corrections.add(this.#sliceAt(now), 1, 0);
    else lot.requests -= 1;
  }

  #takeTokens(tokens: number, now: number): Taken['tokens'] {
    const taken: { slice: number; tokens: number }[] = [];
    let left = tokens;
    for (const lot of this.#lots) {
      const here = Math.min(left, lot.tokens);
      if (here <= 0) continue;
      lot.tokens -= here;
      left -= here;
      taken.push({ slice: lot.slice, tokens: here });
    }
    if (left <= 0) return taken;
    const slice = this.#sliceAt(now);
    this.#corrections.add(slice, 0, left);
    return [...taken, { slice, tokens: left }];
  }

  #correctTokens(taken: Taken['tokens'], more: number, now: number): void {
    if (more > 0) this.#corrections.add(this.#sliceAt(now), 0, more);
    let less = -more;
    for (const { slice, tokens } of [...taken].reverse()) {
      if (less <= 0) return;
      const here = Math.min(less, tokens);
      this.#corrections.add(slice, 0, -here);
      less -= here;
    }
  }

  #expire(now: number): void {
    while (this.#lots.length > 0 && this.#lots[0]!.until <= now) {
      const { slice, requests, tokens } = this.#lots.shift()!;
      this.#corrections.add(slice, -requests, -tokens);
    }
  }

  /** Where something of this instant is counted; 0 = now, while nothing has been heard yet. */
  #sliceAt(at: number): number {
    return this.#sliceZero === null ? 0 : Math.max(1, this.#sliceZero + Math.floor(at / SLICE_MS));
  }
}

function countsRequests({ requestsPerMinute, requestsPerDay }: Limits): boolean {
  return requestsPerMinute !== null || requestsPerDay !== null;
}

function countsMinute(limits: Limits): boolean {
  return countsRequests(limits) || limits.tokensPerMinute !== null;
}

/** A call larger than the whole limit waits for an empty minute, and goes then. */
function certain({ certain, tokens }: Expected, limit: number): number {
  return Math.min(Math.max(certain ?? tokens, 1), limit);
}

function plus(one: Room, other: Room): Room {
  return {
    requests: one.requests + other.requests,
    tokens: one.tokens + other.tokens,
    slots: one.slots + other.slots,
  };
}

function closedBy(
  limit: Closed['limit'],
  freeInMs: number | null,
  dayEnd: number,
  now: number,
): Omit<Closed, 'tokensLeft'> {
  const heard = { limit, at: now };
  if (limit === 'requests_per_day') return { ...heard, until: now + ASK_AGAIN_MS, availableAt: dayEnd };
  if (freeInMs === null) return { ...heard, until: now + ASK_SLOT_AGAIN_MS, availableAt: null };
  return { ...heard, until: now + Math.min(freeInMs, ASK_AGAIN_MS), availableAt: now + freeInMs };
}

/** Whether a period’s budget is half used: from there on others hear of each use at once. */
function isNear(
  { tokensPerDay, tokensPerMonth, spendPerDay, spendPerMonth }: Limits,
  own: OwnFigures,
  fleet: FleetUse | null,
): boolean {
  const others = fleet?.others;
  const tokens = own.heldTokens + (others?.heldTokens ?? 0);
  const spend = own.heldSpend + (others?.heldSpend ?? 0n);
  const over = (limit: number | bigint | null, used: number | bigint): boolean =>
    limit !== null && Number(used) >= NEAR * Number(limit);
  return (
    over(tokensPerDay, tokens + own.day.tokens + (others?.day.tokens ?? 0)) ||
    over(tokensPerMonth, tokens + own.month.tokens + (others?.month.tokens ?? 0)) ||
    over(spendPerDay, spend + own.day.spend + (others?.day.spend ?? 0n)) ||
    over(spendPerMonth, spend + own.month.spend + (others?.month.spend ?? 0n))
  );
}
