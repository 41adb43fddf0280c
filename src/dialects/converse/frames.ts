/**
 * Binary event-stream frames: total length, header length, their checksum, headers, payload, checksum over everything.
 * Numbers are big-endian. A broken frame ends the reading: behind it nothing can be found again.
 */
import { crc32 } from './crc32.ts';
import { type FrameHead, readHeaders } from './frame-headers.ts';

/** One whole frame whose checksums are right. `payload`: JSON as a rule; over the reader's bytes, to be read at once. */
export type FrameListener = (head: FrameHead, payload: Uint8Array) => void;

const PRELUDE_BYTES = 12;
const CHECKSUM_BYTES = 4;
/** A frame without headers and payload. */
const LEAST_BYTES = PRELUDE_BYTES + CHECKSUM_BYTES;

/** Why no more frames can be read: `damaged` = lengths or checksums are wrong, `oversized` = longer than allowed. */
export type FrameFault = 'damaged' | 'oversized';

/** Cuts bytes into frames, however they are split. Holds at most one frame. */
export class FrameReader {
  fault: FrameFault | null = null;
  readonly #maxFrameBytes: number;
  readonly #emit: FrameListener;
  /** A half-read frame, from offset 0. */
  #held: Buffer = Buffer.alloc(0);
  #heldLength = 0;
  /** Headers of the last frame and what they say: most frames have those of the one before. */
  #lastHeaders: Uint8Array = new Uint8Array();
  #lastHead: FrameHead | null = null;

  /** @param emit may be called several times by one `push`. */
  constructor(maxFrameBytes: number, emit: FrameListener) {
    this.#maxFrameBytes = maxFrameBytes;
    this.#emit = emit;
  }

  /** Bytes of a half-read frame. */
  get pendingBytes(): number {
    return this.#heldLength;
  }

  push(chunk: Uint8Array): void {
    let from = this.#heldLength === 0 ? 0 : this.#complete(chunk);
    while (this.fault === null && this.#heldLength === 0 && from < chunk.length) {
      const length = this.#frameLength(chunk, from, chunk.length);
      if (this.fault !== null) break;
      if (length === 0 || from + length > chunk.length) {
        this.#hold(chunk, from, chunk.length);
        break;
      }
      this.#read(chunk, from, from + length);
      from += length;
    }
    if (this.fault !== null) this.#heldLength = 0;
  }

  /** Fills the half-read frame from the chunk and reads it once it is whole. Gives the offset behind what it took. */
  #complete(chunk: Uint8Array): number {
    let from = 0;
    if (this.#heldLength < PRELUDE_BYTES) {
      from = Math.min(PRELUDE_BYTES - this.#heldLength, chunk.length);
      this.#hold(chunk, 0, from);
    }
    const length = this.#frameLength(this.#held, 0, this.#heldLength);
    if (length === 0) return from;
    const behind = Math.min(from + length - this.#heldLength, chunk.length);
    this.#hold(chunk, from, behind);
    if (this.#heldLength < length) return behind;
    this.#heldLength = 0;
    this.#read(this.#held, 0, length);
    return behind;
  }

  /** Total length of the frame at `start`; 0 = its beginning is not whole yet, or wrong. */
  #frameLength(bytes: Uint8Array, start: number, end: number): number {
    if (end - start < PRELUDE_BYTES) return 0;
    const length = uint32(bytes, start);
    const headers = uint32(bytes, start + 4);
    if (crc32(bytes, start, start + 8) !== uint32(bytes, start + 8) || headers > length - LEAST_BYTES) {
      this.fault = 'damaged';
    } else if (length > this.#maxFrameBytes) {
      this.fault = 'oversized';
    }
    return this.fault === null ? length : 0;
  }

  #read(bytes: Uint8Array, start: number, end: number): void {
    const body = end - CHECKSUM_BYTES;
    const headers = start + PRELUDE_BYTES;
    const payload = headers + uint32(bytes, start + 4);
    const isWhole = crc32(bytes, start, body) === uint32(bytes, body);
    const head = isWhole ? this.#head(bytes, headers, payload) : null;
    if (head === null) this.fault = 'damaged';
    else this.#emit(head, bytes.subarray(payload, body));
  }

  #head(bytes: Uint8Array, start: number, end: number): FrameHead | null {
    const last = this.#lastHeaders;
    if (this.#lastHead !== null && last.length === end - start && isSame(last, bytes, start)) return this.#lastHead;
    this.#lastHead = readHeaders(bytes, start, end);
    this.#lastHeaders = new Uint8Array(bytes.subarray(start, end));
    return this.#lastHead;
  }

  /** Grows with what really came, not with what a frame says of itself. */
  #hold(bytes: Uint8Array, from: number, to: number): void {
    const needed = this.#heldLength + to - from;
    if (needed > this.#held.length) {
      const grown = Buffer.allocUnsafe(Math.max(needed, 2 * this.#heldLength, 1024));
      this.#held.copy(grown, 0, 0, this.#heldLength);
      this.#held = grown;
    }
    this.#held.set(bytes.subarray(from, to), this.#heldLength);
    this.#heldLength = needed;
  }
}

function isSame(known: Uint8Array, bytes: Uint8Array, start: number): boolean {
  for (let i = 0; i < known.length; i++) if (known[i] !== bytes[start + i]) return false;
  return true;
}

function uint32(bytes: Uint8Array, at: number): number {
  return ((bytes[at]! << 24) | (bytes[at + 1]! << 16) | (bytes[at + 2]! << 8) | bytes[at + 3]!) >>> 0;
}
