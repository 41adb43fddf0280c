import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readLenient } from './lenient-json.ts';

const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

describe('F-3: JSON that is not whole', () => {
  it('reads whole values as JSON does', () => {
    const object = fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 6 }), { maxKeys: 5 });
    fc.assert(
      fc.property(object, (value) => {
        const read = readLenient(JSON.stringify(value));
        expect(plain(read.value)).toEqual(plain(value));
        expect(read.cut).toBe(false);
      }),
    );
  });

  it('tells a cut at every place inside an object', () => {
    const text = '{"error":{"message":"gone \\u00e9","codes":[1,true,null]}}';
    for (let end = 1; end < text.length; end++) expect(readLenient(text.slice(0, end)).cut).toBe(true);
    expect(readLenient(text).cut).toBe(false);
  });

  it('keeps what came before the cut', () => {
    expect(plain(readLenient('{"error":{"message":"You exceeded","type":"insuff').value)).toEqual({
      error: { message: 'You exceeded', type: 'insuff' },
    });
  });

  it('reads dictionaries as Python prints them', () => {
    expect(plain(readLenient("{'error': {'code': 429, 'param': None, 'ok': False, 'm': \"it's\"}}").value)).toEqual({
      error: { code: 429, param: null, ok: false, m: "it's" },
    });
  });

  it('stops behind the first value', () => {
    const text = '{"a":1} trailing';
    expect(text.slice(readLenient(text).end)).toBe(' trailing');
  });

  it('ends on any text, however deep', () => {
    readLenient('['.repeat(50_000));
    readLenient('{"a":'.repeat(50_000));
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(...'{}[]",:\'\\u0a1 ntf-.eE') }), (text) => {
        expect(readLenient(text).end).toBeLessThanOrEqual(text.length + 4);
      }),
    );
  });

  it('has no prototype to be polluted', () => {
    const { value } = readLenient('{"__proto__":{"x":1},"a":1,}');
    expect(Object.getPrototypeOf(value)).toBeNull();
    expect(({} as { x?: number }).x).toBeUndefined();
  });
});
