/** The gateway's time: windows and countdowns must be right in a browser whose clock is wrong. */

/** `Date` has whole seconds, and an answer takes its time: less than this says nothing. */
const LEAST_OFF_MS = 3_000;

let offMs = 0;

/** Takes the gateway's time from an answer. */
export function noteServerTime(response: Response): void {
  const at = Date.parse(response.headers.get('date') ?? '');
  if (Number.isNaN(at)) return;
  const off = at - Date.now();
  offMs = Math.abs(off) < LEAST_OFF_MS ? 0 : off;
}

/** Milliseconds of the gateway's wall clock, as far as its answers have told it. */
export function serverNow(): number {
  return Date.now() + offMs;
}
