import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import type { CanonicalEvent } from '../canonical.ts';
import type { StreamFault } from '../contract.ts';
import { responsesUpstream } from './translated.ts';

interface Outcome {
  readonly events: readonly CanonicalEvent[];
  readonly ending: string;
  readonly fault: StreamFault | null;
}

function read(pieces: readonly (string | Uint8Array)[], names: ReadonlyMap<string, string> = new Map()): Outcome {
  const events: CanonicalEvent[] = [];
  const emit = (event: CanonicalEvent): void => {
    events.push(event);
  };
  const reader = responsesUpstream.canonical.streamReader({ maxEventBytes: 1 << 20, names, vendor: 'openai', emit });
  for (const piece of pieces) reader.push(Buffer.from(piece));
  reader.end();
  return { events, ending: reader.ending, fault: reader.fault };
}

/** One word per event, deltas by their text. */
function told({ events }: Outcome): string[] {
  return events.map((event) => {
    switch (event.type) {
      case 'block-start':
        return `${event.block} ${event.what.type}${event.what.type === 'call' ? ` ${event.what.name}` : ''}`;
      case 'delta':
        return `${event.block} ${JSON.stringify(event.text)}`;
      case 'block-end':
        return `${event.block} end`;
      case 'opaque':
        return `${event.block} sealed ${event.opaque.data}`;
      case 'citation':
        return `${event.block} cites ${event.citation.url}`;
      case 'finish':
        return event.finish;
      default:
        return event.type;
    }
  });
}

const folder = new URL('./fixtures/streams/', import.meta.url);
const bytesOf = (file: string): Buffer => readFileSync(new URL(file, folder));

describe('vectors', () => {
  test.each<[string, string[], string, string | null]>([
    ['resp-01-text.sse', ['0 text', '0 "Hel"', '0 "lo"', '0 end', 'usage', 'stop'], 'proper', null],
    [
      'resp-02-reasoning-tool.sse',
      [
        ...['0 reasoning', '0 "Plan"', '0 sealed gAAAA', '0 end'],
        ...['1 call get_weather', '1 "{\\"city\\":\\"Oslo\\"}"', '1 end', 'usage', 'tool_calls'],
      ],
      'proper',
      null,
    ],
    ['resp-03-incomplete.sse', ['0 text', '0 "Hel"', '0 "lo"', '0 end', 'usage', 'length'], 'proper', null],
    ['resp-04-error-first-nested.sse', [], 'open', 'error_event'],
    ['resp-05-failed-mid.sse', ['0 text', '0 "Hel"'], 'open', 'error_event'],
    ['resp-06-cut.sse', ['0 text', '0 "Hel"', '0 "lo"'], 'open', 'cut'],
  ])('T-5: %s at every split point', (file, expected, ending, fault) => {
    const bytes = bytesOf(file);
    const whole = read([bytes]);
    expect([told(whole), whole.ending, whole.fault?.kind ?? null]).toEqual([expected, ending, fault]);
    for (let at = 1; at < bytes.length; at++) {
      const split = read([bytes.subarray(0, at), bytes.subarray(at)]);
      if (JSON.stringify(split) !== JSON.stringify(whole)) throw new Error(`different when cut at ${at}`);
    }
  });

  test('dialects §11: usage in the normal form', () => {
    const usage = read([bytesOf('resp-02-reasoning-tool.sse')]).events.find(({ type }) => type === 'usage');
    expect(usage).toMatchObject({ usage: { input: 12, cacheRead: 4, output: 5, reasoning: 2, total: 17 } });
  });
});

const stream = (...events: readonly object[]): string =>
  events.map((event) => `event: ${(event as { type: string }).type}\ndata: ${JSON.stringify(event)}\n\n`).join('');
const item = (index: number, fields: object): object => ({ output_index: index, item: fields });
const added = (index: number, fields: object): object => ({
  type: 'response.output_item.added',
  ...item(index, fields),
});
const done = (index: number, fields: object): object => ({ type: 'response.output_item.done', ...item(index, fields) });
const call = (name: string, input = ''): object => ({
  type: 'function_call',
  call_id: `call_${name}`,
  name,
  arguments: input,
});
const message = (...content: object[]): object => ({ id: 'msg_1', type: 'message', role: 'assistant', content });
const text = (said: string, more: object = {}): object => ({ type: 'output_text', text: said, ...more });
const completed = (output: readonly object[] = []): object => ({
  type: 'response.completed',
  response: { id: 'resp_1', status: 'completed', output },
});
const argument = (index: number, delta: string): object => ({
  type: 'response.function_call_arguments.delta',
  output_index: index,
  delta,
});

describe('streams out of the ordinary', () => {
  test('T-8: calls told at once come one after the other', () => {
    const outcome = read([
      stream(
        ...[added(0, call('f')), added(1, call('g')), argument(1, '{"b"'), argument(0, '{"a":1}'), argument(1, ':2}')],
        ...[done(0, call('f', '{"a":1}')), done(1, call('g', '{"b":2}')), completed()],
      ),
    ]);
    expect(told(outcome)).toEqual([
      ...['0 call f', '0 "{\\"a\\":1}"', '0 end'],
      ...['1 call g', '1 "{\\"b\\""', '1 ":2}"', '1 end', 'tool_calls'],
    ]);
  });

  test('what came in no pieces is taken from the items, or from the end', () => {
    const items = [
      { type: 'reasoning', id: 'rs_1', summary: [{ text: 'a' }, { text: 'b' }], encrypted_content: 'g' },
      message(text('hi', { annotations: [{ type: 'url_citation', url: 'https://x' }] }), {
        type: 'refusal',
        refusal: 'no',
      }),
      call('f', '{}'),
      { type: 'image_generation_call', result: 'AA==', output_format: 'webp' },
    ];
    const expected = [
      ...['0 reasoning', '0 "a"', '0 "\\n\\nb"', '0 sealed g', '0 end'],
      ...['1 text', '1 "hi"', '1 cites https://x', '2 refusal', '2 "no"'],
    ];
    const fromItems = told(read([stream(...items.map((one, at) => done(at, one)), completed())]));
    const fromEnd = told(read([stream(completed(items))]));
    expect(fromEnd).toEqual(fromItems);
    const begun = items.map((one, at) => added(at, { ...one, content: [], summary: [], result: null }));
    const calls = begun.filter((event) => !JSON.stringify(event).includes('function_call'));
    expect(told(read([stream(...calls, completed(items))]))).toEqual(fromItems);
    for (const word of expected) expect(fromItems).toContain(word);
    expect(fromItems.slice(-6)).toEqual(['3 call f', '3 "{}"', '3 end', '4 media', '4 end', 'tool_calls']);
  });

  test('R-4: renamed tools get their names back', () => {
    const outcome = read([stream(done(0, call('a_b_x1', '{}')), completed())], new Map([['a_b_x1', 'a.b']]));
    expect(told(outcome)[0]).toBe('0 call a.b');
  });

  test('F-5: a refusal is complete, a filter is not', () => {
    const refused = read([stream(done(0, message({ type: 'refusal', refusal: 'no' })), completed())]);
    expect(told(refused).at(-1)).toBe('stop');
    const details = { reason: 'content_filter' };
    const filtered = { type: 'response.incomplete', response: { status: 'incomplete', incomplete_details: details } };
    expect(told(read([stream(filtered)]))).toEqual(['content_filter']);
    const steered = { ...filtered, response: { status: 'incomplete', incomplete_details: { reason: 'steered' } } };
    expect(told(read([stream(steered)]))).toEqual(['pause']);
  });

  test.each(['data: {"error":{"message":"m"}}\n\n', '{"error":\n{"message":"m"}}\n', 'event: error\ndata: {}\n\n'])(
    'T-8: %j is an error',
    (bytes) => {
      expect(read([stream(added(0, message())), bytes]).fault?.kind).toBe('error_event');
    },
  );

  test('T-10: JSON nested without end is an error, or nothing, and never an exception', () => {
    const deep = `${'['.repeat(200_000)}${']'.repeat(200_000)}`;
    const failed = `{"type":"response.failed","response":{"error":{"code":${deep}}}}`;
    expect(read([`data: ${failed}\n\n`]).fault?.kind).toBe('error_event');
    expect(read([`data: {"type":"x","error":${deep}}\n\n`]).fault?.kind).toBe('error_event');
    const piece = `{"type":"response.output_text.delta","output_index":0,"delta":"x","logprobs":[${deep}]}`;
    // Whether anything can be made of so deep a value is the engine's: what it stands beside is there in any case.
    const outcome = read([`data: ${piece}\n\n`]);
    expect(outcome.fault?.kind ?? 'none').not.toBe('malformed');
    expect(told(outcome).slice(0, 2)).toEqual(['0 text', '0 "x"']);
  });

  test.each(['data: {"type"\n\n', '{"type":"response.completed","response":{}}\n'])(
    'T-10: %j is malformed',
    (bytes) => {
      expect(read([bytes]).fault?.kind).toBe('malformed');
    },
  );
});
