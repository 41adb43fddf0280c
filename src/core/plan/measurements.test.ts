import { describe, expect, it } from 'vitest';
import { type MeasuredCall, Measurements } from './measurements.ts';

const call = (change: Partial<MeasuredCall> = {}): MeasuredCall => ({
  stream: true,
  firstTokenMs: 100,
  tokens: 50,
  tokensMs: 500,
  ...change,
});

function measured(...calls: (MeasuredCall | null)[]): Measurements {
  const measurements = new Measurements();
  for (const one of calls) {
    measurements.started('m#a');
    measurements.ended('m#a', one, 0);
  }
  return measurements;
}

describe('Measurements', () => {
  it('P-2: time to first token is a mean over calls, tokens per second over their time', () => {
    const measurements = measured(call(), call({ firstTokenMs: 300, tokens: 250, tokensMs: 1000 }));
    expect(measurements.timeToFirstToken('m#a', true, 0)).toBe(200);
    expect(measurements.tokensPerSecond('m#a', true, 0)).toBe(200);
  });

  it('P-2: streams and whole answers are measured apart', () => {
    const measurements = measured(call({ stream: false, firstTokenMs: 900 }));
    expect(measurements.timeToFirstToken('m#a', false, 0)).toBe(900);
    expect(measurements.timeToFirstToken('m#a', true, 0)).toBeNull();
  });

  it('P-2: calls that were not answered say nothing; tokens nobody counted say nothing of the speed', () => {
    expect(measured(null).timeToFirstToken('m#a', true, 0)).toBeNull();
    const uncounted = measured(call({ tokens: null }), call({ tokens: 0 }));
    expect(uncounted.timeToFirstToken('m#a', true, 0)).toBe(100);
    expect(uncounted.tokensPerSecond('m#a', true, 0)).toBeNull();
  });

  it('P-2: tokens that came at once have a speed with an end', () => {
    expect(measured(call({ tokens: 3, tokensMs: 0 })).tokensPerSecond('m#a', true, 0)).toBe(3000);
  });

  it('P-2: calls in flight are counted until they end, never below none', () => {
    const measurements = new Measurements();
    measurements.started('m#a');
    measurements.started('m#a');
    expect(measurements.inFlight('m#a')).toBe(2);
    measurements.ended('m#a', null, 0);
    measurements.ended('m#a', call(), 0);
    measurements.ended('m#a', null, 0);
    measurements.ended('nobody', null, 0);
    expect([measurements.inFlight('m#a'), measurements.inFlight('nobody')]).toEqual([0, 0]);
  });

  it('O-4: the most calls in flight since the last look, by channel; what still runs counts for the next one', () => {
    const measurements = new Measurements();
    for (const name of ['m#a', 'm#a', 'm#a', 'm#b']) measurements.started(name);
    for (const name of ['m#a', 'm#a', 'm#b']) measurements.ended(name, call(), 0);
    expect(measurements.takePeaks()).toEqual([
      ['m#a', 3],
      ['m#b', 1],
    ]);
    expect(measurements.takePeaks()).toEqual([['m#a', 1]]);
    measurements.ended('m#a', null, 0);
    measurements.takePeaks();
    expect(measurements.takePeaks()).toEqual([]);
  });

  it('P-2: names that clients make up fill no memory; busy channels and those in use stay', () => {
    const measurements = new Measurements();
    measurements.started('busy');
    for (let i = 0; i < 20_000; i += 1) {
      for (const name of ['used', `made-up-${i}`]) {
        measurements.started(name);
        measurements.ended(name, call(), i);
      }
    }
    expect(measurements.inFlight('busy')).toBe(1);
    expect(measurements.timeToFirstToken('used', true, 20_000)).toBe(100);
    expect(measurements.timeToFirstToken('made-up-19999', true, 20_000)).toBe(100);
    expect(measurements.timeToFirstToken('made-up-100', true, 20_000)).toBeNull();
  });
});
