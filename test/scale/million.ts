/** What a request log of a million rows must do within a second, whatever keeps it (O-5). */
import { expect } from 'vitest';
import { writeCursor } from '../../src/adapters/store-sql/request-query.ts';
import type { RequestFilter, RetainingRecordStore } from '../../src/ports/record-store.ts';
import { sampleId as idOf } from '../support/sample-draft.ts';
import { APART_MS, END_AT, FIRST_AT, filters, ROWS, VALUES } from './million-rows.ts';

/** A second on a machine of its own; here two cores are shared with other work, and disks are cold. */
const GUARD_MS = 10_000;
/** Pages may come short, each with a cursor to go on from; so many until a search is over. */
const MOST_PAGES = 400;

interface Timed {
  readonly what: string;
  readonly ms: number;
}

async function timed<T>(times: Timed[], what: string, work: () => Promise<T>): Promise<T> {
  const from = performance.now();
  const result = await work();
  times.push({ what, ms: performance.now() - from });
  return result;
}

/** Prints the slowest, and holds all of them against the guard. */
function judge(engine: string, times: readonly Timed[]): void {
  const slowest = [...times].sort((a, b) => b.ms - a.ms);
  const median = slowest[Math.floor(slowest.length / 2)]?.ms ?? 0;
  const shown = slowest.slice(0, 5).map(({ what, ms }) => `${ms.toFixed(0)} ms ${what}`);
  console.log(
    `${engine}: ${times.length} answers, median ${median.toFixed(1)} ms, ${times.filter(({ ms }) => ms > 1000).length} over 1 s; ${shown.join('; ')}`,
  );
  expect(slowest.filter(({ ms }) => ms > GUARD_MS)).toEqual([]);
}

/** The first page of every filter and every pair of filters. */
export async function firstPages(engine: string, store: RetainingRecordStore): Promise<void> {
  const times: Timed[] = [];
  for (const filter of filters()) {
    const page = await timed(times, JSON.stringify(filter), () => store.list({ ...filter, limit: 50 }));
    expect(page.data.length).toBeLessThanOrEqual(50);
  }
  judge(engine, times);
}

const RARE: readonly (readonly [Partial<RequestFilter>, readonly number[]])[] = [
  [{ degraded: true }, [123_456]],
  [{ key: 'rare' }, [500_000]],
  [{ status: 504 }, [400_000]],
  [{ idempotency: 'hash00600000' }, [600_000]],
  [{ model: 'none/such' }, []],
  [{ workspace: 'nobody', failover: true }, []],
  [{ degraded: true, workspace: 'acme', status: 200 }, [123_456]],
  [{ degraded: true, workspace: 'w16' }, []],
  [{ key: 'rare', idempotency: 'none', model: 'maker/model-8' }, [500_000]],
  [{ outcome: 'network_unknown', from: FIRST_AT + 399_999 * APART_MS, to: FIRST_AT + 400_001 * APART_MS }, [400_000]],
];

/** What one request of a million has is found, and it is told that there is no other. */
export async function rareMatches(engine: string, store: RetainingRecordStore): Promise<void> {
  const times: Timed[] = [];
  for (const [filter, expected] of RARE) {
    const found: string[] = [];
    let cursor: string | undefined;
    for (let pages = 0; pages < MOST_PAGES; pages += 1) {
      const asked = { ...filter, limit: 50, ...(cursor === undefined ? {} : { cursor }) };
      const page = await timed(times, JSON.stringify(filter), () => store.list(asked));
      found.push(...page.data.map(({ id }) => id));
      if (page.next_cursor === null) break;
      cursor = page.next_cursor;
    }
    expect(found, JSON.stringify(filter)).toEqual(expected.map(idOf));
  }
  judge(engine, times);
}

/** Rows behind the newest: of page 1,000 of 50 rows, of half of all, of nearly all. */
const DEPTHS = [50_000, 500_000, 999_000];

/** A page far behind the first, by its cursor, of every filter: it costs what the first one does. */
export async function deepPages(engine: string, store: RetainingRecordStore): Promise<void> {
  const times: Timed[] = [];
  for (const depth of DEPTHS) {
    const n = ROWS - depth;
    const cursor = writeCursor({ at: FIRST_AT + n * APART_MS, id: idOf(n) });
    for (const filter of [{}, ...VALUES]) {
      const what = `${JSON.stringify(filter)} behind ${depth}`;
      const page = await timed(times, what, () => store.list({ ...filter, limit: 50, cursor }));
      for (const { id } of page.data) expect(id < idOf(n), `${what}: ${id}`).toBe(true);
    }
    const next = await store.list({ limit: 2, cursor });
    expect(next.data.map(({ id }) => id)).toEqual([idOf(n - 1), idOf(n - 2)]);
  }
  judge(engine, times);
}

/** The newest since a moment, as somebody asks who watches. */
export async function liveTail(engine: string, store: RetainingRecordStore): Promise<void> {
  const times: Timed[] = [];
  for (let n = 0; n < 20; n += 1) {
    const from = END_AT - 60_000 + n;
    const page = await timed(times, 'the last minute', () => store.list({ from, limit: 100 }));
    expect(page.data[0]?.id).toBe(idOf(ROWS - 1));
    const failed = await timed(times, 'failed, of the last minute', () =>
      store.list({ from, status: 429, workspace: 'acme', limit: 100 }),
    );
    expect(failed.next_cursor).toBeNull();
  }
  judge(engine, times);
}
