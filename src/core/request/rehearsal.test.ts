import { describe, expect, it } from 'vitest';
import { readRehearsal } from './rehearsal.ts';

const read = (header: unknown, allowed = true) => {
  const found = readRehearsal(header, allowed);
  return found.ok ? found.value : found.error;
};

describe('X-4: the words of X-Understudy-Rehearse', () => {
  it.each([
    ['status=503', { status: 503, code: null, retryAfterS: null }, 1, 0],
    ['status=503;times=1', { status: 503, code: null, retryAfterS: null }, 1, 0],
    [' status = 429 ; times = 20 ; retry_after=0;', { status: 429, code: null, retryAfterS: 0 }, 20, 0],
    ['status=429;code=insufficient_quota', { status: 429, code: 'insufficient_quota', retryAfterS: null }, 1, 0],
    ['delay_ms=60000;fault=reset', 'reset', 1, 60_000],
    ['fault=timeout;times=2', 'timeout', 2, 0],
  ])('X-4: %s', (header, failure, times, delayMs) => {
    expect(read(header)).toEqual({ failure, times, delayMs });
  });

  it('X-4: sent twice it is read as one, so that nothing of it is lost', () => {
    expect(read(['status=503', 'times=2'])).toMatchObject({ times: 2 });
    expect(read(['status=503', 'status=429'])).toMatchObject({ code: 'invalid_parameter' });
  });

  it.each([
    ['', 'either a `status` or a `fault`'],
    ['times=2', 'either a `status` or a `fault`'],
    ['status=503;fault=reset', 'either a `status` or a `fault`'],
    ['status=200', '`status` must be a whole number from 400 to 599'],
    ['status=302', '`status`'],
    ['status=5e2', '`status`'],
    ['status=503;times=0', '`times` must be a whole number from 1 to 20'],
    ['status=503;times=21', '`times`'],
    ['status=503;times=-1', '`times`'],
    ['status=503;times=', '`times`'],
    ['status=503;times', '`times` needs a value'],
    ['status=503;status=503', '`status` is given twice'],
    ['status=503;retry_after=86401', '`retry_after`'],
    ['status=503;delay_ms=60001', '`delay_ms`'],
    ['status=503;code=a b', '`code`'],
    ['status=503;code=', '`code`'],
    [`status=503;code=${'x'.repeat(65)}`, '`code`'],
    ['fault=reset;code=x', 'go with a `status`'],
    ['fault=reset;retry_after=1', 'go with a `status`'],
    ['fault=fire', '`fault` must be one of refused, connect_timeout, reset, timeout, malformed'],
    ['Status=503', '`Status` is unknown'],
    ['503', '`503` is unknown'],
    ['status=503, times=2', '`status`'],
    [`${'x'.repeat(5000)}=1`, 'is unknown'],
  ])('X-4: %j is refused, and said why', (header, why) => {
    expect(read(header)).toMatchObject({ status: 400, code: 'invalid_parameter', param: 'X-Understudy-Rehearse' });
    const { message } = read(header) as { message: string };
    expect(message).toContain(why);
    expect(message.length).toBeLessThan(400);
  });

  it('X-4: a key that may not rehearse is refused whatever it writes; without the header nothing is asked', () => {
    for (const header of ['status=503', 'nonsense', '']) {
      expect(read(header, false)).toMatchObject({ status: 403, code: 'permission_denied' });
    }
    expect(read(undefined, false)).toBeNull();
    expect(read(undefined)).toBeNull();
  });
});
