import { beforeEach, describe, expect, it } from 'vitest';
import { HandClock } from '../../test/support/hand-clock.ts';
import { LocalNotifier } from '../adapters/store-sql/local-notifier.ts';
import { StateDamaged, StateStoreUnavailable } from '../ports/object-store.ts';
import { ObjectFollower } from './follow-objects.ts';

describe('G-9: objects that others change', () => {
  let clock: HandClock;
  let notifier: LocalNotifier;
  let looks: number;
  let fault: Error | null;
  let told: (string | null)[];
  let gap: () => void;
  let follower: ObjectFollower;

  beforeEach(() => {
    clock = new HandClock();
    notifier = new LocalNotifier();
    [looks, fault, told] = [0, null, []];
    follower = new ObjectFollower({
      configuration: {
        async catchUp() {
          looks += 1;
          await Promise.resolve();
          if (fault !== null) throw fault;
          return true;
        },
      },
      clock,
      notifier: {
        subscribe: (topic, hear) => notifier.subscribe(topic, hear),
        onGap: (callback) => {
          gap = callback;
        },
      },
      onProblem: (problem) => void told.push(problem),
    });
  });

  it('are looked for every five seconds, at a word, and after a time of deafness', async () => {
    await clock.pass(4999);
    expect(looks).toBe(0);
    await clock.pass(1);
    expect(looks).toBe(1);
    notifier.publish('objects', 'changed');
    await clock.pass(0);
    expect(looks).toBe(2);
    gap();
    await clock.pass(0);
    expect(looks).toBe(3);
    await clock.pass(4999);
    expect(looks).toBe(3);
    follower.close();
    await clock.pass(60_000);
    expect(looks).toBe(3);
  });

  it('a thousand strangers in a second cost one look; each waits for it, or for the word', async () => {
    let answered = 0;
    for (let n = 0; n < 1000; n += 1) void follower.ask().then(() => (answered += 1));
    await clock.pass(100);
    expect([looks, answered]).toEqual([1, 1000]);
    await clock.pass(899);
    void follower.ask();
    await clock.pass(0);
    expect(looks).toBe(1);
    await clock.pass(1);
    void follower.ask();
    await clock.pass(0);
    expect(looks).toBe(2);
  });

  it('whoever asks while one looks is answered by a look that began after it asked', async () => {
    const first = follower.catchUp();
    await Promise.resolve();
    expect(looks).toBe(1);
    const later = [follower.catchUp(), follower.catchUp()];
    await first;
    await Promise.all(later);
    expect(looks).toBe(2);
  });

  it('H-5: a store that is away is no news; one that holds what nobody can read is told once, and that it is over', async () => {
    fault = new StateStoreUnavailable('away');
    await clock.pass(20_000);
    expect(told).toEqual([]);
    fault = new StateDamaged('the body of key x is no JSON object');
    await clock.pass(20_000);
    fault = new StateStoreUnavailable('away');
    await clock.pass(20_000);
    fault = null;
    await clock.pass(20_000);
    expect(told).toEqual([expect.stringContaining('key x'), null]);
  });
});
