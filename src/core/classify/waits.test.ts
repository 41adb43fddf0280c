import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { durationMs, httpDateMs, isoMs } from './durations.ts';
import { readError } from './error-reading.ts';
import type { ResetBucket } from './vocabulary.ts';
import { headerWait, proseWait, resetMs, resetWait, shouldRetry, statedWait } from './waits.ts';

const NOW = Date.UTC(2026, 10, 29);
const GARBAGE = [
  'soon',
  'NaN',
  'Infinity',
  '1e999',
  '',
  '5, 10',
  '99999999999999999999',
  '-5',
  '5s later',
  '0x10',
  '１０',
];
const BUCKETS: readonly ResetBucket[] = [
  { reset: 'x-ratelimit-reset', remaining: 'x-ratelimit-remaining', lone: true },
  { reset: 'x-ratelimit-reset-requests', remaining: 'x-ratelimit-remaining-requests' },
  { reset: 'x-ratelimit-reset-tokens', remaining: 'x-ratelimit-remaining-tokens' },
  { reset: 'p-unified-reset', remaining: 'p-unified-remaining', usedUp: ['p-unified-status', 'rejected'] },
];
const nothing = readError({});

describe('D-3: headers that state a wait', () => {
  it('retry-after-ms beats x-ms-retry-after-ms beats retry-after', () => {
    const headers = { 'retry-after-ms': '8640', 'x-ms-retry-after-ms': '2000', 'retry-after': '1' };
    expect(headerWait(headers, NOW)).toEqual({ ms: 8640, source: 'header:retry-after-ms' });
    expect(headerWait({ ...headers, 'retry-after-ms': 'soon' }, NOW)?.source).toBe('header:x-ms-retry-after-ms');
    expect(headerWait({ 'retry-after': '1' }, NOW)).toEqual({ ms: 1000, source: 'header:retry-after' });
  });

  it('takes fractions and rounds up to whole ms', () => {
    expect(headerWait({ 'retry-after': '2.5' }, NOW)?.ms).toBe(2500);
    expect(headerWait({ 'retry-after': '0.0001' }, NOW)?.ms).toBe(1);
    expect(headerWait({ 'retry-after-ms': '12.2' }, NOW)?.ms).toBe(13);
  });

  it.each([
    'Sun, 29 Nov 2026 00:00:30 GMT',
    'Sunday, 29-Nov-26 00:00:30 GMT',
    'Sun Nov 29 00:00:30 2026',
    '2026-11-29T00:00:30Z',
  ])('reads the date %s', (date) => {
    expect(headerWait({ 'retry-after': date }, NOW)).toEqual({ ms: 30_000, source: 'header:retry-after' });
  });

  it('a date that has passed is no wait to make', () => {
    expect(headerWait({ 'retry-after': 'Sat, 28 Nov 2026 00:00:00 GMT' }, NOW)?.ms).toBe(0);
  });

  it.each(GARBAGE)('retry-after %j is no hint', (value) => {
    expect(headerWait({ 'retry-after': value, 'retry-after-ms': value, 'x-ms-retry-after-ms': value }, NOW)).toBeNull();
  });

  it('F-6: a wait over 366 days is no wait', () => {
    expect(headerWait({ 'retry-after': String(366 * 86_400) }, NOW)?.ms).toBe(366 * 86_400_000);
    expect(headerWait({ 'retry-after': String(366 * 86_400 + 1) }, NOW)).toBeNull();
    expect(headerWait({ 'retry-after': 'Wed, 01 Dec 2027 00:00:00 GMT' }, NOW)).toBeNull();
  });
});

describe('D-3: reset headers', () => {
  it.each([
    ['1s', 1000],
    ['1m30s', 90_000],
    ['6m0s', 360_000],
    ['250ms', 250],
    ['7.66s', 7660],
    ['1h2m3s', 3_723_000],
    ['2', 2000],
    ['11.382867', 11_383],
    [String(NOW / 1000 + 2), 2000],
    [String(NOW / 1000 - 60), 0],
    [String(NOW + 2500), 2500],
    ['2026-11-29T00:00:10Z', 10_000],
    ['2026-11-28T00:00:10Z', 0],
    ['0', null],
    ['-1', null],
    ['soon', null],
    ['6x', null],
    ['', null],
  ])('%j is %j ms', (value, ms) => {
    expect(resetMs(value, NOW)).toBe(ms);
  });

  it('only a bucket that is used up counts, and the longest of several', () => {
    const headers = {
      'x-ratelimit-remaining-requests': '0',
      'x-ratelimit-reset-requests': '3s',
      'x-ratelimit-remaining-tokens': '7',
      'x-ratelimit-reset-tokens': '2h',
    };
    expect(resetWait(headers, BUCKETS, NOW)).toEqual({ ms: 3000, source: 'header:x-ratelimit-reset-requests' });
    expect(resetWait({ ...headers, 'x-ratelimit-remaining-tokens': '0' }, BUCKETS, NOW)?.ms).toBe(7_200_000);
    expect(resetWait({ 'x-ratelimit-reset-tokens': '2h' }, BUCKETS, NOW)).toBeNull();
    expect(
      resetWait({ 'x-ratelimit-remaining-tokens': '-1', 'x-ratelimit-reset-tokens': '9' }, BUCKETS, NOW),
    ).toBeNull();
  });

  it('a lone reset is the only bucket there is', () => {
    expect(resetWait({ 'x-ratelimit-reset': '600' }, BUCKETS, NOW)?.ms).toBe(600_000);
    expect(resetWait({ 'x-ratelimit-reset': '600', 'x-ratelimit-remaining': '3' }, BUCKETS, NOW)).toBeNull();
  });

  it('a bucket may be marked as used up by its status', () => {
    const reset = { 'p-unified-reset': String(NOW / 1000 + 60) };
    expect(resetWait({ ...reset, 'p-unified-status': 'rejected' }, BUCKETS, NOW)?.ms).toBe(60_000);
    expect(resetWait({ ...reset, 'p-unified-status': 'allowed' }, BUCKETS, NOW)).toBeNull();
  });
});

describe('D-3: waits in the body', () => {
  const stated = (body: unknown, headers = {}) => statedWait(readError(body), headers, BUCKETS, NOW);
  const retryInfo = (delay: unknown) => ({
    error: { message: 'Please retry in 99s.', details: [{ '@type': 'x/google.rpc.RetryInfo', retryDelay: delay }] },
  });

  it.each([
    ['36s', 36_000],
    ['34.074824224s', 34_075],
    ['0.539477544s', 540],
    ['51820.638305887s', 51_820_639],
    [{ seconds: '2', nanos: 500_000_000 }, 2500],
  ])('RetryInfo %j', (delay, ms) => {
    expect(stated(retryInfo(delay))).toEqual({ ms, source: 'body:RetryInfo' });
  });

  it('a header beats RetryInfo', () => {
    expect(stated(retryInfo('36s'), { 'retry-after': '5' })).toEqual({ ms: 5000, source: 'header:retry-after' });
  });

  it.each([
    [{ error: { resets_in_seconds: 17 } }, 17_000],
    [{ error: { retry_after: 2.5 } }, 2500],
    [{ retryAfter: '3' }, 3000],
    [{ error: { retry_after_ms: 1500 } }, 1500],
    [{ error: { estimated_time: 20.5 } }, 20_500],
    [{ error: { resets_at: NOW / 1000 + 90 } }, 90_000],
    [{ error: { resets_at: '2026-11-29T00:01:00Z' } }, 60_000],
    [
      { error: { metadata: { headers: { 'X-RateLimit-Remaining': '0', 'X-RateLimit-Reset': String(NOW + 40_000) } } } },
      40_000,
    ],
    [{ error: { metadata: { headers: { 'Retry-After': '4' } } } }, 4000],
  ])('field %j', (body, ms) => {
    expect(stated(body)?.ms).toBe(ms);
  });

  it.each([...GARBAGE, 0, -1, null, true, {}, []])('field %j is no hint', (value) => {
    expect(stated({ error: { retry_after: value, resets_in_seconds: value } })).toBeNull();
  });

  it('says nothing where nothing is said', () => {
    expect(statedWait(nothing, {}, BUCKETS, NOW)).toBeNull();
  });
});

describe('D-3: waits told in a sentence', () => {
  it.each([
    ['Please try again in 6ms. Contact us', 6],
    ['Please try again in 644ms', 644],
    ['Please try again in 11.054s.', 11_054],
    ['Please try again in 50.597142857s. Visit', 50_598],
    ['Please try again in 9m38.016s. Need more', 578_016],
    ['Please try again in 7m12s', 432_000],
    ['Please retry in 36.429760048s.', 36_430],
    ['Please retry after 86400 seconds. Please go', 86_400_000],
    ['please try again after 1 seconds', 1000],
    ['Try again in about 2 minutes', 120_000],
    ['Please wait 43 seconds before retrying', 43_000],
    ['limit resets in 3h 20m', 12_000_000],
    ['Retry in 1 minute and 5 seconds', 65_000],
    ['请在 30 秒后重试', 30_000],
    ['请5分钟后再试', 300_000],
    ['resets at 2026-11-29T15:00:00Z (2056)', 54_000_000],
    ['You will regain access on 2026-12-01 at 00:00 UTC.', 172_800_000],
    ['It will reset at 2026-11-29 10:00:00 +0800 CST.', 7_200_000],
    ['您的限额将在 2026-11-29 12:00:00 重置。', 14_400_000],
  ])('%s', (text, ms) => {
    expect(proseWait([text], NOW)).toEqual({ ms, source: 'body:text' });
  });

  it.each([
    'Please try again later.',
    'resets at 2026-05-15T15:00:00Z (2056)',
    '您的限额将在 2026-01-07 00:00:00 重置。',
    'retry 3 messages',
    'Please wait a moment and try again.',
    'Rate limit of 50 per 86400s exceeded',
    'try again in 9999999999 hours',
  ])('no wait in: %s', (text) => {
    expect(proseWait([text], NOW)).toBeNull();
  });
});

describe('D-3: x-should-retry', () => {
  it.each([
    [{ 'x-should-retry': 'true' }, true],
    [{ 'x-should-retry': ' False ' }, false],
    [{ 'x-should-retry': 'maybe' }, null],
    [{}, null],
  ])('%j is %j', (headers, expected) => {
    expect(shouldRetry(headers)).toBe(expected);
  });
});

describe('D-3: no value, however odd, gives an odd wait', () => {
  it('a hint is always a whole, finite number of ms within 366 days', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.string(), (text, other) => {
        const headers = { 'retry-after': text, date: other, 'x-ratelimit-reset': text, 'retry-after-ms': other };
        const found = [
          headerWait(headers, NOW),
          resetWait(headers, BUCKETS, NOW),
          proseWait([`try again in ${text}`, `resets at ${other}`], NOW),
        ];
        for (const hint of found) {
          if (hint === null) continue;
          expect(Number.isInteger(hint.ms)).toBe(true);
          expect(hint.ms).toBeGreaterThanOrEqual(0);
          expect(hint.ms).toBeLessThanOrEqual(366 * 86_400_000);
        }
      }),
    );
  });
});

describe('dates and durations', () => {
  it('refuse what is none', () => {
    expect(httpDateMs('5, 10')).toBeNull();
    expect(httpDateMs('Wed, 21 Foo 2026 07:28:00 GMT')).toBeNull();
    expect(isoMs('2026-13-01T00:00:00Z')).toBeNull();
    expect(durationMs('nothing')).toBeNull();
  });

  it('know zones', () => {
    expect(isoMs('2026-11-29T02:00:00+02:00')).toBe(NOW);
    expect(isoMs('2026-11-28T22:00:00-0200')).toBe(NOW);
    expect(isoMs('2026-11-29 08:00:00', 8 * 3_600_000)).toBe(NOW);
  });
});
