/** What one scope has used in the running UTC day or month (G-4, G-11). Only what is settled; it outlives the process. */
import type { NanoUsd } from '../usage/usage.ts';
import type { PeriodUse } from './room.ts';

/** In UTC. */
export type Period = 'day' | 'month';

const DAY_MS = 86_400_000;
/** No clock that was right is set back by as much. */
const WAS_AHEAD_MS: Readonly<Record<Period, number>> = { day: 7 * DAY_MS, month: 62 * DAY_MS };

/** First moment of the period that holds `wall`, and of the next one: wall ms. */
export function periodBounds(period: Period, wall: number): { readonly start: number; readonly end: number } {
  if (period === 'day') {
    const start = Math.floor(wall / DAY_MS) * DAY_MS;
    return { start, end: start + DAY_MS };
  }
  const at = new Date(wall);
  const [year, month] = [at.getUTCFullYear(), at.getUTCMonth()];
  return { start: Date.UTC(year, month, 1), end: Date.UTC(year, month + 1, 1) };
}

/** As it is kept over a restart. */
export interface PeriodRow {
  readonly kind: string;
  readonly id: string;
  readonly period: Period;
  /** Wall ms of the period's first moment. */
  readonly start: number;
  readonly requests: number;
  readonly tokens: number;
  readonly spend: NanoUsd;
  /** Bits of the limits whose crossing has been told in this period. */
  readonly told: number;
}

class Amounts {
  requests = 0;
  tokens = 0;
  spend: NanoUsd = 0n;

  add(requests: number, tokens: number, spend: NanoUsd): void {
    this.requests += requests;
    this.tokens += tokens;
    this.spend += spend;
  }

  clear(): void {
    this.requests = 0;
    this.tokens = 0;
    this.spend = 0n;
  }
}

/** One scope’s use in one period; a new period starts at nothing. */
export class PeriodCounter {
  readonly period: Period;
  start = 0;
  /** Before the first use nothing is current. */
  end = 0;
  requests = 0;
  tokens = 0;
  spend: NanoUsd = 0n;
  told = 0;
  /** How much of it this process has not counted itself: taken up at its start, or used at other replicas (H-4). */
  readonly #before = new Amounts();
  /** What was taken up at the start; with what was counted since, it is what this process writes down. */
  readonly #restored = new Amounts();

  constructor(period: Period) {
    this.period = period;
  }

  /**
   * Begins anew when the period is over. A wall clock set back stays in the later period: nobody gets a budget twice. One
   * set back by weeks had been wrong before, and would hold this period open for as long as it was ahead.
   */
  roll(wall: number): void {
    if (wall < this.end && wall >= this.start - WAS_AHEAD_MS[this.period]) return;
    const { start, end } = periodBounds(this.period, wall);
    this.start = start;
    this.end = end;
    this.requests = 0;
    this.tokens = 0;
    this.spend = 0n;
    this.told = 0;
    this.#before.clear();
    this.#restored.clear();
  }

  /** Counts in the running period. */
  add(requests: number, tokens: number, spend: NanoUsd): void {
    this.requests += requests;
    this.tokens += tokens;
    this.spend += spend;
  }

  /** Adds what an earlier process had counted; of a period before the running one nothing is left to add. */
  restore(row: PeriodRow): void {
    if (row.start < this.start) return;
    if (row.start > this.start) this.roll(row.start);
    this.add(row.requests, row.tokens, row.spend);
    this.#before.add(row.requests, row.tokens, row.spend);
    this.#restored.add(row.requests, row.tokens, row.spend);
    this.told |= row.told;
  }

  /** Counted by this process since its start. */
  own(): PeriodUse {
    const { requests, tokens, spend } = this.#before;
    return {
      start: this.start,
      requests: this.requests - requests,
      tokens: this.tokens - tokens,
      spend: this.spend - spend,
    };
  }

  /** What was taken up and what was counted since: without what others have told. */
  kept(): PeriodUse {
    const { requests, tokens, spend } = this.own();
    return {
      start: this.start,
      requests: requests + this.#restored.requests,
      tokens: tokens + this.#restored.tokens,
      spend: spend + this.#restored.spend,
    };
  }

  /** Requests of the period that others have counted, as far as they are known. */
  get requestsElsewhere(): number {
    return this.#before.requests;
  }

  /**
   * Others have used at least so much in the period. Whoever tells it may have forgotten something: the most that was
   * ever told counts, and what was taken up at the start is a part of it.
   */
  learn({ start, requests, tokens, spend }: PeriodUse): void {
    if (start !== this.start) return;
    const before = this.#before;
    const more = Math.max(0, requests - before.requests);
    const moreTokens = Math.max(0, tokens - before.tokens);
    const moreSpend = spend > before.spend ? spend - before.spend : 0n;
    before.add(more, moreTokens, moreSpend);
    this.add(more, moreTokens, moreSpend);
  }

  /** Nothing would be lost with it. */
  isEmpty(wall: number): boolean {
    return wall >= this.end || (this.requests === 0 && this.tokens === 0 && this.spend === 0n);
  }
}
