import { describe, expect, it } from 'vitest';
import type { Json } from './json-form.ts';
import type { EngineEvent } from './machine.ts';
import { packEvents, unpackEvents } from './pack-events.ts';
import { eventFromJson } from './replay.ts';

const at = (n: number) => ({ now: 12.375 + n, wall: 1_796_021_299_090 + n, random: 0.25 });

const EVERYDAY: readonly EngineEvent[] = [
  { type: 'begin', ...at(0) },
  { type: 'admitted', attempt: 1, permits: 1, ...at(1) },
  { type: 'hedge-due', ...at(2) },
  { type: 'wait-elapsed', ...at(3) },
  { type: 'attempt-ready', attempt: 1, content: 'refusal', failure: null, ...at(4) },
  { type: 'attempt-completed', attempt: 1, ...at(5) },
];

const OTHERS: readonly EngineEvent[] = [
  { type: 'attempt-completed', attempt: 1, cost: 2n ** 60n, ...at(1) },
  { type: 'refused', attempt: 1, reason: 'limit', availableAt: 5, failure: null, ...at(2) },
  {
    type: 'attempt-ready',
    attempt: 2,
    content: 'content',
    failure: null,
    cut: { outputTokens: 9, worstCost: null } as never,
    ...at(3),
  },
  { type: 'client-gone', detach: true, ...at(4) },
];

function roundTrip(events: readonly EngineEvent[]): readonly (EngineEvent | null)[] {
  const stored = JSON.parse(JSON.stringify(packEvents(events))) as Json[];
  return unpackEvents(stored).map(eventFromJson);
}

describe('O-1: events in few bytes', () => {
  it('O-1: everyday events are lists of numbers and come back as they were', () => {
    const packed = packEvents(EVERYDAY);
    expect(packed.every((one) => Array.isArray(one))).toBe(true);
    expect(JSON.stringify(packed).length).toBeLessThan(JSON.stringify(EVERYDAY).length / 2);
    expect(roundTrip(EVERYDAY)).toEqual(EVERYDAY);
  });

  it('O-1: events that say more are written whole, also first ones', () => {
    expect(roundTrip([...EVERYDAY, ...OTHERS])).toEqual([...EVERYDAY, ...OTHERS]);
    expect(roundTrip([...OTHERS, ...EVERYDAY])).toEqual([...OTHERS, ...EVERYDAY]);
  });

  it('O-1: records of before, with whole events, read as they are; a list of no known kind reads as nothing', () => {
    const whole = JSON.parse(JSON.stringify(EVERYDAY)) as Json[];
    expect(unpackEvents(whole)).toEqual(whole);
    expect(unpackEvents([[99, 1, 2, 3]])).toEqual([null]);
    expect(unpackEvents([[0]])).toEqual([null]);
    expect(unpackEvents([])).toEqual([]);
  });
});
