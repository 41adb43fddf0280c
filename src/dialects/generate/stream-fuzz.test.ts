import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { chunk, event, feed } from '../../../test/support/generate-tap-feed.ts';
import { isWholeJson } from '../bytes/json-grammar.ts';
import type { CanonicalEvent, CanonicalReader } from '../canonical.ts';
import { ArraySplitter } from './array-splitter.ts';
import { generateUpstream } from './translated.ts';

const EVENTS = [
  ': hello\r\n\r\n',
  chunk([{ text: '', thought: true }]),
  chunk([{ text: 'Plän 𝄞', thought: true, thoughtSignature: 'AA' }]),
  chunk([{ text: 'Hel' }], undefined, { usageMetadata: { promptTokenCount: 3, candidatesTokenCount: 1 } }),
  chunk([{ text: 'b' }], undefined, {}, 1),
  chunk([{ functionCall: { name: 'f', args: { n: 12345678901234567890n.toString() } } }]),
  chunk([{ inlineData: { mimeType: 'image/png', data: 'AA' } }]),
  chunk([], 'STOP'),
  chunk([], 'MAX_TOKENS', {}, 1),
  event({ usageMetadata: { promptTokenCount: 3, candidatesTokenCount: 9, totalTokenCount: 12 } }),
];
const array = `[${EVENTS.slice(1)
  .map((one) => JSON.stringify(JSON.parse(one.slice(6)), null, 1))
  .join(',\r\n')}]`;

const ODD = [
  event({ error: { code: 503 } }),
  event({ promptFeedback: { blockReason: 'SAFETY' } }),
  chunk([{ text: 'x' }], 'MALFORMED_FUNCTION_CALL'),
  '{\n  "error": {\n "code": 429 }\n}\n',
  'data: [DONE]\n\n',
  'data: {"candidates":[{"content":{"parts":[{"text":"',
  'data: {"candidates":[null]}\n\n',
  'data: {"candidates":[{"content":{"parts":{"text":"x"}}}]}\n\n',
  'data: {"candidates":[{"content":{"parts":[1,null,"x",{"functionCall":{"name":"g"}}]}}]}\n\n',
  'data: {"usageMetadata":"x","candidates":{}}\n\n',
  '[',
  ']',
  ',',
  '\u0000',
];

type Edit = readonly ['flip' | 'drop' | 'double' | 'cut' | 'insert', number, number];
const edits = fc.array(
  fc.tuple(
    fc.constantFrom<Edit[0]>('flip', 'drop', 'double', 'cut', 'insert'),
    fc.double({ min: 0, max: 1, noNaN: true }),
    fc.nat(255),
  ),
  { maxLength: 4 },
);
const start = fc.oneof(
  fc.constant(EVENTS.join('')),
  fc.constant(array),
  fc.shuffledSubarray([...EVENTS, ...ODD], { minLength: 1 }).map((list) => list.join('')),
);

function damaged(text: string, changes: readonly Edit[]): Buffer {
  let bytes = Buffer.from(text);
  for (const [kind, where, what] of changes) {
    const at = Math.floor(where * bytes.length);
    const [head, tail] = [bytes.subarray(0, at), bytes.subarray(at)];
    if (kind === 'flip') {
      bytes = Buffer.from(bytes);
      if (at < bytes.length) bytes[at] = what;
    } else if (kind === 'drop') bytes = Buffer.concat([head, tail.subarray(what % 40)]);
    else if (kind === 'double') bytes = Buffer.concat([head, tail.subarray(0, what), tail]);
    else if (kind === 'cut') bytes = Buffer.from(head);
    else bytes = Buffer.concat([head, Buffer.from(ODD[what % ODD.length]!), tail]);
  }
  return bytes;
}

function pieces(bytes: Buffer, step: number): Buffer[] {
  const list: Buffer[] = [];
  for (let at = 0; at < bytes.length; at += step) list.push(bytes.subarray(at, at + step));
  return list;
}

const RUNS = { numRuns: 1500 };
const step = fc.integer({ min: 1, max: 200 });

/** No stream may look whole that never said why it ended. */
const saysItEnded = (bytes: Buffer): boolean => /finishReason|blockReason|\\u/.test(bytes.toString('latin1'));

describe('T-10: whatever is done to a stream', () => {
  test('the tap never throws, gives whole events alone, and completes only what finished', () => {
    fc.assert(
      fc.property(start, edits, step, fc.constantFrom('events', 'array'), (text, changes, size, form) => {
        const bytes = damaged(text, changes);
        const { tap, relayed, whole } = feed(pieces(bytes, size), { n: 2, form });
        expect(tap.complete).toBe(tap.fault === null);
        if (tap.complete) expect([tap.finished, saysItEnded(bytes)]).toEqual([true, true]);
        const told = Buffer.from(whole ?? relayed);
        if (form === 'array') {
          const closed = whole === null && told.length > 0 ? Buffer.concat([told, Buffer.from(']')]) : told;
          if (closed.length > 0) expect(isWholeJson(closed, 0, closed.length)).toBe(true);
        } else {
          for (const block of told.toString().split('\n\n').slice(0, -1)) {
            const json = Buffer.from(block.slice(6));
            expect([block.startsWith('data: {'), isWholeJson(json, 0, json.length)]).toEqual([true, true]);
          }
        }
      }),
      RUNS,
    );
  });

  test('the tap and the reader say the same of it, in any pieces', () => {
    fc.assert(
      fc.property(start, edits, step, (text, changes, size) => {
        const bytes = damaged(text, changes);
        const [one, other] = [read(pieces(bytes, size)), read([bytes])];
        expect(one).toEqual(other);
        const { tap } = feed([bytes], { n: 0 });
        // The reader takes the candidates that come: how many were asked for is the crossing's to know.
        expect([one.fault?.kind ?? null, one.ending]).toEqual([
          tap.fault?.kind ?? null,
          tap.fault === null ? 'proper' : 'open',
        ]);
      }),
      RUNS,
    );
  });

  test('blocks of the reader open, speak and close in order', () => {
    fc.assert(
      fc.property(start, edits, (text, changes) => {
        const { events } = read([damaged(text, changes)]);
        const open = new Map<number, number>();
        let next = 0;
        const finished = new Set<number>();
        for (const one of events) {
          if (one.type === 'block-start') {
            expect([one.block, [...open.values()].includes(one.choice), finished.has(one.choice)]).toEqual([
              next++,
              false,
              false,
            ]);
            open.set(one.block, one.choice);
          } else if (one.type === 'finish') {
            expect([...open.values()].includes(one.choice) || finished.has(one.choice)).toBe(false);
            finished.add(one.choice);
          } else if ('block' in one) {
            expect(open.has(one.block)).toBe(true);
            if (one.type === 'delta') expect(one.text).not.toBe('');
            if (one.type === 'block-end') open.delete(one.block);
          }
        }
      }),
      RUNS,
    );
  });

  test('T-8: the splitter of arrays gives the same elements at any cut', () => {
    const split = (list: readonly Buffer[]): string[] => {
      const splitter = new ArraySplitter(1 << 20);
      const found: string[] = [];
      const take = (): void => {
        while (splitter.next()) found.push(`${splitter.kind} ${Buffer.from(splitter.data)}`);
      };
      for (const piece of list) {
        splitter.push(piece);
        take();
      }
      splitter.finish();
      take();
      return found;
    };
    fc.assert(
      fc.property(edits, step, (changes, size) => {
        const bytes = damaged(array, changes);
        expect(split(pieces(bytes, size))).toEqual(split([bytes]));
      }),
      RUNS,
    );
  });
});

function read(list: readonly Buffer[]): Pick<CanonicalReader, 'fault' | 'ending'> & { events: CanonicalEvent[] } {
  const events: CanonicalEvent[] = [];
  const reader = generateUpstream.canonical.streamReader({
    maxEventBytes: 1 << 20,
    names: new Map(),
    vendor: 'v',
    emit: (one) => void events.push(one),
  });
  for (const piece of list) reader.push(piece);
  reader.end();
  const fault = reader.fault?.kind === 'malformed' ? { ...reader.fault, message: '' } : reader.fault;
  return { fault, ending: reader.ending, events };
}
