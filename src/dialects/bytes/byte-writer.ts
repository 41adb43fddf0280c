/** A growing output buffer: slices go in, one piece of bytes comes out. */

// Smallest allocation, for a writer that is not told what to expect.
const MIN_CAPACITY = 256;
// Shorter slices are copied faster by a loop than through a view.
const LOOP_COPY_BELOW = 40;

const EMPTY = Buffer.alloc(0);

export class ByteWriter {
  #buffer: Buffer = EMPTY;
  #length = 0;
  #expected = MIN_CAPACITY;

  get length(): number {
    return this.#length;
  }

  /** How much is likely to be written before the next `take()`: the size of the next allocation. */
  expect(bytes: number): void {
    this.#expected = bytes;
  }

  /** Makes room for `more` bytes. */
  reserve(more: number): void {
    const needed = this.#length + more;
    if (needed <= this.#buffer.length) return;
    const grown = Buffer.allocUnsafe(Math.max(needed, 2 * this.#length, this.#expected));
    this.#buffer.copy(grown, 0, 0, this.#length);
    this.#buffer = grown;
  }

  write(bytes: Uint8Array, start = 0, end = bytes.length): void {
    const count = end - start;
    this.reserve(count);
    if (count < LOOP_COPY_BELOW) {
      const buffer = this.#buffer;
      let to = this.#length;
      for (let i = start; i < end; i++) buffer[to++] = bytes[i]!;
    } else {
      this.#buffer.set(bytes.subarray(start, end), this.#length);
    }
    this.#length += count;
  }

  /** What was written, and starts anew. The bytes are the caller's. */
  take(): Uint8Array {
    const taken = this.#buffer.subarray(0, this.#length);
    this.clear();
    return taken;
  }

  clear(): void {
    this.#buffer = EMPTY;
    this.#length = 0;
  }
}
