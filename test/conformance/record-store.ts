/** What every request log must do, whatever keeps it (O-1, O-2, O-5). Run over each engine. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { RecordDraft } from '../../src/core/record.ts';
import type { FailedQuery, FailedRecord, RequestFilter, RetainingRecordStore } from '../../src/ports/record-store.ts';
import { plainDraft, SAMPLE_NAMES, sampleAt, sampleAttempt, sampleDraft, sampleId } from '../support/sample-draft.ts';

export interface LogChange {
  readonly queueLimit?: number;
  readonly onDropped?: (count: number) => void;
}

/** One log, opened again and again. */
export interface LogBench {
  open(change: LogChange): Promise<RetainingRecordStore>;
  close(): Promise<void>;
}

/** Every id by walking the pages. */
export async function allIds(store: RetainingRecordStore, filter: Partial<RequestFilter> = {}): Promise<string[]> {
  const ids: string[] = [];
  let cursor: string | undefined;
  do {
    const page = await store.list({ limit: 500, ...filter, ...(cursor === undefined ? {} : { cursor }) });
    ids.push(...page.data.map((one) => one.id));
    cursor = page.next_cursor ?? undefined;
  } while (cursor !== undefined);
  return ids;
}

export function recordStoreConformance(name: string, openBench: () => Promise<LogBench>): void {
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

  async function start(change: LogChange = {}): Promise<RetainingRecordStore> {
    const store = await bench.open(change);
    open.push(store);
    return store;
  }

  describe(`${name}: a record in and out`, () => {
    it('O-1: comes back whole, codes expanded to names', async () => {
      const store = await start();
      store.registerSnapshot(SAMPLE_NAMES);
      expect(store.append(sampleDraft(1))).toBe(true);
      const { snapshotVersion: _version, candidates: _codes, ...rest } = sampleDraft(1);
      expect(await store.get(sampleId(1))).toEqual({
        ...rest,
        candidates: [
          {
            rank: 1,
            model: 'openai/gpt-5-nano',
            channel: 'direct',
            credential: 'acme-openai',
            tried: true,
            skip_reason: null,
            available_at: null,
          },
          {
            rank: 2,
            model: 'anthropic/claude-sonnet',
            channel: 'eu',
            credential: 'platform-anthropic',
            tried: true,
            skip_reason: null,
            available_at: null,
          },
          {
            rank: 3,
            model: 'anthropic/claude-sonnet',
            channel: 'eu',
            credential: null,
            tried: false,
            skip_reason: 'cooling_rate_limit',
            available_at: new Date(sampleAt(60)).toISOString(),
          },
        ],
      });
    });

    it('O-1: the list shows summaries without stages, candidates and attempts', async () => {
      const store = await start();
      store.append(sampleDraft(1));
      const { data } = await store.list({ limit: 10 });
      const {
        snapshotVersion: _v,
        stages: _s,
        candidates: _c,
        attempts: _a,
        clamped: _l,
        events: _e,
        setup: _u,
        ...summary
      } = sampleDraft(1);
      expect(data).toEqual([summary]);
    });

    it('O-1: an unknown id is null', async () => {
      const store = await start();
      expect(await store.get('req_none')).toBeNull();
    });

    it('P-7: beyond 50 candidates the skipped ones are counted by reason, the others stay', async () => {
      const store = await start();
      store.registerSnapshot(SAMPLE_NAMES);
      const candidates: RecordDraft['candidates'][number][] = [];
      for (let rank = 1; rank <= 70; rank += 1)
        candidates.push([rank, 0, 0, 0, rank === 60 ? 1 : 0, rank % 2 === 0 ? -1 : 7, 0]);
      store.append(sampleDraft(1, { candidates }));
      const record = await store.get(sampleId(1));
      expect(record?.candidates.map((one) => one.rank)).toEqual([
        ...Array.from({ length: 50 }, (_, ix) => ix + 1),
        ...[52, 54, 56, 58, 60, 62, 64, 66, 68, 70],
      ]);
      expect(record?.skipped_groups).toEqual([{ skip_reason: 'limit', count: 10 }]);
    });

    it('O-1: a record keeps the names of its own snapshot, also when version numbers start anew', async () => {
      const first = await start();
      first.registerSnapshot(SAMPLE_NAMES);
      first.append(sampleDraft(1));
      await first.close();
      const second = await start();
      second.registerSnapshot({ ...SAMPLE_NAMES, models: ['other/a', 'other/b'] });
      second.append(sampleDraft(2));
      expect((await second.get(sampleId(1)))?.candidates[0]?.model).toBe('openai/gpt-5-nano');
      expect((await second.get(sampleId(2)))?.candidates[0]?.model).toBe('other/a');
    });

    it('O-1: a candidate whose names were never announced is shown by its code', async () => {
      const store = await start();
      store.append(sampleDraft(1, { snapshotVersion: 99 }));
      expect((await store.get(sampleId(1)))?.candidates[0]).toMatchObject({
        model: '#0',
        channel: '#0',
        credential: '#0',
      });
    });

    it('O-1: many snapshots in a row: each record finds the names it was planned with', async () => {
      const store = await start();
      for (let version = 1; version <= 200; version += 1) {
        store.registerSnapshot({ ...SAMPLE_NAMES, version, models: [`m/${version}`, 'b'] });
        store.append(sampleDraft(version, { snapshotVersion: version }));
        if (version % 50 === 0) await store.flush();
      }
      for (const version of [1, 50, 51, 199]) {
        expect((await store.get(sampleId(version)))?.candidates[0]?.model).toBe(`m/${version}`);
      }
    });

    it('O-1: bigints and unclonable values in events do not lose the record', async () => {
      const store = await start();
      store.append(sampleDraft(1, { events: [{ costLeft: 12n }] }));
      store.append(sampleDraft(2, { events: [{ callback: () => 1, costLeft: 13n }] }));
      store.append(sampleDraft(3));
      expect((await store.get(sampleId(1)))?.events).toEqual([{ costLeft: '12' }]);
      expect((await store.get(sampleId(2)))?.events).toEqual([{ costLeft: '13' }]);
      expect(await allIds(store)).toEqual([3, 2, 1].map(sampleId));
      expect(store.dropped).toBe(0);
    });
  });

  describe(`${name}: volume and overflow`, () => {
    it('O-1: 20,000 records in, 20,000 there, after a restart too', async () => {
      const store = await start({ queueLimit: 20_000 });
      for (let n = 0; n < 20_000; n += 1) store.append(sampleDraft(n));
      await store.flush();
      expect(store.dropped).toBe(0);
      await store.close();
      const ids = await allIds(await start());
      expect(ids).toEqual(Array.from({ length: 20_000 }, (_, ix) => sampleId(19_999 - ix)));
    });

    it('O-2: what does not fit the queue is refused, counted and told', async () => {
      let told = 0;
      const store = await start({ queueLimit: 100, onDropped: (count) => (told += count) });
      const taken = Array.from({ length: 250 }, (_, n) => store.append(sampleDraft(n)));
      expect(taken.filter(Boolean)).toHaveLength(100);
      expect(store.dropped).toBe(150);
      expect(told).toBe(150);
      await store.flush();
      expect(store.append(sampleDraft(300))).toBe(true);
      expect(await allIds(store)).toHaveLength(101);
    });

    it('O-2: a draft that breaks its type is counted; the ones beside it are stored', async () => {
      const store = await start();
      store.append(sampleDraft(1));
      store.append({ ...sampleDraft(2), outcome: null } as unknown as RecordDraft);
      store.append(null as unknown as RecordDraft);
      store.append(sampleDraft(3));
      await store.flush();
      expect(await allIds(store)).toEqual([sampleId(3), sampleId(1)]);
      expect(store.dropped).toBe(2);
    });

    it('O-2: a listener that throws does not reach the request', async () => {
      const onDropped = () => {
        throw new Error('listener');
      };
      const store = await start({ queueLimit: 1, onDropped });
      expect([1, 2].map((n) => store.append(sampleDraft(n)))).toEqual([true, false]);
    });
  });

  describe(`${name}: lists`, () => {
    it('O-5: pages are newest first, equal instants by id, without duplicates or holes while records arrive', async () => {
      const store = await start();
      const sameInstant = new Date(sampleAt(0)).toISOString();
      for (let n = 0; n < 100; n += 1) store.append(plainDraft(n, { at: sameInstant }));
      const seen: string[] = [];
      let cursor: string | undefined;
      let next = 100;
      do {
        const page = await store.list({ limit: 7, ...(cursor === undefined ? {} : { cursor }) });
        seen.push(...page.data.map((one) => one.id));
        cursor = page.next_cursor ?? undefined;
        for (let more = 0; more < 5; more += 1, next += 1) store.append(plainDraft(next));
      } while (cursor !== undefined);
      expect(seen).toEqual(Array.from({ length: 100 }, (_, ix) => sampleId(99 - ix)));
    });

    it('O-5: the last page has no cursor, also when it is full', async () => {
      const store = await start();
      for (let n = 0; n < 4; n += 1) store.append(plainDraft(n));
      const first = await store.list({ limit: 2 });
      const second = await store.list({ limit: 2, cursor: first.next_cursor! });
      expect(second.data.map((one) => one.id)).toEqual([sampleId(1), sampleId(0)]);
      expect(second.next_cursor).toBeNull();
    });

    it.each(['x', '', 'MTIz', Buffer.from("1 x' OR 1=1").toString('base64url'), '\u0000'])(
      'O-5: the cursor %j is refused, naming the parameter',
      async (cursor) => {
        const store = await start();
        await expect(store.list({ limit: 2, cursor })).rejects.toMatchObject({
          error: { status: 400, code: 'invalid_parameter', param: 'cursor' },
        });
      },
    );

    const filters: readonly (readonly [string, Partial<RequestFilter>, readonly number[]])[] = [
      ['from, inclusive', { from: sampleAt(4) }, [5, 4]],
      ['to, exclusive', { to: sampleAt(2) }, [1, 0]],
      ['key', { key: 'batch' }, [1]],
      ['model as requested', { model: 'other/x' }, [2]],
      ['model as requested or served', { model: 'anthropic/claude-sonnet' }, [5, 4, 0]],
      ['model by the name of a virtual one', { model: 'wise' }, [4, 1]],
      ['status', { status: 502 }, [3]],
      ['outcome', { outcome: 'upstream_unavailable' }, [3]],
      ['failover true', { failover: true }, [5, 0]],
      ['failover false', { failover: false }, [4, 3, 2, 1]],
      ['degraded true', { degraded: true }, [5, 0]],
      ['degraded false', { degraded: false, from: sampleAt(3) }, [4, 3]],
      ['idempotency by hash', { idempotency: 'beef' }, [5]],
      ['idempotency any', { idempotency: 'any' }, [5, 0]],
      ['idempotency none', { idempotency: 'none', to: sampleAt(3) }, [2, 1]],
      ['several at once', { degraded: true, model: 'openai/gpt-5-nano', idempotency: 'cafe01' }, [0]],
    ];
    it.each(filters)('O-5: filters by %s', async (_name, filter, expected) => {
      const store = await start();
      store.append(sampleDraft(0));
      store.append(plainDraft(1, { key: 'batch', virtual_model: 'wise' }));
      store.append(plainDraft(2, { requested_model: 'other/x', served_model: null, virtual_model: 'other/x' }));
      store.append(plainDraft(3, { status: 502, outcome: 'upstream_unavailable', served_model: null }));
      const claude = 'anthropic/claude-sonnet';
      store.append(plainDraft(4, { requested_model: claude, served_model: claude, virtual_model: 'wise' }));
      store.append(sampleDraft(5, { idempotency: { key_hash: 'beef', state: 'failed', round: 2, role: 'owner' } }));
      expect(await allIds(store, filter)).toEqual(expected.map(sampleId));
      expect(await allIds(store, { ...filter, limit: 1 })).toEqual(expected.map(sampleId));
    });

    it('O-5: SQL inside a filter value is only a value', async () => {
      const store = await start();
      store.append(plainDraft(1, { key: "o'brien" }));
      for (const evil of ["' OR 1=1 --", "'; DROP TABLE requests; --", '" OR ""="', '%', '*']) {
        const found = { key: evil, model: evil, outcome: evil, idempotency: evil };
        for (const [name, value] of Object.entries(found)) expect(await allIds(store, { [name]: value })).toEqual([]);
        expect(await store.get(evil)).toBeNull();
      }
      expect(await allIds(store, { key: "o'brien" })).toEqual([sampleId(1)]);
    });
  });

  describe(`${name}: usage`, () => {
    it('O-1: sums by key over what matches; what nobody knows is counted apart', async () => {
      const store = await start();
      const tokens = (input: number | null, output: number | null) => ({
        usage: { input_tokens: input, output_tokens: output, cached_tokens: null, reasoning_tokens: null },
      });
      store.append(plainDraft(1, { key: 'dev', ...tokens(10, 5), cost_nano_usd: 1000, waste_nano_usd: 7 }));
      store.append(plainDraft(2, { key: 'dev', ...tokens(20, null), cost_nano_usd: null, waste_nano_usd: 0 }));
      store.append(plainDraft(3, { key: 'dev', outcome: 'client_error', usage: null, cost_nano_usd: null }));
      store.append(
        plainDraft(4, { key: null, workspace: 'beta', ...tokens(1, 2), cost_nano_usd: 3, upstream_calls: 9 }),
      );
      store.append(
        plainDraft(5, {
          key: 'late',
          client_request_id: 'a\u0000\ud800',
          client_retry: { count: 2, how: 'header', upstream_calls: 4 },
        }),
      );
      const query = { by: 'key', from: sampleAt(0), to: sampleAt(1_000_000) } as const;
      const [none, dev, late] = await store.usage(query);
      expect(none).toMatchObject({ name: null, requests: 1, input_tokens: 1, output_tokens: 2, upstream_calls: 9 });
      expect(dev).toMatchObject({
        name: 'dev',
        requests: 3,
        failed: 1,
        input_tokens: 30,
        output_tokens: 5,
        cost_nano_usd: 1000,
        unpriced: 1,
      });
      expect(late).toMatchObject({ name: 'late', requests: 1, client_retries: 1 });
      expect((await store.usage({ ...query, workspace: 'beta' })).map((row) => row.name)).toEqual([null]);
      expect((await store.usage({ ...query, from: sampleAt(4) })).map((row) => row.requests)).toEqual([1, 1]);
      expect(await store.usage({ ...query, to: sampleAt(0) })).toEqual([]);
    });
  });

  describe(`${name}: requests of which a call failed`, () => {
    const ALL = { from: sampleAt(0), to: sampleAt(1_000_000) };
    const options = { policy: 'standard', timeoutMs: 7 };
    const setup = { shared: [options], own: { plan: { models: [] }, now: 3 } };

    async function failed(store: RetainingRecordStore, query: Partial<FailedQuery> = {}): Promise<FailedRecord[]> {
      const found: FailedRecord[] = [];
      for await (const record of store.failed({ ...ALL, ...query })) found.push(record);
      return found;
    }

    it('D-12: come whole and newest first, page after page, and no others', async () => {
      const store = await start();
      for (let n = 1; n <= 230; n += 1) store.append(sampleDraft(2 * n, { setup }));
      for (let n = 1; n <= 40; n += 1) store.append(plainDraft(2 * n + 1, { upstream_calls: n % 3 }));
      const found = await failed(store);
      expect(found.map(({ id }) => id)).toEqual(Array.from({ length: 230 }, (_, ix) => sampleId(460 - 2 * ix)));
      const { attempts, events, outcome, at } = sampleDraft(460);
      expect(found[0]).toMatchObject({ attempts, events, outcome, at, policy: 'standard' });
      expect(found[0]?.setup).toMatchObject({ options, plan: { models: [] }, now: 3 });
    });

    it('D-12: a repeat at the same model and a failure at the end count, a refusal before any call does not', async () => {
      const store = await start();
      const again = { attempts: [sampleAttempt(1), sampleAttempt(2, { model: sampleAttempt(1).model })] };
      store.append(sampleDraft(1, again));
      const lost = {
        attempts: [sampleAttempt(1)],
        outcome: 'upstream_unavailable',
        status: 503,
        upstream_calls: 1,
      } as const;
      store.append(sampleDraft(2, lost));
      store.append(sampleDraft(3, { attempts: [], outcome: 'client_error', status: 401, upstream_calls: 0 }));
      expect((await failed(store)).map(({ id }) => id)).toEqual([sampleId(2), sampleId(1)]);
    });

    it('D-12: of the time and the workspace asked for; whoever stops listening stops the reading', async () => {
      const store = await start();
      for (let n = 1; n <= 9; n += 1) store.append(sampleDraft(n, { workspace: n % 2 === 0 ? 'beta' : 'acme' }));
      const span = { from: sampleAt(3), to: sampleAt(7) };
      expect((await failed(store, span)).map(({ id }) => id)).toEqual([6, 5, 4, 3].map(sampleId));
      expect((await failed(store, { ...span, workspace: 'beta' })).map(({ id }) => id)).toEqual([6, 4].map(sampleId));
      for await (const record of store.failed(ALL)) {
        expect(record.id).toBe(sampleId(9));
        break;
      }
      expect(await failed(store, { to: sampleAt(1) })).toEqual([]);
    });

    it('D-12: a record of which nothing ran has no setup', async () => {
      const store = await start();
      store.append(sampleDraft(1, { setup: null }));
      expect((await failed(store))[0]?.setup).toBeNull();
    });
  });
}
