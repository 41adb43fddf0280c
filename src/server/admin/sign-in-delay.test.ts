import { describe, expect, it } from 'vitest';
import { SignInDelay, senderOf } from './sign-in-delay.ts';

const MINUTE = 60_000;

/** Tries as soon as it may, so often; what it had to wait before each. */
function waits(delay: SignInDelay, address: string, times: number): number[] {
  let now = 0;
  return Array.from({ length: times }, () => {
    const wait = delay.begin(address, now);
    if (wait === 0) return 0;
    now += wait;
    expect(delay.begin(address, now - 1)).toBe(1);
    expect(delay.begin(address, now)).toBe(0);
    return wait;
  });
}

describe('failed sign-ins', () => {
  it('G-8: five cost nothing, then 1 s, 2 s, 4 s … up to a quarter of an hour', () => {
    const seconds = waits(new SignInDelay(), 'a', 18).map((ms) => ms / 1000);
    expect(seconds).toEqual([0, 0, 0, 0, 0, 1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 900, 900, 900]);
  });

  it('G-8: what comes while an address waits is not looked at, and makes it wait no longer', () => {
    const delay = new SignInDelay();
    for (let n = 0; n < 5; n += 1) expect(delay.begin('a', 0)).toBe(0);
    for (let n = 0; n < 50; n += 1) expect(delay.begin('a', 400)).toBe(600);
    expect(delay.begin('a', 1000)).toBe(0);
    expect(delay.begin('b', 0)).toBe(0);
  });

  it('G-8: many at once are many', () => {
    const delay = new SignInDelay();
    const tried = Array.from({ length: 100 }, () => delay.begin('a', 0)).filter((wait) => wait === 0);
    expect(tried).toHaveLength(5);
  });

  it('G-8: a good one begins anew, and so does an hour', () => {
    const delay = new SignInDelay();
    for (let n = 0; n < 5; n += 1) delay.begin('a', 0);
    expect(delay.begin('a', 1000)).toBe(0);
    delay.good('a');
    for (let n = 0; n < 5; n += 1) expect(delay.begin('a', 1001)).toBe(0);
    expect(delay.begin('a', 1002)).toBeGreaterThan(0);
    for (let n = 0; n < 5; n += 1) expect(delay.begin('a', 1001 + 60 * MINUTE + 1)).toBe(0);
  });

  it('G-8: a crowd of addresses waits as a whole; who has signed in from his before does not', () => {
    const delay = new SignInDelay();
    delay.begin('home', 0);
    delay.good('home');
    const crowd = Array.from({ length: 1000 }, (_, n) => delay.begin(`crowd ${n}`, 1000));
    expect(crowd.filter((wait) => wait === 0)).toHaveLength(100);
    expect(delay.begin('stranger', 1000)).toBe(MINUTE - 1000);
    expect(delay.begin('home', 1000)).toBe(0);
    expect(delay.begin('stranger', MINUTE)).toBe(0);
  });

  it('G-8: what is remembered is bounded: in a crowd that goes on, who failed longest ago is forgotten', () => {
    const triesAfter = (others: number): number => {
      const delay = new SignInDelay();
      for (let n = 0; n < 5; n += 1) delay.begin('first', 0);
      for (let n = 0; n < others; n += 1) delay.begin(`crowd ${n}`, MINUTE * (1 + Math.floor(n / 100)));
      const now = 55 * MINUTE;
      return Array.from({ length: 5 }, () => delay.begin('first', now)).filter((wait) => wait === 0).length;
    };
    expect(triesAfter(4000)).toBe(1);
    expect(triesAfter(5000)).toBe(5);
  });
});

describe('whose failures are counted together', () => {
  it.each([
    ['203.0.113.7', undefined, '203.0.113.7'],
    ['::ffff:203.0.113.7', undefined, '203.0.113.7'],
    // The /64 of a household.
    ['2a00:1:2:3:4:5:6:7', undefined, '42.0.0.1.0.2.0.3::/64'],
    ['2a00:1:2:3::9', undefined, '42.0.0.1.0.2.0.3::/64'],
    // From the internet nobody is believed who he is.
    ['9.9.9.9', '1.2.3.4', '9.9.9.9'],
    // A proxy of this network has seen the last one; what stands before was sent.
    ['127.0.0.1', '6.6.6.6, 1.2.3.4', 'by proxy 1.2.3.4'],
    ['10.0.0.7', '1.2.3.4', 'by proxy 1.2.3.4'],
    ['::1', 'x'.repeat(100), `by proxy ${'x'.repeat(64)}`],
    ['127.0.0.1', undefined, '127.0.0.1'],
    [undefined, undefined, ''],
  ])('G-8: %s with %s is %s', (remote, forwarded, expected) => {
    expect(senderOf(remote, forwarded === undefined ? {} : { 'x-forwarded-for': forwarded })).toBe(expected);
  });
});
