import { describe, expect, test } from 'vitest';
import {
  blockDelta,
  blockStart,
  blockStop,
  ending,
  event,
  events,
  feed,
  STOP,
  start,
  textBlock,
} from '../../../test/support/messages-feed.ts';
import { gatewayError } from '../../core/errors/catalogue.ts';
import { textOf } from '../bytes/text.ts';
import { BROKEN_CALL } from '../failure/answer-faults.ts';

const call = (index: number, ...pieces: string[]): string =>
  blockStart(index, { type: 'tool_use', id: 't', name: 'f', input: {} }) +
  pieces.map((partial_json) => blockDelta(index, { type: 'input_json_delta', partial_json })).join('') +
  blockStop(index);

function fault(...pieces: string[]): string | null {
  const found = feed([pieces.join('')]).tap.fault;
  return found?.kind === 'malformed' ? found.message : (found?.kind ?? null);
}

describe('T-1: what commits', () => {
  test.each([
    ['text', { type: 'text_delta', text: 'x' }],
    ['a thought', { type: 'thinking_delta', thinking: 'x' }],
    ['a signature alone', { type: 'signature_delta', signature: 'x' }],
    ['arguments', { type: 'input_json_delta', partial_json: '{' }],
    ['a citation', { type: 'citations_delta', citation: { type: 'char_location' } }],
  ])('%s', (_name, delta) => {
    expect(feed([start(), blockStart(0, { type: 'text', text: '' }), blockDelta(0, delta)]).ready).toBe('content');
  });

  test.each([
    { type: 'tool_use', id: 't', name: 'f', input: {} },
    { type: 'server_tool_use', id: 't', name: 'web_search', input: {} },
    { type: 'web_search_tool_result', tool_use_id: 't', content: [] },
    { type: 'redacted_thinking', data: 'x' },
    { type: 'container_upload', file_id: 'f' },
    { type: 'fallback', from: {}, to: {} },
    { type: 'text', text: 'x' },
  ])('the start of $type', (block) => {
    expect(feed([start(), blockStart(0, block)]).ready).toBe('content');
  });

  test.each([
    ['the opening', ''],
    ['an empty text', blockStart(0, { type: 'text', text: '' }) + blockDelta(0, { type: 'text_delta', text: '' })],
    ['an empty thought', blockStart(0, { type: 'thinking', thinking: '', signature: '' })],
    ['a ping', event('ping')],
    ['an event nobody knows', event('progress', { text: 'x' })],
  ])('not %s', (_name, more) => {
    const { ready, relayed } = feed([start() + more]);
    expect([ready, relayed]).toEqual([null, '']);
  });
});

describe('T-5: how it ends', () => {
  const whole = start() + textBlock(0, 'hi') + ending();

  test('a reason without message_stop is complete, and doubtful; the terminator is added', () => {
    const { tap, whole: text } = feed([whole]);
    expect([tap.complete, tap.suspicious]).toEqual([true, true]);
    expect(text?.endsWith(STOP)).toBe(true);
  });

  test('dialects §14.2: no reason is ever invented', () => {
    expect(fault(start(), textBlock(0, 'hi'))).toBe('cut');
    expect(fault(start(), textBlock(0, 'hi'), STOP)).toBe('message_stop without stop_reason');
    expect(fault(start(), textBlock(0, 'hi'), ending(null), STOP)).toBe('message_stop without stop_reason');
  });

  test('a reason while a block is open is none', () => {
    const open = start() + blockStart(0, { type: 'text', text: 'x' });
    expect(fault(open, ending(), STOP)).toBe('a stop_reason while a block is open');
  });

  test('dialects §14.16: a call whose arguments broke off is no whole answer, unless its reason says so', () => {
    expect(fault(start(), call(0, '{"a":"b'), ending('tool_use'), STOP)).toBe(BROKEN_CALL.message);
    expect(fault(start(), call(0, '{"a":[1}'), ending('end_turn'), STOP)).toBe(BROKEN_CALL.message);
    expect(fault(start(), call(0, '{"a":"b'), ending('max_tokens'), STOP)).toBe(null);
    expect(fault(start(), call(0, '', '{"a":"}', '\\"{"}'), ending('tool_use'), STOP)).toBe(null);
    expect(fault(start(), call(0), ending('tool_use'), STOP)).toBe(null);
  });

  test('T-10, dialects §14.9: events in an order that clients put together wrongly', () => {
    const text = { type: 'text', text: '' };
    const delta = (index: number): string => blockDelta(index, { type: 'text_delta', text: 'x' });
    expect(fault(start(), start())).toBe('a second message_start');
    expect(fault(blockStart(0, text))).toBe('content before message_start');
    expect(fault(ending())).toBe('message_delta before message_start');
    expect(fault(start(), blockStart(1, text))).toBe('block indexes are not contiguous');
    expect(fault(start(), blockStart(0, text), blockStart(1, text))).toBe('a block starts inside another one');
    expect(fault(start(), blockStart(0, text), delta(1))).toBe('a delta for a block that is not open');
    expect(fault(start(), textBlock(0, 'a'), delta(0))).toBe('a delta for a block that is not open');
    expect(fault(start(), blockStop(0))).toBe('the end of a block that is not open');
    expect(fault(whole, textBlock(1, 'more'))).toBe('content behind the stop_reason');
    expect(fault(start(), 'event: content_block_delta\ndata: {"type":\n\n')).toBe('an event cannot be read');
  });

  test('nothing behind the terminator is read', () => {
    const { tap, whole: text } = feed([whole + STOP, event('error', { error: { type: 'api_error' } })]);
    expect([tap.complete, tap.suspicious, tap.fault]).toEqual([true, false, null]);
    expect(text?.endsWith(STOP)).toBe(true);
  });
});

describe('T-8: what passes', () => {
  test('unknown events, fields and numbers; pings, comments and a foreign [DONE] do not', () => {
    const odd = 'event: progress\ndata: {"type":"progress","n":12345678901234567890}\n\n';
    const stream = `: hi\n\n${start()}${event('ping')}${odd}${textBlock(0, 'hi')}${ending()}data: [DONE]\n\n${STOP}`;
    const { whole } = feed([stream]);
    expect(whole).toBe(
      `${start().replace('"model":"up"', '"model":"served/m"')}${odd}${textBlock(0, 'hi')}${ending()}${STOP}`,
    );
  });

  test('dialects §14.9: an event without its name gets it: clients pass over those without', () => {
    const nameless = (start() + textBlock(0, 'hi') + ending() + STOP).replaceAll(/^event: .*\n/gm, '');
    const { tap, whole } = feed([nameless]);
    expect(tap.complete).toBe(true);
    expect(events(whole!).every(({ name, data }) => name === data['type'])).toBe(true);
  });

  test('dialects §14.9: counts are in every message_delta, as clients read them unasked', () => {
    const bare = event('message_delta', { delta: { stop_reason: 'end_turn' } });
    const { whole } = feed([start() + textBlock(0, 'hi') + bare + STOP]);
    expect(events(whole!).at(-2)?.data).toMatchObject({ usage: { output_tokens: 0 } });
  });

  test('dialects §14.11: counters that come again replace those before', () => {
    const later = event('message_delta', {
      delta: { stop_reason: 'end_turn' },
      usage: {
        input_tokens: 20,
        cache_creation_input_tokens: 3,
        output_tokens: 9,
        output_tokens_details: { thinking_tokens: 4 },
      },
    });
    const { tap } = feed([
      start() + textBlock(0, 'hi') + event('message_delta', { delta: {}, usage: { output_tokens: 2 } }) + later,
    ]);
    expect(tap.usage).toEqual({
      input: 27,
      output: 9,
      cacheRead: 4,
      cacheWrite: 3,
      reasoning: 4,
      audioInput: null,
      audioOutput: null,
      total: 36,
      estimated: false,
    });
  });

  test('P-8: a container that the answer was made in is told', () => {
    const container = { delta: { stop_reason: 'end_turn', container: { id: 'c_1', expires_at: 'x' } } };
    expect(feed([start() + textBlock(0, 'hi') + ending('end_turn', container)]).tap.stateIds).toEqual(['c_1']);
  });
});

describe('R-2: the report', () => {
  const report = '{"request_id":"r"}';

  test('stands in the event that tells the reason; counts that follow it go there too, or clients would take it back', () => {
    const counts = event('message_delta', { delta: {}, usage: { output_tokens: 7 } });
    const odd = event('progress', { x: 1 });
    const { whole, tap } = feed([start() + textBlock(0, 'hi') + ending() + odd + counts + STOP], { report });
    const [told, later, stop] = events(whole!).slice(-3);
    expect(told?.data).toMatchObject({
      delta: { stop_reason: 'end_turn' },
      usage: { output_tokens: 7 },
      understudy: { request_id: 'r' },
    });
    expect([later?.name, stop?.name]).toEqual(['progress', 'message_stop']);
    expect(tap.usage?.output).toBe(7);
  });

  test('an event that tells another reason replaces the first', () => {
    const { whole, tap } = feed([start() + textBlock(0, 'hi') + ending() + ending('max_tokens') + STOP], { report });
    const told = events(whole!).filter(({ name }) => name === 'message_delta');
    expect(told.map(({ data }) => 'understudy' in data)).toEqual([false, true]);
    expect(tap.finishReasons).toEqual(['max_tokens']);
  });

  test('what we wrote ourselves is read again, report and all (I-4)', () => {
    const { whole } = feed([start() + textBlock(0, 'hi') + ending() + STOP], { report });
    const again = feed([whole!]);
    expect([again.tap.complete, again.tap.suspicious, again.whole]).toEqual([true, false, whole]);
  });
});

describe('F-5: what it is', () => {
  test('a refusal, with words or without', () => {
    expect(feed([start() + ending('refusal') + STOP]).ready).toBe('refusal');
    expect(feed([start() + textBlock(0, 'no') + ending('refusal') + STOP], { holdAll: true }).ready).toBe('refusal');
  });

  test('empty, where there is nothing but a thought', () => {
    expect(feed([start() + ending() + STOP]).ready).toBe('empty');
    const thought = blockStart(0, { type: 'thinking', thinking: 'hm', signature: 'x' }) + blockStop(0);
    expect(feed([start() + thought + ending('max_tokens') + STOP], { holdAll: true }).ready).toBe('empty');
  });
});

describe('dialects §14.3: errors under 200', () => {
  test.each([
    ['as the vendor has them', event('error', { error: { type: 'overloaded_error', message: 'Overloaded' } })],
    ['without a name', 'data: {"type":"error","error":{"type":"overloaded_error"}}\n\n'],
    ['in another shape', 'event: message_start\ndata: {"error":{"message":"no"}}\n\n'],
    ['in a list', 'data: [{"error":{"message":"no"}}]\n\n'],
    ['outside of any event', '{\n "error": {"message": "no"}\n}\n\n'],
  ])('%s', (_name, text) => {
    expect(fault(text)).toBe('error_event');
    const late = feed([start() + textBlock(0, 'hi'), text]);
    expect([late.tap.fault?.kind, late.relayed.includes('hi')]).toEqual(['error_event', true]);
  });
});

test('T-4: an interruption is one event of the dialect, with a type of its enum and the request id', () => {
  const { tap } = feed([start() + textBlock(0, 'hi')]);
  const frame = tap.interrupt?.(gatewayError('stream_interrupted', 'The stream broke off.'), 'req_9');
  if (frame === undefined || frame === 'destroy') throw new Error('no frame');
  expect(events(textOf(frame))).toEqual([
    {
      name: 'error',
      data: {
        type: 'error',
        error: {
          type: 'api_error',
          message: 'The stream broke off.',
          code: 'stream_interrupted',
          details: { error_code: 'stream_interrupted' },
        },
        request_id: 'req_9',
      },
    },
  ]);
});
