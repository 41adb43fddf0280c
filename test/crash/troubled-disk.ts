/** A data folder whose disk can be made full, and one whose files can't be written; where the machine allows it. */
import { execFileSync } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, readdirSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface TroubledDisk {
  readonly dataDir: string;
  /** From now on nothing can be written. */
  break(): void;
  heal(): void;
  remove(): void;
}

/** Null = not here. */
export type MakeDisk = () => TroubledDisk | null;

function run(program: string, ...args: string[]): boolean {
  try {
    execFileSync(program, args, { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

const newFolder = (): string => mkdtempSync(join(tmpdir(), 'understudy-disk-'));

/** A small file system of its own; takes the right to mount one. */
export const smallDisk: MakeDisk = () => {
  const folder = newFolder();
  if (!run('mount', '-t', 'tmpfs', '-o', 'size=12m', 'tmpfs', folder)) {
    rmSync(folder, { recursive: true });
    return null;
  }
  const filler = join(folder, 'filler');
  return {
    dataDir: join(folder, 'data'),
    break: () => fill(filler),
    heal: () => rmSync(filler, { force: true }),
    remove() {
      run('umount', '-l', folder);
      rmSync(folder, { recursive: true, force: true });
    },
  };
};

/**
 * Files that the system lets nobody change, also who has them open; takes a file system that knows this. Not the one
 * SQLite maps into memory: a page of it that can't be written ends any process, and no program can do about it.
 */
export const frozenFiles: MakeDisk = () => {
  const dataDir = newFolder();
  const state = (): string[] => readdirSync(dataDir).filter((name) => /^state\.db(-wal)?$/.test(name));
  const freeze = (flag: '+i' | '-i', names: readonly string[]): boolean =>
    run('chattr', flag, ...names.map((name) => join(dataDir, name)));
  if (!isFrozenByIt(join(dataDir, 'probe'))) {
    rmSync(dataDir, { recursive: true, force: true });
    return null;
  }
  return {
    dataDir,
    break: () => void freeze('+i', state()),
    heal: () => void freeze('-i', state()),
    remove() {
      freeze('-i', state());
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
};

function isFrozenByIt(file: string): boolean {
  const fd = openSync(file, 'w');
  try {
    if (!run('chattr', '+i', file)) return false;
    writeSync(fd, 'x');
    return false;
  } catch {
    return true;
  } finally {
    closeSync(fd);
    run('chattr', '-i', file);
    rmSync(file, { force: true });
  }
}

/** To the last byte. */
function fill(file: string): void {
  const fd = openSync(file, 'w');
  try {
    for (let size = 1024 * 1024; size >= 1; ) {
      try {
        if (writeSync(fd, Buffer.alloc(size)) < size) size = Math.floor(size / 2);
      } catch {
        size = Math.floor(size / 2);
      }
    }
  } finally {
    closeSync(fd);
  }
}
