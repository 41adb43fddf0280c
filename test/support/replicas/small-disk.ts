/** A disk of so many megabytes that a test can fill. Needs root. */
import { execFileSync } from 'node:child_process';
import { closeSync, mkdirSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

export interface SmallDisk {
  /** On it, empty. */
  readonly folder: string;
  /** Takes all room that is left. */
  fill(): void;
  /** Gives it back. */
  free(): void;
  remove(): void;
}

/** Null where this machine allows none, with the reason in `why`. */
export function mountSmallDisk(megabytes: number): SmallDisk | { readonly why: string } {
  const folder = mkdtempSync(path.join(tmpdir(), 'understudy-disk-'));
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m`, 'none', folder], {
      stdio: ['ignore', 'ignore', 'pipe'],
    });
  } catch (error) {
    rmSync(folder, { recursive: true, force: true });
    return { why: error instanceof Error ? error.message : String(error) };
  }
  const [ballast, inner] = [path.join(folder, 'ballast'), path.join(folder, 'data')];
  mkdirSync(inner);
  return {
    folder: inner,
    fill() {
      const file = openSync(ballast, 'w');
      for (const block of [Buffer.alloc(1 << 20), Buffer.alloc(1 << 12)]) {
        try {
          for (;;) writeSync(file, block);
        } catch {
          // ENOSPC is what was wanted.
        }
      }
      closeSync(file);
    },
    free: () => rmSync(ballast, { force: true }),
    remove() {
      try {
        execFileSync('umount', ['-l', folder], { stdio: 'ignore' });
      } finally {
        rmSync(folder, { recursive: true, force: true });
      }
    },
  };
}
