/** How long the client itself will wait, as its SDK announces it (D-4). */

/** Lower-case header names, values in seconds. */
const HEADERS = ['x-stainless-timeout', 'x-stainless-read-timeout', 'x-server-timeout'] as const;
/** Time for our answer to reach the client before it gives up. */
const MARGIN_MS = 2000;
const SECONDS = /^\d{1,9}(\.\d{1,9})?$/;

/**
 * The latest useful deadline in ms: the shortest announced timeout less 2 s, but never less than half of it. Null when
 * nothing readable was announced. Headers with lower-case names.
 */
export function announcedDeadlineMs(headers: Readonly<Record<string, unknown>>): number | null {
  let shortest: number | null = null;
  for (const name of HEADERS) {
    const value = headers[name];
    if (typeof value !== 'string' || !SECONDS.test(value)) continue;
    const ms = Number(value) * 1000;
    if (ms > 0 && (shortest === null || ms < shortest)) shortest = ms;
  }
  return shortest === null ? null : Math.max(shortest - MARGIN_MS, shortest / 2);
}
