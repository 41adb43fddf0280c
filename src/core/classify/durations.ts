/** Durations and instants as providers write them, in exact decimal arithmetic: a wait is rounded up to whole ms. */

// A longer wait is a broken clock or an epoch read as seconds (F-6).
const MAX_WAIT_MS = 366 * 86_400_000;

const PICO_PER_MS = 1_000_000_000n;
const UNIT_MS: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** Ms as a wait, or null when it is none: negative, not finite, over 366 days. */
export function asWait(ms: number | null): number | null {
  if (ms === null || !Number.isFinite(ms) || ms < 0 || ms > MAX_WAIT_MS) return null;
  return ms;
}

/** Plain decimal text × unit → whole ms, rounded up. Null for anything but digits with an optional fraction. */
export function decimalMs(text: string, unitMs: number): number | null {
  const match = /^(\d+)(?:\.(\d*))?$/.exec(text.trim());
  if (match === null) return null;
  const whole = match[1] ?? '0';
  // Twenty digits are beyond any wait; the cap keeps the arithmetic small.
  if (whole.replace(/^0+/, '').length > 18) return Number.POSITIVE_INFINITY;
  const fraction = (match[2] ?? '').slice(0, 12).padEnd(12, '0');
  const scaled = BigInt(whole + fraction) * BigInt(unitMs);
  const perMs = PICO_PER_MS * 1000n;
  return Number((scaled + perMs - 1n) / perMs);
}

function unitOf(word: string): number | null {
  const unit = word.toLowerCase();
  if (/^(?:ms|msecs?|millis|milliseconds?|毫秒)$/.test(unit)) return UNIT_MS['ms'] ?? null;
  if (/^(?:s|secs?|seconds?|秒钟?)$/.test(unit)) return UNIT_MS['s'] ?? null;
  if (/^(?:m|mins?|minutes?|分钟?)$/.test(unit)) return UNIT_MS['m'] ?? null;
  if (/^(?:h|hrs?|hours?|小时|个小时)$/.test(unit)) return UNIT_MS['h'] ?? null;
  if (/^(?:d|days?|天|日)$/.test(unit)) return UNIT_MS['d'] ?? null;
  return null;
}

/** One part of a duration, for composing patterns. `ms` stands before `m` so that 6ms is not six minutes. */
export const DURATION_PART =
  '\\d+(?:\\.\\d+)?\\s*(?:ms|msecs?|millis|milliseconds?|seconds?|secs?|s|minutes?|mins?|m|hours?|hrs?|h|days?|d)(?![a-z])';

const PART = /(\d+(?:\.\d+)?)\s*([a-z]+|毫秒|秒钟?|分钟?|小时|个小时|天|日)/giu;

/** `1h2m3s`, `2m59.56s`, `120ms`, `2 minutes 5 seconds`, `5分钟`. Null when nothing in it is a duration. */
export function durationMs(text: string): number | null {
  let total: number | null = null;
  for (const [, amount, word] of text.matchAll(PART)) {
    const unit = unitOf(word ?? '');
    const ms = unit === null ? null : decimalMs(amount ?? '', unit);
    if (ms !== null) total = (total ?? 0) + ms;
  }
  return total;
}

/** A duration and nothing else. */
export function wholeDurationMs(text: string): number | null {
  return /^\s*(?:\d+(?:\.\d+)?\s*(?:ms|s|m|h|d))+\s*$/i.test(text) ? durationMs(text) : null;
}

const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
const HTTP_DATES = [
  // Sun, 06 Nov 1994 08:49:37 GMT; Sunday, 06-Nov-94 08:49:37 GMT
  /^[a-z]+,\s+(?<d>\d{1,2})[ -](?<mon>[a-z]{3})[ -](?<y>\d{2}|\d{4})\s+(?<h>\d{2}):(?<mi>\d{2}):(?<s>\d{2})\s+(?:gmt|utc|[+-]0000)$/i,
  // Sun Nov  6 08:49:37 1994
  /^[a-z]+\s+(?<mon>[a-z]{3})\s+(?<d>\d{1,2})\s+(?<h>\d{2}):(?<mi>\d{2}):(?<s>\d{2})\s+(?<y>\d{4})$/i,
];

/** An HTTP date in any of its three forms → epoch ms. */
export function httpDateMs(text: string | undefined): number | null {
  for (const form of HTTP_DATES) {
    const parts = form.exec((text ?? '').trim())?.groups;
    if (parts === undefined) continue;
    const month = MONTHS.indexOf((parts['mon'] ?? '').toLowerCase());
    const year = Number(parts['y']);
    if (month < 0) return null;
    const full = year >= 100 ? year : year + (year < 70 ? 2000 : 1900);
    return Date.UTC(full, month, Number(parts['d']), Number(parts['h']), Number(parts['mi']), Number(parts['s']));
  }
  return null;
}

const ISO =
  /^(\d{4})-(\d{2})-(\d{2})(?:[T ]|\s+at\s+)(\d{2}):(\d{2})(?::(\d{2})(?:\.(\d{1,9}))?)?\s*(z|utc|gmt|[+-]\d{2}:?\d{2})?$/i;

/** RFC 3339 and its looser relatives → epoch ms. `zoneMs` is what a text without zone means. */
export function isoMs(text: string, zoneMs = 0): number | null {
  const match = ISO.exec(text.trim());
  if (match === null) return null;
  const [, y, mo, d, h, mi, s, fraction, zone] = match;
  const month = Number(mo);
  if (month < 1 || month > 12 || Number(d) < 1 || Number(d) > 31 || Number(h) > 24 || Number(mi) > 59) return null;
  const ms = Number((fraction ?? '').padEnd(3, '0').slice(0, 3));
  const utc = Date.UTC(Number(y), month - 1, Number(d), Number(h), Number(mi), Number(s ?? 0), ms);
  return utc - (zone === undefined ? zoneMs : zoneOffsetMs(zone));
}

function zoneOffsetMs(zone: string): number {
  const match = /^([+-])(\d{2}):?(\d{2})$/.exec(zone);
  if (match === null) return 0;
  const ms = (Number(match[2]) * 60 + Number(match[3])) * 60_000;
  return match[1] === '-' ? -ms : ms;
}

// Numbers this large are instants, not lengths: 10^9 s is 2001, 10^12 ms likewise.
const EPOCH_S = 1_000_000_000;
const EPOCH_MS = 1_000_000_000_000;

/** Epoch seconds or milliseconds → epoch ms; null when the number is too small to be an instant. */
export function epochMs(value: number): number | null {
  if (value >= EPOCH_MS) return value;
  return value >= EPOCH_S ? value * 1000 : null;
}
