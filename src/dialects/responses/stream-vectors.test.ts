import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { feedEvents, namedEvents } from '../../../test/support/event-tap-feed.ts';
import { responsesCodec } from './codec.ts';

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

/** What the tap must say of each verdict: ready kind, whether it completed, fault. */
const EXPECTED: Readonly<Record<string, [string | null, boolean, string | null]>> = {
  ok: ['content', true, null],
  failover: [null, false, 'error_event'],
  error_after_commit: ['content', false, 'error_event'],
  truncated_after_commit: ['content', false, 'cut'],
};

function outcome(pieces: readonly Uint8Array[]): string {
  const { tap, whole, ready, relayed } = feedEvents(responsesCodec, pieces);
  const { complete, suspicious, fault, finishReasons, usage, contentEvents, contentBytes, stateIds } = tap;
  const seen = [ready, complete, suspicious, fault, finishReasons, usage, contentEvents, contentBytes, stateIds];
  return JSON.stringify([seen, whole ?? relayed]);
}

test('every vector of the dialect is here', () => {
  expect(streams).toHaveLength(6);
});

describe.each(streams)('$file', (vector) => {
  const bytes = bytesOf(vector.file);

  test('T-1, T-5: verdict, finish and usage', () => {
    const { tap, ready } = feedEvents(responsesCodec, [bytes]);
    expect([ready, tap.complete, tap.fault?.kind ?? null]).toEqual(EXPECTED[vector.verdict]);
    expect(tap.suspicious).toBe(false);
    expect(tap.finished).toBe(vector.is_complete);
    if (vector.is_complete) expect(tap.finishReasons).toEqual([vector.finish_reason]);
    const { usage } = vector;
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
  });

  test('T-1, T-5: the same at every split point, and byte by byte', () => {
    const splits = Array.from({ length: bytes.length + 1 }, (_, at) => [bytes.subarray(0, at), bytes.subarray(at)]);
    const singly = [...bytes].map((byte) => Uint8Array.of(byte));
    const whole = outcome([bytes]);
    expect([...splits, singly].filter((pieces) => outcome(pieces) !== whole)).toEqual([]);
  });

  test('T-1: commits when the first content event has been read, not a byte earlier', () => {
    const { readyAt } = feedEvents(
      responsesCodec,
      [...bytes].map((byte) => Uint8Array.of(byte)),
    );
    expect(readyAt).toBe(vector.first_content?.byte_end ?? null);
  });

  test('T-8, R-2, R-3: but for model and report it comes out as it came in', () => {
    const { whole, relayed } = feedEvents(responsesCodec, [bytes], { report: '{"request_id":"req_1"}' });
    const told = namedEvents(whole ?? relayed);
    if (whole === null && told.length === 0) return;
    const models = told.flatMap(({ data }) => (data['response'] as { model?: string } | undefined)?.model ?? []);
    expect(new Set(models)).toEqual(new Set(['served/m']));
    const plain = (whole ?? relayed)
      .replaceAll('"model":"served/m"', '"model":"gpt-x"')
      .replace(',"understudy":{"request_id":"req_1"}', '');
    expect(bytes.toString().startsWith(plain)).toBe(true);
    if (whole !== null) expect(plain).toBe(bytes.toString());
    const reported = told.filter(({ data }) => Object.hasOwn((data['response'] as object) ?? {}, 'understudy'));
    expect(reported.map(({ name }) => name)).toEqual(vector.is_complete ? [told.at(-1)?.name] : []);
  });

  test('T-9: held until it finished, it is ready only if it completed', () => {
    const { tap, ready } = feedEvents(responsesCodec, [bytes], { holdAll: true });
    expect([ready !== null, tap.complete]).toEqual([vector.is_complete, vector.is_complete]);
  });

  test('dialects §14.1: cut anywhere before its last event it never completes', () => {
    const last = bytes.lastIndexOf('event: response.');
    for (let at = 0; at <= last; at++) {
      const { tap } = feedEvents(responsesCodec, [bytes.subarray(0, at)]);
      if (tap.complete) throw new Error(`complete at ${at}`);
      expect(tap.fault).not.toBeNull();
    }
  });
});
