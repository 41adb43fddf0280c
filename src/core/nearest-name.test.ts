import { describe, expect, it } from 'vitest';
import { editDistance, nearestName } from './nearest-name.ts';

describe('X-5: suggestions', () => {
  it('X-5: counts a swap of neighbours as one edit', () => {
    expect(editDistance('base_ulr', 'base_url')).toBe(1);
    expect(editDistance('kitten', 'sitting')).toBe(3);
    expect(editDistance('', 'abc')).toBe(3);
  });

  it('X-5: finds the nearest name, and none when nothing is near', () => {
    expect(nearestName('provders', ['providers', 'policies'])).toBe('providers');
    expect(nearestName('HOST', ['host', 'port'])).toBe('host');
    expect(nearestName('timeout', ['connect_timeout_ms', 'timeout_ms'])).toBe('timeout_ms');
    expect(nearestName('zz', ['a', 'server'])).toBeNull();
    expect(nearestName('entirely-different', ['host', 'port'])).toBeNull();
  });
});
