import { createParser } from 'eventsource-parser';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { SseSplitter } from './sse.ts';

type Found = { kind: string; name: string | null; data: string };

/** Feeds the pieces and reads everything out. */
function split(pieces: readonly Uint8Array[], limit = 1 << 20): Found[] {
  const splitter = new SseSplitter(limit);
  const found: Found[] = [];
  const read = (): void => {
    while (splitter.next()) {
      const data = Buffer.from(splitter.data.subarray(splitter.start, splitter.end)).toString();
      found.push({ kind: splitter.kind, name: splitter.name, data });
    }
  };
  for (const piece of pieces) {
    splitter.push(piece);
    read();
  }
  splitter.finish();
  read();
  expect(splitter.next()).toBe(false);
  return found;
}

const one = (text: string, limit?: number): Found[] => split([Buffer.from(text)], limit);
const event = (data: string, name: string | null = null): Found => ({ kind: 'event', name, data });

/** The input cut at the given places. */
function pieces(input: Uint8Array, cuts: readonly number[]): Uint8Array[] {
  const at = [...new Set(cuts.map((cut) => cut % (input.length + 1)))].sort((a, b) => a - b);
  return [0, ...at].map((from, i) => input.slice(from, at[i] ?? input.length));
}

describe('SseSplitter', () => {
  test('T-8: events, names, comments, ids and empty data', () => {
    expect(
      one(': c\n\ndata: a\n\nevent: ping\ndata:b\nid: 3\nretry: 5\n\nevent: x\n\ndata\n\ndata:  two\n: c\n\n'),
    ).toEqual([event('a'), event('b', 'ping'), event(''), event(' two')]);
  });

  test('T-8: CRLF, LF, CR and a mix of them end lines', () => {
    for (const end of ['\n', '\r\n', '\r']) {
      expect(one(['data: a', 'data: b', '', 'data: c', '', ''].join(end))).toEqual([event('a\nb'), event('c')]);
    }
    expect(one('data: a\r\rdata: b\n\r\ndata: c\r\n\ndata: d\r\n\r\n')).toEqual(
      ['a', 'b', 'c', 'd'].map((data) => event(data)),
    );
  });

  test('T-8: a CR at the end of a read ends the event at once', () => {
    const splitter = new SseSplitter(100);
    splitter.push(Buffer.from('data: a\r\n\r'));
    expect(splitter.next()).toBe(true);
    expect(splitter.next()).toBe(false);
    splitter.push(Buffer.from('\ndata: b\n\n'));
    expect(splitter.next()).toBe(true);
    expect(splitter.name).toBeNull();
  });

  test('F-3: one byte order mark is stripped, at the very start only', () => {
    expect(one('\ufeffdata: a\n\n')).toEqual([event('a')]);
    expect(one('\ufeffdata: a')).toEqual([{ kind: 'tail', name: null, data: 'a' }]);
    expect(one('data: a\n\n\ufeffdata: b\n\n')).toEqual([event('a')]);
  });

  test('T-5: what follows the last blank line is a tail, or a cut when it is no event', () => {
    expect(one('data: a')).toEqual([{ kind: 'tail', name: null, data: 'a' }]);
    expect(one('event: e\ndata: a\ndata: b\n')).toEqual([{ kind: 'tail', name: 'e', data: 'a\nb' }]);
    expect(one('data: a\n\n: comment')).toEqual([event('a')]);
    expect(one('data: a\n\nid: 1')).toEqual([event('a')]);
    for (const tail of ['dat', 'event: error', 'x', 'evnt: y']) {
      expect(one(`data: a\n\n${tail}`).map((found) => found.kind)).toEqual(['event', 'cut']);
    }
  });

  test('T-5: JSON in no event comes out when it closes, over several lines too', () => {
    const stray = (data: string): Found => ({ kind: 'stray', name: null, data });
    expect(one('data: a\n\n{\n "error": {"m": "}"}\n}')).toEqual([event('a'), stray('{\n "error": {"m": "}"}\n}\n')]);
    expect(one('{"a":1}\r\n\r\ndata: b\n\n')).toEqual([stray('{"a":1}\n'), event('b')]);
    expect(one('data: a\n\n{"error":').map((found) => found.kind)).toEqual(['event', 'cut']);
    expect(one('{"a":\ndata: b\n\ndata: c\n\n').map((found) => found.kind)).toEqual(['broken']);
    expect(one(`[${'\n1,'.repeat(40_000)}`).map((found) => found.kind)).toEqual(['broken']);
    expect(one('unknown: x\ndata: a\n\n')).toEqual([event('a')]);
  });

  test('T-7: an event over the limit breaks the stream, in one line, in many and unfinished', () => {
    expect(one(`data: ${'x'.repeat(100)}\n\n`, 100)).toEqual([event('x'.repeat(100))]);
    expect(one(`data: ${'x'.repeat(101)}\n\ndata: y\n\n`, 100).map((found) => found.kind)).toEqual(['broken']);
    expect(one(`${'data: 1234567890\n'.repeat(11)}\n`, 100).map((found) => found.kind)).toEqual(['broken']);
    const splitter = new SseSplitter(100);
    for (let i = 0; i < 12; i++) {
      splitter.push(Buffer.from('data: 123456'));
      if (splitter.next()) break;
    }
    expect(splitter.kind).toBe('broken');
    expect(splitter.pendingBytes).toBe(0);
  });

  test('T-7: the bytes of an open event are counted, those of a closed one not', () => {
    const splitter = new SseSplitter(1000);
    splitter.push(Buffer.from('data: a\n\n: comment\ndata: 12345\n'));
    while (splitter.next());
    expect(splitter.pendingBytes).toBe(6);
    splitter.push(Buffer.from('data: 6\n'));
    while (splitter.next());
    expect(splitter.pendingBytes).toBe(7);
    splitter.push(Buffer.from('\n'));
    while (splitter.next());
    expect(splitter.pendingBytes).toBe(0);
  });

  test('T-7: what an open event carries beside its data is not held', () => {
    const splitter = new SseSplitter(100);
    splitter.push(Buffer.from('data: a\n'));
    expect(splitter.next()).toBe(false);
    for (let i = 0; i < 200; i++) {
      splitter.push(Buffer.from(`: ${'comment '.repeat(50)}\nid: ${i}\n`));
      expect(splitter.next()).toBe(false);
      expect(splitter.pendingBytes).toBeLessThan(4096);
    }
    splitter.push(Buffer.from('data: b\n\n'));
    expect(splitter.next()).toBe(true);
    expect(Buffer.from(splitter.data.subarray(splitter.start, splitter.end)).toString()).toBe('a\nb');
  });

  test('T-10: the caller may reuse its buffer after each push', () => {
    const splitter = new SseSplitter(1000);
    const shared = Buffer.alloc(8);
    const found: string[] = [];
    for (const piece of ['data: ab', 'cd\ndata:', ' ef\n\ndat', 'a: gh\n\n_']) {
      shared.write(piece);
      splitter.push(shared);
      while (splitter.next()) found.push(Buffer.from(splitter.data.subarray(splitter.start, splitter.end)).toString());
      shared.fill(0x21);
    }
    expect(found).toEqual(['abcd\nef', 'gh']);
  });

  const line = fc.oneof(
    fc.constantFrom(
      'data: {"a":1}',
      'data:x',
      'data',
      'data: ',
      'data:  y',
      ': c',
      ':',
      'event: ping',
      'event:',
      'id: 1',
    ),
    fc.constantFrom(
      'retry: 5',
      'unknown: z',
      'nonsense',
      ' data: x',
      'database: x',
      'data: é😀',
      '',
      '',
      '',
      '\ufeffdata: b',
    ),
  );
  const input = fc
    .array(fc.tuple(line, fc.constantFrom('\n', '\r\n', '\r')), { maxLength: 30 })
    .map((lines) => Buffer.from(lines.map(([text, end]) => text + end).join('')));

  test('T-10: any cut of the bytes gives the same events', () => {
    const loose = fc.oneof(
      input,
      fc
        .tuple(input, fc.constantFrom('data: {"x"', '{"e":', 'da', ': c', '{}'))
        .map(([a, b]) => Buffer.concat([a, Buffer.from(b)])),
    );
    fc.assert(
      fc.property(loose, fc.array(fc.nat(), { maxLength: 12 }), (bytes, cuts) => {
        const whole = split([bytes]);
        expect(split(pieces(bytes, cuts))).toEqual(whole);
        expect(split([...bytes].map((byte) => Uint8Array.of(byte)))).toEqual(whole);
      }),
      { numRuns: 1000 },
    );
  });

  test('T-8: closed events are those of eventsource-parser', () => {
    fc.assert(
      fc.property(input, (bytes) => {
        const expected: Found[] = [];
        const parser = createParser({ onEvent: (found) => expected.push(event(found.data, found.event ?? null)) });
        const text = new TextDecoder().decode(bytes);
        // The oracle waits for what may follow a last CR.
        parser.feed(text.endsWith('\r') ? `${text}\n` : text);
        expect(split([bytes]).filter((found) => found.kind === 'event')).toEqual(expected);
      }),
      { numRuns: 2000 },
    );
  });

  test('T-10: random bytes never throw', () => {
    fc.assert(
      fc.property(fc.array(fc.uint8Array({ maxLength: 40 }), { maxLength: 6 }), (noise) => void split(noise, 64)),
    );
  });

  test('T-7: a large event in small reads costs time in proportion to its size', () => {
    const splitter = new SseSplitter(1 << 24);
    const piece = Buffer.alloc(1024, 0x78);
    splitter.push(Buffer.from('data: '));
    while (splitter.next());
    for (let i = 0; i < 8192; i++) {
      splitter.push(piece);
      expect(splitter.next()).toBe(false);
    }
    splitter.push(Buffer.from('\n\n'));
    expect(splitter.next()).toBe(true);
    expect(splitter.end - splitter.start).toBe(8192 * 1024);
  });
});
