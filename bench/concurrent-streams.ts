/** Many streams open at the same time: all must arrive whole, and memory must stay small. */
import { chatBody } from './body.ts';
import type { Contender } from './contender.ts';
import { BENCH_KEY, PACES } from './gateway-config.ts';
import { LoadGenerator } from './load-generator.ts';

export interface ConcurrentStreams {
  readonly streams: number;
  readonly whole: number;
  readonly peakRssBytes: number;
}

/** Opens them within two seconds, each lasts nine; memory is read twice a second. */
export async function runConcurrentStreams(contender: Contender, streams: number): Promise<ConcurrentStreams> {
  const generator = new LoadGenerator(contender.endpoint('slow'), BENCH_KEY, streams);
  const body = chatBody(contender.model('slow'), true);
  let peakRssBytes = 0;
  const look = async () => {
    const footprint = await contender.footprint?.();
    peakRssBytes = Math.max(peakRssBytes, footprint?.rssBytes ?? 0);
  };
  let running = true;
  const looking = (async () => {
    while (running) {
      await look();
      await new Promise((resolve) => setTimeout(resolve, 500));
    }
  })();
  const samples = await generator.openLoop({ body: () => body }, streams, Math.max(streams / 2, 1));
  running = false;
  await looking;
  await generator.close();
  const whole = samples.filter(
    (sample) => sample.status === 200 && sample.ended && sample.events >= PACES.slow.events,
  ).length;
  return { streams, whole, peakRssBytes };
}
