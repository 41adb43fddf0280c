/**
 * What one replica has of a scope that replicas share (H-4): room taken ahead, within which it decides in memory, figures
 * to tell, and the last word about a scope that is full. Pure: time is handed in, monotonic ms of this replica.
 */
import { IdleSlots } from './idle-slots.ts';
import { type Instant, LastWord } from './last-word.ts';
import type { OwnFigures, Recent } from './limit-board.ts';
import type { Expected, LimitReached, LimitScope, Limits } from './limits.ts';
import { MinuteRoom } from './minute-room.ts';
import { type BlockAsk, type BlockGrant, type FleetUse, NO_ROOM, type Room } from './room.ts';

/** How often use is told and unused room given back: ms. Room taken ahead is what was used in as long. */
export const TICK_MS = 100;
/** A scope that is used little, and far from its limits, is told of this often: ms. */
const CALM_MS = 1000;
/** From this part of a period’s budget on, others hear of each use at once. */
const NEAR = 0.5;
/** Up to this part of the minute’s limits a few requests’ room is kept ahead, for so many ms without use. */
const ROOMY = 0.5;
const FEW = 4;
const KEPT_MS = 5000;
/** So many requests within a tick are not little. */
const BUSY = 5;

/** What one call has of it until it is settled. */
export interface Taken {
  readonly block: Block;
  /** Where its tokens are counted. */
  readonly slice: number;
}

/** What somebody waits for. */
export interface Wanted {
  readonly need: Room;
  readonly least: Room;
}

export class Block {
  /** As last seen: a reload may change its limits. */
  scope: LimitScope;
  /** An ask is under way. */
  asking = false;
  /** Its own minute has not been told from this instant on; null = it has. */
  untoldSince: number | null = null;

  readonly #minute = new MinuteRoom();
  readonly #slots = new IdleSlots();
  readonly #word = new LastWord();
  /** Requests and tokens of the running tick, and of the one before. */
  #demand = { requests: 0, tokens: 0, requestsBefore: 0, tokensBefore: 0 };
  /** Less was got ahead than wanted: until the next tick only who waits asks. */
  #isBarred = false;
  #unmetAt = Number.NEGATIVE_INFINITY;
  #isChanged = false;
  #isNear = false;
  #slotsTold = 0;
  #toldAt = Number.NEGATIVE_INFINITY;
  #usedAt: number;
  #trimmedAt = Number.NEGATIVE_INFINITY;
  /** Tokens of the last call: the next is likely to be like it. */
  #tokensEach = 0;

  constructor(scope: LimitScope, now: number) {
    this.scope = scope;
    this.#usedAt = now;
  }

  /** Room that was taken and is not used. */
  get idle(): Room {
    const { requests, tokens } = this.#minute;
    return { requests, tokens, slots: this.#slots.count };
  }

  /** As last heard; null = nothing yet, or the shared state is away. */
  get fleet(): FleetUse | null {
    return this.#word.fleet;
  }

  /** Nobody has asked for it, and nothing of it is out, for so long. */
  isQuiet(now: number, forMs: number): boolean {
    const { requests, tokens } = this.#minute;
    return now - this.#usedAt > forMs && requests + tokens + this.#slotsTold === 0 && !this.asking;
  }

  /** What refuses a call that needs at least so many tokens, as was heard a moment ago. */
  closed(tokens: number, { now, wall, isLast }: Instant): LimitReached | null {
    return this.#word.closed(tokens, now, wall, isLast);
  }

  /** `LastWord.reached`. */
  shareReached(share: number, at: Instant): LimitReached | null | 'stale' {
    return this.#word.reached(this.scope.limits, share, this.idle, at);
  }

  /** Whether the call can go without asking. */
  fits(expected: Expected): boolean {
    const { limits } = this.scope;
    if (limits.concurrent !== null && this.#slots.count < 1) return false;
    if (countsRequests(limits) && this.#minute.requests < 1) return false;
    return this.leastTokens(expected) <= this.#minute.tokens;
  }

  /** Tokens the call must have; 0 without such a limit. One larger than all of it waits for an empty minute, and goes then. */
  leastTokens({ certain, tokens }: Expected): number {
    const limit = this.scope.limits.tokensPerMinute;
    return limit === null ? 0 : Math.min(Math.max(certain ?? tokens, 1), limit);
  }

  /** What the call needs of it. */
  roomFor(expected: Expected): Wanted {
    const { limits } = this.scope;
    const least = this.leastTokens(expected);
    const room = { requests: countsRequests(limits) ? 1 : 0, slots: limits.concurrent === null ? 0 : 1 };
    const need = Math.min(limits.tokensPerMinute ?? 0, Math.max(least, expected.tokens));
    return { least: { ...room, tokens: least }, need: { ...room, tokens: need } };
  }

  /** The call goes out; what there is no room for is told as used. */
  take(expected: Expected, now: number): Taken {
    const { limits } = this.scope;
    this.#usedAt = now;
    this.#isChanged = true;
    this.#demand.requests += 1;
    this.#demand.tokens += expected.tokens;
    if (limits.concurrent !== null) this.#slots.take();
    this.#tokensEach = expected.tokens;
    const tokens = limits.tokensPerMinute === null ? 0 : expected.tokens;
    return { block: this, slice: this.#minute.take(countsRequests(limits) ? 1 : 0, tokens, now) };
  }

  /**
   * The call is over; `moreTokens` than expected were used, negative = less. `inFlight`: calls that still run. True = it
   * should be told at once: others need what it gives back.
   */
  settle({ slice }: Taken, moreTokens: number, inFlight: number, now: number): boolean {
    const { concurrent, tokensPerMinute } = this.scope.limits;
    this.#isChanged = true;
    if (tokensPerMinute !== null) this.#minute.correct(slice, moreTokens, now);
    return concurrent !== null && this.#slots.release(concurrent, inFlight, this.fleet, now - this.#unmetAt);
  }

  /** Somebody had to be refused, or to wait. */
  unmet(now: number): void {
    this.#unmetAt = now;
    this.#usedAt = now;
  }

  /** Whether more should be taken ahead, before anybody has to wait for it: half of it is used. */
  wantsMore(): boolean {
    if (this.#isBarred || this.asking) return false;
    const want = this.#want();
    const { requests, tokens } = this.#minute;
    return requests < want.requests || tokens < want.tokens || this.#slots.count < want.slots;
  }

  /** Once per `TICK_MS`: lets go of what nobody needed. True = there is something to tell. */
  tick(inFlight: number, now: number): boolean {
    const isRoomy = this.#isRoomy();
    const { requests, tokens } = this.#demand;
    this.#demand = { requests: 0, tokens: 0, requestsBefore: requests, tokensBefore: tokens };
    this.#isBarred = false;
    this.#slots.trim();
    if (this.asking) return false;
    const isTrimmed = (!isRoomy || now - this.#trimmedAt >= KEPT_MS) && this.#trim(now);
    const slots = this.#slotsHeld(inFlight);
    if (isTrimmed || slots !== this.#slotsTold) return true;
    const isChanged = this.#isChanged || this.#minute.hasCorrections;
    if (now - this.#toldAt >= CALM_MS) return isChanged || slots + this.#minute.requests + this.#minute.tokens > 0;
    return isChanged && (requests >= BUSY || this.#isNear || !isRoomy);
  }

  /** What is asked for next; `waiting` are those who wait, the first one first. */
  ask(own: OwnFigures, waiting: readonly Wanted[], now: number): BlockAsk {
    this.#isChanged = false;
    this.#toldAt = now;
    this.#slotsTold = this.#slotsHeld(own.inFlight);
    this.#isNear = isNear(this.scope.limits, own, this.fleet);
    const { inFlight: _inFlight, dayElsewhere, ...figures } = own;
    return {
      scope: this.scope,
      own: { ...figures, slots: this.#slotsTold, idleRequests: this.#minute.requests, idleTokens: this.#minute.tokens },
      need: waiting.reduce((total, { need }) => plus(total, need), NO_ROOM),
      least: waiting[0]?.least ?? NO_ROOM,
      want: this.#isBarred ? NO_ROOM : this.#want(),
      dayElsewhere,
      corrections: this.#minute.corrections(),
    };
  }

  /** `sentAt`: when it was asked for: what is taken ahead is good from then on. */
  granted(grant: BlockGrant, ask: BlockAsk, sentAt: number, now: number): void {
    const { got } = grant;
    const { want } = ask;
    this.#minute.add(got, grant.slice, sentAt);
    this.#slots.add(got.slots);
    this.#slotsTold += got.slots;
    this.#word.heard(grant, ask, now);
    this.#isBarred ||= got.requests < want.requests || got.tokens < want.tokens || got.slots < want.slots;
  }

  /** The minute as this replica has counted it goes to where it was, because it is not known there. */
  tellRecent(recent: readonly Recent[], now: number): void {
    this.#minute.tell(recent, now);
  }

  /** The shared state is away: nothing that was taken ahead of it is good, nothing it said holds. */
  drop(): void {
    this.#minute.drop();
    this.#slots.drop();
    this.#word.drop();
    this.#slotsTold = 0;
    this.#toldAt = Number.NEGATIVE_INFINITY;
  }

  /** Most of the minute’s limits is left: what is idle keeps nobody waiting. */
  #isRoomy(): boolean {
    const { fleet } = this;
    if (fleet === null) return false;
    const { requestsPerMinute, tokensPerMinute } = this.scope.limits;
    const isRoomy = (limit: number | null, used: number): boolean => limit === null || used <= ROOMY * limit;
    return isRoomy(requestsPerMinute, fleet.requests) && isRoomy(tokensPerMinute, fleet.tokens);
  }

  #trim(now: number): boolean {
    this.#trimmedAt = now;
    return this.#minute.trim();
  }

  #slotsHeld(inFlight: number): number {
    return this.scope.limits.concurrent === null ? 0 : inFlight + this.#slots.count;
  }

  /**
   * What is missing of as much as was used in a tick, but for the one that is asked for by itself; where there is much room
   * a few more, so that who comes seldom need not ask each time.
   */
  #want(): Room {
    const { limits } = this.scope;
    const { requests, tokens, requestsBefore, tokensBefore } = this.#demand;
    const few = this.#isRoomy() ? FEW : 0;
    const calls = Math.max(requests, requestsBefore) - 1;
    if (Math.max(calls, few) < 1) return NO_ROOM;
    const ahead = Math.max(calls < 1 ? 0 : Math.max(tokens, tokensBefore), few * this.#tokensEach);
    const { requests: idle, tokens: idleTokens } = this.#minute;
    return {
      requests: countsRequests(limits) ? Math.max(0, Math.max(calls, few) - idle) : 0,
      tokens: limits.tokensPerMinute === null ? 0 : Math.max(0, ahead - idleTokens),
      slots: limits.concurrent === null ? 0 : Math.max(0, calls - this.#slots.count),
    };
  }
}

function countsRequests({ requestsPerMinute, requestsPerDay }: Limits): boolean {
  return requestsPerMinute !== null || requestsPerDay !== null;
}

function plus(one: Room, other: Room): Room {
  return {
    requests: one.requests + other.requests,
    tokens: one.tokens + other.tokens,
    slots: one.slots + other.slots,
  };
}

/** Whether a period’s budget is half used. */
function isNear(limits: Limits, own: OwnFigures, fleet: FleetUse | null): boolean {
  const { tokensPerDay, tokensPerMonth, spendPerDay, spendPerMonth } = limits;
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
