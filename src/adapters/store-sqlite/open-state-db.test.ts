import { chmodSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Worker } from 'node:worker_threads';
import Database from 'libsql';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { REAL_CLOCK } from '../../../test/support/real-clock.ts';
import { StateStoreUnavailable } from '../../ports/object-store.ts';
import { isUnmet } from '../store-sql/fault.ts';
import type { StateDb } from '../store-sql/state-db.ts';
import { openStateDb, type StateDbOptions, StateDbUnusable } from './open-state-db.ts';

let folder: string;
let file: string;
let open: StateDb[];

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'understudy-state-'));
  file = path.join(folder, 'state.db');
  open = [];
});
afterEach(async () => {
  await Promise.all(open.map((db) => db.close()));
  rmSync(folder, { recursive: true, force: true });
});

async function start(change: Partial<StateDbOptions> = {}): Promise<StateDb> {
  const db = await openStateDb({ path: file, clock: REAL_CLOCK, ...change });
  open.push(db);
  return db;
}

const INSERT = 'INSERT INTO reservations (attempt_id, workspace, amount, at) VALUES (?, ?, ?, ?)';
const AMOUNTS = 'SELECT attempt_id, CAST(amount AS TEXT) FROM reservations ORDER BY attempt_id';
const reserve = (id: string, amount = '1') => ({ sql: INSERT, rows: [[id, 'acme', amount, 0]] });

describe('the state', () => {
  it('H-5: what a write answered is there after a restart, to the nano-dollar', async () => {
    const first = await start();
    expect(await first.write([reserve('a', '9223372036854775807'), reserve('b', '-9007199254740993')])).toEqual({
      changes: 2,
    });
    await first.close();
    expect(await (await start()).read(AMOUNTS, [])).toEqual([
      ['a', '9223372036854775807'],
      ['b', '-9007199254740993'],
    ]);
  });

  it('H-5: every commit reaches the disk: synchronous is FULL, the journal a WAL', async () => {
    const db = await start();
    expect(await db.read('PRAGMA synchronous', [])).toEqual([[2]]);
    expect(await db.read('PRAGMA journal_mode', [])).toEqual([['wal']]);
  });

  it('H-5: a step that changes another number of rows than expected undoes the whole transaction', async () => {
    const db = await start();
    const none = { sql: 'DELETE FROM reservations WHERE attempt_id = ?', rows: [['x']], expect: 1 };
    const refused = await db.write([reserve('a'), none]).catch((error: unknown) => error);
    expect(isUnmet(refused)).toBe(true);
    expect(await db.read(AMOUNTS, [])).toEqual([]);
    expect(db.problem).toBeNull();
  });

  it('H-5: a broken constraint is no trouble of the store', async () => {
    const db = await start();
    await db.write([reserve('a')]);
    const refused = await db.write([reserve('b'), reserve('a')]).catch((error: unknown) => error);
    expect(refused).not.toBeInstanceOf(StateStoreUnavailable);
    expect(isUnmet(refused)).toBe(false);
    expect(await db.read(AMOUNTS, [])).toEqual([['a', '1']]);
  });

  it('G-9: only its owner can read the files', async () => {
    await (await start()).write([reserve('a')]);
    expect(readdirSync(folder).length).toBeGreaterThan(1);
    for (const name of readdirSync(folder)) expect(statSync(path.join(folder, name)).mode & 0o077).toBe(0);
  });
});

describe('trouble', () => {
  it('H-5: a full disk refuses the write, says so once, and heals', async () => {
    const told: (string | null)[] = [];
    const db = await start({ maxBytes: 240_000, onProblem: (problem) => told.push(problem) });
    const many = { sql: INSERT, rows: Array.from({ length: 4000 }, (_, n) => [`id-${n}`, 'acme', 1, 0]) };
    for (let round = 0; round < 2; round += 1) {
      const refused = await db.write([many]).catch((error: unknown) => error);
      expect(refused).toBeInstanceOf(StateStoreUnavailable);
      expect((refused as Error).message).toMatch(/cannot be read or written: the disk is full/);
    }
    expect(db.problem).toMatch(/disk is full/);
    await db.write([reserve('a')]);
    expect(told).toEqual([expect.stringMatching(/disk is full/), null]);
    expect(await db.read(AMOUNTS, [])).toEqual([['a', '1']]);
  });

  it('H-5: a file that was deleted under the gateway is not made anew: nothing is written beside the truth', async () => {
    const db = await start();
    await db.write([reserve('a')]);
    renameSync(file, `${file}.away`);
    await expect(db.write([reserve('b')])).rejects.toThrow(/deleted or replaced while the gateway ran/);
    await expect(db.read(AMOUNTS, [])).rejects.toBeInstanceOf(StateStoreUnavailable);
    expect(readdirSync(folder)).not.toContain('state.db');
    renameSync(`${file}.away`, file);
    expect(await db.read(AMOUNTS, [])).toEqual([['a', '1']]);
  });

  it('H-5: another file under the same name is refused too', async () => {
    const db = await start();
    await db.write([reserve('a')]);
    renameSync(file, `${file}.away`);
    writeFileSync(file, '');
    await expect(db.write([reserve('b')])).rejects.toThrow(/deleted or replaced/);
  });

  it('H-5: the death of its thread is an answer, and the next order works', async () => {
    const threads: Worker[] = [];
    const db = await start({
      startWorker(url, options) {
        const worker = new Worker(url, options);
        threads.push(worker);
        return worker;
      },
    });
    await db.write([reserve('a')]);
    const pending = db.read(AMOUNTS, []).catch((error: unknown) => error);
    await threads[0]?.terminate();
    await pending;
    await db.write([reserve('b')]);
    expect(await db.read(AMOUNTS, [])).toHaveLength(2);
    expect(threads).toHaveLength(2);
  });

  it('H-5: a damaged file, one of a newer version, and none at all stop the start and say what to do', async () => {
    writeFileSync(file, 'this is no database. '.repeat(500));
    await expect(start()).rejects.toThrow(/damaged, or no SQLite file.*backup/);
    rmSync(file);
    const newer = new Database(file);
    newer.exec('PRAGMA user_version = 99');
    newer.close();
    await expect(start()).rejects.toThrow(/newer version.*Start the version that wrote it/);
    rmSync(file);
    mkdirSync(file);
    await expect(start()).rejects.toBeInstanceOf(StateDbUnusable);
    rmSync(file, { recursive: true });
    chmodSync(folder, 0o700);
    await expect(start({ path: path.join(folder, 'no', 'state.db') })).rejects.toThrow(/cannot be opened/);
  });
});
