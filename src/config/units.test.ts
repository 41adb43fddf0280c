import { describe, expect, it } from 'vitest';
import { parseDuration, parseSize } from './units.ts';

describe('units', () => {
  it.each([
    ['64kb', 65_536],
    ['32MB', 33_554_432],
    ['1.5 kb', 1536],
    ['10', 10],
    ['1gb', 1_073_741_824],
  ])('reads the size %s', (text, bytes) => expect(parseSize(text)).toBe(bytes));

  it.each([
    ['300s', 300_000],
    ['5m', 300_000],
    ['500ms', 500],
    ['250', 250],
    ['1h', 3_600_000],
  ])('reads the duration %s', (text, ms) => expect(parseDuration(text)).toBe(ms));

  it.each(['', '5 parsecs', '-5s', '1e3', 'mb'])('refuses %j', (text) => {
    expect(parseSize(text)).toBeNull();
    expect(parseDuration(text)).toBeNull();
  });
});
