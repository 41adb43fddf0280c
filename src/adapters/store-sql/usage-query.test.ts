import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { REAL_CLOCK } from '../../../test/support/real-clock.ts';
import { plainDraft, sampleAt } from '../../../test/support/sample-draft.ts';
import type { RecordDraft } from '../../core/record.ts';
import type { RetainingRecordStore, UsageQuery } from '../../ports/record-store.ts';
import { openRecordStore } from '../store-sqlite/open-record-store.ts';
import { REQUESTS_SQL } from '../store-sqlite/requests-sql.ts';
import { STEP_ROWS, stepEnd, stepSums } from './usage-query.ts';

let folder: string;
let store: RetainingRecordStore;
beforeEach(async () => {
  folder = mkdtempSync(path.join(tmpdir(), 'understudy-usage-'));
  store = await openRecordStore({ path: path.join(folder, 'log.db'), queueLimit: 100_000, clock: REAL_CLOCK });
});
afterEach(async () => {
  await store.close();
  rmSync(folder, { recursive: true, force: true });
});

const tokens = (input: number | null, output: number | null) => ({
  usage: { input_tokens: input, output_tokens: output, cached_tokens: null, reasoning_tokens: null },
});
const ALL = { from: sampleAt(0), to: sampleAt(1_000_000) };
const add = (n: number, change: Partial<RecordDraft>) => store.append(plainDraft(n, change));
const rows = async (query: Partial<UsageQuery>) =>
  (await store.usage({ by: 'key', ...ALL, ...query })).map((row) => Object.values(row));

describe('usage of the log', () => {
  beforeEach(() => {
    add(1, { key: 'dev', ...tokens(10, 5), cost_nano_usd: 1000, waste_nano_usd: 7 });
    add(2, { key: 'dev', ...tokens(20, null), cost_nano_usd: null, waste_nano_usd: 0 });
    add(3, { key: 'dev', outcome: 'client_error', status: 400, usage: null, cost_nano_usd: null, served_model: null });
    add(4, { key: 'other', workspace: 'beta', ...tokens(1, 2), cost_nano_usd: 3, waste_nano_usd: null });
    add(5, {
      key: null,
      outcome: 'client_error',
      usage: null,
      cost_nano_usd: null,
      requested_model: null,
      served_model: null,
    });
  });

  it('O-1: sums requests, failures, tokens, cost and waste by key; what nobody knows is counted apart', async () => {
    expect(await rows({})).toEqual([
      [null, 1, 1, 0, 0, 0, 30, 0, 2, 0],
      ['dev', 3, 1, 30, 5, 1000, 37, 1, 6, 0],
      ['other', 1, 0, 1, 2, 3, 0, 0, 2, 0],
    ]);
  });

  it('D-7: counts upstream calls and clients’ own repeats by key', async () => {
    add(6, { key: 'stacked', upstream_calls: 4 });
    for (const count of [1, 2]) {
      add(6 + count, {
        key: 'stacked',
        upstream_calls: 3,
        client_retry: { count, how: 'header', upstream_calls: 4 + 3 * count },
      });
    }
    const stacked = (await store.usage({ by: 'key', ...ALL })).find(({ name }) => name === 'stacked');
    expect(stacked).toMatchObject({ requests: 3, upstream_calls: 10, client_retries: 2 });
  });

  it('O-1: by workspace and by the model that served, else the one asked for', async () => {
    expect((await rows({ by: 'workspace' })).map(([name, requests]) => [name, requests])).toEqual([
      ['acme', 4],
      ['beta', 1],
    ]);
    expect((await rows({ by: 'model' })).map(([name, requests]) => [name, requests])).toEqual([
      [null, 1],
      ['openai/gpt-5-nano', 4],
    ]);
  });

  it('O-1: from is inside the time asked for, to is not; one workspace alone', async () => {
    const counted = async (query: Partial<UsageQuery>) => (await rows(query)).map(([name, count]) => [name, count]);
    expect(await counted({ from: sampleAt(2), to: sampleAt(4) })).toEqual([['dev', 2]]);
    expect(await counted({ workspace: 'beta' })).toEqual([['other', 1]]);
    expect(await counted({ workspace: 'beta', to: sampleAt(4) })).toEqual([]);
    expect(await counted({ from: sampleAt(9) })).toEqual([]);
  });

  it('G-8: the list of requests keeps to one workspace', async () => {
    const { data } = await store.list({ workspace: 'beta', limit: 10 });
    expect(data.map(({ key }) => key)).toEqual(['other']);
  });
});

describe('steps', () => {
  it('O-1: more rows than one step holds, many at the same moment, are counted once each', async () => {
    const at = new Date(sampleAt(0)).toISOString();
    const extra = STEP_ROWS + 500;
    for (let n = 0; n < extra; n += 1) add(n, { at, key: n % 2 === 0 ? 'even' : 'odd', cost_nano_usd: 1 });
    await store.flush();
    expect((await rows({})).map(([name, count, , , , cost]) => [name, count, cost])).toEqual([
      ['even', extra / 2, extra / 2],
      ['odd', extra / 2, extra / 2],
    ]);
  });

  it('O-2: a step begins where the one before ended', () => {
    const query = { by: 'key', ...ALL, workspace: 'w' } as const;
    expect(stepEnd(query, null).params).toEqual(['w', ALL.from, ALL.to]);
    const sums = stepSums(REQUESTS_SQL, query, { at: 5, id: 'a' }, { at: 6, id: 'b' });
    expect(sums.params).toEqual(['w', 5, 'a', ALL.to, 6, 'b']);
    expect(sums.sql.match(/\?/g)).toHaveLength(sums.params.length);
  });
});
