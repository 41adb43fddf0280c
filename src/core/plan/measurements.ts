/**
 * How fast and how busy channels are (P-2): time to first token and tokens per second over the last minutes, calls in
 * flight. Streams and whole answers apart: the first token of a whole answer comes with its last.
 */
import { RecentMap } from './recent-map.ts';
import { RollingMean } from './rolling-mean.ts';

/** What a plan asks of a channel (`MODEL#ID`). Null = not measured in the last minutes. */
export interface MeasurementReader {
  /** Mean ms from an attempt's start to its first token. */
  timeToFirstToken(channel: string, stream: boolean, now: number): number | null;
  /** Output tokens per second. */
  tokensPerSecond(channel: string, stream: boolean, now: number): number | null;
  /** Calls that are out now. */
  inFlight(channel: string): number;
}

/** One answered call. */
export interface MeasuredCall {
  readonly stream: boolean;
  /** From the attempt's start to the first token, ms. */
  readonly firstTokenMs: number;
  /** Null = nobody knows how many tokens came. */
  readonly tokens: number | null;
  /** How long they took, ms: from the first token of a stream, from the start of a whole answer. */
  readonly tokensMs: number;
}

/** Means of one channel for streams or for whole answers. */
class Pace {
  readonly firstToken = new RollingMean();
  readonly speed = new RollingMean();
}

interface Measured {
  inFlight: number;
  /** Most of them at one moment since `takePeaks`. */
  peak: number;
  stream: Pace | null;
  whole: Pace | null;
}

/** Names can come from clients (wildcards): so many channels are kept at least, those that have rested longest go. */
const CHANNELS = 2048;
/** Shorter than any generation: keeps a burst that came in one read from counting as endless speed. */
const LEAST_MS = 1;

export class Measurements implements MeasurementReader {
  readonly #channels = new RecentMap<Measured>(CHANNELS, ({ inFlight }) => inFlight > 0);

  /** A call goes out. Every `started` is followed by one `ended`. */
  started(channel: string): void {
    const known = this.#channels.get(channel);
    if (known === undefined) {
      this.#channels.set(channel, { inFlight: 1, peak: 1, stream: null, whole: null });
      return;
    }
    known.inFlight++;
    if (known.inFlight > known.peak) known.peak = known.inFlight;
  }

  /** A call is over; `call`: what a good answer showed, null for all others. `now`: monotonic ms. */
  ended(channel: string, call: MeasuredCall | null, now: number): void {
    const known = this.#channels.get(channel);
    if (known === undefined) return;
    if (known.inFlight > 0) known.inFlight--;
    if (call === null) return;
    const pace = paceOf(known, call.stream);
    pace.firstToken.add(now, call.firstTokenMs, 1);
    if (call.tokens === null || call.tokens <= 0) return;
    pace.speed.add(now, call.tokens, Math.max(LEAST_MS, call.tokensMs) / 1000);
  }

  timeToFirstToken(channel: string, stream: boolean, now: number): number | null {
    return this.#paceOf(channel, stream)?.firstToken.mean(now) ?? null;
  }

  tokensPerSecond(channel: string, stream: boolean, now: number): number | null {
    return this.#paceOf(channel, stream)?.speed.mean(now) ?? null;
  }

  inFlight(channel: string): number {
    return this.#channels.get(channel)?.inFlight ?? 0;
  }

  /** Most calls that were out at one moment since the last time this was asked, by channel (O-4). */
  takePeaks(): [string, number][] {
    const peaks: [string, number][] = [];
    for (const [channel, measured] of this.#channels.entries()) {
      if (measured.peak > 0) peaks.push([channel, measured.peak]);
      measured.peak = measured.inFlight;
    }
    return peaks;
  }

  #paceOf(channel: string, stream: boolean): Pace | null {
    const known = this.#channels.get(channel);
    if (known === undefined) return null;
    return stream ? known.stream : known.whole;
  }
}

function paceOf(known: Measured, stream: boolean): Pace {
  if (stream) {
    known.stream ??= new Pace();
    return known.stream;
  }
  known.whole ??= new Pace();
  return known.whole;
}
