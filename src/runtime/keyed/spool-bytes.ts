/**
 * The bytes of one answer that several clients read, each at its own pace: the first MiB in memory, the rest in a file
 * that has no name any more (I-6). Read from any position, also while it grows.
 */
import { createHash, type Hash, hash } from 'node:crypto';
import { closeSync, openSync, read, unlinkSync, writev } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type Disk, leavesRoom } from './disk-room.ts';

const readAsync = promisify(read);

export interface SpoolPlace extends Disk {
  /** A file name nobody else uses. */
  readonly name: string;
  /** Bytes kept in memory. */
  readonly memory?: number;
}

const MEMORY_BYTES = 1024 * 1024;
/** Written but not yet in the file: more than this, and the writer has to wait for the disk. */
const MOST_WAITING = 4 * 1024 * 1024;
const READ_BYTES = 64 * 1024;
/** Free room is looked at once per so many bytes. */
const LOOK_BYTES = 16 * 1024 * 1024;

interface Chunk {
  /** Position of its first byte. */
  readonly at: number;
  readonly bytes: Uint8Array;
}

export class SpoolBytes {
  length = 0;
  readonly #place: SpoolPlace;
  readonly #told: { readonly flushed: () => void; readonly failed: (error: unknown) => void };
  readonly #memory: Chunk[] = [];
  #memoryLength = 0;
  #fd: number | null = null;
  /** On their way to the file, in order. */
  #waiting: Chunk[] = [];
  #waitingLength = 0;
  #writing = false;
  /** May still be written before free room is looked at again. */
  #allowed = 0;
  #reading = 0;
  #failed = false;
  #closed = false;
  /** Of what came before the last piece; null = nothing did: a whole answer is one piece. */
  #hash: Hash | null = null;

  /** `flushed`: what waited is in the file. `failed`: the file can't be written or read; nothing more can be kept. */
  constructor(place: SpoolPlace, told: { flushed: () => void; failed: (error: unknown) => void }) {
    this.#place = place;
    this.#told = told;
  }

  /** The disk is slower than the writer. */
  get isCongested(): boolean {
    return this.#waitingLength > MOST_WAITING;
  }

  push(bytes: Uint8Array): void {
    if (bytes.length === 0 || this.#failed) return;
    const chunk = { at: this.length, bytes };
    this.length += bytes.length;
    this.#hash ??= createHash('sha256');
    this.#hash.update(bytes);
    if (this.#fd === null && this.length <= (this.#place.memory ?? MEMORY_BYTES)) {
      this.#memory.push(chunk);
      this.#memoryLength = this.length;
      return;
    }
    this.#waiting.push(chunk);
    this.#waitingLength += bytes.length;
    if (this.#fd === null && !this.#open()) return;
    this.#write();
  }

  /** Some bytes from `at` on, at least one; `at` must be below `length`. Rejects when the file can't be read. */
  read(at: number): Uint8Array | Promise<Uint8Array> {
    const known = at < this.#memoryLength ? find(this.#memory, at) : find(this.#waiting, at);
    if (known !== null) return known.at === at ? known.bytes : known.bytes.subarray(at - known.at);
    return this.#readFile(at);
  }

  /** Everything so far, and `last` behind it. Rejects when a part of it is lost. */
  async all(last: Uint8Array): Promise<Uint8Array> {
    const parts: Uint8Array[] = [];
    for (let at = 0; at < this.length; ) {
      const part = await this.read(at);
      parts.push(part);
      at += part.length;
    }
    if (this.#failed) throw new Error('a part of the answer could not be written');
    return Buffer.concat([...parts, last]);
  }

  /** SHA-256 of everything so far and `last`, hex. */
  digest(last: Uint8Array): string {
    return this.#hash === null ? hash('sha256', last, 'hex') : this.#hash.copy().update(last).digest('hex');
  }

  /** Nobody reads it any more. */
  close(): void {
    this.#closed = true;
    if (this.#fd === null || this.#writing || this.#reading > 0) return;
    closeSync(this.#fd);
    this.#fd = null;
    this.#failed = true;
  }

  #open(): boolean {
    const path = join(this.#place.folder, `${this.#place.name}.spool`);
    try {
      this.#fd = openSync(path, 'wx+', 0o600);
      // What it holds is a client's: it must not outlive the process, however that ends.
      unlinkSync(path);
      return true;
    } catch (error) {
      this.#fail(error);
      return false;
    }
  }

  #write(): void {
    const fd = this.#fd;
    const [first] = this.#waiting;
    if (this.#writing || fd === null || first === undefined) return;
    this.#writing = true;
    const batch = this.#waiting.slice(0, MOST_CHUNKS);
    const total = batch.reduce((sum, { bytes }) => sum + bytes.length, 0);
    if (!this.#hasRoom(total)) {
      this.#writing = false;
      this.#fail(new Error('the disk is nearly full'));
      return;
    }
    writev(
      fd,
      batch.map(({ bytes }) => bytes),
      first.at - this.#memoryLength,
      (error, written) => {
        this.#writing = false;
        if (error !== null) this.#fail(error);
        else if (written !== total) this.#fail(new Error('the disk took only a part of an answer'));
        else this.#written(batch.length, total);
        if (this.#closed) this.close();
      },
    );
  }

  /** An upstream that never ends must not take the disk from the ledger. */
  #hasRoom(total: number): boolean {
    this.#allowed -= total;
    if (this.#allowed >= 0) return true;
    this.#allowed = LOOK_BYTES;
    return leavesRoom(this.#place, total);
  }

  #written(count: number, total: number): void {
    this.#waiting.splice(0, count);
    this.#waitingLength -= total;
    if (this.#waiting.length > 0) this.#write();
    if (!this.isCongested) this.#told.flushed();
  }

  async #readFile(at: number): Promise<Uint8Array> {
    if (this.#fd === null) throw new Error('the spooled answer is gone');
    this.#reading += 1;
    try {
      const buffer = Buffer.allocUnsafe(READ_BYTES);
      const { bytesRead } = await readAsync(this.#fd, buffer, 0, READ_BYTES, at - this.#memoryLength);
      if (bytesRead === 0) throw new Error('the spooled answer is cut');
      return buffer.subarray(0, bytesRead);
    } finally {
      this.#reading -= 1;
      if (this.#closed) this.close();
    }
  }

  /** What had not reached the disk is lost: for its readers the answer ends before it. */
  #fail(error: unknown): void {
    this.#failed = true;
    this.length = this.#waiting[0]?.at ?? this.length;
    this.#waiting.length = 0;
    this.#waitingLength = 0;
    this.#told.failed(error);
  }
}

/** One system call's worth. */
const MOST_CHUNKS = 512;

/** The chunk that holds position `at`; chunks follow each other without gaps. */
function find(chunks: readonly Chunk[], at: number): Chunk | null {
  let low = 0;
  let high = chunks.length - 1;
  while (low <= high) {
    const middle = (low + high) >> 1;
    const chunk = chunks[middle]!;
    if (at < chunk.at) high = middle - 1;
    else if (at >= chunk.at + chunk.bytes.length) low = middle + 1;
    else return chunk;
  }
  return null;
}
