import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type BodyView, isScanError, scanObject } from './body-view.ts';
import { type Edit, edit, setJson } from './edit.ts';

function scan(text: string): BodyView {
  const view = scanObject(Buffer.from(text));
  if (isScanError(view)) throw new Error(view.message);
  return view;
}

function edited(text: string, ...edits: Edit[]): string {
  return Buffer.from(edit(scan(text), edits)).toString();
}

const remove = (key: string): Edit => ({ op: 'remove', key });

describe('edit', () => {
  test('R-3: a replaced value leaves every other byte, big integers and odd spacing included', () => {
    const text = '{ "id" :12345678901234567890,  "model"\t: "a" , "x":1.0e5,"u":"\\u00e9" }';
    expect(edited(text, setJson('model', 'b'))).toBe(text.replace('"a"', '"b"'));
  });

  test('C-4: an escaped or repeated key is edited wherever it stands', () => {
    expect(edited('{"mod\\u0065l":"a","x":1,"model":"b"}', setJson('model', 'c'))).toBe(
      '{"mod\\u0065l":"c","x":1,"model":"c"}',
    );
    expect(edited('{"a":1,"b":2,"a":3}', remove('a'))).toBe('{"b":2}');
  });

  test.each([
    ['{"a":1,"b":2,"c":3}', ['a'], '{"b":2,"c":3}'],
    ['{"a":1,"b":2,"c":3}', ['b'], '{"a":1,"c":3}'],
    ['{"a":1,"b":2,"c":3}', ['c'], '{"a":1,"b":2}'],
    ['{"a":1,"b":2,"c":3}', ['a', 'b'], '{"c":3}'],
    ['{"a":1,"b":2,"c":3}', ['b', 'c'], '{"a":1}'],
    ['{"a":1,"b":2,"c":3}', ['a', 'c'], '{"b":2}'],
    ['{"a":1,"b":2}', ['a', 'b'], '{}'],
    ['{ "a" : 1 , "b" : 2 }', ['a'], '{ "b" : 2 }'],
    ['{}', ['a'], '{}'],
  ])('R-4: %s without %j', (text, keys, expected) => {
    expect(edited(text, ...keys.map(remove))).toBe(expected);
  });

  test('R-2: an absent key is appended by set, not by replace', () => {
    expect(edited('{"a":1}', setJson('b', [2]))).toBe('{"a":1,"b":[2]}');
    expect(edited('{ }', setJson('b', 2), setJson('c', 3))).toBe('{"b":2,"c":3 }');
    expect(edited('{"a":1 }', remove('a'), setJson('b', 2))).toBe('{"b":2 }');
    expect(edited('{"a":1}', { op: 'replace', key: 'b', value: Buffer.from('2') })).toBe('{"a":1}');
    expect(edited('{"a":1}', { op: 'replace', key: 'a', value: Buffer.from('2') })).toBe('{"a":2}');
  });

  test('T-8: agrees with editing the parsed object, and stays JSON', () => {
    const key = fc.constantFrom('a', 'b', 'c', 'd', 'é', '"');
    const change = fc.tuple(fc.constantFrom('set', 'replace', 'remove'), fc.json({ maxDepth: 1 }));
    const space = fc.constantFrom('', ' ', '\n\t');
    fc.assert(
      fc.property(
        fc.uniqueArray(fc.tuple(key, fc.json({ maxDepth: 2 })), { selector: ([name]) => name }),
        fc.dictionary(key, change),
        space,
        (members, changes, pad) => {
          const text = `{${pad}${members.map(([name, value]) => `${JSON.stringify(name)}${pad}:${pad}${value}`).join(`${pad},${pad}`)}${pad}}`;
          const expected = new Map<string, unknown>(members.map(([name, value]) => [name, JSON.parse(value)]));
          const edits = Object.entries(changes).map(([name, [op, value]]): Edit => {
            if (op === 'remove') expected.delete(name);
            else if (op === 'set' || expected.has(name)) expected.set(name, JSON.parse(value));
            return op === 'remove'
              ? remove(name)
              : { op: op === 'set' ? 'set' : 'replace', key: name, value: Buffer.from(value) };
          });
          expect(JSON.parse(edited(text, ...edits))).toEqual(Object.fromEntries(expected));
        },
      ),
      { numRuns: 2000 },
    );
  });
});
