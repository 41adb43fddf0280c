import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isJsonText } from '../cross/json-text.ts';
import { JsonProgress } from './json-progress.ts';
import { utf8 } from './text.ts';

/** JSON, nearly JSON, and characters that mean something to it. */
const texts = fc.oneof(
  fc.jsonValue().map((value) => JSON.stringify(value, null, 1)),
  fc.jsonValue().map((value) => JSON.stringify(value)),
  fc
    .tuple(fc.jsonValue(), fc.nat(), fc.nat(3), fc.constantFrom('', '"', '}', '\\', '0', '.', 'e', '\n', '\\u12', ','))
    .map(([value, at, length, put]) => {
      const text = JSON.stringify(value);
      const from = at % (text.length + 1);
      return text.slice(0, from) + put + text.slice(from + length);
    }),
  fc.string({ unit: fc.constantFrom(...'{}[]",:\\ \n0123.-+eEtrufalsn\u0001é'), maxLength: 12 }),
  fc.constantFrom(
    '01',
    '-',
    '-0',
    '1.',
    '1.5e',
    '1e+',
    '1E-7',
    '.5',
    '[1,]',
    '{"a":1,}',
    'true',
    'tru',
    'nulll',
    '""""',
  ),
);

const isWhole = (text: string): boolean => text.trim() === '' || isJsonText(text);

function piecesOf(text: string, cuts: readonly number[]): string[] {
  const at = [...new Set(cuts.map((cut) => cut % (text.length + 1)))].sort((a, b) => a - b);
  return [0, ...at].map((from, i) => text.slice(from, at[i] ?? text.length));
}

describe('JSON that comes in pieces', () => {
  it('dialects §8: is whole exactly where the whole of it is one value, or nothing', () => {
    fc.assert(
      fc.property(texts, fc.array(fc.nat(), { maxLength: 4 }), (text, cuts) => {
        const [plain, bytes, escaped] = [new JsonProgress(), new JsonProgress(), new JsonProgress()];
        let told = '';
        for (const piece of piecesOf(text, cuts)) {
          told += piece;
          plain.add(piece);
          const raw = utf8(piece);
          bytes.addBytes(raw, 0, raw.length);
          const inside = utf8(JSON.stringify(piece));
          escaped.addEscaped(inside, 1, inside.length - 1);
          const seen = [plain, bytes, escaped].map((one) => [one.isWhole, one.isEmpty]);
          expect(seen).toEqual(Array(3).fill([isWhole(told), told === '']));
        }
      }),
      { numRuns: 5000 },
    );
  });

  it('dialects §8: every escape is read for what it stands for', () => {
    const inside = (escaped: string): boolean => {
      const progress = new JsonProgress();
      progress.addEscaped(utf8(escaped), 0, escaped.length);
      return progress.isWhole;
    };
    expect(inside('\\u007b\\u0022a\\u0022:\\u005B\\"\\u00e9\\ud83d\\/\\"]\\t}\\r\\n')).toBe(true);
    expect(inside('\\"\\\\n\\u005c\\"\\"')).toBe(true);
    // Inside of a string these would have to be escaped once more.
    for (const bare of ['\\n', '\\t', '\\b', '\\f', '\\r', '\\u0000']) expect(inside(`\\"${bare}\\"`)).toBe(false);
  });

  it('dialects §8: as deep as bodies may be, and no deeper', () => {
    for (const [depth, whole] of [
      [256, true],
      [257, false],
    ] as const) {
      const progress = new JsonProgress();
      progress.add('['.repeat(depth) + ']'.repeat(depth));
      expect([progress.isWhole, isJsonText('['.repeat(depth) + ']'.repeat(depth))]).toEqual([whole, whole]);
    }
  });
});
