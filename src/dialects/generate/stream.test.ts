import { describe, expect, test } from 'vitest';
import { chunk, chunksIn, event, feed, requestIn, textIn } from '../../../test/support/generate-tap-feed.ts';
import { gatewayError } from '../../core/errors/catalogue.ts';
import { textOf } from '../bytes/text.ts';
import { NativeLane } from '../lanes.ts';
import { generateCodec } from './codec.ts';

const OPEN = chunk([{ text: '' }]);
const TEXT = chunk([{ text: 'hi' }]);
const STOP = chunk([{ text: '!' }], 'STOP');
const USAGE = event({ usageMetadata: { promptTokenCount: 3, candidatesTokenCount: 2, totalTokenCount: 5 } });
const list = (...events: string[]): string =>
  `[${events.map((one) => JSON.stringify(JSON.parse(one.slice(6)), null, 2)).join(',\r\n')}\r\n]`;
const served = (...events: string[]): string =>
  events.join('').replaceAll('up-a', 'served/m').replaceAll('\r\n\r\n', '\n\n');

describe('first content', () => {
  test.each<[string, object]>([
    ['text', { text: 'x' }],
    ['a thought', { text: 'x', thought: true }],
    ['a call', { functionCall: { name: 'f', args: {} } }],
    ['code', { executableCode: { language: 'PYTHON', code: '1' } }],
    ['what code gave', { codeExecutionResult: { outcome: 'OUTCOME_OK' } }],
    ['an image', { inlineData: { mimeType: 'image/png', data: 'AA' } }],
    ['a file', { fileData: { fileUri: 'gs://x', mimeType: 'image/png' } }],
    ['a tool call upstream', { toolCall: { toolType: 'GOOGLE_SEARCH' } }],
    ['a signature alone', { text: '', thoughtSignature: 'AA' }],
  ])('T-1: %s commits', (_name, part) => {
    const { tap } = feed([OPEN, chunk([part])]);
    expect([tap.ready, tap.contentEvents]).toEqual(['content', 1]);
  });

  test.each<[string, string]>([
    ['an empty text', OPEN],
    ['no parts', chunk([])],
    ['usage alone', USAGE],
    ['ratings alone', event({ candidates: [{ index: 0, safetyRatings: [{ probability: 'LOW' }] }] })],
    ['feedback without a reason', event({ promptFeedback: { safetyRatings: [] } })],
    ['a comment', ': hello\n\n'],
    ['other JSON', event({ status: 'working' })],
  ])('T-1: %s does not commit', (_name, input) => {
    const { tap } = feed([input]);
    expect([tap.ready, tap.contentEvents, tap.fault?.kind]).toEqual([null, 0, 'cut']);
  });
});

describe('bytes', () => {
  test('R-3, T-8: modelVersion is replaced or added, every other byte stays', () => {
    const odd =
      'data: { "candidates" : [ {"content":{"parts":[{"text":"\\u00e9"}]},"x":12345678901234567890} ] ,"modelVersion" : "a", "z":1.50}\n\n';
    const bare = 'data: {"candidates":[{"content":{"parts":[{"text":"b"}]}}]}\n\n';
    const twice =
      'data: {"modelVersion":"a","candidates":[{"content":{"parts":[{"text":"c"}]}}],"modelVersion":"b"}\n\n';
    expect(feed([odd, bare, twice]).relayed).toBe(
      odd.replace('"a"', '"served/m"') +
        bare.replace('{"cand', '{"modelVersion":"served/m","cand') +
        twice.replace('"a"', '"served/m"').replace('"b"', '"served/m"').replace('"text":"served/m"', '"text":"b"'),
    );
  });

  test('T-8, dialects §14.8: no names, no comments inside, one line of data, a blank line at the end, no [DONE]', () => {
    const pretty = `: c\r\nevent: x\r\nid: 7\r\ndata: {"candidates":\r\ndata: [{"content":{"parts":[{"text":"a"}]}}]}\r\n\r\n`;
    const { whole } = feed([pretty, ': keep\n\n', STOP, 'data: [DONE]\n\n']);
    expect(chunksIn(whole!)).toHaveLength(2);
    expect(whole).not.toMatch(/event:|DONE|^:|keep/m);
  });

  test('T-8: keep-alives of the upstream are not relayed', () => {
    const { whole } = feed([': a\n\n', OPEN, 'data:\n\n', event({ ping: 1 }), 'data: 1\n\n', TEXT, STOP]);
    expect(whole).toBe(served(OPEN, TEXT, STOP));
  });
});

describe('endings', () => {
  test('T-5: the last finish reason of every candidate and a clean end', () => {
    const { tap, whole } = feed([OPEN, TEXT, STOP]);
    expect([tap.complete, tap.suspicious, tap.finished, tap.finishReasons]).toEqual([true, false, true, ['STOP']]);
    expect(whole).toBe(served(OPEN, TEXT, STOP));
  });

  test('T-5: a finish reason in every chunk says nothing before the last, and holds back one chunk alone', () => {
    const every = ['a', 'b', 'c'].map((text) => chunk([{ text }], 'STOP'));
    const { relayed, whole, tap } = feed(every, { report: '{"a":1}' });
    expect(textIn(chunksIn(relayed))).toBe('ab');
    expect(chunksIn(whole!).map((one) => one.understudy ?? null)).toEqual([null, null, { a: 1 }]);
    expect(tap.finishReasons).toEqual(['STOP']);
  });

  test('T-5: whoever goes on without a finish reason has not finished', () => {
    const { tap, relayed } = feed([chunk([{ text: 'a' }], 'STOP'), chunk([{ text: 'b' }])]);
    expect([tap.complete, tap.fault]).toEqual([false, { kind: 'cut' }]);
    expect(textIn(chunksIn(relayed))).toBe('ab');
  });

  test('R-2: counts behind the finish are kept with it; the report stands in the chunk that finishes', () => {
    const { relayed, whole, tap } = feed([TEXT, STOP, USAGE], { report: '{"a":1}' });
    expect(relayed).toBe(served(TEXT));
    expect(chunksIn(whole!).map((one) => one.understudy ?? null)).toEqual([null, { a: 1 }, null]);
    expect(tap.usage).toMatchObject({ input: 3, output: 2, total: 5 });
  });

  test('T-5: every candidate asked for, and every one that appeared', () => {
    const [a, endA, b, endB] = [
      chunk([{ text: 'a' }]),
      chunk([], 'STOP'),
      chunk([{ text: 'b' }], undefined, {}, 1),
      chunk([], 'MAX_TOKENS', {}, 1),
    ];
    expect(feed([a, b, endA, endB], { n: 2 }).tap.finishReasons).toEqual(['STOP', 'MAX_TOKENS']);
    expect(feed([a, b, endA], { n: 2 }).tap.fault).toEqual({ kind: 'cut' });
    expect(feed([a, endA], { n: 2 }).tap.fault).toEqual({ kind: 'cut' });
    expect(feed([a, b, endA]).tap.fault).toEqual({ kind: 'cut' });
  });

  test.each(['SAFETY', 'BLOCKLIST', 'OTHER'])('F-5: a prompt blocked for %s is filtered', (blockReason) => {
    const { tap, ready } = feed([event({ promptFeedback: { blockReason }, usageMetadata: { promptTokenCount: 4 } })]);
    expect([ready, tap.complete, tap.finished, tap.usage?.input]).toEqual(['filtered', true, true, 4]);
  });

  test('F-5: filtered without a word is filtered, behind words a refusal once all is held, thoughts alone are empty', () => {
    expect(feed([chunk([], 'SAFETY')]).ready).toBe('filtered');
    expect(feed([TEXT, chunk([], 'RECITATION')], { holdAll: true }).ready).toBe('refusal');
    expect(feed([TEXT, chunk([], 'RECITATION')]).ready).toBe('content');
    expect(feed([chunk([{ text: 'x', thought: true }], 'MAX_TOKENS')], { holdAll: true }).ready).toBe('empty');
    expect(feed([chunk([], 'STOP')]).ready).toBe('empty');
  });

  test.each([
    'MALFORMED_FUNCTION_CALL',
    'UNEXPECTED_TOOL_CALL',
    'TOO_MANY_TOOL_CALLS',
    'MALFORMED_RESPONSE',
    'MISSING_THOUGHT_SIGNATURE',
    'OTHER',
    'NO_IMAGE',
  ])('F-6: %s says the answer failed', (reason) => {
    const { tap, relayed } = feed([TEXT, chunk([{ text: 'more' }], reason)]);
    expect(tap.fault).toEqual({ kind: 'bad_finish', reason });
    expect(textIn(chunksIn(relayed))).toBe('hi');
    expect(generateCodec.failedFinish(reason)).toBe('server_error');
  });

  test.each(['CONTINUATION', 'ESCALATION', 'SOMETHING_NEW'])('F-6: %s passes', (reason) => {
    expect(feed([TEXT, chunk([], reason)]).tap.finishReasons).toEqual([reason]);
    expect(generateCodec.failedFinish(reason)).toBeNull();
  });
});

describe('faults', () => {
  test.each([
    ['framed', `${TEXT}${event({ error: { code: 503, status: 'UNAVAILABLE' } })}`],
    ['unframed over several lines', `${TEXT}{\n  "error": {\n    "code": 503\n  }\n}\n`],
    ['in a list, unframed', `${TEXT}[{\n  "error": {\n    "code": 503\n  }\n}\n]\n`],
    ['in a list, framed', `${TEXT}data: [{"error":{"code":503}}]\n\n`],
    ['beside content', `${TEXT}${chunk([{ text: 'x' }], undefined, { error: { code: 503 } })}`],
    ['behind the finish', `${TEXT}${STOP}${event({ error: { code: 503 } })}`],
  ])('T-10, dialects §14.3: an error %s', (_name, input) => {
    const { tap, relayed } = feed([input]);
    expect([tap.fault?.kind, tap.complete, relayed]).toEqual(['error_event', false, served(TEXT)]);
  });

  test.each(['null', 'false', '0', '""'])('T-10: `error: %s` is no error', (value) => {
    expect(feed([`data: {"error":${value},"candidates":[{"finishReason":"STOP"}]}\n\n`]).tap.complete).toBe(true);
  });

  test.each([
    ['half an object', 'data: {"candidates":[\n\n'],
    ['text', 'data: hello\n\n'],
    ['candidates of another type', 'data: {"candidates":"x"}\n\n'],
    ['a candidate of another type', 'data: {"candidates":[1]}\n\n'],
    ['a chunk outside of any event', '{"candidates":[{"content":{"parts":[{"text":"lost"}]}}]}\n\n'],
    ['two objects', 'data: {"candidates":[]}{"candidates":[]}\n\n'],
  ])('T-10: %s stops the stream', (_name, input) => {
    const { tap, relayed } = feed([TEXT, input, STOP]);
    expect([tap.fault?.kind, relayed]).toEqual(['malformed', served(TEXT)]);
  });

  test('T-7: candidates without end', () => {
    const many = Array.from({ length: 1100 }, (_, index) => ({ index, content: { parts: [{ text: '' }] } }));
    expect(feed([event({ candidates: many })]).tap.fault?.kind).toBe('malformed');
  });
});

describe('the array form', () => {
  test('T-8: written as one array, read as events or as an array', () => {
    for (const input of [OPEN + TEXT + STOP + USAGE, list(OPEN, TEXT, STOP, USAGE)]) {
      const { whole, relayed, tap } = feed([input], { form: 'array', report: '{"a":1}' });
      expect(relayed.startsWith('[{')).toBe(true);
      const chunks = JSON.parse(whole!) as { understudy?: unknown }[];
      expect(chunks.map((one) => one.understudy ?? null)).toEqual([null, null, { a: 1 }, null]);
      expect(tap.contentType).toMatch(/^application\/json/);
      expect(chunksIn(feed([input]).whole!)).toEqual(JSON.parse(feed([input], { form: 'array' }).whole!));
    }
  });

  test.each<[string, string, string | null]>([
    ['whole', list(TEXT, STOP), null],
    ['without its bracket', list(TEXT, STOP).slice(0, -1), 'cut'],
    ['cut in an element', list(TEXT, STOP).slice(0, -30), 'cut'],
    ['without finish', list(TEXT), 'cut'],
    ['empty', '[]', 'cut'],
    ['with an error in it', `${list(TEXT).slice(0, -1)},{"error":{"code":503}}]`, 'error_event'],
    ['of an error alone', '[{"error":{"code":429}}]', 'error_event'],
    ['with more behind it', `${list(TEXT, STOP)} x`, 'malformed'],
    ['without commas', `${list(TEXT).slice(0, -1)} ${list(STOP).slice(1)}`, 'malformed'],
    ['of other things', '[1,2]', 'malformed'],
    ['with a comma too many', `${list(TEXT, STOP).slice(0, -1)},]`, 'malformed'],
    ['with a raw line end in a text', '[{"candidates":[{"content":{"parts":[{"text":"a\nb"}]}}]}]', 'malformed'],
  ])('T-5: an array %s', (_name, input, fault) => {
    for (const step of [input.length, 1, 7]) {
      const pieces = Array.from({ length: Math.ceil(input.length / step) }, (_, i) =>
        input.slice(i * step, (i + 1) * step),
      );
      const { tap } = feed(pieces, { form: 'array' });
      expect([tap.complete, tap.fault?.kind ?? null]).toEqual([fault === null, fault]);
    }
  });

  test('T-7: an element over the limit', () => {
    const big = list(chunk([{ text: 'x'.repeat(3000) }]), STOP);
    expect(feed([big], { maxEventBytes: 1000 }).tap.fault?.kind).toBe('malformed');
    expect(feed([...big], { maxEventBytes: 1000 }).tap.fault?.kind).toBe('malformed');
  });

  test('T-4: behind content only a reset tells that it broke; before it the array is the error', () => {
    const error = gatewayError('stream_interrupted', 'broken');
    const { tap } = feed([TEXT], { form: 'array' });
    expect(tap.interrupt!(error, 'req_1')).toBe('destroy');
    const before = generateCodec.streamError(error, 'req_1', requestIn('array')) as Uint8Array;
    expect(JSON.parse(textOf(before))).toMatchObject([{ error: { code: 502 } }]);
  });

  test('T-4: in events the last chunk is an error with a number', () => {
    const { tap } = feed([TEXT]);
    const [last] = chunksIn(textOf(tap.interrupt!(gatewayError('stream_interrupted', 'broken'), 'r') as Uint8Array));
    expect(last!.error).toMatchObject({ code: 502, status: 'UNAVAILABLE', message: 'broken' });
  });

  test('T-8: the lane of a request in that form writes it, whatever the upstream sends', () => {
    expect(generateCodec.isStream!('application/json', 0x5b)).toBe(true);
    expect(generateCodec.isStream!('application/json', 0x7b)).toBe(false);
    expect(new NativeLane(generateCodec).isStream('text/event-stream', 0x64)).toBe(true);
  });

  test('T-11: a keep-alive is a comment on its own, or a space', () => {
    const keepAlive = (form: 'events' | 'array'): string => textOf(generateCodec.keepAlive(requestIn(form))!);
    expect(keepAlive('events')).toBe(': keep-alive\n\n');
    expect(JSON.parse(`${keepAlive('array')}[${keepAlive('array')}{}${keepAlive('array')}]`)).toEqual([{}]);
  });
});
