import { describe, expect, it } from 'vitest';
import { seededRandom } from '../../../sim/random.ts';
import type { CallableChannel, CallableModel } from './callable.ts';
import { channelOrder, type OrderContext } from './channel-order.ts';
import { Measurements } from './measurements.ts';
import { Rotation } from './rotation.ts';
import { byPrice } from './typical-price.ts';
import { preferredFirst } from './workspace-view.ts';

interface ChannelWords {
  readonly weight?: number;
  readonly price?: bigint | null;
  readonly preferred?: boolean;
}

function modelOf(words: Readonly<Record<string, ChannelWords>>): CallableModel {
  const made = Object.entries(words).map(
    ([key, { weight = 1, price = null, preferred = false }], channel): CallableChannel => ({
      channel,
      key,
      groups: [],
      rotates: false,
      barred: [],
      preferred,
      weight,
      price,
      limits: null,
      privacy: 3,
    }),
  );
  return {
    model: 0,
    name: 'm',
    reasons: false,
    channels: preferredFirst(made),
    byPrice: preferredFirst(byPrice(made)),
    prefers: made.some(({ preferred }) => preferred),
    byokOnly: false,
    denied: false,
  };
}

function contextOf(change: Partial<OrderContext>): OrderContext {
  return {
    strategy: 'priority',
    workspace: 'w',
    stream: true,
    now: 0,
    random: () => 0.5,
    rotation: new Rotation(),
    measurements: new Measurements(),
    ...change,
  };
}

const allReady = () => true;
const order = (model: CallableModel, at: OrderContext, isReady = allReady as (one: CallableChannel) => boolean) =>
  channelOrder(model, at, isReady, null)
    .map(({ key }) => key)
    .join('');

/** Each channel measured once, by its time to the first token. */
function measured(times: Readonly<Record<string, number>>): Measurements {
  const measurements = new Measurements();
  for (const [key, firstTokenMs] of Object.entries(times)) {
    measurements.started(key);
    measurements.ended(key, { stream: true, firstTokenMs, tokens: 1000 / firstTokenMs, tokensMs: 1000 }, 0);
  }
  return measurements;
}

describe('P-2: drawn and taken in turn', () => {
  it('P-2: weighted: first places by weight, second places by the weights of those left', () => {
    const random = seededRandom(5);
    const at = contextOf({ strategy: 'weighted', random });
    const model = modelOf({ a: { weight: 1 }, b: { weight: 3 }, c: { weight: 6 }, z: { weight: 0 } });
    const seen = new Map<string, number>();
    const draws = 20_000;
    for (let i = 0; i < draws; i += 1) {
      const drawn = order(model, at);
      seen.set(drawn, (seen.get(drawn) ?? 0) + 1);
    }
    const share = (drawn: string) => (seen.get(drawn) ?? 0) / draws;
    // First c with 6/10, then b with 3/4 of what is left.
    expect(share('cbaz')).toBeCloseTo(0.6 * 0.75, 1);
    expect(share('bcaz')).toBeCloseTo(0.3 * (6 / 7), 1);
    expect(share('acbz')).toBeCloseTo(0.1 * (6 / 9), 1);
    expect([...seen.keys()].every((drawn) => drawn.endsWith('z'))).toBe(true);
  });

  it('P-2: the same chance draws the same', () => {
    const model = modelOf({ a: {}, b: {}, c: {} });
    const drawn = () => {
      const at = contextOf({ strategy: 'weighted', random: seededRandom(9) });
      return Array.from({ length: 20 }, () => order(model, at));
    };
    expect(drawn()).toEqual(drawn());
    expect(new Set(drawn()).size).toBeGreaterThan(3);
  });

  it('P-4: a channel that can not be called gives its turns to all others alike', () => {
    const at = contextOf({ strategy: 'round_robin' });
    const model = modelOf({ a: {}, b: {}, c: {} });
    const firsts = Array.from({ length: 12 }, () => order(model, at, ({ key }) => key !== 'b')[0]);
    expect(firsts.filter((key) => key === 'a')).toHaveLength(6);
    expect(firsts.filter((key) => key === 'c')).toHaveLength(6);
  });

  it('P-2: round_robin where nobody is ready still has an order', () => {
    const at = contextOf({ strategy: 'round_robin' });
    expect(order(modelOf({ a: {}, b: {} }), at, () => false)).toBe('ab');
  });
});

describe('P-2: measured', () => {
  it.each([
    ['latency', { a: 300, b: 100, c: 200 }, 'bca'],
    ['throughput', { a: 300, b: 100, c: 200 }, 'bca'],
    ['latency', { c: 900 }, 'cab'],
    ['throughput', { b: 900 }, 'bac'],
    ['latency', {}, 'abc'],
    ['latency', { a: 100, b: 100, c: 100 }, 'abc'],
  ] as const)('P-2: %s of %j is %s', (strategy, times, expected) => {
    const at = contextOf({ strategy, measurements: measured(times) });
    expect(order(modelOf({ a: {}, b: {}, c: {} }), at)).toBe(expected);
  });

  it('P-2: one request in fifty starts at an unmeasured channel that can be called, each of them alike', () => {
    const random = seededRandom(3);
    const at = contextOf({ strategy: 'latency', random, measurements: measured({ b: 10 }) });
    const model = modelOf({ a: {}, b: {}, c: {}, d: {} });
    const firsts = Array.from({ length: 10_000 }, () => order(model, at, ({ key }) => key !== 'd')[0]);
    const count = (key: string) => firsts.filter((first) => first === key).length;
    expect(count('a') + count('c')).toBeGreaterThan(150);
    expect(count('a') + count('c')).toBeLessThan(250);
    expect(Math.min(count('a'), count('c'))).toBeGreaterThan(60);
    expect(count('d')).toBe(0);
  });

  it('P-2: an explored channel changes nothing behind the first place', () => {
    const at = contextOf({ strategy: 'latency', random: () => 0, measurements: measured({ b: 10, d: 5 }) });
    expect(order(modelOf({ a: {}, b: {}, c: {}, d: {} }), at)).toBe('adbc');
  });

  it('P-2: least_busy counts calls that are out', () => {
    const measurements = new Measurements();
    for (const key of ['a', 'a', 'b']) measurements.started(key);
    const at = contextOf({ strategy: 'least_busy', measurements, random: () => 0 });
    expect(order(modelOf({ a: {}, b: {}, c: {} }), at)).toBe('cba');
  });
});

describe('P-2, P-3: price, affinity and preference', () => {
  it('P-2: price: known before unknown, free first, equals by priority', () => {
    const model = modelOf({ a: {}, b: { price: 7n }, c: { price: 0n }, d: { price: 7n } });
    expect(order(model, contextOf({ strategy: 'price' }))).toBe('cbda');
  });

  it.each(['priority', 'price', 'latency', 'throughput', 'least_busy', 'weighted', 'round_robin'] as const)(
    'P-3: under %s preferred channels come first',
    (strategy) => {
      const at = contextOf({ strategy, measurements: measured({ a: 1, b: 2, c: 3, d: 4 }), random: seededRandom(1) });
      const model = modelOf({ a: {}, b: {}, c: { preferred: true }, d: { preferred: true } });
      for (let i = 0; i < 20; i += 1) expect(order(model, at)).toMatch(/^[cd]{2}[ab]{2}$/);
    },
  );

  it('P-2: a caller’s channel goes to the front if it can be called, behind preferred ones', () => {
    const stay = (model: CallableModel, isReady = true) =>
      channelOrder(model, contextOf({}), () => isReady, 'c')
        .map(({ key }) => key)
        .join('');
    expect(stay(modelOf({ a: {}, b: {}, c: {} }))).toBe('cab');
    expect(stay(modelOf({ a: {}, b: {}, c: {} }), false)).toBe('abc');
    expect(stay(modelOf({ a: {}, b: { preferred: true }, c: {} }))).toBe('bca');
    expect(stay(modelOf({ a: {}, b: {} }))).toBe('ab');
  });
});
