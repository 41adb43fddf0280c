import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { REAL_CLOCK } from '../../../test/support/real-clock.ts';
import { sampleAt, sampleDraft, sampleId } from '../../../test/support/sample-draft.ts';
import { openRecordStore } from '../store-sqlite/open-record-store.ts';
import { REQUESTS_SQL } from '../store-sqlite/requests-sql.ts';
import { READER_SETUP } from '../store-sqlite/schema.ts';
import { SqlThread } from '../store-sqlite/sql-thread.ts';
import { failedRecords } from './failed-records.ts';
import type { SqlScalar } from './sql-step.ts';

let folder: string;
let thread: SqlThread;
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'understudy-failed-'));
});
afterEach(async () => {
  await thread.close();
  rmSync(folder, { recursive: true, force: true });
});

const BROKEN = { outcome: 'upstream_unavailable', status: 503 } as const;
const FINE = { upstream_calls: 1, attempts: [] };

/** So many requests, of which those of `broken` had a call that failed; equal instants in pairs. */
async function fill(count: number, broken: (n: number) => boolean): Promise<void> {
  const file = path.join(folder, 'log.db');
  const store = await openRecordStore({ path: file, queueLimit: 10_000, clock: REAL_CLOCK });
  for (let n = 1; n <= count; n += 1) {
    const at = new Date(sampleAt(Math.floor(n / 2))).toISOString();
    store.append(sampleDraft(n, { at, ...(broken(n) ? BROKEN : FINE) }));
  }
  await store.close();
  thread = new SqlThread({
    settings: { path: file, mode: 'reader', setup: READER_SETUP, migrations: [] },
    clock: REAL_CLOCK,
  });
}

async function walk(
  stepRows: number,
  goOn?: () => boolean,
): Promise<{ ids: string[]; reads: number; longest: number }> {
  let reads = 0;
  let longest = 0;
  const read = async (sql: string, params: readonly SqlScalar[]) => {
    const { rows } = await thread.call({ op: 'read', sql, params });
    reads += 1;
    longest = Math.max(longest, rows.length);
    return rows;
  };
  const ids: string[] = [];
  const query = { from: sampleAt(0), to: sampleAt(10_000) };
  for await (const { id } of failedRecords(REQUESTS_SQL, read, query, { stepRows, goOn })) ids.push(id);
  return { ids, reads, longest };
}

describe('D-12: failed requests among many', () => {
  it.each([1, 7, 10, 30, 31, 1000])('in steps of %i rows none is left out and none comes twice', async (stepRows) => {
    await fill(30, (n) => n % 4 === 0 || n < 4);
    const expected = [28, 24, 20, 16, 12, 8, 4, 3, 2, 1].map(sampleId);
    expect((await walk(stepRows)).ids).toEqual(expected);
  });

  it('where they are rare each read ends after its step; where all are, a page at a time is held', async () => {
    await fill(450, (n) => n === 449);
    expect(await walk(100)).toMatchObject({ ids: [sampleId(449)], longest: 1 });
  });

  it('D-12: it ends where its asker has had enough, though it has found nothing to be asked about', async () => {
    await fill(450, (n) => n === 1);
    let asked = 0;
    const { ids, reads } = await walk(50, () => {
      asked += 1;
      return asked <= 5;
    });
    expect([ids, reads]).toEqual([[], 5]);
  });

  it('O-2: a page at a time is held, however many there are', async () => {
    await fill(450, () => true);
    const { ids, longest } = await walk(1000);
    expect([ids.length, longest]).toEqual([450, 100]);
  });
});
