/** The counts of a stream's last chunk that had any: they grow from chunk to chunk, and are read when somebody asks. */
import type { Usage } from '../../core/usage/usage.ts';
import { readUsage } from './usage.ts';

export class LatestUsage {
  #bytes: Buffer = Buffer.alloc(0);
  /** Of the counts not read yet; 0 = all are. */
  #length = 0;
  #usage: Usage | null = null;

  /** The object that lies there. */
  note(data: Uint8Array, start: number, end: number): void {
    const length = end - start;
    if (length > this.#bytes.length) this.#bytes = Buffer.alloc(2 * length);
    this.#bytes.set(data.subarray(start, end));
    this.#length = length;
  }

  /** Null = none so far. */
  get usage(): Usage | null {
    if (this.#length > 0) {
      this.#usage = readUsage(this.#bytes.subarray(0, this.#length)) ?? this.#usage;
      this.#length = 0;
    }
    return this.#usage;
  }
}
