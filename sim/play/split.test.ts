import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Piece } from './reply.ts';
import { splitPieces } from './split.ts';

const bytesOf = (pieces: Piece[]) => pieces.flatMap((piece) => ('waitMs' in piece ? [] : [Buffer.from(piece)]));
const pieces: Piece[] = [Buffer.from('ab'), Buffer.from('cde'), { waitMs: 5 }, Buffer.from('f')];

describe('write boundaries', () => {
  it('X-1: cuts where it is told', () => {
    const texts = (split: Parameters<typeof splitPieces>[1], run = 0) =>
      bytesOf(splitPieces(pieces, split, run)).map((bytes) => bytes.toString());
    expect(texts('every byte')).toEqual(['a', 'b', 'c', 'd', 'e', 'f']);
    expect(texts(2)).toEqual(['ab', 'cd', 'e', 'f']);
    expect(texts([])).toEqual(['abcde', 'f']);
    expect(texts([1, 4])).toEqual(['a', 'bcd', 'e', 'f']);
    expect(texts('each offset 1..len-1', 0)).toEqual(['a', 'bcde', 'f']);
    expect(texts('each offset 1..len-1', 2)).toEqual(['abc', 'de', 'f']);
    expect(texts('each offset 1..len-1', 5)).toEqual(texts('each offset 1..len-1', 0));
  });

  it('X-1: never changes a byte nor a pause', () => {
    const split = fc.oneof(
      fc.constant('every byte' as const),
      fc.constant('each offset 1..len-1' as const),
      fc.integer({ min: 1, max: 9 }),
      fc.array(fc.integer({ min: 1, max: 40 })),
    );
    const piece = fc.oneof(
      fc.uint8Array({ minLength: 1, maxLength: 12 }),
      fc.record({ waitMs: fc.integer({ min: 0, max: 9 }) }),
    );
    fc.assert(
      fc.property(fc.array(piece), split, fc.nat(50), (given, how, run) => {
        const out = splitPieces(given, how, run);
        expect(Buffer.concat(bytesOf(out)).equals(Buffer.concat(bytesOf(given)))).toBe(true);
        expect(out.filter((one) => 'waitMs' in one)).toEqual(given.filter((one) => 'waitMs' in one));
        expect(bytesOf(out).every((bytes) => bytes.byteLength > 0)).toBe(true);
      }),
    );
  });
});
