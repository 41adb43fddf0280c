import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { events, type FeedOptions, feed, textIn } from '../../../test/support/messages-feed.ts';

interface Vector {
  readonly file: string;
  readonly first_content: { readonly byte_end: number } | null;
  readonly is_complete: boolean;
  readonly terminal: string | null;
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
function expected(vector: Vector): [string | null, boolean, string | null] {
  switch (vector.verdict) {
    case 'ok':
      return ['content', true, null];
    case 'ok_refusal':
      return ['refusal', true, null];
    case 'failover':
      return [null, false, 'error_event'];
    case 'error_after_commit':
      return ['content', false, 'error_event'];
    case 'truncated_after_commit':
      return ['content', false, 'cut'];
    default:
      throw new Error(`no expectation for ${vector.verdict}`);
  }
}

function check(vector: Vector, pieces: readonly Uint8Array[], options: FeedOptions = {}): string {
  const { tap, whole, ready, relayed } = feed(pieces, options);
  expect([ready, tap.complete, tap.fault?.kind ?? null]).toEqual(expected(vector));
  expect(tap.suspicious).toBe(false);
  expect(tap.finishReasons).toEqual(vector.finish_reason === null ? [] : [vector.finish_reason]);
  const { usage } = vector;
  // What the opening tells of the answer's own tokens is a placeholder: no count.
  if (usage === null) expect(tap.usage?.output ?? null).toBeNull();
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
  const { complete, suspicious, fault, finishReasons, usage, contentEvents, contentBytes } = tap;
  const seen = [ready, complete, suspicious, fault, finishReasons, usage, contentEvents, contentBytes];
  return JSON.stringify([...seen, whole ?? relayed]);
}

test('every recorded stream of this dialect is here', () => {
  expect(streams).toHaveLength(6);
});

describe.each(streams)('$file', (vector) => {
  const bytes = bytesOf(vector.file);
  const splits = Array.from({ length: bytes.length + 1 }, (_, at) => [bytes.subarray(0, at), bytes.subarray(at)]);

  test('T-1, T-5, dialects §14.11: verdict, reason and usage are the same at every split point, and byte by byte', () => {
    check(vector, [bytes]);
    const singly = [...bytes].map((byte) => Uint8Array.of(byte));
    const whole = outcome([bytes]);
    expect([...splits, singly].filter((pieces) => outcome(pieces) !== whole)).toEqual([]);
  });

  test('T-1: commits when the first content event has been read, not a byte earlier', () => {
    const { readyAt } = feed([...bytes].map((byte) => Uint8Array.of(byte)));
    const end = vector.first_content?.byte_end ?? null;
    // A complete answer without content commits at its terminal event.
    expect(readyAt).toBe(end ?? (vector.is_complete ? bytes.length : null));
  });

  test('T-8, R-2, R-3: every event passes but pings, the model is the served one, the report stands before the stop', () => {
    const report = '{"request_id":"req_1"}';
    const plain = check(vector, [bytes]);
    const asked = check(vector, [bytes], { report });
    expect(textIn(asked)).toBe(textIn(plain));
    const model = /"model":"[^"]*"/g;
    const pieces = bytes
      .toString()
      .replaceAll(model, '"model":"served/m"')
      .split(/(?<=\n\n)/);
    const passed = pieces.filter((one) => !/^event: (ping|error)/.test(one));
    expect(plain).toBe(vector.first_content !== null || vector.is_complete ? passed.join('') : '');
    if (!vector.is_complete) return;
    const found = events(asked);
    expect(found.map(({ name }) => name).slice(-2)).toEqual(['message_delta', 'message_stop']);
    expect(found.filter(({ data }) => data['understudy'] !== undefined).map(({ name }) => name)).toEqual([
      'message_delta',
    ]);
  });

  test('T-9: held until it finished, it is ready only if it completed', () => {
    const { tap, ready } = feed([bytes], { holdAll: true });
    expect(ready !== null).toBe(vector.is_complete);
    expect(tap.complete).toBe(vector.is_complete);
  });

  test('T-5, dialects §14.1: cut anywhere, it completes only where nothing but the terminator is missing', () => {
    if (!vector.is_complete) return;
    const told = bytes.lastIndexOf('"stop_reason":"');
    const completed: number[] = [];
    for (let at = 0; at < bytes.length; at++) {
      const { tap } = feed([bytes.subarray(0, at)]);
      if (tap.complete) completed.push(at);
      else if (tap.fault === null) throw new Error(`neither complete nor a fault at ${at}`);
    }
    expect(completed.length).toBeGreaterThan(0);
    expect(Math.min(...completed)).toBeGreaterThan(told);
  });
});
