import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  type BodyView,
  isScanError,
  member,
  readBoolean,
  readInteger,
  readJson,
  readString,
  type ScanError,
  type ScanOptions,
  scanObject,
} from './body-view.ts';

const bytes = (text: string): Buffer => Buffer.from(text);

function scan(text: string, options?: ScanOptions): BodyView {
  const result = scanObject(bytes(text), options);
  if (isScanError(result)) throw new Error(`${result.message} at ${result.offset}`);
  return result;
}

function error(text: string | Uint8Array, options?: ScanOptions): ScanError {
  const result = scanObject(typeof text === 'string' ? bytes(text) : text, options);
  if (!isScanError(result)) throw new Error('scanned without error');
  return result;
}

const NATIVE_OBJECT = (text: string): boolean => {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value);
  } catch {
    return false;
  }
};

describe('scanObject', () => {
  test('C-4: spans name each top-level member', () => {
    const text = ' { "a" : [1, {"b":2}] ,"c":"x\\"y", "d":-1.5e+3 } \n';
    const view = scan(text);
    expect(view.members.map((one) => [one.key, text.slice(one.valueStart, one.valueEnd)])).toEqual([
      ['a', '[1, {"b":2}]'],
      ['c', '"x\\"y"'],
      ['d', '-1.5e+3'],
    ]);
    expect(text.slice(view.start, view.end)).toBe(text.trim());
    expect(text[view.members[1]!.keyStart]).toBe('"');
  });

  test('C-4: an escaped spelling is the same key', () => {
    const view = scan('{"mod\\u0065l":"m","\\u00e9":1,"é2":2}');
    expect(readString(view, 'model')).toBe('m');
    expect(view.members.map((one) => one.key)).toEqual(['model', 'é', 'é2']);
    expect(error('{"model":"a","mod\\u0065l":"b"}', { uniqueKeys: true })).toEqual({
      offset: 13,
      message: 'the key `model` appears twice',
    });
  });

  test('C-4: duplicate keys are refused in requests, few keys or many; nested ones and answers are not', () => {
    const many = Array.from({ length: 40 }, (_, i) => `"k${i}":${i}`).join(',');
    expect(error('{"a":1,"b":2,"a":3}', { uniqueKeys: true }).offset).toBe(13);
    expect(error(`{${many},"k7":0}`, { uniqueKeys: true }).message).toContain('`k7`');
    expect(scan(`{${many},"__proto__":1,"constructor":2}`, { uniqueKeys: true }).members).toHaveLength(42);
    expect(scan('{"a":{"b":1,"b":2}}', { uniqueKeys: true }).members).toHaveLength(1);
    expect(readJson(scan('{"a":1,"a":2}'), 'a')).toBe(2);
  });

  test('F-3: a byte order mark is read over', () => {
    expect(readInteger(scan('\ufeff{"a":1}'), 'a')).toBe(1);
    expect(error('\ufeff\ufeff{"a":1}').offset).toBe(3);
  });

  test.each([
    ['', 0, 'the body is empty'],
    ['  ', 2, 'the body is empty'],
    ['[1]', 0, 'expected a JSON object'],
    ['null', 0, 'expected a JSON object'],
    ['{"a":1}x', 7, 'unexpected bytes after the JSON object'],
    ['{"a":1}{"b":2}', 7, 'unexpected bytes after the JSON object'],
    ['{"a":1', 6, 'the JSON ends too early'],
    ['{"a":"b', 7, 'the JSON ends too early'],
    ['{"a":1,}', 7, 'unexpected "}"'],
    ["{'a':1}", 1, 'unexpected "\'"'],
    ['{"a" 1}', 5, 'unexpected "1"'],
    ['{"a":01}', 6, 'unexpected "1"'],
    ['{"a":"x\ny"}', 7, 'a control character that is not escaped'],
    ['{"a":"\\x"}', 7, 'unexpected "x"'],
    ['{"a":"\\u12g4"}', 10, 'unexpected "g"'],
    ['{"a":tru}', 8, 'unexpected "}"'],
    ['{"a":NaN}', 5, 'unexpected "N"'],
    ['{"a":1}\u0000', 7, 'unexpected bytes after the JSON object'],
    ['{"a":\u00a01}', 5, 'an unexpected byte'],
  ])('C-4: %j fails at byte %i', (text, offset, message) => {
    expect(error(text)).toEqual({ offset, message });
  });

  test('C-4: nesting is bounded, at the same level for objects and arrays', () => {
    const deep = (levels: number, open: string, close: string): string =>
      `{"a":${open.repeat(levels)}1${close.repeat(levels)}}`;
    expect(scan(deep(255, '[', ']')).members).toHaveLength(1);
    expect(scan(deep(255, '{"b":', '}')).members).toHaveLength(1);
    expect(error(deep(256, '[', ']')).message).toContain('256 levels');
    expect(error(deep(256, '{"b":', '}')).message).toContain('256 levels');
    expect(error(`{"a":${'['.repeat(2_000_000)}`).message).toContain('256 levels');
  });

  test('C-4: agrees with the native parser on mutated JSON', () => {
    const piece = fc.constantFrom(
      ...[
        '{',
        '}',
        '[',
        ']',
        ',',
        ':',
        '"',
        '\\',
        'u00e9',
        'a',
        '0',
        '1',
        '-',
        '.',
        'e',
        '+',
        'true',
        'null',
        ' ',
        '\n',
        '\t',
        'é',
        '\u0001',
      ],
    );
    fc.assert(
      fc.property(fc.json({ maxDepth: 4 }), fc.array(fc.tuple(fc.nat(), piece), { maxLength: 3 }), (json, edits) => {
        let text = `{"k":${json}}`;
        for (const [at, insert] of edits) {
          const place = at % (text.length + 1);
          text = text.slice(0, place) + insert + text.slice(place + (at % 2));
        }
        expect(!isScanError(scanObject(bytes(text)))).toBe(NATIVE_OBJECT(text));
      }),
      { numRuns: 3000 },
    );
  });

  test('C-4: random bytes never throw', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 60 }), (noise) => {
        const result = scanObject(noise);
        if (isScanError(result)) expect(result.offset).toBeLessThanOrEqual(noise.length);
      }),
    );
  });

  test('a range is scanned without looking outside it', () => {
    const text = '[{"a":1}, {"b":12}3]';
    expect(scan(text, { start: 10, end: 18 }).members.map((one) => one.key)).toEqual(['b']);
    expect(error('{"a":12}', { start: 0, end: 7 }).offset).toBe(7);
    expect(error('{"a":"x"}', { start: 0, end: 7 }).message).toBe('the JSON ends too early');
    expect(error('{"a":true}', { start: 0, end: 8 }).message).toBe('the JSON ends too early');
  });
});

describe('typed readers', () => {
  const view = scan('{"s":"é","n":null,"i":3,"f":1.5,"t":true,"o":{"x":[1]}}');

  test('C-4: null covers absent and null, undefined is another type', () => {
    expect([readString(view, 's'), readString(view, 'n'), readString(view, '-'), readString(view, 'i')]).toEqual([
      'é',
      null,
      null,
      undefined,
    ]);
    expect([readBoolean(view, 't'), readBoolean(view, 'n'), readBoolean(view, 's')]).toEqual([true, null, undefined]);
    expect([readInteger(view, 'i'), readInteger(view, 'f'), readInteger(view, 's')]).toEqual([3, undefined, undefined]);
    expect(readJson(view, 'o')).toEqual({ x: [1] });
    expect(readJson(view, '-')).toBeUndefined();
    expect(member(view, '-')).toBeNull();
  });
});
