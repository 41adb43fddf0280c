import { describe, expect, it } from 'vitest';
import { isEventStream } from './is-event-stream.ts';

const first = (text: string): number => text.charCodeAt(0);

describe('isEventStream', () => {
  it.each([
    ['text/event-stream', '{', true],
    ['text/event-stream; charset=utf-8', '<', true],
    ['application/json', 'd', false],
    ['application/problem+json', 'd', false],
    ['text/html', 'd', false],
  ])('F-5: %s decides before the first byte %s', (type, byte, expected) => {
    expect(isEventStream(type, first(byte))).toBe(expected);
  });

  it.each([
    ['{', false],
    ['[', false],
    ['<', false],
    ['d', true],
    [':', true],
  ])('F-5: behind another type, or none, the first byte %s decides', (byte, expected) => {
    expect(isEventStream('', first(byte))).toBe(expected);
    expect(isEventStream('text/plain', first(byte))).toBe(expected);
  });

  it('F-5: nothing but space so far is no JSON', () => {
    expect(isEventStream('', 0)).toBe(true);
  });
});
