/** Instants as text. */

let second = Number.NaN;
let prefix = '';

/** Wall ms as ISO 8601 in UTC with milliseconds, as `Date` writes it. Many instants share a second: only its start is worked out. */
export function isoTime(ms: number): string {
  const whole = Math.trunc(ms);
  const rest = ((whole % 1000) + 1000) % 1000;
  if (whole - rest !== second) {
    prefix = new Date(whole).toISOString().slice(0, -4);
    second = whole - rest;
  }
  return `${prefix}${rest < 10 ? '00' : rest < 100 ? '0' : ''}${rest}Z`;
}
