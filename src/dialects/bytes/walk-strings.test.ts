import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decodeString } from './body-view.ts';
import { walkStrings } from './walk-strings.ts';

type Found = [path: (string | number)[], text: string];

function found(json: string): Found[] {
  const bytes = Buffer.from(`  ${json} "behind": `);
  const list: Found[] = [];
  walkStrings(bytes, 2, bytes.length - ' "behind": '.length, (place, start, end) => {
    const path = Array.from({ length: place.depth }, (_, level) => place.key(level) ?? place.index(level)!);
    const inner = path.findLast((step) => typeof step === 'string') ?? null;
    expect(place.innerKey).toBe(inner);
    list.push([path, decodeString(bytes, start, end)]);
  });
  return list;
}

/** The same by JSON.parse. */
function expected(value: unknown, path: (string | number)[] = []): Found[] {
  if (typeof value === 'string') return [[path, value]];
  if (Array.isArray(value)) return value.flatMap((inner, index) => expected(inner, [...path, index]));
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) => expected(inner, [...path, key]));
}

const awkward = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 8 }),
  fc.string({ unit: fc.constantFrom('\\', '"', 'a', ':', ',', '{', ']', '\n'), maxLength: 120 }),
  fc.string({ minLength: 40, maxLength: 60 }),
);
const { value: tree } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small' },
    awkward,
    fc.constantFrom(1, -2.5, true, false, null),
    fc.array(tie('value'), { maxLength: 4 }),
    // No numeric keys: JavaScript would reorder them.
    fc.dictionary(
      awkward.map((key) => `k${key}`),
      tie('value'),
      { maxKeys: 4 },
    ),
  ),
}));

describe('walkStrings', () => {
  it('finds every string value with its place, whatever stands in keys and texts', () => {
    fc.assert(
      fc.property(tree, fc.constantFrom(undefined, 1, '\t'), (value, space) => {
        expect(found(JSON.stringify(value, null, space))).toEqual(expected(value));
      }),
      { numRuns: 500 },
    );
  });

  it.each([46, 47, 48, 49, 50, 51])(
    'ends a string of %i bytes where it ends, escapes at the seam included',
    (length) => {
      for (const tail of ['', '\\\\', '\\"', '\\\\\\"', '\\\\\\\\']) {
        const json = `["${'a'.repeat(length)}${tail}", "next"]`;
        expect(found(json).map(([, text]) => text)).toEqual(JSON.parse(json));
      }
    },
  );

  it('reads escaped keys as their text', () => {
    expect(found('{"\\u0061": "x"}')).toEqual([[['a'], 'x']]);
  });
});
