/** Instants as a field for date and time wants them: in the browser's own time, to the minute. */

const MINUTE_MS = 60_000;

/** Wall ms of an instant as the configuration writes it; without an offset it is UTC. Null when it is none. */
export function instantMs(written: string): number | null {
  const iso = written.replace(' ', 'T');
  const at = Date.parse(iso.length === 10 || /Z$|[+-]\d{2}:\d{2}$/.test(iso) ? iso : `${iso}Z`);
  return Number.isNaN(at) ? null : at;
}

/** What the field shows. */
export function localText(written: string | undefined): string {
  const at = written === undefined ? null : instantMs(written);
  if (at === null) return '';
  return new Date(at - new Date(at).getTimezoneOffset() * MINUTE_MS).toISOString().slice(0, 16);
}

/** What the API wants; null = nothing, or half a date. */
export function instantOf(local: string): string | null {
  const at = new Date(local);
  return Number.isNaN(at.getTime()) ? null : at.toISOString();
}
