import { describe, expect, it } from 'vitest';
import { plainDraft, sampleAttempt } from '../../../test/support/sample-draft.ts';
import type { AttemptRecord, RecordDraft } from '../record.ts';
import { ALL, closedTallies, countRequest, latencyBucket, latencyQuantile, sumTallies, type Tally } from './tallies.ts';

const NANO = 'openai/gpt-5-nano';
const SONNET = 'anthropic/claude-sonnet';

const failed = (change: Partial<AttemptRecord> = {}): AttemptRecord =>
  sampleAttempt(1, { decision: 'retry', class: 'overloaded', ...change });
const served = (change: Partial<AttemptRecord> = {}): AttemptRecord =>
  sampleAttempt(1, { result: 'served', class: null, decision: 'serve', status: 200, ...change });

function talliesOf(...drafts: Partial<RecordDraft>[]): Map<string, Tally> {
  const tallies = new Map();
  for (const change of drafts) countRequest(tallies, plainDraft(1, change), NANO);
  return new Map(closedTallies(tallies).map((tally) => [tally.name, tally]));
}

describe('O-4: what is counted of a request', () => {
  it('one call that serves: a request, nothing else', () => {
    const all = talliesOf({ attempts: [served()], latency_ms: 100 }).get(ALL);
    expect(all).toEqual({
      name: ALL,
      requests: 1,
      repeats: 0,
      retried: 0,
      saved: 0,
      failed: 0,
      failedRepeats: 0,
      fallbacks: 0,
      latencies: [[latencyBucket(100), 1]],
      peak: 0,
    });
  });

  it('two repeats at the same target, the second serves: retried once, saved once', () => {
    const all = talliesOf({ attempts: [failed(), failed(), served()] }).get(ALL);
    expect(all).toMatchObject({ requests: 1, repeats: 2, retried: 1, saved: 1, failed: 1, failedRepeats: 2 });
  });

  it('a repeat that fails and another model that serves: retried, not saved, a fallback', () => {
    const attempts = [failed(), failed({ decision: 'next_model' }), served({ model: SONNET, channel: 'eu' })];
    const tallies = talliesOf({ attempts, served_model: SONNET });
    expect(tallies.get(ALL)).toMatchObject({ requests: 1, repeats: 1, retried: 1, saved: 0, failed: 1, fallbacks: 1 });
    expect(tallies.get(`${NANO}#direct`)).toMatchObject({ requests: 1, repeats: 1, retried: 1, saved: 0, failed: 1 });
    expect(tallies.get(`${SONNET}#eu`)).toMatchObject({ requests: 1, repeats: 0, retried: 0, failed: 0, fallbacks: 0 });
  });

  it('another channel, credential or a hedge is no repeat', () => {
    const moved = [failed({ decision: 'next_channel' }), served({ channel: 'eu' })];
    const other = [failed(), served({ credential: 'another' })];
    const hedged = [failed(), served({ hedge: true })];
    for (const attempts of [moved, other, hedged]) expect(talliesOf({ attempts }).get(ALL)?.repeats).toBe(0);
  });

  it('what called nobody is not counted: refusals, replays, rehearsed failures', () => {
    const rehearsed = [failed({ rehearsed: true })];
    expect(talliesOf({ attempts: [] }, { attempts: rehearsed }).size).toBe(0);
  });

  it('what a client left does not count as a time', () => {
    expect(talliesOf({ attempts: [served()], ending: 'client_closed' }).get(ALL)?.latencies).toEqual([]);
  });
});

it('O-4: tallies add up by name; the highest peak stays', () => {
  const [one] = [...talliesOf({ attempts: [failed(), served()] }).values()];
  const sum = sumTallies([[{ ...one!, peak: 3 }], [{ ...one!, peak: 7 }], [{ ...one!, name: 'x', peak: 1 }]]);
  expect(sum.map(({ name, requests, repeats, peak, latencies }) => [name, requests, repeats, peak, latencies])).toEqual(
    [
      [ALL, 2, 2, 7, [[one!.latencies[0]![0], 2]]],
      ['x', 1, 1, 1, [[one!.latencies[0]![0], 1]]],
    ],
  );
});

describe('O-4: quantiles of latencies', () => {
  const timed = (...ms: number[]): Pick<Tally, 'latencies'> => ({
    latencies: ms.map((one) => [latencyBucket(one), 1] as const),
  });

  it('are within one bucket (19 %) of the true one', () => {
    for (const ms of [1, 12, 480, 5000, 61_000, 3_000_000]) {
      const p99 = latencyQuantile(timed(ms), 0.99)!;
      expect(p99 / ms).toBeGreaterThan(0.84);
      expect(p99 / ms).toBeLessThan(1.19);
    }
  });

  it('the slowest of a hundred is P99 only with a second one beside it', () => {
    const many: (readonly [number, number])[] = [[latencyBucket(100), 99]];
    expect(latencyQuantile({ latencies: [...many, [latencyBucket(60_000), 1]] }, 0.99)).toBeLessThan(120);
    expect(latencyQuantile({ latencies: [...many, [latencyBucket(60_000), 2]] }, 0.99)).toBeGreaterThan(50_000);
  });

  it('nothing timed has none; nothing is lost above an hour', () => {
    expect(latencyQuantile(timed(), 0.99)).toBeNull();
    expect(latencyQuantile(timed(1e12), 0.5)).toBeGreaterThan(3_000_000);
  });
});
