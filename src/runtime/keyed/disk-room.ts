/** Room on the disk that the ledger shares with the answers it is to keep: large ones must not take all of it (H-5). */
import { statfsSync } from 'node:fs';

export interface Disk {
  readonly folder: string;
  /** Free bytes; absent = as the system says. */
  readonly free?: () => number;
}

/** What no answer takes: enough for a ledger to go on for a long time. */
const LEFT_FREE = 256 * 1024 * 1024;

/** Whether so many bytes more leave enough. */
export function leavesRoom({ folder, free = () => freeBytes(folder) }: Disk, bytes: number): boolean {
  return free() >= LEFT_FREE + bytes;
}

/** For those who are not root: some file systems keep a part for it. A disk that can't say has room. */
function freeBytes(folder: string): number {
  try {
    const { bavail, bsize } = statfsSync(folder);
    return bavail * bsize;
  } catch {
    return Number.POSITIVE_INFINITY;
  }
}
