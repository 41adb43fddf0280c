/** Which stored figures an overview is made from: grains, steps and whole windows. Pure. */

/** Lengths of the stretches that figures are kept for. */
export const MINUTE_MS = 60_000;
export const QUARTER_MS = 900_000;
export const GRAINS = [MINUTE_MS, QUARTER_MS] as const;

/** A chart of more points is no clearer, and its answer no smaller. */
const MOST_STEPS = 120;
/** Windows up to two hours are shown by minutes; longer ones are summed up from fifteen times fewer rows. */
const BY_MINUTES_MS = 2 * 3_600_000;
const STEPS_OF_QUARTERS = [1, 2, 4, 8, 24, 48, 96].map((count) => count * QUARTER_MS);
const STEPS_OF_MINUTES = [1, 2].map((count) => count * MINUTE_MS);

export interface OverviewWindow {
  readonly grainMs: number;
  /** Wall ms, whole grains: what was asked for, made longer to the next whole one on both sides. */
  readonly from: number;
  readonly to: number;
  readonly stepMs: number;
}

/** The window and steps for what was asked. `from` < `to`, wall ms. */
export function windowOf(from: number, to: number): OverviewWindow {
  const byMinutes = to - from <= BY_MINUTES_MS;
  const grainMs = byMinutes ? MINUTE_MS : QUARTER_MS;
  const start = Math.floor(from / grainMs) * grainMs;
  const end = Math.ceil(to / grainMs) * grainMs;
  const steps = byMinutes ? STEPS_OF_MINUTES : STEPS_OF_QUARTERS;
  const stepMs = steps.find((step) => (end - start) / step <= MOST_STEPS) ?? steps.at(-1)!;
  return { grainMs, from: start, to: end, stepMs };
}
