/**
 * When an upstream says to come back (D-3). Order: `retry-after-ms`, `x-ms-retry-after-ms`, `retry-after`, RetryInfo in
 * the body, other body fields, prose, and the reset header of a bucket that is used up. Every value is untrusted.
 */
import type { FailureClass, Hint } from '../failure.ts';
import {
  asWait,
  DURATION_PART,
  decimalMs,
  durationMs,
  epochMs,
  httpDateMs,
  isoMs,
  wholeDurationMs,
} from './durations.ts';
import type { ErrorReading, WaitField } from './error-reading.ts';
import type { ResetBucket } from './vocabulary.ts';

export type Headers = Readonly<Record<string, string>>;

/** Classes that waiting may heal: only these read a wait from text and resets (D-3). */
const WAITING: ReadonlySet<FailureClass> = new Set(['rate_limit', 'overloaded', 'quota_exhausted']);

export function waits(failureClass: FailureClass): boolean {
  return WAITING.has(failureClass);
}

/** The server's own clock where it shows it, else ours: a skewed clock must not stretch a wait. */
export function serverNow(headers: Headers, wall: number): number {
  return httpDateMs(headers['date']) ?? wall;
}

function hint(ms: number | null, source: string): Hint | null {
  const wait = asWait(ms);
  return wait === null ? null : { ms: wait, source };
}

/** An instant as a wait from `now`: what has passed is no wait at all. */
function until(instant: number | null, now: number): number | null {
  return instant === null ? null : Math.max(0, instant - now);
}

/** The three headers that state a wait outright. */
export function headerWait(headers: Headers, now: number): Hint | null {
  const after = headers['retry-after'];
  const dated = after === undefined ? null : (httpDateMs(after) ?? isoMs(after));
  return (
    hint(decimalMs(headers['retry-after-ms'] ?? '', 1), 'header:retry-after-ms') ??
    hint(decimalMs(headers['x-ms-retry-after-ms'] ?? '', 1), 'header:x-ms-retry-after-ms') ??
    hint(decimalMs(after ?? '', 1000), 'header:retry-after') ??
    hint(until(dated, now), 'header:retry-after')
  );
}

/** Value of a reset header: a duration, bare seconds, an epoch in s or ms, or RFC 3339. `0` and `-1` say nothing. */
export function resetMs(value: string, now: number): number | null {
  const plain = decimalMs(value, 1000);
  if (plain !== null) {
    const number = Number(value.trim());
    if (number === 0) return null;
    const instant = epochMs(number);
    return instant === null ? plain : until(instant, now);
  }
  return wholeDurationMs(value) ?? until(isoMs(value) ?? httpDateMs(value), now);
}

function isUsedUp(bucket: ResetBucket, headers: Headers): boolean {
  const remaining = headers[bucket.remaining];
  if (remaining !== undefined) return /^\s*0+(?:\.0*)?\s*$/.test(remaining);
  if (bucket.usedUp !== undefined) return headers[bucket.usedUp[0]]?.trim().toLowerCase() === bucket.usedUp[1];
  return bucket.lone === true;
}

/** The longest reset among the buckets that are used up. */
export function resetWait(headers: Headers, buckets: readonly ResetBucket[], now: number): Hint | null {
  let longest: Hint | null = null;
  for (const bucket of buckets) {
    const value = headers[bucket.reset];
    if (value === undefined || !isUsedUp(bucket, headers)) continue;
    const found = hint(resetMs(value, now), `header:${bucket.reset}`);
    if (found !== null && (longest === null || found.ms > longest.ms)) longest = found;
  }
  return longest;
}

/** `google.rpc.RetryInfo`. */
function retryInfoWait(fields: readonly WaitField[]): Hint | null {
  for (const { key, value } of fields) {
    if (key !== 'retrydelay') continue;
    const found = hint(wholeDurationMs(String(value)), 'body:RetryInfo');
    if (found !== null) return found;
  }
  return null;
}

function fieldMs({ key, value }: WaitField, now: number): number | null {
  const text = String(value);
  if (/(?:ms|millis|milliseconds)$/.test(key)) return decimalMs(text, 1);
  if (/^(?:quota)?resets?(?:at|time|after)/.test(key)) return resetMs(text, now);
  const plain = decimalMs(text, 1000);
  if (plain !== null) return plain === 0 ? null : plain;
  return wholeDurationMs(text) ?? until(isoMs(text) ?? httpDateMs(text), now);
}

/** Fields of the body, and headers that a relay copied into it. */
function bodyWait(reading: ErrorReading, buckets: readonly ResetBucket[], now: number): Hint | null {
  for (const field of reading.waitFields) {
    const found = hint(fieldMs(field, now), `body:${field.key}`);
    if (found !== null) return found;
  }
  for (const bag of reading.headerBags) {
    const found = headerWait(bag, now) ?? resetWait(bag, buckets, now);
    if (found !== null) return { ms: found.ms, source: found.source.replace('header:', 'body:') };
  }
  return null;
}

/** A wait that headers or fields of the body state: read for every class. */
export function statedWait(reading: ErrorReading, headers: Headers, buckets: readonly ResetBucket[], now: number) {
  return headerWait(headers, now) ?? retryInfoWait(reading.waitFields) ?? bodyWait(reading, buckets, now);
}

const LENGTH = new RegExp(
  `\\b(?:try(?: your request)? again|retry(?:ing)?(?: your request)?|come back|wait|available(?: again)?|resets?|renews?|refresh(?:es)?)\\s+(?:(?:in|after|for|at least|another|within)\\s+)*(?:about|approximately|around|~)?\\s*((?:${DURATION_PART}[\\s,]*(?:and\\s+)?)+)`,
  'i',
);
const LENGTH_ZH =
  /(?:请|等待|等|在|于|需要?)?\s*(?:约|大约)?\s*((?:\d+(?:\.\d+)?\s*(?:毫秒|秒钟?|分钟|个?小时|天|ms|s|min)\s*)+)(?:之?后|以后)?[，,]?\s*(?:再|重)(?:次|新)?(?:试|置|请求|调用)|等待\s*((?:\d+(?:\.\d+)?\s*(?:毫秒|秒钟?|分钟|个?小时)\s*)+)/;
const INSTANT =
  /\b(?:resets?|again|retry|access|available|until|renews?|after|at|on)\s+(?:at |on |until )?(\d{4}-\d{2}-\d{2}(?:[T ]|\s+at\s+)\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?\s*(?:Z|UTC|GMT|[+-]\d{2}:?\d{2})?)/i;
const INSTANT_ZH =
  /(\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}(?::\d{2})?(?:Z|[+-]\d{2}:?\d{2})?)\s*(?:之?后)?(?:将)?(?:会)?(?:重置|恢复|刷新|再试|重试)/;
// A Chinese sentence without zone means Beijing.
const BEIJING_MS = 8 * 3_600_000;

/** A wait is told in a sentence: what is longer is searched at its beginning, as much as is ever shown of it (F-2). */
const MAX_PROSE_CHARS = 2048;

/** White space in one piece: the patterns allow it in several places next to each other, and would try them all. */
function sentence(text: string): string {
  return text.slice(0, MAX_PROSE_CHARS).replace(/\s+/g, ' ');
}

/** A wait told in a sentence. A date counts only if it lies ahead. */
export function proseWait(texts: readonly string[], now: number): Hint | null {
  for (const full of texts) {
    const text = sentence(full);
    const zh = LENGTH_ZH.exec(text);
    const length = LENGTH.exec(text)?.[1] ?? zh?.[1] ?? zh?.[2];
    const found = length === undefined ? null : hint(durationMs(length), 'body:text');
    if (found !== null) return found;
    const instant = isoMs(INSTANT.exec(text)?.[1] ?? '') ?? isoMs(INSTANT_ZH.exec(text)?.[1] ?? '', BEIJING_MS);
    if (instant !== null && instant > now) {
      const ahead = hint(instant - now, 'body:text');
      if (ahead !== null) return ahead;
    }
  }
  return null;
}

/** The upstream's `x-should-retry`: true, false, or unsaid. */
export function shouldRetry(headers: Headers): boolean | null {
  const value = headers['x-should-retry']?.trim().toLowerCase();
  return value === 'true' ? true : value === 'false' ? false : null;
}

/** Headers about rates and retries, for the log. Null = none. */
export function rateLimitHeaders(headers: Headers): Record<string, string> | null {
  const kept = Object.entries(headers).filter(([name]) =>
    /ratelimit|rate-limit|retry-after|^x-should-retry$|^x-rate-/.test(name),
  );
  // Many headers, or long ones, are no rate limit: bounded for the log.
  return kept.length === 0 ? null : Object.fromEntries(kept.slice(0, 40).map(([k, v]) => [k, v.slice(0, 200)]));
}
