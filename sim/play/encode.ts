/** Content-encodings of an answer, truthful and not. */
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import type { Encoding } from '../answer/behaviour.ts';
import type { Piece } from './reply.ts';

/** Small writes, so that a decoder must keep state between reads. */
const WRITE_BYTES = 64;

/** The header's value for an encoding. */
export function encodingHeader(encoding: Encoding): string {
  return encoding === 'lying' ? 'gzip' : encoding;
}

/** Compresses everything as one body. `lying` leaves the bytes as they are. */
export function encodePieces(pieces: readonly Piece[], encoding: Encoding): Piece[] {
  if (encoding === 'lying') return [...pieces];
  const bytes = Buffer.concat(pieces.flatMap((piece) => ('waitMs' in piece ? [] : [piece])));
  const packed = compress(bytes, encoding);
  const out: Piece[] = pieces.filter((piece) => 'waitMs' in piece);
  for (let at = 0; at < packed.byteLength; at += WRITE_BYTES) out.push(packed.subarray(at, at + WRITE_BYTES));
  return out;
}

function compress(bytes: Uint8Array, encoding: 'gzip' | 'br' | 'deflate'): Buffer {
  switch (encoding) {
    case 'gzip':
      return gzipSync(bytes);
    case 'br':
      return brotliCompressSync(bytes);
    case 'deflate':
      return deflateSync(bytes);
  }
}
