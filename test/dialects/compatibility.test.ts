import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { compatibilityText } from './compatibility.ts';

describe('docs/compatibility.md', () => {
  it('R-4: is what the code says today (else: node scripts/compatibility.mjs)', () => {
    expect(readFileSync(new URL('../../docs/compatibility.md', import.meta.url), 'utf8')).toBe(compatibilityText());
  });
});
