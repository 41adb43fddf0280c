/** Room on the disk that the ledger shares with the answers it is to keep: large ones must not take all of it (H-5). */
import { statfsSync } from 'node:fs';

export interface DiskSpace {
  /** Bytes. */
  readonly free: number;
  readonly total: number;
}

export interface Disk {
  readonly folder: string;
  /** Absent = as the system says. */
  readonly space?: () => DiskSpace;
}

/** What no answer takes: enough for a ledger to go on for a long time; of a small disk its eighth part. */
const LEFT_FREE = 256 * 1024 * 1024;

/** Whether so many bytes more leave enough. */
export function leavesRoom({ folder, space = () => spaceOf(folder) }: Disk, bytes: number): boolean {
  const { free, total } = space();
  return free - bytes >= Math.min(LEFT_FREE, total / 8);
}

/** Free is what is so for those who are not root: some file systems keep a part for it. A disk that can't say has room. */
function spaceOf(folder: string): DiskSpace {
  try {
    const { bavail, blocks, bsize } = statfsSync(folder);
    return { free: bavail * bsize, total: blocks * bsize };
  } catch {
    return { free: Number.POSITIVE_INFINITY, total: 0 };
  }
}
