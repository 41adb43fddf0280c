import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Worker } from 'node:worker_threads';
import Database from 'libsql';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { layout, optionsOf } from '../../../sim/virtual/layout.ts';
import { REAL_CLOCK } from '../../../test/support/real-clock.ts';
import {
  plainDraft,
  SAMPLE_NAMES,
  sampleAt,
  sampleAttempt,
  sampleDraft,
  sampleId,
} from '../../../test/support/sample-draft.ts';
import { Secret } from '../../config/snapshot.ts';
import type { FailoverOptions } from '../../core/failover/options.ts';
import { type Json, setupToJson } from '../../core/failover/replay.ts';
import { splitSetup } from '../../core/failover/split-setup.ts';
import type { RecordDraft } from '../../core/record.ts';
import type { RequestFilter, RetainingRecordStore } from '../../ports/record-store.ts';
import { openRecordStore, type RecordStoreOptions, RecordStoreUnusable } from './open-record-store.ts';
import type { StartWorker } from './sql-thread.ts';

let folder: string;
let file: string;
let open: RetainingRecordStore[];

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'understudy-records-'));
  file = path.join(folder, 'records.db');
  open = [];
});
afterEach(async () => {
  await Promise.all(open.map((store) => store.close()));
  rmSync(folder, { recursive: true, force: true });
});

async function start(change: Partial<RecordStoreOptions> = {}): Promise<RetainingRecordStore> {
  const store = await openRecordStore({ path: file, queueLimit: 10_000, clock: REAL_CLOCK, ...change });
  open.push(store);
  return store;
}

/** Starts threads and keeps them, so that a test can kill one. */
function threads(): { readonly started: Worker[]; readonly startWorker: StartWorker } {
  const started: Worker[] = [];
  return {
    started,
    startWorker(url, options) {
      const worker = new Worker(url, options);
      started.push(worker);
      return worker;
    },
  };
}

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resolve) => setTimeout(resolve, 5));
}

/** Every id by walking the pages. */
async function allIds(store: RetainingRecordStore, filter: Partial<RequestFilter> = {}): Promise<string[]> {
  const ids: string[] = [];
  let cursor: string | undefined;
  do {
    const page = await store.list({ limit: 500, ...filter, ...(cursor === undefined ? {} : { cursor }) });
    ids.push(...page.data.map((one) => one.id));
    cursor = page.next_cursor ?? undefined;
  } while (cursor !== undefined);
  return ids;
}

describe('a record in and out', () => {
  it('O-1: a name of a megabyte is cut; a record stays small whatever the client sent', async () => {
    const store = await start();
    store.append(plainDraft(1, { requested_model: 'm'.repeat(1_000_000), chain: [], attempts: [] }));
    const record = await store.get(sampleId(1));
    expect(record?.requested_model).toBe(`${'m'.repeat(256)}…`);
    expect(await allIds(store, { model: `${'m'.repeat(256)}…` })).toEqual([sampleId(1)]);
    await store.close();
    expect(statSync(file).size).toBeLessThan(200_000);
  });

  it('E-5: a secret object handed over by mistake is not in the files', async () => {
    const store = await start();
    store.append(sampleDraft(1, { events: [{ credential: new Secret('sk-very-secret-0123456789') }] }));
    store.append(sampleDraft(2, { events: [{ credential: new Secret('sk-very-secret-0123456789'), f: () => 1 }] }));
    await store.flush();
    const bytes = readdirSync(folder).map((name) => readFileSync(path.join(folder, name)).toString('latin1'));
    expect(bytes.join('')).toContain(sampleId(2));
    expect(bytes.join('')).not.toMatch(/very-secret|0123456789/);
  });

  it('G-9: only the owner can read the files', async () => {
    const store = await start();
    store.append(sampleDraft(1));
    await store.flush();
    for (const name of readdirSync(folder)) expect(statSync(path.join(folder, name)).mode & 0o077).toBe(0);
  });
});

/** A draft whose run started from these options, `base` being what its key has. */
function draftWith(n: number, base: FailoverOptions, options: FailoverOptions = base): RecordDraft {
  return plainDraft(n, { setup: splitSetup(setupWith(n, options), base, false) });
}

function setupWith(n: number, options: FailoverOptions) {
  const usual = { keyed: false, actsUpstream: false, attemptOffset: 0 };
  return { plan: layout('a:A1,B1'), options, now: n + 0.5, ...usual };
}

/** As it is shown. */
function shownSetup(n: number, options: FailoverOptions): Json {
  return JSON.parse(JSON.stringify(setupToJson(setupWith(n, options)))) as Json;
}

/** Setup parts in the file: [id, wall ms of use]. */
function storedParts(): [string, number][] {
  const db = new Database(file);
  const rows = db.prepare('SELECT id, used_at FROM setup_parts ORDER BY used_at').raw().all() as [string, number][];
  db.close();
  return rows;
}

/** Rows that refer to a part which is not in the file: there must never be any. */
function danglingRows(): string[] {
  const db = new Database(file);
  const rows = db
    .prepare(
      `SELECT requests.id FROM requests, json_each(detail, '$.setup.shared') AS part
       WHERE part.type = 'text' AND part.value NOT IN (SELECT id FROM setup_parts)`,
    )
    .raw()
    .all() as [string][];
  db.close();
  return rows.map(([id]) => id);
}

const DAY = 86_400_000;

describe('setups', () => {
  it('O-1: come back whole; what they share is stored once per content, whoever uses it', async () => {
    const store = await start();
    const base = optionsOf({ maxCostNanoUsd: 5n });
    const twin = optionsOf({ maxCostNanoUsd: 5n });
    const own = { ...base, timeoutMs: 1234, policy: 'strict' as const, table: optionsOf({ policy: 'strict' }).table };
    for (let n = 0; n < 50; n += 1) store.append(draftWith(n, n % 2 === 0 ? base : twin));
    store.append(draftWith(50, base, own));
    expect((await store.get(sampleId(7)))?.setup).toEqual(shownSetup(7, twin));
    expect((await store.get(sampleId(50)))?.setup).toEqual(shownSetup(50, own));
    expect(storedParts()).toHaveLength(2);
    expect(danglingRows()).toEqual([]);
    await store.close();
    const again = await start();
    expect((await again.get(sampleId(8)))?.setup).toEqual(shownSetup(8, base));
    again.append(draftWith(51, optionsOf({ maxCostNanoUsd: 5n })));
    await again.flush();
    expect(storedParts()).toHaveLength(2);
  });

  it('O-1: requests with options of their own leave one row each, and no part', async () => {
    const store = await start();
    const base = optionsOf();
    for (let n = 0; n < 500; n += 1) store.append(draftWith(n, base, { ...base, timeoutMs: 1000 + n }));
    await store.flush();
    expect(storedParts()).toHaveLength(1);
    expect((await store.get(sampleId(499)))?.setup).toEqual(shownSetup(499, { ...base, timeoutMs: 1499 }));
  });

  it('O-1: more kinds of options than are held: each record finds its own', async () => {
    const store = await start();
    const kinds = Array.from({ length: 600 }, (_, ix) => optionsOf({ timeoutMs: 1000 + ix }));
    for (const round of [0, 1, 2, 3]) {
      for (const [n, options] of kinds.entries()) store.append(draftWith(round * 600 + n, options));
      await store.flush();
    }
    expect(danglingRows()).toEqual([]);
    expect(storedParts()).toHaveLength(600);
    for (const n of [0, 255, 256, 599, 600, 1199, 1800, 2399]) {
      expect((await store.get(sampleId(n)))?.setup).toEqual(shownSetup(n, kinds[n % 600]!));
    }
  });

  it('O-2: are there after a disk in trouble, a killed thread and a new file, before any row that refers to them', async () => {
    const { started, startWorker } = threads();
    const store = await start({ startWorker });
    const [first, second, third] = [1, 2, 3].map((ix) => optionsOf({ timeoutMs: 1000 * ix })) as [
      FailoverOptions,
      FailoverOptions,
      FailoverOptions,
    ];
    store.append(draftWith(1, first));
    await store.flush();
    const other = new Database(file);
    other.exec('BEGIN EXCLUSIVE');
    store.append(draftWith(2, second));
    await until(() => store.problem !== null);
    other.exec('ROLLBACK');
    other.close();
    await store.flush();
    expect((await store.get(sampleId(2)))?.setup).toEqual(shownSetup(2, second));

    await started[0]?.terminate();
    store.append(draftWith(3, third));
    await store.flush();
    await until(() => store.problem === null);
    await store.flush();
    expect((await store.get(sampleId(3)))?.setup).toEqual(shownSetup(3, third));
    expect(danglingRows()).toEqual([]);

    for (const name of readdirSync(folder)) rmSync(path.join(folder, name));
    store.append(draftWith(4, first));
    await store.flush();
    store.append(draftWith(5, third));
    await store.flush();
    expect(danglingRows()).toEqual([]);
    expect((await store.get(sampleId(4)))?.setup).toEqual(shownSetup(4, first));
    expect((await store.get(sampleId(5)))?.setup).toEqual(shownSetup(5, third));
  });

  it('O-2: with a disk that takes nothing, many kinds of options wait without filling memory, and lose nothing', async () => {
    const store = await start();
    const other = new Database(file);
    other.exec('BEGIN EXCLUSIVE');
    for (let n = 0; n < 400; n += 1) store.append(draftWith(n, optionsOf({ timeoutMs: 1000 + n })));
    other.exec('ROLLBACK');
    other.close();
    await store.flush();
    await until(() => store.problem === null);
    await store.flush();
    expect(danglingRows()).toEqual([]);
    expect(storedParts()).toHaveLength(256);
    expect((await store.get(sampleId(399)))?.setup).toEqual(shownSetup(399, optionsOf({ timeoutMs: 1399 })));
  });

  it('O-1: rows of older versions, with their setup inside or none, are read as before', async () => {
    const store = await start();
    store.append(plainDraft(1));
    store.append(plainDraft(2));
    await store.close();
    const whole = shownSetup(1, optionsOf());
    const db = new Database(file);
    db.prepare("UPDATE requests SET detail = json_set(detail, '$.setup', json(?)) WHERE id = ?").run([
      JSON.stringify(whole),
      sampleId(1),
    ]);
    db.prepare("UPDATE requests SET detail = json_remove(detail, '$.setup') WHERE id = ?").run([sampleId(2)]);
    db.exec(
      'DROP TABLE figures; DROP INDEX requests_by_workspace; DROP TABLE setup_parts; DROP INDEX requests_by_virtual; ALTER TABLE requests DROP COLUMN virtual_model; PRAGMA user_version = 1',
    );
    db.close();
    const again = await start();
    expect((await again.get(sampleId(1)))?.setup).toEqual(whole);
    expect((await again.get(sampleId(2)))?.setup).toBeNull();
    again.append(draftWith(3, optionsOf()));
    expect((await again.get(sampleId(3)))?.setup).toEqual(shownSetup(3, optionsOf()));
    // The overview says from when on it counts: until they are pruned.
    const { since, totals } = await again.overview({ from: sampleAt(0), to: sampleAt(9) });
    expect([totals.requests, Math.abs(Date.parse(since!) - Date.now()) < 600_000]).toEqual([1, true]);
    await again.prune(Date.now() + DAY);
    expect((await again.overview({ from: sampleAt(0), to: sampleAt(9) })).since).toBeNull();
  });
});

describe('volume and overflow', () => {
  it('O-2: close leaves one file, nothing under way, and nothing is taken any more', async () => {
    const store = await start();
    store.registerSnapshot(SAMPLE_NAMES);
    store.append(sampleDraft(0));
    await store.list({ limit: 1 });
    await Promise.all([store.close(), store.close()]);
    expect(readdirSync(folder)).toEqual(['records.db']);
    store.registerSnapshot({ ...SAMPLE_NAMES, version: 4 });
    await store.flush();
    await expect(store.list({ limit: 1 })).rejects.toMatchObject({ error: { code: 'store_unavailable' } });
    expect(store.append(sampleDraft(1))).toBe(false);
    expect(store.dropped).toBe(1);
  });
});

describe('trouble', () => {
  it('O-2: a full disk costs no record: counted as a problem, written once there is room', async () => {
    const problems: (string | null)[] = [];
    const store = await start({ maxBytes: 1_060_000, onProblem: (problem) => problems.push(problem) });
    for (let n = 0; n < 600; n += 1) store.append(sampleDraft(n));
    await store.flush();
    expect(store.problem).toMatch(/disk is full/);
    const written = (await allIds(store)).length;
    expect(written).toBeLessThan(600);
    expect(store.append(sampleDraft(600))).toBe(true);
    await store.prune(sampleAt(200));
    await store.flush();
    expect(store.problem).toBeNull();
    expect(store.dropped).toBe(0);
    expect(await allIds(store)).toEqual(Array.from({ length: 401 }, (_, ix) => sampleId(600 - ix)));
    expect(problems.at(-1)).toBeNull();
  });

  it('O-2: a file that cannot be opened is tried again until it can', async () => {
    const store = await start();
    store.append(sampleDraft(1));
    await store.flush();
    renameSync(file, `${file}.away`);
    mkdirSync(file);
    store.append(sampleDraft(2));
    await store.flush();
    expect(store.problem).toMatch(/cannot be opened/);
    await expect(store.list({ limit: 10 })).rejects.toMatchObject({
      error: { code: 'store_unavailable', status: 503 },
    });
    rmSync(file, { recursive: true });
    renameSync(`${file}.away`, file);
    await until(() => store.problem === null);
    expect(await allIds(store)).toEqual([sampleId(2), sampleId(1)]);
  });

  it('O-2: a log file that was deleted under the gateway is made anew, names included', async () => {
    const store = await start();
    store.registerSnapshot(SAMPLE_NAMES);
    store.append(sampleDraft(1));
    await store.flush();
    for (const name of readdirSync(folder)) rmSync(path.join(folder, name));
    store.append(sampleDraft(2));
    await store.flush();
    store.append(sampleDraft(3));
    await store.flush();
    expect(await allIds(store)).toEqual([sampleId(3), sampleId(2)]);
    expect((await store.get(sampleId(2)))?.candidates[0]?.model).toBe('openai/gpt-5-nano');
  });

  it('O-2: a killed thread is noticed, told and started again; no record is lost or doubled', async () => {
    const { started, startWorker } = threads();
    const problems: (string | null)[] = [];
    const store = await start({ startWorker, onProblem: (problem) => problems.push(problem) });
    for (let n = 0; n < 1000; n += 1) store.append(sampleDraft(n));
    void started[0]?.terminate();
    for (let n = 1000; n < 2000; n += 1) store.append(sampleDraft(n));
    await until(() => started.length > 1 && store.problem === null);
    await store.flush();
    expect(problems[0]).toMatch(/thread ended/);
    expect(store.dropped).toBe(0);
    expect(await allIds(store)).toEqual(Array.from({ length: 2000 }, (_, ix) => sampleId(1999 - ix)));
  });

  it('O-2: an idle thread that dies is noticed too', async () => {
    const { started, startWorker } = threads();
    const problems: (string | null)[] = [];
    const store = await start({ startWorker, onProblem: (problem) => problems.push(problem) });
    await started[0]?.terminate();
    await until(() => problems.length === 2);
    expect(problems).toEqual([expect.stringMatching(/thread ended/), null]);
    expect(started).toHaveLength(2);
    store.append(sampleDraft(1));
    expect(await store.get(sampleId(1))).not.toBeNull();
  });

  it('O-2: a batch that kills every thread is given up row by row, and the rest is written', async () => {
    let broken = true;
    const started: Worker[] = [];
    const startWorker: StartWorker = (url, options) => {
      const worker = new Worker(url, options);
      const post = worker.postMessage.bind(worker);
      worker.postMessage = (message: unknown) => {
        if (broken && JSON.stringify(message, (_k, v: unknown) => v).includes(sampleId(2))) void worker.terminate();
        else post(message);
      };
      started.push(worker);
      return worker;
    };
    const quick = { ...REAL_CLOCK, after: (ms: number, callback: () => void) => REAL_CLOCK.after(ms / 100, callback) };
    const store = await start({ startWorker, clock: quick });
    for (const n of [1, 2, 3]) store.append(sampleDraft(n));
    await until(() => store.dropped === 1);
    broken = false;
    await store.flush();
    await until(() => store.problem === null);
    expect(await allIds(store)).toEqual([sampleId(3), sampleId(1)]);
  });

  it('O-2: a reader that was killed answers again on the next question', async () => {
    const { started, startWorker } = threads();
    const store = await start({ startWorker });
    store.append(sampleDraft(1));
    expect(await allIds(store)).toHaveLength(1);
    await started[1]?.terminate();
    expect(await allIds(store)).toHaveLength(1);
    expect(store.problem).toBeNull();
  });

  it('O-2: closing while the disk is full ends, and counts what was left', async () => {
    const store = await start({ maxBytes: 400_000 });
    for (let n = 0; n < 600; n += 1) store.append(sampleDraft(n));
    await store.close();
    const db = new Database(file);
    const [[written]] = db.prepare('SELECT count(*) FROM requests').raw().all() as [[number]];
    db.close();
    expect(store.dropped).toBe(600 - written);
    expect(store.dropped).toBeGreaterThan(0);
  });
});

describe('opening', () => {
  it('H-5: a file that is no database is refused in plain words', async () => {
    writeFileSync(
      file,
      'not a database, but long enough to look at, and then some more text to make sure of it. '.repeat(20),
    );
    const attempt = openRecordStore({ path: file, queueLimit: 10, clock: REAL_CLOCK });
    await expect(attempt).rejects.toThrow(RecordStoreUnusable);
    await expect(attempt).rejects.toThrow(/records\.db cannot be used: the file is damaged, or no SQLite file/);
  });

  it('H-5: a file of a newer version is refused and left alone', async () => {
    await (await start()).close();
    const db = new Database(file);
    db.exec('PRAGMA user_version = 4000');
    db.close();
    const attempt = openRecordStore({ path: file, queueLimit: 10, clock: REAL_CLOCK });
    await expect(attempt).rejects.toThrow(/newer version \(schema 4000/);
  });

  it('H-5: a thread that can not start is refused, and not started again and again', async () => {
    const started: Worker[] = [];
    const startWorker: StartWorker = () => {
      const worker = new Worker('throw new Error("no such module: libsql")', { eval: true });
      started.push(worker);
      return worker;
    };
    const quick = { ...REAL_CLOCK, after: (ms: number, callback: () => void) => REAL_CLOCK.after(ms / 100, callback) };
    const attempt = openRecordStore({ path: file, queueLimit: 10, clock: quick, startWorker });
    await expect(attempt).rejects.toThrow(/cannot be used: .*no such module: libsql/);
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(started).toHaveLength(1);
  });

  it('H-5: a folder that is not there is named', async () => {
    const attempt = openRecordStore({ path: path.join(folder, 'no', 'r.db'), queueLimit: 10, clock: REAL_CLOCK });
    await expect(attempt).rejects.toThrow(/cannot be opened/);
  });

  it('H-5: a busy file does not keep the gateway from starting; the log follows when it is free', async () => {
    await (await start()).close();
    const other = new Database(file);
    other.exec('PRAGMA user_version = 0; BEGIN EXCLUSIVE');
    const store = await start();
    expect(store.problem).toMatch(/another process holds the file/);
    expect(store.append(sampleDraft(1))).toBe(true);
    other.exec('ROLLBACK');
    other.exec('DROP TABLE requests; DROP TABLE snapshots; DROP TABLE setup_parts; DROP TABLE figures');
    other.close();
    await until(() => store.problem === null);
    expect(await allIds(store)).toEqual([sampleId(1)]);
  });
});

describe('retention', () => {
  it('O-1: prune deletes what is older, keeps the rest, and gives space back', async () => {
    const store = await start();
    store.registerSnapshot(SAMPLE_NAMES);
    for (let n = 0; n < 3000; n += 1) store.append(sampleDraft(n));
    await store.flush();
    const pages = () => {
      const db = new Database(file);
      const [[count]] = db.prepare('PRAGMA page_count').raw().all() as [[number]];
      db.close();
      return count;
    };
    const before = pages();
    expect(await store.prune(sampleAt(2900))).toBe(2900);
    expect(pages()).toBeLessThan(before / 2);
    expect(await allIds(store)).toHaveLength(100);
    expect((await store.get(sampleId(2999)))?.candidates[0]?.model).toBe('openai/gpt-5-nano');
    expect(await store.prune(sampleAt(0))).toBe(0);
  });

  it('O-1: names of a retired snapshot go once their records are gone, the current ones never', async () => {
    let wall = sampleAt(0);
    const store = await start({ clock: { ...REAL_CLOCK, wall: () => wall } });
    store.registerSnapshot(SAMPLE_NAMES);
    store.append(sampleDraft(1));
    await store.flush();
    store.registerSnapshot({ ...SAMPLE_NAMES, version: 4, models: ['new/a', 'new/b'] });
    store.append(sampleDraft(2, { snapshotVersion: 4, attempts: [sampleAttempt(1)] }));
    await store.flush();
    wall += 1_000_000_000;
    const names = () => {
      const db = new Database(file);
      const rows = db.prepare('SELECT names FROM snapshots').raw().all() as [string][];
      db.close();
      return rows.map(([text]) => (JSON.parse(text) as { models: string[] }).models[0]);
    };
    expect(names().sort()).toEqual(['new/a', 'openai/gpt-5-nano']);
    await store.prune(sampleAt(2) + 86_400_000);
    expect(names()).toHaveLength(2);
    await store.prune(wall);
    expect(names()).toEqual(['new/a']);
  });

  it('O-1: what setups share goes once the records are gone, never while one of them is left', async () => {
    let wall = sampleAt(0);
    const store = await start({ clock: { ...REAL_CLOCK, wall: () => wall } });
    const [old, used] = [optionsOf({ timeoutMs: 1000 }), optionsOf({ timeoutMs: 2000 })];
    const atWall = (draft: RecordDraft): RecordDraft => ({ ...draft, at: new Date(wall).toISOString() });
    store.append(atWall(draftWith(0, old)));
    for (let n = 1; n <= 40; n += 1) {
      store.append(atWall(draftWith(n, used)));
      await store.flush();
      wall += DAY / 4;
    }
    expect(storedParts()).toHaveLength(2);
    // Nine and three quarter days: the part in use was stamped each day, the other one never again.
    expect(storedParts().map(([, usedAt]) => usedAt)).toEqual([sampleAt(0), sampleAt(0) + 9 * DAY]);
    for (let days = 1; days <= 10; days += 1) {
      await store.prune(sampleAt(0) + days * DAY);
      expect(danglingRows()).toEqual([]);
      expect(storedParts()).toHaveLength(days <= 2 ? 2 : 1);
    }
    store.append(atWall(draftWith(41, old)));
    await store.flush();
    expect((await store.get(sampleId(41)))?.setup).toEqual(shownSetup(41, old));
  });

  it('O-1: emptied altogether, the log has what the next record refers to', async () => {
    const store = await start();
    const options = optionsOf();
    store.append(draftWith(1, options));
    await store.flush();
    await store.prune(REAL_CLOCK.wall() + 10 * DAY);
    expect(storedParts()).toEqual([]);
    store.append(draftWith(2, options));
    expect((await store.get(sampleId(2)))?.setup).toEqual(shownSetup(2, options));
  });
});
