/**
 * Undoes an answer's content-encoding as it streams (F-3). Most answers have none: then there is no decoder and bytes
 * pass untouched. A header that lies (says gzip, sends plain text) is believed by the bytes, not by the header.
 */

import type { Transform } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate, createInflateRaw } from 'node:zlib';

export interface DecoderSink {
  /** False = pause. */
  onData(chunk: Uint8Array): boolean;
  onEnd(): void;
  onGarbled(detail: string): void;
  /** Lets the socket flow again. */
  resumeSource(): void;
}

export interface BodyDecoder {
  /** False = pause the source. */
  write(chunk: Buffer): boolean;
  end(): void;
  resume(): void;
  destroy(): void;
  /** After a broken connection: deliver what can be decoded, then call back. */
  flushThen(done: () => void): void;
}

/** Null when the body needs no decoding. Unknown encodings are passed as they are: they classify as malformed. */
export function decoderFor(encoding: string | undefined, sink: DecoderSink): BodyDecoder | null {
  const name = encoding?.trim().toLowerCase();
  if (name === undefined || name === '' || name === 'identity') return null;
  if (name === 'gzip' || name === 'x-gzip' || name === 'deflate' || name === 'br') return new StreamDecoder(name, sink);
  return null;
}

class StreamDecoder implements BodyDecoder {
  readonly #encoding: string;
  readonly #sink: DecoderSink;
  #stream: Transform | null = null;
  #plain = false;
  #over = false;

  constructor(encoding: string, sink: DecoderSink) {
    this.#encoding = encoding;
    this.#sink = sink;
  }

  write(chunk: Buffer): boolean {
    if (this.#over || chunk.length === 0) return true;
    if (this.#stream === null && !this.#plain) this.#open(chunk);
    if (this.#plain) return this.#sink.onData(chunk);
    const stream = this.#stream!;
    if (stream.write(chunk)) return true;
    stream.once('drain', () => this.#sink.resumeSource());
    return false;
  }

  end(): void {
    if (this.#stream === null) this.#finish();
    else this.#stream.end();
  }

  resume(): void {
    if (this.#stream === null) this.#sink.resumeSource();
    else this.#stream.resume();
  }

  destroy(): void {
    this.#over = true;
    this.#stream?.destroy();
  }

  flushThen(done: () => void): void {
    const stream = this.#stream;
    if (stream === null || this.#over) {
      done();
      return;
    }
    this.#over = true;
    let called = false;
    const once = (): void => {
      if (called) return;
      called = true;
      done();
    };
    stream.removeAllListeners('end');
    stream.removeAllListeners('error');
    stream.on('error', once).on('end', once).on('close', once);
    stream.resume();
    stream.end();
  }

  #open(first: Buffer): void {
    const stream = createDecoder(this.#encoding, first);
    if (stream === null) {
      this.#plain = true;
      return;
    }
    this.#stream = stream;
    stream.on('data', (chunk: Buffer) => {
      if (!this.#sink.onData(chunk)) stream.pause();
    });
    stream.on('end', () => this.#finish());
    stream.on('error', (error: Error) => {
      if (this.#over) return;
      this.#over = true;
      this.#sink.onGarbled(`content-encoding ${this.#encoding}: ${error.message}`);
    });
  }

  #finish(): void {
    if (this.#over) return;
    this.#over = true;
    this.#sink.onEnd();
  }
}

/** Null = the bytes are plain whatever the header says. */
function createDecoder(encoding: string, first: Buffer): Transform | null {
  const a = first[0] ?? 0;
  const b = first[1] ?? 0;
  if (looksPlain(a, b)) return null;
  if (encoding === 'br') return createBrotliDecompress();
  if (encoding === 'gzip' || encoding === 'x-gzip') return a === 0x1f ? createGunzip() : null;
  // "deflate" means zlib by the standard and raw deflate by habit: the first byte tells.
  return (a & 0x0f) === 8 && ((a << 8) | b) % 31 === 0 ? createInflate() : createInflateRaw();
}

/** `{"`, `<h`, `da`, … : JSON, HTML or SSE text sent under a false header. */
function looksPlain(a: number, b: number): boolean {
  const opens = a === 0x7b || a === 0x5b || a === 0x3c || a === 0x3a || a === 0x64 || a === 0x65;
  const goesOn = b === 0x22 || b === 0x0a || b === 0x20 || b === 0x0d || (b >= 0x61 && b <= 0x7a) || b === 0x21;
  return opens && goesOn;
}
