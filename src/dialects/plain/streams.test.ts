import { describe, expect, it } from 'vitest';
import { gatewayError } from '../../core/errors/catalogue.ts';
import type { StreamTap, StreamTapOptions } from '../contract.ts';
import type { PlainEndpoint } from './endpoint.ts';
import { SPEECH, TRANSCRIPTION } from './endpoints/audio.ts';
import { COMPLETIONS } from './endpoints/completions.ts';
import { IMAGE_GENERATION } from './endpoints/images.ts';
import { plainCodec } from './json-codec.ts';

const OPTIONS: StreamTapOptions = {
  servedModel: 'maker/served',
  includeUsage: false,
  n: 1,
  maxEventBytes: 1_000_000,
  maxPreludeBytes: 1_000_000,
  holdAll: false,
  maxHeldBytes: 1_000_000,
  contentType: 'text/event-stream',
};
const REPORT = Buffer.from('{"request_id":"req_1"}');

function tapOf(endpoint: PlainEndpoint, more: Partial<StreamTapOptions> = {}): StreamTap {
  return plainCodec(endpoint).streamTap({ ...OPTIONS, ...more });
}

/** What the client got; `fault` where it went wrong. */
function play(tap: StreamTap, text: string, size = text.length, report: Uint8Array | null = null) {
  const bytes = Buffer.from(text);
  const out: Uint8Array[] = [];
  for (let at = 0; at < bytes.length; at += size) {
    tap.push(bytes.subarray(at, at + size));
    out.push(tap.drain() ?? new Uint8Array());
  }
  const ready = tap.ready;
  tap.end();
  out.push(tap.drain() ?? new Uint8Array());
  if (tap.complete) out.push(tap.tail(report, false));
  return {
    text: Buffer.concat(out).toString(),
    ready,
    fault: tap.fault,
    complete: tap.complete,
    suspicious: tap.suspicious,
  };
}

const data = (value: object): string => `data: ${JSON.stringify(value)}\n\n`;
const chunk = (text: string, finish: string | null = null, more: object = {}): string =>
  data({
    id: 'cmpl-1',
    object: 'text_completion',
    model: 'upstream',
    choices: [{ text, index: 0, finish_reason: finish }],
    ...more,
  });
const DONE = 'data: [DONE]\n\n';
const served = (text: string): string => text.replaceAll('"upstream"', '"maker/served"');

describe('text completions, streamed', () => {
  const words = chunk('') + chunk('one') + chunk(' two');

  it('T-1, T-8, R-3: byte for byte but for the model, however it is split', () => {
    const text = words + chunk('', 'stop') + DONE;
    for (const size of [text.length, 1, 7, 100]) {
      const seen = play(tapOf(COMPLETIONS), text, size);
      expect([seen.text, seen.complete, seen.suspicious]).toEqual([served(text), true, false]);
    }
    const tap = tapOf(COMPLETIONS);
    tap.push(Buffer.from(chunk('')));
    expect(tap.ready).toBeNull();
    tap.push(Buffer.from(chunk('one')));
    expect(tap.ready).toBe('content');
  });

  it('R-2: the report stands in the last event', () => {
    const { text } = play(tapOf(COMPLETIONS), words + chunk('', 'stop') + DONE, 50, REPORT);
    expect(text).toContain(`"finish_reason":"stop"}],"understudy":${REPORT.toString()}}\n\n${DONE}`);
  });

  it('T-8: counts only for those who asked', () => {
    const usage = { prompt_tokens: 3, completion_tokens: 2, total_tokens: 5 };
    const counts = data({ id: 'cmpl-1', model: 'maker/served', choices: [], usage });
    const text = words + chunk('', 'stop') + counts + DONE;
    const asked = tapOf(COMPLETIONS, { includeUsage: true });
    expect(play(asked, text).text).toBe(served(text));
    expect(asked.usage).toMatchObject({ input: 3, output: 2, total: 5 });
    const silent = tapOf(COMPLETIONS);
    expect(play(silent, text).text).toBe(served(text.replace(counts, '')));
    expect(silent.usage).toMatchObject({ input: 3, output: 2 });
  });

  it.each([
    ['a cut', words, { kind: 'cut' }],
    ['half an event', `${words}data: {"choices`, { kind: 'cut' }],
    ['an error event', words + data({ error: { message: 'broke' } }), { kind: 'error_event' }],
    ['garbage', `${words}data: {"choices":\n\n`, { kind: 'malformed' }],
    ['a failed finish', words + chunk('', 'error') + DONE, { kind: 'bad_finish', reason: 'error' }],
  ])('T-4, T-5, T-10: %s is never an end', (_what, text, fault) => {
    for (const size of [text.length, 3]) {
      const seen = play(tapOf(COMPLETIONS), text, size);
      expect([seen.complete, seen.fault]).toMatchObject([false, fault]);
      expect(seen.text.includes('[DONE]')).toBe(false);
    }
  });

  it('T-5: without [DONE] the finish reasons decide; without those it is doubtful, or under commit: complete no end at all', () => {
    expect(play(tapOf(COMPLETIONS), words + chunk('', 'stop'))).toMatchObject({ complete: true, suspicious: false });
    expect(play(tapOf(COMPLETIONS, { n: 2 }), words + chunk('', 'stop'))).toMatchObject({ complete: false });
    expect(play(tapOf(COMPLETIONS), words + DONE)).toMatchObject({ complete: true, suspicious: true });
    expect(play(tapOf(COMPLETIONS, { holdAll: true }), words + DONE)).toMatchObject({ complete: false, ready: null });
  });

  it('F-5: a filter without any text', () => {
    expect(play(tapOf(COMPLETIONS), chunk('', 'content_filter') + DONE).ready).toBe('filtered');
  });

  it('T-4: an interruption is one error event', () => {
    const frame = tapOf(COMPLETIONS).interrupt?.(gatewayError('stream_interrupted', 'broke off'), 'req_1');
    expect(Buffer.from(frame as Uint8Array).toString()).toMatch(/^data: \{"error":\{.*"request_id":"req_1".*\}\}\n\n$/);
  });
});

describe('images as they take shape', () => {
  const event = (type: string, b64_json: string, more: object = {}): string =>
    `event: ${type}\n${data({ type, b64_json, ...more })}`;
  const partial = event('image_generation.partial_image', 'AAAA', { partial_image_index: 0 });
  const usage = { input_tokens: 9, output_tokens: 100, total_tokens: 109 };
  const whole = event('image_generation.completed', 'BBBB', { usage });

  it('T-1, T-8: pass with their names; the last carries the report (R-2)', () => {
    for (const size of [10_000, 1, 13]) {
      const tap = tapOf(IMAGE_GENERATION);
      expect(play(tap, partial + whole, size)).toMatchObject({
        text: partial + whole,
        complete: true,
        suspicious: false,
      });
      expect(tap.usage).toMatchObject({ input: 9, output: 100 });
    }
    const { text } = play(tapOf(IMAGE_GENERATION), partial + whole, 20, REPORT);
    expect(text).toBe(partial + whole.replace('}\n\n', `,"understudy":${REPORT.toString()}}\n\n`));
  });

  it('T-5: parts alone are a cut; fewer images than asked for are doubtful', () => {
    expect(play(tapOf(IMAGE_GENERATION), partial)).toMatchObject({ complete: false, fault: { kind: 'cut' } });
    expect(play(tapOf(IMAGE_GENERATION, { n: 2 }), partial + whole)).toMatchObject({
      complete: true,
      suspicious: true,
    });
    expect(play(tapOf(IMAGE_GENERATION, { n: 2 }), whole + whole)).toMatchObject({ complete: true, suspicious: false });
  });

  it.each([
    data({ type: 'error', error: { code: 'moderation_blocked' } }),
    data({ error: 'no' }),
    `event: error\n${data({ message: 'no' })}`,
  ])('T-4: %j is an error', (error) => {
    expect(play(tapOf(IMAGE_GENERATION), partial + error)).toMatchObject({
      complete: false,
      fault: { kind: 'error_event' },
    });
  });

  it('T-8: comments, empty objects and a foreign terminator are not relayed', () => {
    expect(play(tapOf(IMAGE_GENERATION), `: waiting\n\n${data({})}${partial}${whole}${DONE}`).text).toBe(
      partial + whole,
    );
  });
});

describe('transcripts as they are written', () => {
  it('T-1, T-5: deltas commit, the done event ends', () => {
    const text =
      data({ type: 'transcript.text.delta', delta: 'hi' }) + data({ type: 'transcript.text.done', text: 'hi' });
    const tap = tapOf(TRANSCRIPTION);
    expect(play(tap, text)).toMatchObject({ text, ready: 'content', complete: true });
    expect(tap.contentBytes).toBe(2);
  });
});

describe('sound', () => {
  const bytes = Buffer.from([0x7b, 0xff, 0x00, 0x3c, 0x0a]);

  it('T-1, T-5: the first byte commits, a clean end is the end, the type is the upstream’s own', () => {
    const tap = tapOf(SPEECH, { contentType: 'audio/wav' });
    expect([tap.ready, tap.finished, tap.contentType]).toEqual([null, false, 'audio/wav']);
    tap.push(bytes.subarray(0, 1));
    expect(tap.ready).toBe('content');
    expect(Buffer.from(tap.drain()!)).toEqual(bytes.subarray(0, 1));
    tap.push(bytes.subarray(1));
    tap.end();
    expect([tap.complete, Buffer.from(tap.tail(REPORT, false))]).toEqual([true, bytes.subarray(1)]);
    expect(tap.usage).toMatchObject({ input: null, output: 1, audioOutput: 1, estimated: true });
    expect(tap.interrupt?.(gatewayError('stream_interrupted', 'x'), 'req_1')).toBe('destroy');
  });

  it('T-9: held until its end, unless there is too much to hold', () => {
    const tap = tapOf(SPEECH, { contentType: 'audio/wav', holdAll: true, maxHeldBytes: 3 });
    tap.push(bytes.subarray(0, 3));
    expect(tap.ready).toBeNull();
    tap.push(bytes.subarray(3));
    expect(tap.ready).toBe('content');
  });

  it.each([
    ['audio/mpeg', 0x7b, true],
    ['application/octet-stream', 0x3c, true],
    ['', 0xff, true],
    ['', 0x7b, false],
    ['application/json', 0xff, false],
    ['text/html; charset=utf-8', 0xff, false],
    ['text/event-stream', 0x64, true],
  ])('F-5: an answer of type %j that begins with %d is sound: %s', (type, first, expected) => {
    expect(plainCodec(SPEECH).isStream?.(type, first)).toBe(expected);
  });
});
