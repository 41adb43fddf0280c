/** Milliseconds with one decimal: what people read in records. */
export function shownMs(ms: number): number {
  return Math.round(ms * 10) / 10;
}
