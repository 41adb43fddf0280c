import { createParser } from 'eventsource-parser';
import fc from 'fast-check';
import { Stream } from 'openai/core/streaming';
import type { ChatCompletionChunk } from 'openai/resources/chat/completions';
import { describe, expect, test } from 'vitest';
import { chunk, DONE, type Fed, type FeedOptions, feed, ROLE, STOP } from '../../../test/support/chat-tap-feed.ts';

const REPORT = '{"request_id":"req_1","attempts":1}';

/** Chunks as upstreams send them, more or less. */
const delta = fc.oneof(
  fc.record({ content: fc.string() }),
  fc.record({ content: fc.string({ unit: 'grapheme' }) }),
  fc.record({ reasoning_content: fc.string() }),
  fc.record({ refusal: fc.string() }),
  fc.nat().map((index) => ({
    tool_calls: [{ index, id: `c${index}`, type: 'function', function: { name: 'f', arguments: '{}' } }],
  })),
  fc.constant({}),
);
const extra = fc.oneof(
  fc.constant({}),
  fc.constant({ usage: null }),
  fc.record({ usage: fc.record({ prompt_tokens: fc.nat(), completion_tokens: fc.nat(), total_tokens: fc.nat() }) }),
  fc.record({ x_vendor: fc.jsonValue() }),
);
const noise = fc.constantFrom(
  ': c\n\n',
  'event: ping\ndata: {}\n\n',
  'data:\n\n',
  'data: {"choices":[]}\n\n',
  'data: {"x":1}\n\n',
);
const body = fc.array(
  fc.oneof({ weight: 4, arbitrary: fc.tuple(delta, extra).map(([d, x]) => chunk(d, null, x)) }, noise),
  { maxLength: 8 },
);
const stream = fc
  .tuple(body, extra, fc.constantFrom('stop', 'length', 'content_filter'), fc.constantFrom('\n', '\r\n', '\r'))
  .map(([events, last, finish, end]) => [ROLE, ...events, chunk({}, finish, last), DONE].join('').replaceAll('\n', end))
  .map((text) => Buffer.from(text));

const options: fc.Arbitrary<FeedOptions> = fc
  .record({ includeUsage: fc.boolean(), holdAll: fc.boolean(), classic: fc.boolean(), reported: fc.boolean() })
  .map(({ reported, ...rest }) => (reported ? { ...rest, report: REPORT } : rest));

function cutAt(bytes: Uint8Array, cuts: readonly number[]): Uint8Array[] {
  const at = [...new Set(cuts.map((cut) => cut % (bytes.length + 1)))].sort((a, b) => a - b);
  return [0, ...at].map((from, i) => bytes.subarray(from, at[i] ?? bytes.length));
}

/** The data of every event, as a standards-following parser reads them; the text must be whole events only. */
function dataOf(text: string): string[] {
  const found: string[] = [];
  const parser = createParser({
    onEvent: (event) => found.push(event.data),
    onError: (error) => expect(error).toBeNull(),
  });
  parser.feed(text);
  expect(text === '' || text.endsWith('\n\n')).toBe(true);
  return found;
}

/** Whatever came in: what goes out is JSON events that have choices and no error, then at most one `[DONE]`. */
function checkOutput({ tap, relayed, whole }: Fed): void {
  const found = dataOf(whole ?? relayed);
  const done = found.indexOf('[DONE]');
  expect(done).toBe(tap.complete ? found.length - 1 : -1);
  for (const data of tap.complete ? found.slice(0, -1) : found) {
    const parsed = JSON.parse(data) as { choices: unknown; model: unknown; error?: unknown };
    expect(Array.isArray(parsed.choices)).toBe(true);
    expect(parsed.model).toBe('served/m');
    expect(parsed.error || undefined).toBeUndefined();
  }
}

const outcome = ({ tap, whole, relayed, ready }: Fed): unknown => [
  ready,
  tap.complete,
  tap.suspicious,
  tap.fault?.kind,
  tap.finishReasons,
  tap.usage,
  tap.contentEvents,
  whole ?? relayed,
];

describe('any stream', () => {
  test('T-8: in any pieces it completes, and comes out the same', () => {
    fc.assert(
      fc.property(stream, options, fc.array(fc.nat(), { maxLength: 10 }), (bytes, given, cuts) => {
        const fed = feed([bytes], given);
        expect([fed.tap.complete, fed.tap.suspicious, fed.tap.fault]).toEqual([true, false, null]);
        checkOutput(fed);
        expect(outcome(feed(cutAt(bytes, cuts), given))).toEqual(outcome(fed));
      }),
      { numRuns: 500 },
    );
  });

  test('T-5: cut before its finish reason it never completes', () => {
    fc.assert(
      fc.property(stream, options, fc.nat(), (bytes, given, cut) => {
        const finish = bytes.lastIndexOf('"finish_reason":"');
        const fed = feed([bytes.subarray(0, cut % (finish + 1))], given);
        expect(fed.tap.complete).toBe(false);
        expect(fed.tap.fault).toEqual({ kind: 'cut' });
        checkOutput(fed);
      }),
      { numRuns: 500 },
    );
  });

  test('T-10: with bytes changed, dropped or put in, nothing throws and no half event comes out', () => {
    const change = fc.tuple(
      fc.nat(),
      fc.constantFrom('set', 'drop', 'insert'),
      fc.oneof(fc.nat(255), fc.constantFrom(10, 13, 34, 44, 92, 123, 125)),
    );
    fc.assert(
      fc.property(
        stream,
        options,
        fc.array(change, { minLength: 1, maxLength: 6 }),
        fc.array(fc.nat(), { maxLength: 4 }),
        (bytes, given, changes, cuts) => {
          let mutated = bytes;
          for (const [place, how, byte] of changes) {
            const at = place % mutated.length;
            const rest = mutated.subarray(how === 'insert' ? at : at + 1);
            mutated = Buffer.concat([
              mutated.subarray(0, at),
              how === 'drop' ? Buffer.alloc(0) : Buffer.from([byte]),
              rest,
            ]);
          }
          const fed = feed([mutated], given);
          checkOutput(fed);
          expect(outcome(feed(cutAt(mutated, cuts), given))).toEqual(outcome(fed));
        },
      ),
      { numRuns: 2000 },
    );
  });

  test('T-10: random bytes never complete and never throw', () => {
    fc.assert(
      fc.property(fc.array(fc.uint8Array({ maxLength: 200 }), { maxLength: 5 }), options, (noiseBytes, given) => {
        const fed = feed(noiseBytes, given);
        expect(fed.tap.complete).toBe(false);
        checkOutput(fed);
      }),
    );
  });

  test('T-5: the pieces of two streams shuffled together complete only with a finish reason', () => {
    const piece = fc.constantFrom(
      ROLE,
      STOP,
      DONE,
      chunk({ content: 'x' }),
      'data: {"choi',
      'ces":[]}\n\n',
      '\n',
      '{"error":1}\n',
      'event: error\n',
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 12 }), options, (pieces, given) => {
        const fed = feed(pieces, given);
        checkOutput(fed);
        if (fed.tap.complete && !fed.tap.finished) expect([fed.tap.suspicious, given.holdAll]).toEqual([true, false]);
      }),
      { numRuns: 2000 },
    );
  });
});

describe('the official SDK', () => {
  async function read(text: string): Promise<ChatCompletionChunk[]> {
    const sdk = Stream.fromSSEResponse<ChatCompletionChunk>(new Response(text), new AbortController());
    const found: ChatCompletionChunk[] = [];
    for await (const one of sdk) found.push(one);
    return found;
  }

  test('R-2: its stream parser reads every event, report and usage included', async () => {
    await fc.assert(
      fc.asyncProperty(stream, options, async (bytes, given) => {
        const { whole } = feed([bytes], given);
        const found = await read(whole!);
        expect(found).toHaveLength(dataOf(whole!).length - 1);
        expect(found.every((one) => Array.isArray(one.choices))).toBe(true);
        const report = found.filter((one) => 'understudy' in one || 'metadata' in one);
        expect(report).toHaveLength(given.report === undefined ? 0 : 1);
      }),
      { numRuns: 100 },
    );
  });
});
