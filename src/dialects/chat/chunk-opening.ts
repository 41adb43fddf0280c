/**
 * What stands before `choices` in a chunk. The chunks of one stream mostly begin with the same bytes; the same bytes
 * mean the same, so they are compared in one native call instead of being read again.
 */

// A longer opening is not worth remembering: it holds something that changes.
const MAX_OPENING = 2048;
// After so many openings that never came again, this stream's chunks do not begin alike.
const MAX_MISSES = 8;

export class ChunkOpening {
  /** Names the opening remembered last; 0 = none yet. */
  id = 0;
  /** Span of the value of `model`, from the object's start; −1 = it is not in the opening. */
  modelStart = -1;
  modelEnd = -1;
  #bytes = Buffer.alloc(0);
  /** Openings remembered in vain since the last that came again. */
  #misses = 0;

  get length(): number {
    return this.#bytes.length;
  }

  /** The object that starts at `at` begins with the remembered opening. */
  repeats(bytes: Uint8Array, at: number, end: number): boolean {
    const length = this.#bytes.length;
    if (length === 0 || end - at < length || this.#bytes.compare(bytes, at, at + length) !== 0) return false;
    this.#misses = 0;
    return true;
  }

  /** From the object's `{` up to the value of `choices`; `model` is the span of its value, if it stands there. */
  remember(bytes: Uint8Array, start: number, end: number, model: readonly number[] | null): void {
    if (this.#misses >= MAX_MISSES || end - start > MAX_OPENING) return;
    this.#misses++;
    this.id++;
    this.modelStart = model === null ? -1 : model[0]! - start;
    this.modelEnd = model === null ? -1 : model[1]! - start;
    this.#bytes = Buffer.from(bytes.subarray(start, end));
  }
}
