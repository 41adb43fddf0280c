/**
 * One process per data folder (H-5). The lock is the operating system's, held through SQLite's exclusive lock on a small
 * file: it ends with the process however that ends, so there is no stale lock to recognise and no process number that
 * another process could have got since. The number in the file beside it is for the message only.
 */
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import path from 'node:path';
import Database from 'libsql';

/** A folder held by this process. */
export interface DataDirLock {
  /** Absolute path of the folder. */
  readonly dir: string;
  /** Gives the folder free; more than once does nothing. */
  release(): void;
}

/** The folder can't be used: `held` by another process, or `unusable`. The message says why and what to do. */
export class DataDirError extends Error {
  readonly kind: 'held' | 'unusable';
  constructor(kind: 'held' | 'unusable', message: string) {
    super(message);
    this.kind = kind;
  }
}

type Connection = InstanceType<typeof Database>;

const LOCK_FILE = 'understudy.lock';
const HOLDER_FILE = 'understudy.pid';
/** More than the lock and a first page of the database need: a folder with less is full. */
const PROBE_BYTES = 65_536;

/** Connections that hold a lock: one that was collected as garbage would give its lock away. */
const held = new Set<Connection>();

/**
 * Makes the folder if need be, checks that it can be written, and locks it for this process. Throws `DataDirError`.
 * Blocks: for the start of the process only.
 */
export function lockDataDir(folder: string): DataDirLock {
  const dir = path.resolve(folder);
  checkUsable(dir);
  const connection = lock(dir);
  held.add(connection);
  const holder = path.join(dir, HOLDER_FILE);
  try {
    const text = JSON.stringify({ pid: process.pid, host: hostname(), since: new Date().toISOString() });
    writeFileSync(`${holder}.new`, text, { mode: 0o600 });
    renameSync(`${holder}.new`, holder);
  } catch (error) {
    held.delete(connection);
    connection.close();
    throw unusable(dir, error);
  }
  return {
    dir,
    release() {
      if (!held.delete(connection)) return;
      removeIfThere(holder);
      connection.close();
    },
  };
}

/** Whether a process holds the folder now. Changes nothing. */
export function isHeld(folder: string): boolean {
  const file = path.join(path.resolve(folder), LOCK_FILE);
  if (!existsSync(file)) return false;
  const connection = new Database(file);
  try {
    connection.exec('PRAGMA busy_timeout = 0');
    connection.prepare('SELECT count(*) FROM sqlite_master').raw().all();
    return false;
  } catch (error) {
    return /^SQLITE_(BUSY|LOCKED)/.test(codeOf(error));
  } finally {
    connection.close();
  }
}

/** Writes and removes a file: permissions, read-only mounts and full disks all show that way, for root too. */
function checkUsable(dir: string): void {
  const probe = path.join(dir, `.probe-${process.pid}`);
  try {
    makeDir(dir);
    if (!statSync(dir).isDirectory()) throw Object.assign(new Error('not a directory'), { code: 'ENOTDIR' });
    writeFileSync(probe, Buffer.alloc(PROBE_BYTES), { flush: true });
  } catch (error) {
    throw unusable(dir, error);
  } finally {
    removeIfThere(probe);
  }
}

/** What stopped the writing is the error worth telling, not that there is nothing to remove. */
function removeIfThere(file: string): void {
  try {
    rmSync(file, { force: true });
  } catch {
    // Nothing was written.
  }
}

/** Parents first, by hand: Node's own `recursive` never ends where the kernel denies a folder with ENOENT (/proc). */
function makeDir(dir: string): void {
  if (existsSync(dir)) return;
  const parent = path.dirname(dir);
  if (parent !== dir) makeDir(parent);
  try {
    mkdirSync(dir, { mode: 0o700 });
  } catch (error) {
    // Another process starting on the same folder was quicker; the lock decides which of us may stay.
    if (codeOf(error) !== 'EEXIST') throw error;
  }
}

function lock(dir: string): Connection {
  const file = path.join(dir, LOCK_FILE);
  let connection: Connection | null = null;
  try {
    writeFileSync(file, '', { flag: 'a', mode: 0o600 });
    connection = new Database(file);
    connection.exec('PRAGMA busy_timeout = 0');
    connection.exec('BEGIN EXCLUSIVE');
    return connection;
  } catch (error) {
    connection?.close();
    const code = codeOf(error);
    if (/^SQLITE_(BUSY|LOCKED)/.test(code)) throw new DataDirError('held', heldMessage(dir));
    if (/^SQLITE_(NOTADB|CORRUPT)/.test(code)) {
      const message = `The data folder ${dir} cannot be locked: ${file} is not a lock file. Remove it and start again.`;
      throw new DataDirError('unusable', message);
    }
    throw unusable(dir, error);
  }
}

function heldMessage(dir: string): string {
  const advice = 'Stop that process, or choose another folder with --data.';
  try {
    const { pid, host, since } = JSON.parse(readFileSync(path.join(dir, HOLDER_FILE), 'utf8')) as Record<
      string,
      unknown
    >;
    const where = host === hostname() ? '' : ` on ${String(host)}`;
    return `Another Understudy (process ${String(pid)}${where}, since ${String(since)}) uses the data folder ${dir}. ${advice}`;
  } catch {
    // It holds the lock and has not written its number yet.
    return `Another Understudy uses the data folder ${dir}. ${advice}`;
  }
}

const REASONS: Readonly<Record<string, string>> = {
  EACCES: 'it may not be written by this user',
  EPERM: 'it may not be written by this user',
  EROFS: 'it lies on a read-only file system',
  ENOTDIR: 'it is not a directory',
  EEXIST: 'it is not a directory',
  ENOSPC: 'there is no space left on its disk',
  EDQUOT: 'the disk quota is used up',
  SQLITE_FULL: 'there is no space left on its disk',
  SQLITE_READONLY: 'it may not be written by this user',
  ENAMETOOLONG: 'its name is too long',
  ELOOP: 'it is a link to itself',
};

function unusable(dir: string, error: unknown): DataDirError {
  const code = codeOf(error);
  const reason = REASONS[code] ?? (error instanceof Error ? error.message : String(error));
  const message = `The data folder ${dir} cannot be used: ${reason}. Choose another one with --data.`;
  return new DataDirError('unusable', message);
}

function codeOf(error: unknown): string {
  const code = (error as { code?: unknown } | null)?.code;
  return typeof code === 'string' ? code : '';
}
