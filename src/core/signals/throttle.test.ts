import { describe, expect, it } from 'vitest';
import { closedTally, openTally, type Tally } from './tallies.ts';
import { capOfSlowdown, nextSlowdowns, type Slowdown } from './throttle.ts';

const RULE = { minRequests: 100, retryRate: 0.05 };
const tally = (name: string, requests: number, repeats: number, peak = 40): Tally => ({
  ...closedTally(openTally(name)),
  requests,
  repeats,
  peak,
});
const BAD = [tally('m#c', 1000, 300)];
const WELL = [tally('m#c', 1000, 10)];

/** Looks every 10 s at windows that a story tells; the cap after each look, null = none. */
function capsOver(story: readonly { seconds: number; window: Tally[]; recent: Tally[] }[]): (number | null)[] {
  let slowdowns: Slowdown[] = [];
  let now = 0;
  const caps: (number | null)[] = [];
  for (const { seconds, window, recent } of story) {
    for (let passed = 0; passed < seconds; passed += 10) {
      slowdowns = nextSlowdowns(slowdowns, window, recent, RULE, now);
      caps.push(slowdowns[0] === undefined ? null : capOfSlowdown(slowdowns[0]));
      now += 10_000;
    }
  }
  return caps;
}

describe('O-4: while the retry rate of a channel is over its threshold its concurrency is halved step by step', () => {
  it('at once, then every 30 s, never below one call', () => {
    const caps = capsOver([{ seconds: 220, window: BAD, recent: BAD }]);
    expect(caps).toEqual([20, 20, 20, 10, 10, 10, 5, 5, 5, 2, 2, 2, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1]);
  });

  it('it is given back the same way, a step after each minute of doing well, and in the end not capped at all', () => {
    const caps = capsOver([
      { seconds: 60, window: BAD, recent: BAD },
      { seconds: 140, window: BAD, recent: WELL },
    ]);
    expect(caps).toEqual([20, 20, 20, 10, 10, 10, 10, 10, 10, 10, 10, 10, 20, 20, 20, 20, 20, 20, null, null]);
  });

  it('a fault that has passed slows nothing down, however long the window remembers it', () => {
    expect(capsOver([{ seconds: 60, window: BAD, recent: WELL }])).toEqual(Array(6).fill(null));
    expect(capsOver([{ seconds: 60, window: BAD, recent: [] }])).toEqual(Array(6).fill(null));
  });

  it('worse again before a minute is over: on from where it was', () => {
    const caps = capsOver([
      { seconds: 30, window: BAD, recent: BAD },
      { seconds: 50, window: BAD, recent: WELL },
      { seconds: 30, window: BAD, recent: BAD },
      { seconds: 60, window: BAD, recent: WELL },
    ]);
    expect(caps).toEqual([20, 20, 20, 20, 20, 20, 20, 20, 10, 10, 10, 10, 10, 10, 10, 10, 10]);
  });

  it('too few requests, or a rate at the threshold, slow nothing down', () => {
    const few = [tally('m#c', 99, 90)];
    const atIt = [tally('m#c', 1000, 50)];
    expect(capsOver([{ seconds: 30, window: few, recent: few }])).toEqual([null, null, null]);
    expect(capsOver([{ seconds: 30, window: atIt, recent: atIt }])).toEqual([null, null, null]);
  });

  it('a slowed channel has fewer requests by that alone: it is not given back for having too few', () => {
    const few = [tally('m#c', 20, 10)];
    const caps = capsOver([
      { seconds: 30, window: BAD, recent: BAD },
      { seconds: 90, window: few, recent: few },
    ]);
    expect(caps).toEqual([20, 20, 20, 10, 10, 10, 5, 5, 5, 2, 2, 2]);
  });

  it('each channel by itself', () => {
    const window = [tally('m#c', 500, 200), tally('m#d', 500, 2), tally('n#e', 500, 100, 9)];
    const slowdowns = nextSlowdowns([], window, window, RULE, 0);
    expect(slowdowns.map(({ channel, halvings, peak }) => [channel, halvings, peak])).toEqual([
      ['m#c', 1, 40],
      ['n#e', 1, 9],
    ]);
    expect(slowdowns.map(capOfSlowdown)).toEqual([20, 4]);
  });
});
