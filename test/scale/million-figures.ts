/** The figures of a million requests a day, over a month: rows as the log writes them, and the overviews of them. */
import { expect } from 'vitest';
import { countSeen, noFigures, seenOf } from '../../src/core/overview/figures.ts';
import { storedFigures } from '../../src/core/overview/stored-figures.ts';
import { LONGEST_MS, MINUTE_MS, QUARTER_MS } from '../../src/core/overview/window.ts';
import type { RetainingRecordStore } from '../../src/ports/record-store.ts';
import { plainDraft, sampleDraft } from '../support/sample-draft.ts';
import { END_AT } from './million-rows.ts';

const DAY_MS = 86_400_000;
/** A million a day, of three gateways. */
const PER_MINUTE = Math.round(1_000_000 / 1440 / 3);
const GATEWAYS = 3;
const DAYS = 31;
const LAST = Math.floor(END_AT / LONGEST_MS) * LONGEST_MS;

/** The body of one gateway's row: latencies of all kinds, ten pairs of models and ten kinds of failure. */
function bodyOf(requests: number): string {
  const figures = noFigures();
  for (let n = 0; n < requests; n += 1) {
    const latency_ms = 20 * 1.01 ** (n % 700);
    const kind = `maker/model-${Math.floor(n / 10) % 10}`;
    const attempts = sampleDraft(n).attempts.map((one) => (one.class === null ? one : { ...one, model: kind }));
    const draft =
      n % 10 === 0 ? sampleDraft(n, { latency_ms, requested_model: kind, attempts }) : plainDraft(n, { latency_ms });
    countSeen(figures, seenOf(draft, LAST - DAY_MS, String));
  }
  return storedFigures(figures);
}

/** Rows of the table of figures: minutes and quarters of an hour of the last four days, two hours of a month and the one before. */
export function figureRows(): [grain: number, scope: string, slot: number, part: string, body: string][] {
  const bodies: Readonly<Record<number, string>> = {
    [MINUTE_MS]: bodyOf(PER_MINUTE),
    [QUARTER_MS]: bodyOf(PER_MINUTE * 15),
    [LONGEST_MS]: bodyOf(PER_MINUTE * 120),
  };
  const stretches = [MINUTE_MS, QUARTER_MS, LONGEST_MS].flatMap((grain) => {
    const span = grain === LONGEST_MS ? 2 * DAYS * DAY_MS : 4 * DAY_MS;
    return Array.from({ length: span / grain }, (_, n) => [grain, LAST - (n + 1) * grain] as const);
  });
  return stretches.flatMap(([grain, slot]) =>
    Array.from({ length: GATEWAYS }, (_, gateway) => {
      const body = bodies[grain] ?? '';
      return [grain, '*', slot, `g${gateway}-${slot}`, body] as [number, string, number, string, string];
    }),
  );
}

/** Overviews of an hour, a day and a month, of a million requests a day. */
export async function dayOfFigures(engine: string, store: RetainingRecordStore): Promise<void> {
  const told: string[] = [];
  for (const [name, span, guardMs] of [
    ['an hour', 3_600_000, 5000],
    ['a day', DAY_MS, 5000],
    ['a month', DAYS * DAY_MS, 30_000],
  ] as const) {
    const from = performance.now();
    const overview = await store.overview({ from: LAST - span, to: LAST });
    const ms = performance.now() - from;
    told.push(`${name} ${ms.toFixed(0)} ms`);
    const expected = PER_MINUTE * GATEWAYS * (span / MINUTE_MS);
    expect([overview.totals.requests, overview.before.requests]).toEqual([expected, expected]);
    expect(overview.covering).toHaveLength(10);
    expect(overview.series.reduce((sum, { requests }) => sum + requests, 0)).toBe(expected);
    expect(ms).toBeLessThan(guardMs);
  }
  console.log(`${engine}: overview of ${told.join(', ')}`);
}
