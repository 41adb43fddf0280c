import { describe, expect, it } from 'vitest';
import type { Clock } from '../../ports/clock.ts';
import { StoreClock } from './store-clock.ts';

/** A machine whose wall clock is wrong by `skew`; time passes by hand. */
class HandClock implements Clock {
  at = 1000;
  readonly #skew: number;
  constructor(skew: number) {
    this.#skew = skew;
  }
  wall(): number {
    return 1_800_000_000_000 + this.at + this.#skew;
  }
  now(): number {
    return this.at;
  }
  after(): () => void {
    return () => undefined;
  }
}

const truth = (local: HandClock) => 1_800_000_000_000 + local.at;

/** The server is asked and answers after `there` and `back` milliseconds. */
function ask(local: HandClock, clock: StoreClock, there: number, back: number, drift = 0): void {
  const askedAt = local.now();
  local.at += there;
  const said = truth(local) + drift;
  local.at += back;
  clock.sample(said, askedAt);
}

describe('the clock of a store', () => {
  it.each([5000, -5000])('I-8: after the first sample a machine that is wrong by %d ms is right', (skew) => {
    const local = new HandClock(skew);
    const clock = new StoreClock(local);
    expect(clock.wall()).toBe(truth(local) + skew);
    ask(local, clock, 2, 2);
    expect(clock.wall()).toBe(truth(local));
  });

  it('I-8: the quickest of the last six samples counts, slow ones do not', () => {
    const local = new HandClock(0);
    const clock = new StoreClock(local);
    ask(local, clock, 2, 2);
    for (let n = 0; n < 4; n += 1) {
      local.at += 10_000;
      ask(local, clock, 300, 10);
      ask(local, clock, 5000, 3000);
    }
    expect(clock.wall()).toBe(truth(local));
  });

  it('I-8: a difference is made up for slowly and never backwards; a leap forward at once', () => {
    const local = new HandClock(0);
    const clock = new StoreClock(local);
    ask(local, clock, 1, 1);
    let drift = 0;
    const follow = (seconds: number) => {
      let before = clock.wall();
      for (let n = 0; n < seconds * 10; n += 1) {
        local.at += 100;
        if (n % 100 === 0) for (let times = 0; times < 6; times += 1) ask(local, clock, 0, 0, drift);
        const now = clock.wall();
        expect(now).toBeGreaterThanOrEqual(before);
        before = now;
      }
    };
    drift = -1000;
    follow(5);
    expect(clock.wall() - truth(local)).toBeGreaterThan(-300);
    follow(20);
    expect(Math.abs(clock.wall() - truth(local) - drift)).toBeLessThanOrEqual(1);
    drift = 60_000;
    follow(1);
    expect(Math.abs(clock.wall() - truth(local) - drift)).toBeLessThanOrEqual(1);
  });
});
