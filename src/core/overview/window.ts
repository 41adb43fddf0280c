/** Which stored figures an overview is made from: grains, steps and whole windows. Pure. */

/** Lengths of the stretches that figures are kept for. */
export const MINUTE_MS = 60_000;
export const QUARTER_MS = 900_000;
const HOUR_MS = 3_600_000;
export const LONGEST_MS = 2 * HOUR_MS;
export const GRAINS = [MINUTE_MS, QUARTER_MS, LONGEST_MS] as const;

/** A chart of more points is no clearer, and its answer no smaller. */
const MOST_STEPS = 120;
/** Up to which length a window is summed up from which stretches, and by how many of them it is shown: a month must not be read by minutes. */
const WINDOWS = [
  { upToMs: 2 * HOUR_MS, grainMs: MINUTE_MS, steps: [1, 2] },
  { upToMs: 48 * HOUR_MS, grainMs: QUARTER_MS, steps: [1, 2] },
  { upToMs: Number.POSITIVE_INFINITY, grainMs: LONGEST_MS, steps: [1, 3, 6, 12] },
] as const;

export interface OverviewWindow {
  readonly grainMs: number;
  /** Wall ms, whole grains: what was asked for, made longer to the next whole one on both sides. */
  readonly from: number;
  readonly to: number;
  readonly stepMs: number;
}

/** The window and steps for what was asked. `from` < `to`, wall ms. */
export function windowOf(from: number, to: number): OverviewWindow {
  const { grainMs, steps } = WINDOWS.find(({ upToMs }) => to - from <= upToMs) ?? WINDOWS[2];
  const start = Math.floor(from / grainMs) * grainMs;
  const end = Math.ceil(to / grainMs) * grainMs;
  const lengths = steps.map((count) => count * grainMs);
  const stepMs = lengths.find((step) => (end - start) / step <= MOST_STEPS) ?? lengths.at(-1)!;
  return { grainMs, from: start, to: end, stepMs };
}
