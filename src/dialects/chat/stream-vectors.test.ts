import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { DONE, events, type FeedOptions, feed, textIn } from '../../../test/support/chat-tap-feed.ts';
import { readAnswer } from './response.ts';

interface Vector {
  readonly file: string;
  readonly first_content: { readonly byte_start: number; readonly byte_end: number; readonly kind: string } | null;
  readonly is_complete: boolean;
  readonly terminal: string | null;
  readonly finish_reason: string | null;
  readonly usage: Record<
    'input' | 'output' | 'cache_read' | 'cache_write' | 'reasoning' | 'total',
    number | null
  > | null;
  readonly verdict: string;
  readonly failover: boolean;
}

const folder = new URL('./fixtures/streams/', import.meta.url);
const bytesOf = (file: string): Buffer => readFileSync(new URL(file, folder));
const { streams } = JSON.parse(bytesOf('index.json').toString()) as { streams: Vector[] };
const sse = streams.filter((one) => one.file.endsWith('.sse'));
const bodies = streams.filter((one) => !one.file.endsWith('.sse'));

/** What the tap must say of each verdict: ready kind, whether it completed, fault. */
function expected(vector: Vector): [string | null, boolean, string | null] {
  switch (vector.verdict) {
    case 'ok':
    case 'ok_unterminated':
      return ['content', true, null];
    case 'ok_refusal':
      return ['refusal', true, null];
    case 'failover':
      return [null, false, vector.terminal === 'error' ? 'error_event' : 'cut'];
    case 'error_after_commit':
      return ['content', false, 'error_event'];
    case 'truncated_after_commit':
      return ['content', false, 'cut'];
    default:
      throw new Error(`no expectation for ${vector.verdict}`);
  }
}

function check(vector: Vector, pieces: readonly Uint8Array[], options: FeedOptions = {}): string | null {
  const { tap, whole, ready, relayed } = feed(pieces, options);
  expect([ready, tap.complete, tap.fault?.kind ?? null]).toEqual(expected(vector));
  expect(tap.suspicious).toBe(vector.verdict === 'ok_unterminated');
  if (vector.finish_reason !== null && tap.fault === null) expect(tap.finishReasons).toEqual([vector.finish_reason]);
  const usage = vector.usage;
  if (usage === null) expect(tap.usage).toBeNull();
  else {
    expect(tap.usage).toMatchObject({
      input: usage.input,
      output: usage.output,
      cacheRead: usage.cache_read,
      cacheWrite: usage.cache_write,
      reasoning: usage.reasoning,
      total: usage.total,
    });
  }
  return whole ?? relayed;
}

function outcome(pieces: readonly Uint8Array[]): string {
  const { tap, whole, ready, relayed } = feed(pieces);
  const { complete, suspicious, fault, finishReasons, usage, contentEvents } = tap;
  return JSON.stringify([ready, complete, suspicious, fault, finishReasons, usage, contentEvents, whole ?? relayed]);
}

describe.each(sse)('$file', (vector) => {
  const bytes = bytesOf(vector.file);
  const splits = Array.from({ length: bytes.length + 1 }, (_, at) => [bytes.subarray(0, at), bytes.subarray(at)]);

  test('T-1, T-5: verdict, finish and usage are the same at every split point, and byte by byte', () => {
    check(vector, [bytes]);
    const singly = [...bytes].map((byte) => Uint8Array.of(byte));
    const whole = outcome([bytes]);
    expect([...splits, singly].filter((pieces) => outcome(pieces) !== whole)).toEqual([]);
  });

  test('T-1: commits when the first content event has been read, not a byte earlier', () => {
    const { readyAt } = feed([...bytes].map((byte) => Uint8Array.of(byte)));
    const end = vector.first_content?.byte_end ?? null;
    // A line that ends in CRLF is over at its CR.
    const isCrlf = end !== null && bytes[end - 2] === 0x0d;
    expect(readyAt).toBe(isCrlf ? end - 1 : end);
  });

  test('T-8, R-2: with usage and report asked for, the text is the same and both stand at the end', () => {
    const report = '{"request_id":"req_1"}';
    const plain = check(vector, [bytes])!;
    const asked = check(vector, [bytes], { includeUsage: true, report })!;
    expect(textIn(asked)).toBe(textIn(plain));
    expect(plain).not.toContain('"usage"');
    if (!vector.is_complete) return;
    expect(asked.endsWith(DONE)).toBe(true);
    const found = events(asked) as { usage?: object | null; understudy?: object }[];
    expect(found.filter((event) => event.usage != null)).toHaveLength(vector.usage === null ? 0 : 1);
    expect(found.filter((event) => event.understudy !== undefined)).toHaveLength(1);
  });

  test('T-9: held until it finished, it is ready only if it completed', () => {
    const { tap, ready } = feed([bytes], { holdAll: true });
    expect(ready !== null).toBe(vector.is_complete);
    expect(tap.complete).toBe(vector.is_complete);
  });

  test('T-5: cut anywhere, it completes only where nothing but the terminator is missing', () => {
    if (!vector.is_complete) return;
    const finishes = bytes.lastIndexOf('"finish_reason":"');
    const completed: number[] = [];
    for (let at = 0; at < bytes.length; at++) {
      const { tap } = feed([bytes.subarray(0, at)]);
      if (tap.complete) completed.push(at);
      else if (tap.fault === null) throw new Error(`neither complete nor a fault at ${at}`);
    }
    expect(completed.length).toBeGreaterThan(0);
    expect(Math.min(...completed)).toBeGreaterThan(finishes);
  });
});

describe.each(bodies)('$file', (vector) => {
  test('F-5: a whole answer is usable or not', () => {
    const answer = readAnswer(bytesOf(vector.file));
    expect(answer !== null).toBe(!vector.failover);
    if (answer === null) return;
    expect(answer.content).toBe('content');
    expect(answer.finishReasons).toEqual([vector.finish_reason]);
    expect(answer.usage).toMatchObject({ input: vector.usage!.input, cacheRead: vector.usage!.cache_read });
  });
});
