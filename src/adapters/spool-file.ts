/** Spooled bodies: in memory to 1 MiB, then in a file of the data folder that has no name any more. */
import { close, open, read, statfs, unlink, write } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { NoRoomForUpload, type OpenUploadSpool, type UploadSpool } from '../ports/upload-spool.ts';

const files = {
  open: promisify(open),
  unlink: promisify(unlink),
  read: promisify(read),
  write: promisify(write),
  statfs: promisify(statfs),
};

export interface SpoolFolder {
  readonly folder: string;
  /** A name nobody else uses. */
  readonly newName: () => string;
  /** Bytes kept in memory. Default 1 MiB. */
  readonly memory?: number;
  /** Free bytes of the disk; absent = as the system says. */
  readonly free?: () => Promise<number>;
}

const MEMORY_BYTES = 1024 * 1024;
const READ_BYTES = 64 * 1024;
/** Free room is looked at once per so many bytes. */
const LOOK_BYTES = 16 * 1024 * 1024;
/** What no upload takes: the ledger's share of the disk (H-5). */
const LEFT_FREE = 256 * 1024 * 1024;

export function uploadSpools(folder: SpoolFolder): OpenUploadSpool {
  return () => new FileSpool(folder);
}

class FileSpool implements UploadSpool {
  length = 0;
  readonly #folder: SpoolFolder;
  /** All of it, until there is a file. */
  #memory: Uint8Array[] = [];
  #fd: number | null = null;
  /** May still be written before free room is looked at again. */
  #allowed = 0;
  #busy = 0;
  #closed = false;

  constructor(folder: SpoolFolder) {
    this.#folder = folder;
  }

  async push(bytes: Uint8Array): Promise<void> {
    if (this.#fd === null && this.length + bytes.length <= (this.#folder.memory ?? MEMORY_BYTES)) {
      this.#memory.push(bytes);
      this.length += bytes.length;
      return;
    }
    try {
      if (this.#fd === null) await this.#toFile();
      await this.#append(bytes);
    } catch (error) {
      this.close();
      throw error instanceof NoRoomForUpload ? error : new NoRoomForUpload((error as Error).message, { cause: error });
    }
  }

  async *read(start: number, end: number): AsyncIterable<Uint8Array> {
    const fd = this.#fd;
    if (fd === null) {
      yield* this.#fromMemory(start, end);
      return;
    }
    for (let at = start; at < end; ) {
      if (this.#closed) throw new Error('the spooled body is gone');
      const buffer = Buffer.allocUnsafe(Math.min(READ_BYTES, end - at));
      const count = await this.#using(async () => (await files.read(fd, buffer, 0, buffer.length, at)).bytesRead);
      if (count === 0) throw new Error('the spooled body is cut');
      at += count;
      yield buffer.subarray(0, count);
    }
  }

  close(): void {
    this.#closed = true;
    this.#memory = [];
    const fd = this.#fd;
    if (fd === null || this.#busy > 0) return;
    this.#fd = null;
    close(fd, () => undefined);
  }

  *#fromMemory(start: number, end: number): Iterable<Uint8Array> {
    if (this.#closed) throw new Error('the spooled body is gone');
    let at = 0;
    for (const bytes of this.#memory) {
      const from = Math.max(start - at, 0);
      const to = Math.min(end - at, bytes.length);
      if (from < to) yield bytes.subarray(from, to);
      at += bytes.length;
    }
  }

  async #toFile(): Promise<void> {
    const path = join(this.#folder.folder, `${this.#folder.newName()}.upload`);
    const fd = await files.open(path, 'wx+', 0o600);
    this.#fd = fd;
    // What it holds is a client's: it must not outlive the process, however that ends.
    await this.#using(() => files.unlink(path));
    const held = this.#memory;
    this.#memory = [];
    this.length = 0;
    for (const bytes of held) await this.#append(bytes);
  }

  async #append(bytes: Uint8Array): Promise<void> {
    const fd = this.#fd;
    if (fd === null || this.#closed) throw new NoRoomForUpload('the spooled body is gone');
    await this.#checkRoom(bytes.length);
    for (let done = 0; done < bytes.length; ) {
      const from = done;
      const at = this.length + from;
      const written = await this.#using(() => files.write(fd, bytes, from, bytes.length - from, at));
      done += written.bytesWritten;
    }
    this.length += bytes.length;
  }

  async #checkRoom(count: number): Promise<void> {
    this.#allowed -= count;
    if (this.#allowed >= 0) return;
    this.#allowed = LOOK_BYTES;
    const free = await (this.#folder.free ?? (() => freeOf(this.#folder.folder)))();
    if (free - LOOK_BYTES < LEFT_FREE) throw new NoRoomForUpload('the disk is nearly full');
  }

  /** A file is not closed under a call that is on its way: its number may be another file's by then. */
  async #using<T>(work: () => Promise<T>): Promise<T> {
    this.#busy++;
    try {
      return await work();
    } finally {
      this.#busy--;
      if (this.#closed) this.close();
    }
  }
}

/** A disk that can't say has room. */
async function freeOf(folder: string): Promise<number> {
  try {
    const { bavail, bsize } = await files.statfs(folder);
    return bavail * bsize;
  } catch {
    return Number.POSITIVE_INFINITY;
  }
}
