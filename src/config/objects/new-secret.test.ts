import { describe, expect, it } from 'vitest';
import { newClientKey, newMemberToken } from './new-secret.ts';

describe('secrets the gateway makes', () => {
  it('G-9: are of one form and length and never the same', () => {
    const keys = Array.from({ length: 500 }, newClientKey);
    expect(new Set(keys).size).toBe(500);
    for (const key of keys) expect(key).toMatch(/^us-[0-9A-Za-z]{43}$/);
    expect(newMemberToken()).toMatch(/^us-member-[0-9A-Za-z]{43}$/);
  });

  it('G-9: hold all of their randomness: every digit place takes on most of its values', () => {
    const keys = Array.from({ length: 2000 }, () => newClientKey().slice(3));
    // The first digit stands for what is left of 2^256 above 62^42: fewer values.
    for (let place = 1; place < 43; place += 1) expect(new Set(keys.map((key) => key[place])).size).toBe(62);
  });
});
