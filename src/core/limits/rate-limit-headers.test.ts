import { describe, expect, it } from 'vitest';
import { limitError, limitInWords, usd } from './limit-error.ts';
import type { LimitReached, LimitScope, Limits } from './limits.ts';
import { durationText, rateLimitHeaders } from './rate-limit-headers.ts';
import type { LimitUsage } from './scope-usage.ts';
import { UNLIMITED } from './unlimited.ts';

const WALL = Date.UTC(2026, 10, 29, 10);
const USAGE: LimitUsage = {
  inFlight: 1,
  heldTokens: 20,
  heldSpend: 0n,
  minute: { requests: 3, tokens: 150, requestsResetAt: WALL + 59_500, tokensResetAt: WALL + 12 },
  day: { start: 0, end: WALL + 14 * 3_600_000, requests: 8, tokens: 500, spend: 0n },
  month: { start: 0, end: WALL + 86_400_000 + 61_000, requests: 8, tokens: 500, spend: 0n },
};

function headersOf(...limits: Partial<Limits>[]): Record<string, string> {
  const standings = limits.map((one) => ({
    scope: { kind: 'key', id: 'k', limits: { ...UNLIMITED, ...one } } as LimitScope,
    usage: USAGE,
  }));
  const flat = rateLimitHeaders(standings, WALL);
  return Object.fromEntries(Array.from({ length: flat.length / 2 }, (_, i) => [flat[2 * i], flat[2 * i + 1]]));
}

describe('x-ratelimit headers', () => {
  it('G-11: limit, remaining and reset of requests and tokens, in the usual form', () => {
    expect(headersOf({ requestsPerMinute: 60, tokensPerMinute: 1000 })).toEqual({
      'x-ratelimit-limit-requests': '60',
      'x-ratelimit-remaining-requests': '57',
      'x-ratelimit-reset-requests': '59.5s',
      'x-ratelimit-limit-tokens': '1000',
      'x-ratelimit-remaining-tokens': '850',
      'x-ratelimit-reset-tokens': '12ms',
    });
  });

  it('G-11: of several limits the tightest, of key and workspace alike', () => {
    expect(headersOf({ requestsPerMinute: 60, requestsPerDay: 10 })).toEqual({
      'x-ratelimit-limit-requests': '10',
      'x-ratelimit-remaining-requests': '2',
      'x-ratelimit-reset-requests': '14h0m0s',
    });
    expect(headersOf({ tokensPerDay: 1000 }, { tokensPerMonth: 400 })).toMatchObject({
      'x-ratelimit-limit-tokens': '400',
      'x-ratelimit-remaining-tokens': '0',
      'x-ratelimit-reset-tokens': '24h1m1s',
    });
    expect(headersOf({ tokensPerDay: 1000 })).toMatchObject({ 'x-ratelimit-remaining-tokens': '480' });
  });

  it('nothing where nothing of the kind is limited', () => {
    expect(headersOf({ concurrent: 3, spendPerDay: 5n })).toEqual({});
  });

  it.each([
    [0, '0s'],
    [0.2, '1ms'],
    [999, '999ms'],
    [1000, '1s'],
    [60_000, '1m0s'],
    [361_250, '6m1.25s'],
    [3_600_000, '1h0m0s'],
  ])('%d ms reads %s', (ms, text) => {
    expect(durationText(ms)).toBe(text);
  });
});

describe('the refusal', () => {
  const scope: LimitScope = {
    kind: 'key',
    id: 'secret-looking-name',
    limits: { ...UNLIMITED, requestsPerMinute: 60, concurrent: 2, spendPerMonth: 1_500_000_000n },
  };
  const refuse = (limit: LimitReached['limit'], availableAt: number | null) =>
    limitError(scope, { limit, availableAt }, WALL);

  it('G-11, D-7: a wait of up to 60 s invites to retry, a longer one does not', () => {
    expect(refuse('requests_per_minute', WALL + 60_000)).toMatchObject({
      status: 429,
      code: 'key_rate_limited',
      shouldRetry: true,
      retryAt: WALL + 60_000,
    });
    expect(refuse('spend_per_month', WALL + 60_001)).toMatchObject({
      status: 429,
      code: 'token_budget_exceeded',
      shouldRetry: false,
      retryAt: WALL + 60_001,
    });
  });

  it('G-11: an unknown wait is no promise', () => {
    expect(refuse('concurrent', null)).toMatchObject({
      code: 'key_rate_limited',
      shouldRetry: false,
      retryAt: WALL + 1000,
    });
    expect(refuse('spend_per_month', null)).toMatchObject({ code: 'token_budget_exceeded', shouldRetry: false });
  });

  it('E-5: says which limit and what to do', () => {
    expect(refuse('requests_per_minute', WALL).message).toBe(
      'this key has reached its limit of 60 requests per minute; send it again after `Retry-After`',
    );
    expect(limitInWords(1_500_000_000n, 'spend_per_month')).toBe('1.5 USD per month (UTC)');
    expect([usd(1n), usd(1_000_000_000n), usd(0n)]).toEqual(['0.000000001', '1', '0']);
  });
});
