// biome-ignore-all lint/suspicious/noTemplateCurlyInString: configuration text, not template literals
import { describe, expect, it } from 'vitest';
import { readDocument } from './document.ts';

const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value));
const read = (text: string, env: Record<string, string> = {}) => {
  const document = readDocument(text, env);
  return { ...document, value: plain(document.root) };
};

describe('X-5: environment references', () => {
  it('X-5: fills unquoted references inside flow mappings, where they would not be YAML', () => {
    const { value, problems } = read('a: { token: ${T}, list: [${T}, x${U:-y, z}], q: "${T}" }', { T: 's: {1}' });
    expect(problems).toEqual([]);
    expect(value).toEqual({ a: { token: 's: {1}', list: ['s: {1}', 'xy, z'], q: 's: {1}' } });
  });

  it('X-5: takes the default for a variable that is unset or empty, and only then', () => {
    const text = 'a: ${A:-one}\nb: ${B:-two}\nc: ${C:-three}\nd: ${A:-}';
    expect(read(text, { B: '', C: 'set' }).value).toEqual({ a: 'one', b: 'two', c: 'set', d: '' });
  });

  it('X-5: never reads a value from the prototype of the environment', () => {
    expect(read('a: ${constructor}').problems).toMatchObject([{ code: 'missing_variable' }]);
  });

  it('X-5: names field, line, column and variable of a missing one', () => {
    const { problems, origin } = read('x: 1\nkeys:\n  - { name: n, secret: ${DEV_KEY} }');
    expect(problems).toEqual([
      expect.objectContaining({ code: 'missing_variable', path: 'keys[0].secret', line: 3, column: 24 }),
    ]);
    expect(problems[0]?.message).toContain('DEV_KEY');
    expect(origin(['keys', 0, 'secret'])?.broken).toBe(true);
  });

  it('X-5: does not look into comments, and does not fill values again', () => {
    const { value, problems } = read('# ${NOT_SET}\na: ${A}', { A: '${B}', B: 'never' });
    expect(problems).toEqual([]);
    expect(value).toEqual({ a: '${B}' });
  });

  it('X-5: keeps `$${X}` as text', () => {
    expect(read('a: "$${X} and ${A}"', { A: '1' }).value).toEqual({ a: '${X} and 1' });
  });

  it.each(['a: "${}"', 'a: "${a b}"', 'a: "${A:-${B}}"', 'a: "${A"', 'a: ${1A}'])('X-5: refuses %s', (text) => {
    expect(read(text, { A: 'x', B: 'y' }).problems).toMatchObject([{ code: 'invalid_value', path: 'a' }]);
  });

  it('X-5: keeps positions after long and short references', () => {
    const { place } = read('a: ["${A}", { b: ${LONG_NAME:-default value} , c: 1 }]', { A: 'a much longer value' });
    expect(place(['a', 1, 'c'], 'key')).toEqual({ line: 1, column: 48 });
  });
});

describe('X-5: YAML', () => {
  it('X-5: reports duplicate keys with the line of the first', () => {
    const { problems, value } = read('a: 1\nb:\n  c: 1\n  c: 2\na: 3');
    expect(problems).toMatchObject([
      { code: 'duplicate', path: 'b.c', line: 4, column: 3 },
      { code: 'duplicate', path: 'a', line: 5, column: 1 },
    ]);
    expect(problems[1]?.message).toContain('line 1');
    expect(value).toEqual({ a: 1, b: { c: 1 } });
  });

  it('X-5: finds keys that become equal by their references', () => {
    expect(read('${A}: 1\nx: 2', { A: 'x' }).problems).toMatchObject([{ code: 'duplicate', path: 'x', line: 2 }]);
  });

  it('X-5: reports syntax errors with their place and shows references as written', () => {
    const { problems } = read('a: 1\nb: [${X}, 2\nc: 1\n', { X: 'secret-value' });
    expect(problems[0]).toMatchObject({ code: 'syntax', line: 3 });
    expect(JSON.stringify(problems)).not.toMatch(/secret-value|[\uE000-\uE4FF]/);
  });

  it('X-5: refuses several documents', () => {
    expect(read('a: 1\n---\nb: 2').problems).toMatchObject([{ code: 'syntax' }]);
  });

  it('X-5: unfolds anchors, and stops at those that never end', () => {
    expect(read('a: &x { b: 1 }\nc: *x').value).toEqual({ a: { b: 1 }, c: { b: 1 } });
    expect(read('a: &x [*x]').problems[0]).toMatchObject({ code: 'syntax' });
    const bomb = ['a0: &a0 [x, x, x, x, x, x, x, x, x, x]'];
    for (let level = 1; level < 9; level++) {
      bomb.push(`a${level}: &a${level} [${Array.from({ length: 10 }, () => `*a${level - 1}`).join(', ')}]`);
    }
    expect(read(bomb.join('\n')).problems).toHaveLength(1);
  });

  it('X-5: does not let a key reach the prototype', () => {
    const { problems, root } = readDocument('__proto__: { polluted: 1 }\nconstructor: 1', {});
    expect(problems).toMatchObject([{ code: 'unknown_key', path: '__proto__' }]);
    expect((root as { polluted?: unknown }).polluted).toBeUndefined();
  });

  it('X-5: reads a byte order mark and CRLF', () => {
    const { value, place } = read('\uFEFFa: 1\r\nb: 2\r\n');
    expect(value).toEqual({ a: 1, b: 2 });
    expect(place(['b'], 'key')).toEqual({ line: 2, column: 1 });
  });
});
