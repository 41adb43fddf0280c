import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { drawSealKey, readSealKey } from './seal-key.ts';
import { keyIdOf, openText, sealText } from './sealed-text.ts';

const { sealKey } = drawSealKey();

describe('sealed texts', () => {
  it('G-9: what was sealed opens again, whatever it is', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.string(), (plain, context) => {
        const sealed = sealText(plain, context, sealKey);
        expect(openText(sealed, context, sealKey)).toBe(plain);
        expect(keyIdOf(sealed)).toBe(sealKey.id);
      }),
    );
  });

  it('G-9: a text opens neither with another context nor with another key, nor one bit off', () => {
    const sealed = sealText('sk-live-0123456789', 'credential a', sealKey);
    expect(openText(sealed, 'credential b', sealKey)).toBeNull();
    expect(openText(sealed, 'credential a', drawSealKey().sealKey)).toBeNull();
    const [form, id, text] = sealed.split('.') as [string, string, string];
    const bytes = Buffer.from(text, 'base64url');
    for (let bit = 0; bit < bytes.length * 8; bit += 1) {
      const bent = Buffer.from(bytes);
      bent[bit >> 3]! ^= 1 << (bit & 7);
      expect(openText(`${form}.${id}.${bent.toString('base64url')}`, 'credential a', sealKey)).toBeNull();
    }
    expect(
      openText(`${form}.${id}.${bytes.subarray(0, -1).toString('base64url')}`, 'credential a', sealKey),
    ).toBeNull();
  });

  it('G-9: the key id is bound in: a text renamed to another key of the ring is refused', () => {
    const sealed = sealText('x', 'c', sealKey);
    const renamed = sealed.replace(sealKey.id, '00000000');
    expect(openText(renamed, 'c', { ...sealKey, id: '00000000' })).toBeNull();
  });

  it('G-9: the same plain text never looks the same twice and shows nothing of itself', () => {
    const texts = new Set(Array.from({ length: 200 }, () => sealText('sk-live-0123456789', 'c', sealKey)));
    expect(texts.size).toBe(200);
    const nonces = new Set(
      [...texts].map((text) => Buffer.from(text.split('.')[2]!, 'base64url').toString('hex', 0, 12)),
    );
    expect(nonces.size).toBe(200);
    for (const text of texts) expect(Buffer.from(text.split('.')[2]!, 'base64url').includes('sk-live')).toBe(false);
  });

  it.each([
    '',
    'plain',
    'v1.',
    'v1.0123abcd.',
    'v2.0123abcd.AAAA',
    'v1.0123abcd.AA AA',
    'v1.0123ABCD.AAAA',
    'v1.0123abcd.AAAA',
  ])('G-9: %j is no sealed text that opens', (text) => {
    expect(openText(text, 'c', sealKey)).toBeNull();
  });
});

describe('seal keys', () => {
  const hex = '000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f';
  const base64 = Buffer.from(hex, 'hex').toString('base64');

  it('G-9: a key is read from hex and from base64 of either alphabet, with one id', () => {
    const texts = [
      hex,
      hex.toUpperCase(),
      base64,
      base64.replace('=', ''),
      Buffer.from(hex, 'hex').toString('base64url'),
    ];
    expect(new Set(texts.map((text) => readSealKey(text, 'KEY').id)).size).toBe(1);
    expect(readSealKey(hex, 'KEY').id).toMatch(/^[0-9a-f]{8}$/);
  });

  it.each(['secret', hex.slice(2), `${hex}00`, `${base64}A`, base64.slice(2), 'x'.repeat(64), ' '.repeat(43)])(
    'G-9: %j is refused by the name of its place, never repeated',
    (text) => {
      expect(() => readSealKey(text, 'THE_PLACE')).toThrow(/^THE_PLACE must be 32 random bytes/);
      let message = '';
      try {
        readSealKey(text, 'THE_PLACE');
      } catch (error) {
        message = String(error);
      }
      if (text.trim() !== '') expect(message).not.toContain(text);
    },
  );

  it.each(['0'.repeat(64), 'f'.repeat(64), 'A'.repeat(43)])('G-9: the placeholder %s is refused', (text) => {
    expect(() => readSealKey(text, 'KEY')).toThrow(/one byte repeated/);
  });
});
