/** One contender, one round: what its requests cost and how long they took. */
import { chatBody } from './body.ts';
import type { Contender } from './contender.ts';
import { BENCH_KEY, PACES, type Pace } from './gateway-config.ts';
import { LoadGenerator, type Sample } from './load-generator.ts';
import { median, quantile } from './statistics.ts';

/** How much is sent. Everything is bounded by these numbers. */
export interface Size {
  readonly rounds: number;
  /** Before the first round, per contender: the compiler's own work must not be counted as the server's. */
  readonly warmUpRequests: number;
  readonly requests: number;
  readonly streams: number;
  readonly openLoopRequests: number;
  readonly concurrentStreams: number;
  readonly loadRequests: number;
}

export const FULL: Size = {
  rounds: 5,
  warmUpRequests: 12_000,
  requests: 4000,
  streams: 160,
  openLoopRequests: 2000,
  concurrentStreams: 2000,
  loadRequests: 10_000,
};
export const QUICK: Size = {
  rounds: 1,
  warmUpRequests: 1500,
  requests: 600,
  streams: 40,
  openLoopRequests: 500,
  concurrentStreams: 200,
  loadRequests: 1000,
};

export const PER_SECOND = 500;
const REQUESTS_AT_ONCE = 32;
const STREAMS_AT_ONCE = 40;

/** Null where a contender has no process of its own to measure. */
export interface Figures {
  readonly cpuMicrosPerRequest: number | null;
  readonly cpuMicrosPerChunk: number | null;
  readonly latencyMs: number;
  readonly latencyP99Ms: number;
  readonly firstTokenMs: number;
  readonly firstTokenP99Ms: number;
  readonly rssBytes: number | null;
}

/** A measurement in which something failed measures nothing. */
export function requireWhole(contender: Contender, samples: readonly Sample[], events: number | null): void {
  const bad = samples.find(({ status, ended, events: got }) => status !== 200 || !ended || (events ?? got) > got);
  if (bad === undefined) return;
  throw new Error(
    `${contender.name}: an answer was not whole: ${JSON.stringify({ ...bad, tail: bad.tail.slice(-200) })}`,
  );
}

function generatorFor(contender: Contender, pace: Pace, connections: number): LoadGenerator {
  return new LoadGenerator(contender.endpoint(pace), BENCH_KEY, connections);
}

/** CPU time of the contender over a run, per unit. */
async function cpuOver(contender: Contender, units: number, run: () => Promise<void>): Promise<number | null> {
  if (contender.footprint === null) return null;
  const before = await contender.footprint();
  await run();
  const after = await contender.footprint();
  return (after.cpuMicros - before.cpuMicros) / units;
}

export async function costOfRequests(contender: Contender, size: Size): Promise<number | null> {
  const body = chatBody(contender.model('short'), false);
  const generator = generatorFor(contender, 'short', REQUESTS_AT_ONCE);
  const run = async (requests: number) =>
    requireWhole(contender, await generator.closedLoop({ body: () => body }, requests, REQUESTS_AT_ONCE), null);
  await run(Math.ceil(size.requests / 10));
  const cost = await cpuOver(contender, size.requests, () => run(size.requests));
  await generator.close();
  return cost;
}

export async function costOfChunks(
  contender: Contender,
  size: Size,
  model = contender.model('paced'),
): Promise<number | null> {
  const { events } = PACES.paced;
  const body = chatBody(model, true);
  const generator = generatorFor(contender, 'paced', STREAMS_AT_ONCE);
  const cost = await cpuOver(contender, size.streams * events, async () =>
    requireWhole(contender, await generator.closedLoop({ body: () => body }, size.streams, STREAMS_AT_ONCE), events),
  );
  await generator.close();
  return cost;
}

/** Runs whole answers and short streams until the code is hot. */
export async function warmUp(contender: Contender, size: Size): Promise<void> {
  const generator = generatorFor(contender, 'short', REQUESTS_AT_ONCE);
  for (const stream of [false, true]) {
    const body = chatBody(contender.model('short'), stream);
    requireWhole(
      contender,
      await generator.closedLoop({ body: () => body }, size.warmUpRequests, REQUESTS_AT_ONCE),
      stream ? PACES.short.events : null,
    );
  }
  await generator.close();
}

async function openLoop(contender: Contender, size: Size, stream: boolean): Promise<Sample[]> {
  const body = chatBody(contender.model('short'), stream);
  const generator = generatorFor(contender, 'short', 256);
  const samples = await generator.openLoop({ body: () => body }, size.openLoopRequests, PER_SECOND);
  requireWhole(contender, samples, stream ? PACES.short.events : null);
  await generator.close();
  // The first fifth warms connections up.
  return samples.slice(Math.floor(samples.length / 5));
}

export async function measure(contender: Contender, size: Size): Promise<Figures> {
  const cpuMicrosPerRequest = await costOfRequests(contender, size);
  const cpuMicrosPerChunk = await costOfChunks(contender, size);
  const whole = (await openLoop(contender, size, false)).map((sample) => sample.totalMs);
  const firstTokens = (await openLoop(contender, size, true)).map((sample) => sample.firstTokenMs);
  const footprint = await contender.footprint?.();
  return {
    cpuMicrosPerRequest,
    cpuMicrosPerChunk,
    latencyMs: median(whole),
    latencyP99Ms: quantile(whole, 0.99),
    firstTokenMs: median(firstTokens),
    firstTokenP99Ms: quantile(firstTokens, 0.99),
    rssBytes: footprint?.rssBytes ?? null,
  };
}
