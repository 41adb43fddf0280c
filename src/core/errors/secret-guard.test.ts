import { describe, expect, it } from 'vitest';
import { secretGuard } from './secret-guard.ts';

const guard = secretGuard(['sk-live-Zx9Qw8Er7', 'abc']);

describe('secretGuard', () => {
  it.each(['req_0123456789abcdef', 'org-live', 'abc'])('E-5: keeps %s as it is', (id) => expect(guard(id)).toBe(id));

  it.each(['sk-live-Zx9Qw8Er7', 'x-ratelimit-zx9qw8er7', 'key=Qw8Er7;', 'SK-LIVE-'])('E-5: hides %s whole', (text) => {
    expect(guard(text)).toBe('***');
  });

  it('E-5: five characters are no secret', () => {
    expect(guard('Zx9Qw')).toBe('Zx9Qw');
    expect(guard('')).toBe('');
  });
});
