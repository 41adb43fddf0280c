import { beforeEach, describe, expect, it } from 'vitest';
import { VirtualClock } from '../../sim/virtual/virtual-clock.ts';
import { HiddenSecrets } from './hidden-secrets.ts';

const OLD = 'grapefruit-orchard';
const NEW = 'pomegranate-valley';
const MINUTE = 60_000;

let clock: VirtualClock;
let live: Set<object>;
let hidden: HiddenSecrets;

beforeEach(() => {
  clock = new VirtualClock();
  live = new Set();
  hidden = new HiddenSecrets(clock, () => live);
});

const isHidden = (secret: string): boolean => {
  const texts = [hidden.mask(`said ${secret} here`), hidden.guard(secret)].map((text) => text.includes(secret));
  expect(texts[0]).toBe(texts[1]);
  return texts[0] === false;
};

/** Lets everything become due that is due by then. */
function pass(minutes: number): void {
  const until = clock.now() + minutes * MINUTE;
  clock.after(minutes * MINUTE, () => undefined);
  while (clock.now() < until && clock.step());
}

describe('E-5: secrets that left the configuration', () => {
  it('E-5: stay hidden while a call that knew them may still be under way, then they are words like others', () => {
    hidden.use([OLD]);
    hidden.use([NEW]);
    expect([isHidden(OLD), isHidden(NEW)]).toEqual([true, true]);
    pass(9);
    expect(isHidden(OLD)).toBe(true);
    pass(2);
    expect([isHidden(OLD), isHidden(NEW)]).toEqual([false, true]);
  });

  it('E-5: a request that was there before keeps them hidden, one that came later does not; an hour ends it', () => {
    const before = {};
    live.add(before);
    hidden.use([OLD]);
    hidden.use([]);
    live.add({});
    pass(30);
    expect(isHidden(OLD)).toBe(true);
    live.delete(before);
    pass(2);
    expect(isHidden(OLD)).toBe(false);
    live.add(before);
    hidden.use([OLD]);
    hidden.use([]);
    pass(59);
    expect(isHidden(OLD)).toBe(true);
    pass(2);
    expect(isHidden(OLD)).toBe(false);
  });

  it('E-5: one that comes back is in force again', () => {
    hidden.use([OLD]);
    hidden.use([]);
    hidden.use([OLD]);
    expect(hidden.past).toBe(0);
    pass(120);
    expect(isHidden(OLD)).toBe(true);
  });

  it('E-5: whoever changes one again and again keeps no more than a thousand, the newest', () => {
    for (let n = 0; n < 1502; n += 1) hidden.use([`secret-number-${String(n).padStart(6, '0')}`]);
    expect(hidden.past).toBe(1000);
    const long = (n: number): string => `${n}`.padStart(6, '0').repeat(600);
    for (let n = 0; n < 200; n += 1) hidden.use([long(n)]);
    expect(hidden.past).toBeLessThan(19);
    expect(isHidden(long(198))).toBe(true);
  });

  it('E-5: nothing is left to be looked at again once all is forgotten, or it is closed', () => {
    hidden.use([OLD]);
    hidden.use([]);
    pass(11);
    expect(clock.step()).toBe(false);
    hidden.use([OLD]);
    hidden.use([]);
    hidden.close();
    expect(clock.step()).toBe(false);
  });
});

describe('E-5: access tokens of service accounts', () => {
  it('E-5: are hidden while providers take them and ten minutes more, whatever the configuration does', () => {
    hidden.use([NEW]);
    hidden.lend(OLD, 60 * MINUTE);
    hidden.use([]);
    pass(69);
    expect(isHidden(OLD)).toBe(true);
    pass(2);
    expect(isHidden(OLD)).toBe(false);
    expect(clock.step()).toBe(false);
  });

  it('E-5: no more than a thousand, the newest', () => {
    const token = (n: number): string => `ya29-${String(n).padStart(8, '0')}`;
    for (let n = 0; n < 1001; n += 1) hidden.lend(token(n * 1_000_003), 60 * MINUTE);
    expect(isHidden(token(1000 * 1_000_003))).toBe(true);
    hidden.close();
  });
});
