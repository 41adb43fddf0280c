/** The overview as it is shown, from stored figures. Pure. */
import { type Covering, type Failing, type Figures, noFigures } from './figures.ts';
import { type Buckets, countOf, quantileOf } from './latency-buckets.ts';
import { addStored } from './stored-figures.ts';
import type { OverviewWindow } from './window.ts';

/** Requests that were served, and their whole times; percentiles are off by less than a tenth, null where none was. */
export interface ServedTimes {
  readonly served: number;
  readonly p50_ms: number | null;
  readonly p99_ms: number | null;
}

export interface OverviewSums {
  readonly requests: number;
  readonly outcomes: Figures['outcomes'];
  readonly retried: number;
  readonly fallback: number;
  readonly degraded: number;
  readonly interrupted: number;
  readonly upstream_calls: number;
  readonly primary: ServedTimes;
  readonly fallback_latency: ServedTimes;
  readonly cost_nano_usd: number;
  readonly waste_nano_usd: number;
}

/** A model that answered for another one. */
export interface CoveringRow {
  readonly requested_model: string;
  readonly served_model: string;
  readonly requests: number;
  readonly first_at: string;
  readonly last_at: string;
  readonly last_request_id: string;
  readonly classes: Readonly<Record<string, number>>;
  readonly skipped: Readonly<Record<string, number>>;
}

/** A target whose attempts failed. */
export interface FailingRow {
  readonly model: string;
  readonly channel: string;
  readonly credential: string | null;
  readonly class: string;
  readonly attempts: number;
  readonly last_at: string;
  readonly last_request_id: string;
  readonly provider_message: string | null;
}

export interface Overview {
  readonly from: string;
  readonly to: string;
  readonly step_ms: number;
  /** Requests that began before this instant may be missing; null = none is. */
  readonly since: string | null;
  readonly totals: OverviewSums;
  /** Of the equally long time before. */
  readonly before: OverviewSums;
  readonly series: readonly ({ readonly at: string } & OverviewSums)[];
  readonly covering: readonly CoveringRow[];
  readonly failing: readonly FailingRow[];
}

/** Rows of each list. */
const SHOWN = 20;

/** Takes stored rows in any order and any number of portions, then tells. */
export class OverviewMaker {
  readonly #window: OverviewWindow;
  readonly #totals = noFigures();
  readonly #before = noFigures();
  readonly #steps: Figures[];

  constructor(window: OverviewWindow) {
    this.#window = window;
    const count = Math.ceil((window.to - window.from) / window.stepMs);
    this.#steps = Array.from({ length: count }, noFigures);
  }

  /** `slot`: wall ms at which the row's time begins. */
  add(slot: number, text: string): void {
    const { from, to, stepMs } = this.#window;
    if (slot >= to) return;
    if (slot < from) {
      addStored(this.#before, text, false);
      return;
    }
    addStored(this.#totals, text, true);
    const step = this.#steps[Math.floor((slot - from) / stepMs)];
    if (step !== undefined) addStored(step, text, false);
  }

  /** `since`: wall ms from which every request is counted; null = all of them are. */
  overview(since: number | null): Overview {
    const { from, to, stepMs } = this.#window;
    return {
      from: shown(from),
      to: shown(to),
      step_ms: stepMs,
      since: since === null ? null : shown(since),
      totals: sumsOf(this.#totals),
      before: sumsOf(this.#before),
      series: this.#steps.map((step, index) => ({ at: shown(from + index * stepMs), ...sumsOf(step) })),
      covering: mostFirst([...this.#totals.covering.values()], (one) => one.requests).map(coveringRow),
      failing: mostFirst([...this.#totals.failing.values()], (one) => one.attempts).map(failingRow),
    };
  }
}

function sumsOf(figures: Figures): OverviewSums {
  return {
    requests: figures.requests,
    outcomes: figures.outcomes,
    retried: figures.retried,
    fallback: figures.fallback,
    degraded: figures.degraded,
    interrupted: figures.interrupted,
    upstream_calls: figures.upstreamCalls,
    primary: timesOf(figures.primary),
    fallback_latency: timesOf(figures.other),
    cost_nano_usd: figures.costNanoUsd,
    waste_nano_usd: figures.wasteNanoUsd,
  };
}

function timesOf(buckets: Buckets): ServedTimes {
  const [p50, p99] = [quantileOf(buckets, 0.5), quantileOf(buckets, 0.99)];
  return { served: countOf(buckets), p50_ms: rounded(p50), p99_ms: rounded(p99) };
}

/** Of what is off by a few hundredths, more digits would be a lie. */
function rounded(ms: number | null): number | null {
  return ms === null ? null : Number(ms.toPrecision(3));
}

function mostFirst<T extends { readonly lastAt: number }>(all: readonly T[], size: (one: T) => number): T[] {
  return [...all].sort((a, b) => size(b) - size(a) || b.lastAt - a.lastAt).slice(0, SHOWN);
}

function coveringRow(one: Covering): CoveringRow {
  return {
    requested_model: one.requested,
    served_model: one.served,
    requests: one.requests,
    first_at: shown(one.firstAt),
    last_at: shown(one.lastAt),
    last_request_id: one.lastId,
    classes: Object.fromEntries(one.classes),
    skipped: Object.fromEntries(one.skipped),
  };
}

function failingRow(one: Failing): FailingRow {
  return {
    model: one.model,
    channel: one.channel,
    credential: one.credential,
    class: one.class,
    attempts: one.attempts,
    last_at: shown(one.lastAt),
    last_request_id: one.lastId,
    provider_message: one.message,
  };
}

function shown(at: number): string {
  return new Date(at).toISOString();
}
