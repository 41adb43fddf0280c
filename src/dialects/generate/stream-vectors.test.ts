import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { chunksIn, type FeedOptions, feed, textIn } from '../../../test/support/generate-tap-feed.ts';

interface Vector {
  readonly file: string;
  readonly first_content: { readonly byte_end: number } | null;
  readonly is_complete: boolean;
  readonly finish_reason: string | null;
  readonly usage: Record<
    'input' | 'output' | 'cache_read' | 'cache_write' | 'reasoning' | 'total',
    number | null
  > | null;
  readonly verdict: string;
}

const folder = new URL('./fixtures/streams/', import.meta.url);
const bytesOf = (file: string): Buffer => readFileSync(new URL(file, folder));
const { streams } = JSON.parse(bytesOf('index.json').toString()) as { streams: Vector[] };

/** Ready kind, whether it completed, fault. */
const EXPECTED: Readonly<Record<string, readonly [string | null, boolean, string | null]>> = {
  ok: ['content', true, null],
  error_after_commit: ['content', false, 'error_event'],
  truncated_after_commit: ['content', false, 'cut'],
};

function outcome(pieces: readonly Uint8Array[], options: FeedOptions = {}): string {
  const { tap, whole, ready, relayed } = feed(pieces, options);
  const { complete, suspicious, finished, fault, finishReasons, usage, contentEvents, contentBytes } = tap;
  return JSON.stringify([
    ready,
    complete,
    suspicious,
    finished,
    fault,
    finishReasons,
    usage,
    contentEvents,
    contentBytes,
    whole ?? relayed,
  ]);
}

test('all vectors of this dialect are here', () => {
  expect(streams.map((one) => one.verdict)).toEqual(['ok', 'ok', 'truncated_after_commit', 'error_after_commit']);
});

describe.each(streams)('$file', (vector) => {
  const bytes = bytesOf(vector.file);
  const singly = [...bytes].map((byte) => Uint8Array.of(byte));

  test('T-1, T-5, dialects §14.1: verdict, finish and usage', () => {
    const { tap, ready, whole, relayed } = feed([bytes]);
    expect([ready, tap.complete, tap.fault?.kind ?? null]).toEqual(EXPECTED[vector.verdict]);
    expect([tap.suspicious, tap.finished]).toEqual([false, vector.is_complete]);
    if (vector.finish_reason !== null) expect(tap.finishReasons).toEqual([vector.finish_reason]);
    const { usage } = vector;
    if (usage !== null) {
      expect(tap.usage).toMatchObject({
        input: usage.input,
        output: usage.output,
        cacheRead: usage.cache_read,
        cacheWrite: usage.cache_write,
        reasoning: usage.reasoning,
        total: usage.total,
      });
    }
    const chunks = chunksIn(whole ?? relayed);
    expect(chunks.every((one) => one.modelVersion === 'served/m')).toBe(true);
  });

  test('T-8: the same at every split point and byte by byte, in either form', () => {
    for (const form of ['events', 'array'] as const) {
      const whole = outcome([bytes], { form });
      const splits = Array.from({ length: bytes.length + 1 }, (_, at) => [bytes.subarray(0, at), bytes.subarray(at)]);
      expect([...splits, singly].filter((pieces) => outcome(pieces, { form }) !== whole)).toEqual([]);
    }
  });

  test('T-1: commits when the first content event has been read, not a byte earlier', () => {
    const end = vector.first_content!.byte_end;
    // A line that ends in CRLF is over at its CR.
    expect(feed(singly).readyAt).toBe(bytes[end - 2] === 0x0d ? end - 1 : end);
  });

  test('T-9: held until it finished, it is ready only if it completed', () => {
    const { tap, ready } = feed([bytes], { holdAll: true });
    expect([ready !== null, tap.complete]).toEqual([vector.is_complete, vector.is_complete]);
  });

  test('T-5, dialects §14.2: cut anywhere, it completes only behind its finish reason', () => {
    const finishes = bytes.lastIndexOf('"finishReason":"');
    for (let at = 0; at < bytes.length; at++) {
      const { tap, relayed } = feed([bytes.subarray(0, at)]);
      if (tap.complete) expect(at).toBeGreaterThan(finishes);
      else expect([tap.fault !== null, relayed.includes('finishReason')]).toEqual([true, false]);
      if (tap.complete) expect(vector.is_complete).toBe(true);
    }
  });

  test('R-2: the report stands in the last chunk, and the text is the same', () => {
    if (!vector.is_complete) return;
    const told = chunksIn(feed([bytes], { report: '{"attempts":2}' }).whole!);
    const plain = chunksIn(feed([bytes]).whole!);
    expect(textIn(told)).toBe(textIn(plain));
    expect(told.map((one) => one.understudy ?? null)).toEqual([...plain.slice(1).map(() => null), { attempts: 2 }]);
    expect(plain.some((one) => one.understudy !== undefined)).toBe(false);
  });
});
