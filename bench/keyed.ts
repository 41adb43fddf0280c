/** What an idempotency key costs: the same requests with and without one, in turns, through the whole gateway (I-2 to I-4). */
import { randomUUID } from 'node:crypto';
import { chatBody } from './body.ts';
import type { Contender, Field } from './contender.ts';
import { BENCH_KEY } from './gateway-config.ts';
import { LoadGenerator, type RequestPlan } from './load-generator.ts';
import { requireWhole, type Size } from './measure.ts';
import { median } from './statistics.ts';

export interface KeyedCost {
  /** µs of CPU per request, medians of the turns. */
  readonly plainMicros: number;
  readonly keyedMicros: number;
  /** Median of each turn's keyed ÷ plain. */
  readonly ratio: number;
  /** Keyed requests answered per second, as many as the gateway takes. */
  readonly perSecond: number;
}

/** Enough to fill the ledger's groups: each of a request's durable steps waits for a write to disk. */
const AT_ONCE = 128;

export async function measureKeyed(field: Field, size: Size): Promise<KeyedCost> {
  const gateway = field.contenders.find(({ name }) => name === 'gateway');
  if (gateway === undefined) throw new Error('what a key costs is measured at the gateway');
  const generator = new LoadGenerator(gateway.endpoint('short'), BENCH_KEY, AT_ONCE);
  const plain: RequestPlan = bodyOf(gateway);
  const keyed: RequestPlan = {
    ...plain,
    headers: () => ({ 'idempotency-key': randomUUID() }),
  };
  await turn(gateway, generator, keyed, size.requests);
  const turns: (readonly [number, number])[] = [];
  let seconds = 0;
  for (let round = 0; round < size.rounds; round += 1) {
    const { micros } = await turn(gateway, generator, plain, size.requests);
    const measured = await turn(gateway, generator, keyed, size.requests);
    turns.push([micros, measured.micros]);
    seconds += measured.seconds;
  }
  await generator.close();
  return {
    plainMicros: median(turns.map(([micros]) => micros)),
    keyedMicros: median(turns.map(([, micros]) => micros)),
    ratio: median(turns.map(([without, with_]) => with_ / without)),
    perSecond: (size.requests * size.rounds) / seconds,
  };
}

function bodyOf(gateway: Contender): RequestPlan {
  const body = chatBody(gateway.model('short'), false);
  return { body: () => body };
}

async function turn(gateway: Contender, generator: LoadGenerator, plan: RequestPlan, requests: number) {
  const before = await gateway.footprint!();
  const began = performance.now();
  requireWhole(gateway, await generator.closedLoop(plan, requests, AT_ONCE), null);
  const seconds = (performance.now() - began) / 1000;
  const after = await gateway.footprint!();
  return { micros: (after.cpuMicros - before.cpuMicros) / requests, seconds };
}
