/** The figures that every request log keeps beside its records (O-5). Run over each engine. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { RetainingRecordStore } from '../../src/ports/record-store.ts';
import { plainDraft, sampleAt, sampleDraft } from '../support/sample-draft.ts';
import type { LogBench } from './record-store.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
/** 2026-11-29T10:00:00Z. */
const T0 = sampleAt(0);

export function overviewConformance(name: string, openBench: () => Promise<LogBench>): void {
  let bench: LogBench;
  let open: RetainingRecordStore[];
  beforeEach(async () => {
    bench = await openBench();
    open = [];
  });
  afterEach(async () => {
    await Promise.all(open.map((store) => store.close()));
    await bench.close();
  });

  async function start(): Promise<RetainingRecordStore> {
    const store = await bench.open({});
    open.push(store);
    return store;
  }

  describe(`${name}: the overview`, () => {
    it('O-5: sums by step without gaps, and of the time before', async () => {
      const store = await start();
      // One a second: 60 in each of two minutes, 30 in the third; before them 30 of the minute before the window.
      for (let n = -30; n < 150; n += 1) store.append(n % 3 === 0 ? sampleDraft(n) : plainDraft(n));
      const overview = await store.overview({ from: T0, to: T0 + 5 * MINUTE });
      expect(overview).toMatchObject({
        from: new Date(T0).toISOString(),
        to: new Date(T0 + 5 * MINUTE).toISOString(),
        step_ms: MINUTE,
        since: null,
        totals: { requests: 150, fallback: 50, degraded: 50, cost_nano_usd: 180_000, waste_nano_usd: 4500 },
        before: { requests: 30, fallback: 10 },
      });
      expect(overview.series.map(({ at }) => Date.parse(at))).toEqual([0, 1, 2, 3, 4].map((n) => T0 + n * MINUTE));
      expect(overview.series.map(({ requests }) => requests)).toEqual([60, 60, 30, 0, 0]);
      expect(overview.totals.outcomes.success).toBe(150);
      expect(overview.totals.primary.served).toBe(100);
      expect(overview.totals.fallback_latency.served).toBe(50);
      expect(overview.totals.fallback_latency.p99_ms! / 853.1).toBeCloseTo(1, 0);
      expect(overview.series[4]!.primary).toEqual({ served: 0, p50_ms: null, p99_ms: null });
    });

    it('O-5: what covers and what fails, most first, each with its last request', async () => {
      const store = await start();
      for (let n = 0; n < 5; n += 1) store.append(sampleDraft(n));
      for (let n = 5; n < 7; n += 1) store.append(sampleDraft(n, { served_model: 'other/one' }));
      const { covering, failing } = await store.overview({ from: T0, to: T0 + DAY });
      expect(covering).toEqual([
        {
          requested_model: 'openai/gpt-5-nano',
          served_model: 'anthropic/claude-sonnet',
          requests: 5,
          first_at: new Date(sampleAt(0)).toISOString(),
          last_at: new Date(sampleAt(4)).toISOString(),
          last_request_id: 'req_00000004',
          classes: { rate_limit: 5 },
          skipped: {},
        },
        expect.objectContaining({ served_model: 'other/one', requests: 2, last_request_id: 'req_00000006' }),
      ]);
      expect(failing).toEqual([
        {
          model: 'openai/gpt-5-nano',
          channel: 'direct',
          credential: 'acme-openai',
          class: 'rate_limit',
          attempts: 7,
          last_at: new Date(sampleAt(6)).toISOString(),
          last_request_id: 'req_00000006',
          provider_message: 'Rate limit reached; try again in 30 s.',
        },
      ]);
    });

    it('G-8: of one workspace, nothing of another one’s is in it', async () => {
      const store = await start();
      store.append(plainDraft(1, { workspace: 'acme' }));
      store.append(sampleDraft(2, { workspace: 'other', served_model: 'secret/model' }));
      for (const to of [T0 + HOUR, T0 + DAY]) {
        const own = await store.overview({ from: T0, to, workspace: 'acme' });
        expect(own.totals).toMatchObject({ requests: 1, fallback: 0 });
        expect(JSON.stringify(own)).not.toContain('secret');
        expect((await store.overview({ from: T0, to })).totals).toMatchObject({ requests: 2, fallback: 1 });
        expect((await store.overview({ from: T0, to, workspace: 'nobody' })).totals.requests).toBe(0);
      }
    });

    it('O-5: every process and every start adds its own, and looking does not count again', async () => {
      const [first, second] = [await start(), await start()];
      first.append(plainDraft(1));
      second.append(plainDraft(2));
      await second.flush();
      for (let n = 3; n < 6; n += 1) {
        first.append(plainDraft(n));
        await first.flush();
      }
      expect((await first.overview({ from: T0, to: T0 + HOUR })).totals.requests).toBe(5);
      await Promise.all([first.close(), second.close()]);
      const third = await start();
      third.append(plainDraft(6));
      for (const to of [T0 + HOUR, T0 + 31 * DAY])
        expect((await third.overview({ from: T0, to })).totals.requests).toBe(6);
    });

    it('O-5: a record that comes when its minute is long over is counted in it', async () => {
      const store = await start();
      const now = Date.now();
      const at = (ms: number) => ({ at: new Date(ms).toISOString() });
      store.append(plainDraft(1, at(now - HOUR)));
      await store.flush();
      // The first one is stored and let go by now.
      store.append(plainDraft(2, at(now)));
      await store.flush();
      store.append(plainDraft(3, at(now - HOUR)));
      const { totals } = await store.overview({ from: now - HOUR, to: now - HOUR + MINUTE });
      expect(totals.requests).toBe(2);
    });

    it('O-5: figures are forgotten with the records', async () => {
      const store = await start();
      store.append(plainDraft(0));
      store.append(plainDraft(2 * 86_400));
      await store.flush();
      await store.prune(T0 + 2 * DAY - 3 * HOUR);
      const { totals } = await store.overview({ from: T0, to: T0 + 3 * DAY });
      expect(totals.requests).toBe(1);
    });
  });
}
