/** Cuts an answer's bytes into other writes than it was given in: inside characters, between CR and LF, anywhere. */
import type { Split } from '../script/step.ts';
import type { Piece } from './reply.ts';

/** The same bytes with the boundaries of `split`; pauses stay where they are. `run` chooses the offset for `each offset`. */
export function splitPieces(pieces: Iterable<Piece>, split: Split, run: number): Piece[] {
  const given = [...pieces];
  const total = given.reduce((sum, piece) => sum + ('waitMs' in piece ? 0 : piece.byteLength), 0);
  const isCut = boundaryTest(split, run, total);
  const out: Piece[] = [];
  let held: Uint8Array[] = [];
  let offset = 0;
  const flush = (): void => {
    if (held.length > 0) out.push(held.length === 1 && held[0] !== undefined ? held[0] : Buffer.concat(held));
    held = [];
  };
  for (const piece of given) {
    if ('waitMs' in piece) {
      flush();
      out.push(piece);
      continue;
    }
    let start = 0;
    for (let i = 0; i < piece.byteLength; i += 1) {
      if (i > 0 || offset > 0) {
        if (isCut(offset + i)) {
          if (i > start) held.push(piece.subarray(start, i));
          flush();
          start = i;
        }
      }
    }
    if (start < piece.byteLength) held.push(piece.subarray(start));
    offset += piece.byteLength;
  }
  flush();
  return out;
}

function boundaryTest(split: Split, run: number, total: number): (offset: number) => boolean {
  if (split === 'every byte') return () => true;
  if (split === 'each offset 1..len-1') {
    const at = total > 1 ? 1 + (run % (total - 1)) : -1;
    return (offset) => offset === at;
  }
  if (typeof split === 'number') return (offset) => offset % split === 0;
  const at = new Set(split);
  return (offset) => at.has(offset);
}
