/**
 * What a translation costs per chunk: the same paced streams from an upstream that speaks the callers' dialect and from one
 * that does not, in turns, through the whole gateway (R-4).
 */
import type { Field } from './contender.ts';
import { CROSSED } from './gateway-config.ts';
import { costOfChunks, type Size } from './measure.ts';
import { median } from './statistics.ts';

export interface CrossingCost {
  /** µs of CPU per chunk, medians of the turns. */
  readonly passedMicros: number;
  readonly crossedMicros: number;
  /** Median of each turn's crossed ÷ passed. */
  readonly ratio: number;
}

export async function measureCrossing(field: Field, size: Size): Promise<CrossingCost> {
  const gateway = field.contenders.find(({ name }) => name === 'gateway');
  if (gateway === undefined) throw new Error('what a translation costs is measured at the gateway');
  // Until the code is hot.
  await costOfChunks(gateway, size);
  await costOfChunks(gateway, size, CROSSED);
  const turns: (readonly [number, number])[] = [];
  for (let round = 0; round < size.rounds; round += 1) {
    const passed = await costOfChunks(gateway, size);
    const crossed = await costOfChunks(gateway, size, CROSSED);
    if (passed !== null && crossed !== null) turns.push([passed, crossed]);
  }
  return {
    passedMicros: median(turns.map(([passed]) => passed)),
    crossedMicros: median(turns.map(([, crossed]) => crossed)),
    ratio: median(turns.map(([passed, crossed]) => crossed / passed)),
  };
}

export function renderCrossing({ passedMicros, crossedMicros, ratio }: CrossingCost): string {
  return `per chunk, passed ${passedMicros.toFixed(1)} µs, translated ${crossedMicros.toFixed(1)} µs: ${ratio.toFixed(2)} ×`;
}
