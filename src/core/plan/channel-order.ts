/** The order of a model's channels under the workspace's strategy (P-2, P-3), before any of them is asked how it stands. */
import type { Routing } from '../request/routing.ts';
import type { CallableChannel, CallableModel } from './callable.ts';
import type { MeasurementReader } from './measurements.ts';
import type { Turns } from './rotation.ts';
import { preferredFirst } from './workspace-view.ts';

export interface OrderContext {
  readonly strategy: Routing['strategy'];
  readonly workspace: string;
  readonly stream: boolean;
  /** Monotonic ms. */
  readonly now: number;
  /** Uniform in [0, 1). */
  readonly random: () => number;
  readonly rotation: Turns;
  readonly measurements: MeasurementReader;
}

/** Whether some target of a channel could be called right now. */
export type IsReady = (channel: CallableChannel) => boolean;

/** One request in so many starts at a channel nobody has measured, else it would never be (P-2). */
const EXPLORE_ONE_IN = 50;

/** `stays`: `MODEL#ID` of the channel its caller is kept on; null = none. It gives way to preferred channels only. */
export function channelOrder(
  model: CallableModel,
  at: OrderContext,
  isReady: IsReady,
  stays: string | null,
): readonly CallableChannel[] {
  if (model.channels.length < 2) return model.channels;
  const ordered = byStrategy(model, at, isReady);
  if (stays === null) return ordered;
  const kept = ordered.findIndex(({ key }) => key === stays);
  if (kept < 1 || !isReady(ordered[kept]!)) return ordered;
  const moved = startingAt(ordered, kept);
  return model.prefers ? preferredFirst(moved) : moved;
}

function byStrategy(model: CallableModel, at: OrderContext, isReady: IsReady): readonly CallableChannel[] {
  switch (at.strategy) {
    case 'priority':
      return model.channels;
    case 'price':
      return model.byPrice;
    default: {
      const ordered = moving(model, at, isReady);
      return model.prefers ? preferredFirst(ordered) : ordered;
    }
  }
}

/** Strategies that may order each request differently. */
function moving(model: CallableModel, at: OrderContext, isReady: IsReady): readonly CallableChannel[] {
  const { channels } = model;
  const { measurements, stream, now } = at;
  switch (at.strategy) {
    case 'latency':
      return measured(channels, at, isReady, ({ key }) => measurements.timeToFirstToken(key, stream, now));
    case 'throughput': {
      const slowness = ({ key }: CallableChannel) => negative(measurements.tokensPerSecond(key, stream, now));
      return measured(channels, at, isReady, slowness);
    }
    case 'least_busy':
      return measured(channels, at, isReady, ({ key }) => measurements.inFlight(key));
    case 'weighted':
      return drawn(channels, at.random);
    default:
      return inTurn(channels, at.rotation.ofModel(`${at.workspace}\u0000${model.name}`), isReady);
  }
}

function negative(figure: number | null): number | null {
  return figure === null ? null : -figure;
}

/** Least figure first, then those without one by priority; now and then one of these is tried first. */
function measured(
  channels: readonly CallableChannel[],
  { random }: OrderContext,
  isReady: IsReady,
  figureOf: (channel: CallableChannel) => number | null,
): readonly CallableChannel[] {
  const figures = new Float64Array(channels.length);
  const unknown: CallableChannel[] = [];
  for (let i = 0; i < channels.length; i++) {
    const figure = figureOf(channels[i]!);
    figures[i] = figure ?? Number.POSITIVE_INFINITY;
    if (figure === null) unknown.push(channels[i]!);
  }
  if (unknown.length === channels.length) return channels;
  const ordered = leastFirst(channels, figures);
  if (unknown.length === 0) return ordered;
  const draw = random() * EXPLORE_ONE_IN;
  if (draw >= 1) return ordered;
  const ready = unknown.filter(isReady);
  if (ready.length === 0) return ordered;
  return startingAt(ordered, ordered.indexOf(ready[Math.floor(draw * ready.length)]!));
}

/**
 * A draw without replacement: each place goes to one of those left, by their weights. Exponential clocks: the one with
 * weight w rings at rate w, and the order in which they ring is that draw. Weight 0 never rings: last, by priority.
 */
function drawn(channels: readonly CallableChannel[], random: () => number): readonly CallableChannel[] {
  const rings = new Float64Array(channels.length);
  for (let i = 0; i < channels.length; i++) {
    const { weight } = channels[i]!;
    rings[i] = weight > 0 ? -Math.log(1 - random()) / weight : Number.POSITIVE_INFINITY;
  }
  return leastFirst(channels, rings);
}

/** By each one's figure; equals keep their order. */
function leastFirst(channels: readonly CallableChannel[], figures: Float64Array): readonly CallableChannel[] {
  const places = channels.map((_, place) => place);
  places.sort((a, b) => {
    const one = figures[a]!;
    const other = figures[b]!;
    return one < other ? -1 : one > other ? 1 : a - b;
  });
  return places.map((place) => channels[place]!);
}

/** Each ready channel in turn; one that is not gives its turns to all others alike, not to its neighbour alone. */
function inTurn(channels: readonly CallableChannel[], turn: number, isReady: IsReady): readonly CallableChannel[] {
  const first = firstInTurn(channels, turn, isReady);
  return first === 0 ? channels : [...channels.slice(first), ...channels.slice(0, first)];
}

/** Whose turn it is: a place in `all`. */
export function firstInTurn<T>(all: readonly T[], turn: number, isReady: (one: T) => boolean): number {
  const due = turn % all.length;
  if (isReady(all[due]!)) return due;
  const ready = all.flatMap((one, place) => (isReady(one) ? [place] : []));
  return ready.length === 0 ? due : ready[Math.floor(turn / all.length) % ready.length]!;
}

/** The one at `place` moved to the front. */
function startingAt(channels: readonly CallableChannel[], place: number): readonly CallableChannel[] {
  if (place === 0) return channels;
  return [channels[place]!, ...channels.slice(0, place), ...channels.slice(place + 1)];
}
