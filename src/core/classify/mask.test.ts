import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cutText, MAX_MESSAGE_BYTES, makeMasker } from './mask.ts';

const KEY = 'sk-test-AAAABBBBCCCC1234';

function sharesRun(text: string, secret: string): boolean {
  for (let at = 0; at + 6 <= secret.length; at++) if (text.includes(secret.slice(at, at + 6))) return true;
  return false;
}

describe('E-5: configured secrets', () => {
  const mask = makeMasker([KEY]);

  it.each([
    `Incorrect API key provided: ${KEY}.`,
    'Incorrect API key provided: sk-test-AAAA***1234.',
    'Incorrect API key provided: sk-test-AAAA****1234',
    'key ends in CC1234',
    `${KEY}${KEY}`,
    `x${KEY.slice(3, 12)}y${KEY.slice(10)}`,
  ])('no six characters in a row survive in: %s', (text) => {
    expect(sharesRun(mask(text), KEY)).toBe(false);
  });

  it('leaves the rest of the sentence', () => {
    expect(mask(`Incorrect API key provided: ${KEY}. You can find it.`)).toBe(
      'Incorrect API key provided: ***. You can find it.',
    );
    expect(mask('nothing to hide here')).toBe('nothing to hide here');
  });

  it('hides short secrets as whole words only', () => {
    const short = makeMasker(['test']);
    expect(short('the key test failed the contest')).toBe('the key *** failed the contest');
  });

  it('holds for any secret and any text around it', () => {
    const secret = fc.string({ minLength: 6, maxLength: 40 });
    fc.assert(
      fc.property(secret, fc.string(), fc.string(), fc.nat(40), (key, before, after, cut) => {
        const out = makeMasker([key, KEY])(`${before}${key.slice(cut % key.length)}${after}${key}`);
        expect(sharesRun(out, key)).toBe(false);
      }),
    );
  });
});

describe('E-5: things that look like a secret', () => {
  const mask = makeMasker([]);

  it.each([
    ['Bearer abcdef0123456789', 'Bearer ***'],
    ['key sk-proj-Abc123Def456Ghi789', 'key sk***'],
    ['key gsk_0123456789abcdefABCDEF', 'key gsk***'],
    ['key AIzaSyA1234567890abcdef', 'key AIza***'],
    ['postgres://user:hunter22@db.example/x', 'postgres://***db.example/x'],
    ['https://api.example/v1?key=abc123&x=1', 'https://api.example/v1?key=***&x=1'],
    ['token 9fK2mQ7xZ1pL8vB3nR5tY6', 'token ***'],
    ['in organization org-AbCd1234 on tokens', 'in organization org*** on tokens'],
    ['account org-XXXX<ak-YYYY1>', 'account org***<ak***>'],
  ])('%s', (text, shown) => {
    expect(mask(text)).toBe(shown);
  });

  it.each([
    'The model `gpt-5-nano-2026-08-07` does not exist',
    'Meta-Llama-3.1-70B-Instruct-Turbo is busy',
    'requests must not be user-provided or org-wide',
    'set max_completion_tokens instead of max_tokens',
    'skip this task-force, skipped_tokens_2 and akamai-edge1',
    'anthropic.claude-3-7-sonnet-20250219-v1:0',
  ])('leaves alone: %s', (text) => {
    expect(mask(text)).toBe(text);
  });
});

describe('F-2: length of messages', () => {
  it('is at most 2 KiB of UTF-8, cut between characters', () => {
    const cut = cutText('额'.repeat(2000));
    expect(Buffer.byteLength(cut)).toBeLessThanOrEqual(MAX_MESSAGE_BYTES);
    expect(cut).toBe('额'.repeat(682));
    expect(cutText('a'.repeat(5000))).toHaveLength(2048);
    expect(cutText('short 😀')).toBe('short 😀');
  });

  it('never yields half a character', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 200 }), fc.integer({ min: 0, max: 100 }), (text, max) => {
        const cut = cutText(text, max);
        expect(Buffer.byteLength(cut)).toBeLessThanOrEqual(max);
        expect(text.startsWith(cut)).toBe(true);
      }),
    );
  });
});
