/** `MIGRATED.json` in a data folder: where its store went, so that nobody goes on with what stayed behind. */
import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

export const MIGRATED_FILE = 'MIGRATED.json';

export interface MoveMark {
  /** Names the move at the target. */
  readonly id: string;
  /** Without a password. */
  readonly to: string;
  readonly began_at: string;
  /** Null = it has not ended. */
  readonly finished_at: string | null;
}

/** Null = nothing was moved from there. A file that cannot be read says nothing. */
export function readMark(dataDir: string): MoveMark | null {
  const file = join(dataDir, MIGRATED_FILE);
  if (!existsSync(file)) return null;
  try {
    const { id, to, began_at, finished_at } = JSON.parse(readFileSync(file, 'utf8')) as Partial<MoveMark>;
    if (typeof id !== 'string' || typeof to !== 'string' || typeof began_at !== 'string') return null;
    return { id, to, began_at, finished_at: finished_at ?? null };
  } catch {
    return null;
  }
}

/** The mark of a move to that place: the one that was begun before, or a new one. */
export function markFor(dataDir: string, to: string, wall: number): MoveMark {
  const known = readMark(dataDir);
  if (known?.to === to) return known;
  const began_at = new Date(wall).toISOString();
  return { id: randomBytes(8).toString('hex'), to, began_at, finished_at: null };
}

export function writeMark(dataDir: string, mark: MoveMark): void {
  const file = join(dataDir, MIGRATED_FILE);
  writeFileSync(`${file}.new`, `${JSON.stringify(mark, null, 2)}\n`, { mode: 0o600, flush: true });
  renameSync(`${file}.new`, file);
}

/** What a gateway says that starts on such a folder; null = nothing. */
export function markWarning(dataDir: string): string | null {
  const mark = readMark(dataDir);
  if (mark === null) return null;
  return mark.finished_at === null
    ? `a migration of ${dataDir} to ${mark.to} began at ${mark.began_at} and has not ended: what happens here from now on may be missing there`
    : `the store of ${dataDir} was migrated to ${mark.to} at ${mark.finished_at}: what happens here from now on is not there`;
}
