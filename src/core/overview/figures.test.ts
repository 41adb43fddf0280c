import { describe, expect, it } from 'vitest';
import { plainDraft, sampleAt, sampleAttempt, sampleDraft } from '../../../test/support/sample-draft.ts';
import type { RecordDraft } from '../record.ts';
import { countSeen, type Figures, KEPT, noFigures, seenOf } from './figures.ts';
import { countOf } from './latency-buckets.ts';
import { addStored, storedFigures } from './stored-figures.ts';

function counted(...drafts: readonly RecordDraft[]): Figures {
  const figures = noFigures();
  for (const [n, draft] of drafts.entries())
    countSeen(
      figures,
      seenOf(draft, sampleAt(n), (index) => `reason ${index}`),
    );
  return figures;
}

describe('figures of requests', () => {
  it('O-5: what another model answered is a fallback, with the classes that led to it', () => {
    const figures = counted(sampleDraft(1), plainDraft(2), sampleDraft(3, { latency_ms: 5000 }));
    expect(figures).toMatchObject({ requests: 3, fallback: 2, degraded: 2, retried: 0, upstreamCalls: 6 });
    expect([countOf(figures.primary), countOf(figures.other)]).toEqual([1, 2]);
    const [covering] = figures.covering.values();
    expect(covering).toMatchObject({ requests: 2, firstAt: sampleAt(0), lastAt: sampleAt(2), lastId: 'req_00000003' });
    expect([...covering!.classes]).toEqual([['rate_limit', 2]]);
    expect([...covering!.skipped]).toEqual([]);
  });

  it('O-5: where no call failed, a fallback has the reasons for which the first model was left out', () => {
    const attempts = [sampleAttempt(2, { no: 1 })];
    const [covering] = counted(
      sampleDraft(1, {
        attempts,
        candidates: [
          [1, 0, 0, 0, 0, 16, 0],
          [2, 0, 1, 0, 0, 16, 0],
          [3, 1, 1, 1, 1, -1, 0],
          [4, 1, 1, 1, 0, 3, 0],
        ],
      }),
    ).covering.values();
    expect([...covering!.skipped]).toEqual([['reason 16', 1]]);
    expect(covering!.classes.size).toBe(0);
  });

  it('O-5: a repeat at its own target is a retry; an interrupted answer is none that was served', () => {
    const again = [sampleAttempt(1, { decision: 'retry' }), sampleAttempt(1, { no: 2, class: null, result: 'served' })];
    const figures = counted(
      plainDraft(1, { attempts: again }),
      plainDraft(2, { ending: 'interrupted', outcome: 'upstream_unavailable' }),
    );
    expect(figures).toMatchObject({ retried: 1, interrupted: 1, fallback: 0 });
    expect(countOf(figures.primary)).toBe(1);
    expect(figures.outcomes).toMatchObject({ success: 1, upstream_unavailable: 1 });
  });

  it('O-5: failures are counted by target and class, with the last words', () => {
    const words = (n: number, provider_message: string | null) =>
      sampleDraft(n, { attempts: [sampleAttempt(1, { provider_message }), sampleAttempt(2)] });
    const figures = counted(words(1, 'slow down'), words(2, 'x'.repeat(10_000)), words(3, null));
    const [failing, ...others] = figures.failing.values();
    expect(others).toEqual([]);
    expect(failing).toMatchObject({ model: 'openai/gpt-5-nano', channel: 'direct', class: 'rate_limit', attempts: 3 });
    expect(failing!.lastId).toBe('req_00000003');
    expect(failing!.message).toBe(`${'x'.repeat(200)}…`);
  });

  it('X-4: what failed on purpose is a request, and no failure, retry or fallback', () => {
    const attempts = [sampleAttempt(1, { rehearsed: true }), sampleAttempt(2)];
    const figures = counted(sampleDraft(1, { attempts }));
    expect(figures).toMatchObject({ requests: 1, fallback: 0, retried: 0 });
    expect([figures.covering.size, figures.failing.size, countOf(figures.other)]).toEqual([0, 0, 0]);
  });

  it('O-2: names that a client invents do not fill memory', () => {
    const drafts = Array.from({ length: 500 }, (_, n) =>
      sampleDraft(n, { requested_model: `${n} ${'m'.repeat(5000)}` }),
    );
    const figures = counted(...drafts);
    expect(figures.fallback).toBe(500);
    expect(figures.covering.size).toBe(KEPT);
    expect(storedFigures(figures).length).toBeLessThan(40_000);
  });

  it('O-5: stored and read they add up', () => {
    const [one, two] = [counted(sampleDraft(1), plainDraft(2)), counted(sampleDraft(3), plainDraft(4))];
    const sums = noFigures();
    addStored(sums, storedFigures(one), true);
    addStored(sums, storedFigures(two), true);
    expect(sums).toMatchObject({
      requests: 4,
      fallback: 2,
      degraded: 2,
      upstreamCalls: 8,
      costNanoUsd: 4800,
      wasteNanoUsd: 120,
    });
    expect(sums.outcomes.success).toBe(4);
    expect([...sums.covering.values()]).toMatchObject([{ requests: 2, lastId: 'req_00000003' }]);
    expect([...sums.failing.values()]).toMatchObject([{ attempts: 2 }]);
    expect([countOf(sums.primary), countOf(sums.other)]).toEqual([2, 2]);
  });
});
