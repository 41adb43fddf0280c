import { describe, expect, it } from 'vitest';
import { bodyText } from './body-text.ts';

const utf8 = (text: string) => new TextEncoder().encode(text);

function utf16(text: string, littleEndian: boolean): Uint8Array {
  const view = new DataView(new ArrayBuffer(text.length * 2));
  for (let at = 0; at < text.length; at++) view.setUint16(at * 2, text.charCodeAt(at), littleEndian);
  return new Uint8Array(view.buffer);
}

describe('F-3: charsets of error bodies', () => {
  it('drops a byte order mark', () => {
    expect(bodyText(Uint8Array.from([0xef, 0xbb, 0xbf, ...utf8('{}')]), undefined)).toBe('{}');
  });

  it.each([true, false])('knows UTF-16 with and without mark, little endian %s', (little) => {
    expect(bodyText(utf16('{"a":"é"}', little), 'application/json')).toBe('{"a":"é"}');
    expect(bodyText(utf16('\uFEFF{"a":"额"}', little), undefined)).toBe('{"a":"额"}');
  });

  it('reads latin1 when it is said and true', () => {
    const bytes = Uint8Array.from([0x7b, 0xe9, 0x7d]);
    expect(bodyText(bytes, 'text/plain; charset=ISO-8859-1')).toBe('{é}');
    expect(bodyText(bytes, 'text/plain; charset="latin1"')).toBe('{é}');
  });

  it('reads UTF-8 that is called latin1', () => {
    expect(bodyText(utf8('余额不足'), 'application/json;charset=ISO-8859-1')).toBe('余额不足');
  });

  it('reads GBK', () => {
    expect(bodyText(Uint8Array.from([0xd3, 0xe0, 0xb6, 0xee]), 'text/plain; charset=gbk')).toBe('余额');
  });

  it('does not stumble over an unknown charset or a character cut in half', () => {
    expect(bodyText(utf8('abc'), 'text/plain; charset=klingon')).toBe('abc');
    expect(bodyText(utf8('余额').subarray(0, 5), 'text/plain')).toBe('余');
    expect(bodyText(new Uint8Array(), undefined)).toBe('');
    expect(bodyText(Uint8Array.from([0xff]), undefined)).toBe('\uFFFD');
  });
});
