import { describe, expect, it } from 'vitest';
import { sampleAttempt, sampleId } from '../../test/support/sample-draft.ts';
import { POLICIES } from '../core/failover/policy.ts';
import type { Clock } from '../ports/clock.ts';
import type { FailedQuery, FailedRecord } from '../ports/record-store.ts';
import { judgeRecorded, type WhatIfQuestion } from './judge-recorded.ts';

const QUESTION: WhatIfQuestion = {
  from: 0,
  to: 1000,
  other: { policy: { name: 'strict', table: POLICIES.strict }, cells: {} },
  recordedPolicy: null,
};

function record(n: number, change: Partial<FailedRecord> = {}): FailedRecord {
  const at = new Date(1_000_000 - n).toISOString();
  const fields = { policy: 'standard', outcome: 'success', events: [], setup: null } as const;
  return { id: sampleId(n), at, attempts: [sampleAttempt(1)], ...fields, ...change };
}

/** A clock on which time passes by reading records and by waiting; `waits`: the waits asked for. */
class WorkClock implements Clock {
  readonly waits: number[] = [];
  time = 0;
  now = (): number => this.time;
  wall = (): number => this.time;
  after = (ms: number, callback: () => void) => {
    this.waits.push(ms);
    this.time += ms;
    setImmediate(callback);
    return () => undefined;
  };
}

/** So many records, each of which takes so long. */
function log(count: number, { ms = 0, clock = new WorkClock(), of = record } = {}) {
  const asked: FailedQuery[] = [];
  let closed = 0;
  async function* failed(query: FailedQuery): AsyncGenerator<FailedRecord> {
    asked.push(query);
    try {
      for (let n = 1; n <= count; n += 1) {
        clock.time += ms;
        yield of(n);
      }
    } finally {
      closed += 1;
    }
  }
  return { clock, asked, records: { failed }, closed: () => closed };
}

describe('D-12: recorded requests under another table, beside the traffic', () => {
  it('the newest 20,000 are looked at, and it is said that there were more', async () => {
    const many = log(20_001);
    const answer = await judgeRecorded(many, QUESTION);
    expect(answer).toMatchObject({ partial: true, oldestAt: record(20_000).at, tally: { requests: 20_000 } });
    expect(many.closed()).toBe(1);
    const all = await judgeRecorded(log(20_000), QUESTION);
    expect(all).toMatchObject({ partial: false, tally: { requests: 20_000 } });
  });

  it('it ends after 20 s with what it has', async () => {
    const slow = log(100_000, { ms: 7 });
    const answer = await judgeRecorded(slow, QUESTION);
    expect(answer?.partial).toBe(true);
    expect(slow.clock.time).toBeGreaterThanOrEqual(20_000);
    expect(slow.clock.time).toBeLessThan(20_050);
    expect(slow.closed()).toBe(1);
  });

  it('it ends after 20 s, too, where nearly nothing failed and each read takes its time', async () => {
    const clock = new WorkClock();
    let reads = 0;
    const records = {
      async *failed(_query: FailedQuery, goOn = () => true): AsyncGenerator<FailedRecord> {
        yield record(1);
        for (; reads < 1000 && goOn(); reads += 1) clock.time += 500;
      },
    };
    const answer = await judgeRecorded({ records, clock }, QUESTION);
    expect(answer).toMatchObject({ partial: true, oldestAt: record(1).at, tally: { requests: 1 } });
    expect(reads).toBe(40);
  });

  it('it leaves the thread to others about as long as it takes it', async () => {
    const slow = log(400, { ms: 4 });
    await judgeRecorded(slow, QUESTION);
    const waited = slow.clock.waits.reduce((sum, ms) => sum + ms, 0);
    expect(waited / (slow.clock.time - waited)).toBeGreaterThan(0.9);
  });

  it('X-4, H-2: what failed on purpose is left out, and so is another policy than the one asked for', async () => {
    const of = (n: number): FailedRecord =>
      record(n, {
        policy: n % 2 === 0 ? 'strict' : 'standard',
        ...(n > 8 ? { attempts: [sampleAttempt(1, { rehearsed: true }), sampleAttempt(2)] } : {}),
      });
    expect((await judgeRecorded(log(10, { of }), QUESTION))?.tally.requests).toBe(8);
    const one = await judgeRecorded(log(10, { of }), { ...QUESTION, recordedPolicy: 'strict' });
    expect(one).toMatchObject({ oldestAt: record(8).at, tally: { requests: 4 } });
  });

  it('the log is asked for the time and the workspace alone', async () => {
    const empty = log(0);
    await judgeRecorded(empty, { ...QUESTION, workspace: 'acme' });
    expect(empty.asked).toEqual([{ from: 0, to: 1000, workspace: 'acme' }]);
  });

  it('one question at a time, four more wait, and others are told to come back', async () => {
    const slow = log(1000, { ms: 1 });
    const answers = Array.from({ length: 7 }, () => judgeRecorded(slow, QUESTION));
    await new Promise((resolve) => setImmediate(resolve));
    expect(slow.asked).toHaveLength(1);
    const known = await Promise.all(answers);
    expect(known.map((one) => one === null)).toEqual([false, false, false, false, false, true, true]);
    expect(await judgeRecorded(slow, QUESTION)).not.toBeNull();
  });

  it('a log that can not be read fails its question, and no other', async () => {
    let broken = true;
    const { clock } = log(0);
    const records = {
      async *failed(): AsyncGenerator<FailedRecord> {
        if (broken) throw new Error('unreadable');
        yield record(1);
      },
    };
    await expect(judgeRecorded({ records, clock }, QUESTION)).rejects.toThrow('unreadable');
    broken = false;
    expect((await judgeRecorded({ records, clock }, QUESTION))?.tally.requests).toBe(1);
  });
});
