import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { DataDirError, type DataDirLock, lockDataDir } from './data-dir-lock.ts';

let parent: string;
let dir: string;
let children: ChildProcess[];
let locks: DataDirLock[];

beforeEach(() => {
  parent = mkdtempSync(path.join(tmpdir(), 'understudy-lock-'));
  dir = path.join(parent, 'data');
  children = [];
  locks = [];
});
afterEach(async () => {
  for (const lock of locks) lock.release();
  await Promise.all(children.map(stop));
  rmSync(parent, { recursive: true, force: true });
});

function lockIt(): DataDirLock {
  const lock = lockDataDir(dir);
  locks.push(lock);
  return lock;
}

function failure(action: () => unknown): DataDirError {
  try {
    action();
  } catch (error) {
    if (error instanceof DataDirError) return error;
    throw error;
  }
  throw new Error('nothing was thrown');
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  child.kill('SIGKILL');
  await ended;
}

/**
 * Another process that holds the folder the way this one would: an exclusive lock on the same file, and its number
 * beside it. Plain JavaScript, as the oldest Node supported runs no TypeScript.
 */
async function otherProcess(): Promise<ChildProcess> {
  const libsql = createRequire(import.meta.url).resolve('libsql');
  const program = `
    const Database = require(${JSON.stringify(libsql)});
    const fs = require('node:fs');
    const [dir] = process.argv.slice(1);
    const db = new Database(dir + '/understudy.lock');
    try { db.exec('BEGIN EXCLUSIVE'); } catch (error) { console.log('refused ' + error.code); process.exit(1); }
    fs.writeFileSync(dir + '/understudy.pid', JSON.stringify({ pid: process.pid, host: require('node:os').hostname(), since: 'then' }));
    console.log('locked');
    setInterval(() => db.inTransaction, 1000);`;
  const child = spawn(process.execPath, ['-e', program, dir], { stdio: ['ignore', 'pipe', 'inherit'] });
  children.push(child);
  const [said] = (await once(child.stdout!, 'data')) as [Buffer];
  child.stdout!.resume();
  if (!said.toString().startsWith('locked')) throw new Error(said.toString());
  return child;
}

describe('one process per data folder', () => {
  it('H-5: makes a folder only its owner can read, and writes its number', () => {
    const lock = lockIt();
    expect(lock.dir).toBe(dir);
    expect(statSync(dir).mode & 0o077).toBe(0);
    expect(JSON.parse(readFileSync(path.join(dir, 'understudy.pid'), 'utf8'))).toMatchObject({ pid: process.pid });
  });

  it('H-5: a folder another process holds is refused, naming that process', async () => {
    lockIt().release();
    const other = await otherProcess();
    const error = failure(() => lockDataDir(dir));
    expect(error.kind).toBe('held');
    expect(error.message).toContain(`process ${other.pid}`);
    expect(error.message).toContain(dir);
  });

  it('H-5: another process is refused while this one holds the folder, and let in after release', async () => {
    const lock = lockIt();
    await expect(otherProcess()).rejects.toThrow('refused SQLITE_BUSY');
    lock.release();
    expect(existsSync(path.join(dir, 'understudy.pid'))).toBe(false);
    await otherProcess();
    expect(failure(() => lockDataDir(dir)).kind).toBe('held');
  });

  it('H-5: the lock of a process that was killed is taken over at once', async () => {
    lockIt().release();
    const other = await otherProcess();
    await stop(other);
    expect(existsSync(path.join(dir, 'understudy.pid'))).toBe(true);
    lockIt();
    expect(JSON.parse(readFileSync(path.join(dir, 'understudy.pid'), 'utf8'))).toMatchObject({ pid: process.pid });
  });

  it('H-5: a number left behind that another living process has now is no lock', () => {
    lockIt().release();
    writeFileSync(path.join(dir, 'understudy.pid'), JSON.stringify({ pid: process.ppid, host: 'here', since: 'then' }));
    expect(() => lockIt()).not.toThrow();
  });

  it('H-5: the same process is refused too, by another path as well', () => {
    lockIt();
    expect(failure(() => lockDataDir(dir)).message).toContain(`process ${process.pid}`);
    const link = path.join(parent, 'link');
    symlinkSync(dir, link);
    expect(failure(() => lockDataDir(link)).kind).toBe('held');
  });

  it('H-5: a holder without a number yet is refused without one', async () => {
    lockIt().release();
    await otherProcess();
    writeFileSync(path.join(dir, 'understudy.pid'), '');
    expect(failure(() => lockDataDir(dir)).message).toMatch(/^Another Understudy uses the data folder/);
  });

  it('H-5: the lock outlives garbage collection and other use of the folder', async () => {
    lockDataDir(dir);
    setFlagsFromString('--expose-gc');
    const collect = runInNewContext('gc') as () => void;
    for (let round = 0; round < 5; round += 1) {
      collect();
      await wait(1);
    }
    readFileSync(path.join(dir, 'understudy.pid'));
    await expect(otherProcess()).rejects.toThrow('refused SQLITE_BUSY');
  });

  it('H-5: release twice does not take the folder from its next holder', () => {
    const first = lockIt();
    first.release();
    lockIt();
    first.release();
    expect(existsSync(path.join(dir, 'understudy.pid'))).toBe(true);
    expect(failure(() => lockDataDir(dir)).kind).toBe('held');
  });
});

describe('a folder that cannot be used', () => {
  it('H-5: is a file', () => {
    writeFileSync(dir, 'x');
    expect(failure(() => lockDataDir(dir)).message).toMatch(/data cannot be used: it is not a directory\. Choose/);
    expect(failure(() => lockDataDir(path.join(dir, 'below'))).message).toContain('it is not a directory');
  });

  it('H-5: cannot be written', () => {
    // A folder of the kernel's that not even root may write into.
    const error = failure(() => lockDataDir('/proc/sys/understudy'));
    expect(error.kind).toBe('unusable');
    expect(error.message).toMatch(/^The data folder \/proc\/sys\/understudy cannot be used: /);
  });

  it('H-5: has something else where the lock belongs', () => {
    lockIt().release();
    writeFileSync(path.join(dir, 'understudy.lock'), 'this is text, not a lock. '.repeat(200));
    expect(failure(() => lockDataDir(dir)).message).toMatch(/understudy\.lock is not a lock file\. Remove it/);
  });

  it('H-5: leaves nothing behind when it is refused', () => {
    lockIt();
    failure(() => lockDataDir(dir));
    expect(existsSync(path.join(dir, `.probe-${process.pid}`))).toBe(false);
  });
});
