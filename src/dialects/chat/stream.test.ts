import { describe, expect, test } from 'vitest';
import { chunk, DONE, events, feed, ROLE, STOP, textIn } from '../../../test/support/chat-tap-feed.ts';

const TEXT = chunk({ content: 'hi' });
const REPORT = '{"request_id":"req_1","attempts":2}';
const COUNTS = { prompt_tokens: 3, completion_tokens: 2, total_tokens: 5, prompt_tokens_details: { cached_tokens: 1 } };
const lines = (...parts: string[]): string[] => [parts.join('')];

type Chunk = {
  model: string;
  choices: { index: number; delta?: Record<string, unknown>; finish_reason: string | null }[];
  usage?: unknown;
  understudy?: unknown;
  metadata?: unknown;
};
const chunks = (text: string): Chunk[] => events(text).filter((event): event is Chunk => event !== '[DONE]');

describe('first content', () => {
  const calls = (call: object): object => ({ tool_calls: [{ index: 0, ...call }] });

  test.each<[string, object, string]>([
    ['text', { content: 'x' }, 'content'],
    ['text in the role chunk', { role: 'assistant', content: 'x' }, 'content'],
    ['text of white space', { content: ' ' }, 'content'],
    ['text parts', { content: [{ type: 'text', text: 'x' }] }, 'content'],
    ['reasoning_content', { reasoning_content: 'x' }, 'content'],
    ['reasoning', { content: '', reasoning: 'x' }, 'content'],
    ['reasoning_details', { reasoning_details: [{ type: 'x' }] }, 'content'],
    ['a call id', calls({ id: 'call_1' }), 'content'],
    ['a call name', calls({ type: 'function', function: { name: 'f', arguments: '' } }), 'content'],
    ['call arguments', calls({ function: { arguments: '{' } }), 'content'],
    ['a custom call', calls({ custom: { name: 'x', input: '' } }), 'content'],
    ['a legacy call', { function_call: { name: 'f', arguments: '' } }, 'content'],
    ['audio data', { audio: { id: 'a', data: 'AA' } }, 'content'],
    ['an audio transcript', { audio: { transcript: 'x' } }, 'content'],
    ['images', { images: [{ image_url: 'x' }] }, 'content'],
    ['annotations', { annotations: [{ type: 'url_citation' }] }, 'content'],
    ['a refusal', { refusal: 'no' }, 'refusal'],
    ['text beside a refusal', { refusal: 'no', content: 'x' }, 'content'],
  ])('T-1: %s commits', (_name, delta, kind) => {
    const { tap } = feed([ROLE, chunk(delta)]);
    expect([tap.ready, tap.contentEvents]).toEqual([kind, 1]);
  });

  test.each<[string, string]>([
    ['a role chunk', ROLE],
    ['null content', chunk({ role: 'assistant', content: null, refusal: null, reasoning_content: null })],
    ['an empty delta', chunk({})],
    ['a null delta', 'data: {"choices":[{"index":0,"delta":null}]}\n\n'],
    ['a choice without delta', 'data: {"choices":[{"index":0,"content_filter_offsets":{"a":1}}]}\n\n'],
    ['no choice', 'data: {"choices":[],"prompt_filter_results":[{"x":"content"}]}\n\n'],
    ['empty lists', chunk({ tool_calls: [], annotations: [], images: [], reasoning_details: [] })],
    ['a call without name and arguments', chunk(calls({ type: 'function', function: { arguments: '' } }))],
    ['an audio id', chunk({ audio: { id: 'a', expires_at: 5 } })],
    ['a finish reason alone', STOP],
    ['padding', chunk({}, null, { obfuscation: 'xxxx' })],
    ['a comment', ': content\n\n'],
    ['a named ping', `event: ping\n${TEXT}`],
    ['empty data', 'data:\n\n'],
    ['JSON without choices', 'data: {"type":"ping"}\n\n'],
    ['null choices', 'data: {"choices":null}\n\n'],
    ['JSON that is no object', 'data: 1\n\ndata: [1]\n\ndata: null\n\ndata: "x"\n\n'],
  ])('T-1: %s does not commit', (_name, event) => {
    const tap = feed([event]).tap;
    expect([tap.ready, tap.contentEvents, tap.fault?.kind ?? 'cut']).toEqual([
      event === STOP ? 'empty' : null,
      0,
      'cut',
    ]);
  });

  test('T-1: content is seen under escaped keys and odd spacing', () => {
    expect(feed(['data: {"ch\\u006fices" : [ { "d\\u0065lta" : { "content" : "x" } } ] }\n\n']).ready).toBe('content');
  });
});

describe('keep-alives', () => {
  test('T-8: comments, pings, empty events and JSON without choices are not relayed; unknown fields are', () => {
    const noise = ': a\n\nevent: ping\ndata: {"x":1}\n\ndata:\n\ndata: {"status":"working"}\n\nid: 7\n\ndata: [0]\n\n';
    const odd = chunk({ content: 'b', x_vendor: 1 }, null, { x_top: 12345678901234567890n.toString() });
    const { whole } = feed(lines(noise, ROLE, noise, TEXT, noise, odd, STOP, noise, DONE));
    expect(whole).toBe((ROLE + TEXT + odd + STOP + DONE).replaceAll('up-a', 'served/m'));
  });

  test('T-8: an event name is dropped, the chunk under it is relayed', () => {
    expect(feed(lines('event: message\n', TEXT, 'event: x\n', STOP, DONE)).whole).toBe(
      (TEXT + STOP + DONE).replaceAll('up-a', 'served/m'),
    );
  });
});

describe('bytes', () => {
  test('R-3: model is replaced in every chunk, every other byte stays', () => {
    const raw =
      'data: { "id":12345678901234567890, "model" : "a\\u0062" ,"choices":[ {"index":0,"delta":{"content":"\\u00e9"}} ],"x":1.50}\n\n';
    expect(feed(lines(raw, STOP, DONE)).whole).toBe(
      raw.replace('"a\\u0062"', '"served/m"') + STOP.replace('up-a', 'served/m') + DONE,
    );
  });

  test('R-3: a chunk without model gets it, a repeated one is replaced everywhere', () => {
    const bare = 'data: {"choices":[{"index":0,"delta":{"content":"a"}}]}\n\n';
    const twice = 'data: {"model":"a","choices":[{"index":0,"delta":{"content":"b"}}],"model":"c"}\n\n';
    const { relayed } = feed([bare, twice, bare, twice]);
    const expected = [
      'data: {"model":"served/m","choices":[{"index":0,"delta":{"content":"a"}}]}\n\n',
      'data: {"model":"served/m","choices":[{"index":0,"delta":{"content":"b"}}],"model":"served/m"}\n\n',
    ].join('');
    expect(relayed).toBe(expected + expected);
  });

  test('R-3: chunks that begin alike are told apart behind `choices` and before it', () => {
    const make = (id: string, content: string, end: string): string =>
      `data: {"id":"${id}","model":"up","choices":[{"index":0,"delta":{"content":"${content}"}}]${end}}\n\n`;
    const variants = [
      make('1', 'a', ''),
      make('1', 'b', ',"usage":null'),
      make('1', 'c', ',"model":"other"'),
      make('2', 'd', ''),
      make('1', 'e', ',"x":{"model":"mine"}'),
      make('1', 'f', ',"usage":{"total_tokens":1}'),
    ];
    const { relayed } = feed([...variants, ...variants]);
    const expected = [
      make('1', 'a', ''),
      make('1', 'b', ''),
      make('1', 'c', ',"model":"other"'),
      make('2', 'd', ''),
      make('1', 'e', ',"x":{"model":"mine"}'),
      make('1', 'f', ''),
    ]
      .join('')
      .replaceAll('"model":"up"', '"model":"served/m"')
      .replace('"model":"other"', '"model":"served/m"');
    expect(relayed).toBe(expected + expected);
  });

  test('T-8: several data lines, CRLF and a missing space come out as one line with LF', () => {
    const { whole } = feed([
      '\ufeffdata:{"model":"u","choices":[{"index":0,\r\ndata: "delta":{"content":"a"},\r\ndata:"finish_reason":"stop"}]}\r\n\r\ndata: [DONE]\r\n\r\n',
    ]);
    expect(whole).toBe(
      'data: {"model":"served/m","choices":[{"index":0, "delta":{"content":"a"}, "finish_reason":"stop"}]}\n\ndata: [DONE]\n\n',
    );
  });

  test('T-10: a string over two data lines is an error, not a space', () => {
    expect(feed(['data: {"choices":[{"delta":{"content":"a\ndata: b"}}]}\n\n']).tap.fault?.kind).toBe('malformed');
  });
});

describe('endings', () => {
  test('T-5: finish reason and [DONE] are complete; nothing is read after it', () => {
    const { tap, whole } = feed([ROLE, TEXT, STOP, DONE, TEXT, 'data: {"error":"late"}\n\n']);
    expect([tap.complete, tap.suspicious, tap.finished, tap.fault, tap.finishReasons]).toEqual([
      true,
      false,
      true,
      null,
      ['stop'],
    ]);
    expect(whole!.endsWith(STOP.replace('up-a', 'served/m') + DONE)).toBe(true);
  });

  test('T-5: a finish reason and a clean end are complete, the terminator is added', () => {
    const { tap, whole } = feed([ROLE, TEXT, STOP]);
    expect([tap.complete, tap.suspicious, tap.finished]).toEqual([true, true, true]);
    expect(whole!.endsWith(DONE)).toBe(true);
  });

  test.each([
    ['a whole event', STOP.trimEnd(), true],
    ['a whole event with one line end', `${STOP.trimEnd()}\n`, true],
    ['[DONE] after the finish', `${STOP}data: [DONE]`, true],
    ['half an event', `${STOP}data: {"id"`, false],
    ['half a field name', `${STOP}da`, false],
    ['an event name without data', `${STOP}event: err`, false],
    ['empty data', `${STOP}data: `, false],
    ['a comment', `${STOP}: keep-al`, true],
  ])('T-5: a tail that is %s', (_name, tail, complete) => {
    const { tap } = feed([TEXT, tail]);
    expect([tap.complete, tap.fault]).toEqual([complete, complete ? null : { kind: 'cut' }]);
  });

  test('T-5: neither finish reason nor [DONE] is a cut', () => {
    for (const cut of [[], [ROLE], [ROLE, TEXT]]) {
      const { tap } = feed(cut);
      expect([tap.complete, tap.fault]).toEqual([false, { kind: 'cut' }]);
    }
  });

  test('T-5: [DONE] without finish reason is malformed before content, suspicious after it', () => {
    expect(feed([ROLE, DONE]).tap.fault?.kind).toBe('malformed');
    expect(feed([DONE]).tap.fault?.kind).toBe('malformed');
    expect(feed([ROLE, TEXT, DONE], { holdAll: true }).tap.fault?.kind).toBe('malformed');
    const { tap, whole } = feed([ROLE, TEXT, DONE]);
    expect([tap.complete, tap.suspicious, tap.finished]).toEqual([true, true, false]);
    expect(whole).toBe((ROLE + TEXT + DONE).replaceAll('up-a', 'served/m'));
  });

  test('T-5: an empty finish reason is none', () => {
    expect(feed([TEXT, chunk({}, '')]).tap.fault).toEqual({ kind: 'cut' });
  });

  const two = (index: number, delta: object, finish: string | null): string =>
    `data: ${JSON.stringify({ model: 'up-a', choices: [{ index, delta, finish_reason: finish }] })}\n\n`;

  test('T-5: every choice must finish, those asked for and those that appeared', () => {
    const [a, endA, b, endB] = [
      two(0, { content: 'a' }, null),
      two(0, {}, 'stop'),
      two(1, { content: 'b' }, null),
      two(1, {}, 'length'),
    ];
    expect(feed([a, b, endA, endB, DONE], { n: 2 }).tap.finishReasons).toEqual(['stop', 'length']);
    expect(feed([a, b, endA], { n: 2 }).tap.fault).toEqual({ kind: 'cut' });
    expect(feed([a, b, endA]).tap.fault).toEqual({ kind: 'cut' });
    expect(feed([a, endA], { n: 2 }).tap.fault).toEqual({ kind: 'cut' });
    const short = feed([a, endA, DONE], { n: 2 }).tap;
    expect([short.complete, short.suspicious]).toEqual([true, true]);
    const unfinished = feed([a, b, endA, DONE], { n: 2 }).tap;
    expect([unfinished.complete, unfinished.suspicious, unfinished.finished]).toEqual([true, true, false]);
  });

  test('R-2: choices that come one after the other are relayed in order, only the last end is held', () => {
    const input = [
      two(0, { content: 'a' }, null),
      two(0, {}, 'stop'),
      two(1, { content: 'b' }, null),
      two(1, {}, 'stop'),
    ];
    const { relayed, whole } = feed([...input, DONE], { n: 2, report: REPORT });
    expect(relayed).toBe(input.slice(0, 3).join('').replaceAll('up-a', 'served/m'));
    expect(chunks(whole!).map((one) => one.understudy)).toEqual([undefined, undefined, undefined, JSON.parse(REPORT)]);
  });

  test('T-8: a finish reason on every chunk does not hold the text back', () => {
    const input = ['a', 'b', 'c'].map((content) => chunk({ content }, 'stop'));
    const { tap, relayed, whole } = feed([...input, DONE]);
    expect(textIn(relayed)).toBe('ab');
    expect(textIn(whole!)).toBe('abc');
    expect(tap.finishReasons).toEqual(['stop']);
  });
});

describe('faults', () => {
  const fault = (...parts: string[]) => feed(parts).tap.fault;
  const body = (...parts: string[]): unknown => {
    const found = fault(...parts);
    return found?.kind === 'error_event' ? JSON.parse(Buffer.from(found.body).toString()) : found;
  };

  test('T-10: an error event, an error in a chunk, an error object or an unframed one is a fault with its text', () => {
    expect(body('data: {"error":{"code":529}}\n\n')).toEqual({ error: { code: 529 } });
    expect(body(ROLE, 'data: {"error":"overloaded"}\n\n')).toEqual({ error: 'overloaded' });
    expect(body('event: error\ndata: {"code":"1302"}\n\n')).toEqual({ code: '1302' });
    expect(body('data: {"object":"error","message":"m","code":400}\n\n')).toEqual({
      object: 'error',
      message: 'm',
      code: 400,
    });
    expect(body(TEXT, '{\n "error": {"code": 503}\n}')).toEqual({ error: { code: 503 } });
    expect(body('[{\n  "error": {"code": 429}\n}\n]\n')).toEqual([{ error: { code: 429 } }]);
    expect(body('data: [{"error":{"code":429}}]\n\n')).toEqual([{ error: { code: 429 } }]);
    expect(body(chunk({ content: 'x' }, 'error', { error: { code: 502 } }))).toMatchObject({ error: { code: 502 } });
  });

  test('T-10: an event named error without JSON keeps its text', () => {
    const found = fault('event: error\ndata: Overloaded\n\n');
    expect(found?.kind === 'error_event' && Buffer.from(found.body).toString()).toBe('Overloaded');
  });

  test.each(['null', 'false', '0', '""', '-0.0'])('T-10: `error: %s` is no error', (value) => {
    expect(feed([`data: {"error":${value},"choices":[{"delta":{"content":"x"}}]}\n\n`, STOP, DONE]).tap.complete).toBe(
      true,
    );
  });

  test('T-1: while uncommitted the error wins over text in the same event', () => {
    const { tap } = feed([chunk({ content: 'Par' }, null, { error: { message: 'x' } })]);
    expect([tap.ready, tap.fault?.kind, tap.drain()]).toEqual([null, 'error_event', null]);
  });

  test.each(['error', 'abort', 'network_error', 'insufficient_system_resource'])(
    'F-6: finish reason %s is a failure',
    (reason) => {
      const { tap, relayed } = feed([TEXT, chunk({ content: 'more' }, reason), DONE]);
      expect(tap.fault).toEqual({ kind: 'bad_finish', reason });
      expect(textIn(relayed)).toBe('hi');
    },
  );

  test('F-6: other unknown finish reasons pass', () => {
    expect(feed([TEXT, chunk({}, 'sensitive'), DONE]).tap.finishReasons).toEqual(['sensitive']);
  });

  test.each([
    ['half an object', 'data: {"id":"c","choices":[{"delta":{"content":\n\n'],
    ['two events on one line', 'data: {"id":"c","object":"chat.completion.cdata: {"choices":[]}\n\n'],
    ['two objects', 'data: {"choices":[]}{"choices":[]}\n\n'],
    ['text', 'data: hello\n\n'],
    ['choices of another type', 'data: {"choices":"x"}\n\n'],
    ['a choice of another type', 'data: {"choices":[null]}\n\n'],
    ['an unframed chunk', '{"choices":[{"delta":{"content":"lost"}}]}\n\n'],
    ['[DONE] with more', 'data: [DONE] x\n\n'],
  ])('T-10: %s stops the stream, nothing follows', (_name, bad) => {
    for (const before of [[], [ROLE, TEXT]]) {
      const { tap, relayed } = feed([...before, bad, chunk({ content: 'after' }), STOP, DONE]);
      expect([tap.fault?.kind, tap.complete]).toEqual(['malformed', false]);
      expect(textIn(relayed)).toBe(before.length === 0 ? '' : 'hi');
    }
  });

  test.each([
    ['functions', '"tool_calls":[{"function":', '{"function":'],
    ['lists', '"content":', '['],
    ['calls', '"tool_calls":', '['],
    ['audio', '"audio":', '{"audio":'],
    ['deltas', '"delta":', '{"delta":'],
  ])('T-10: %s nested without end stop the stream, they do not exhaust the stack', (_name, before, open) => {
    const text = `data: {"choices":[{"delta":{${before}${open.repeat(60_000)}`;
    expect(feed([`${text}\n\n`]).tap.fault?.kind).toBe('malformed');
    expect(feed([`data: ${open.repeat(60_000)}\n\n`]).tap.fault?.kind).toBe('malformed');
    expect(feed([`${open.repeat(15_000)}\n\n`]).tap.fault?.kind ?? 'cut').toMatch(/malformed|cut/);
  });

  test('T-4: an error after the finish reason takes the finish back', () => {
    const { tap, relayed } = feed([TEXT, STOP, 'data: {"error":{"code":500}}\n\n', DONE]);
    expect([tap.fault?.kind, tap.drain()]).toEqual(['error_event', null]);
    expect(relayed).not.toContain('"stop"');
  });

  test('T-10: what came before a fault in the same read is still delivered', () => {
    const { tap, relayed } = feed(lines(ROLE, TEXT, 'data: {oops\n\n', STOP));
    expect([tap.ready, tap.fault?.kind]).toEqual(['content', 'malformed']);
    expect(relayed).toBe((ROLE + TEXT).replaceAll('up-a', 'served/m'));
  });

  test('T-10: unframed JSON that is neither error nor chunk is ignored', () => {
    expect(feed([TEXT, '{"status":"processing"}\n\n', '[DONE]\n\n', STOP, DONE]).tap.complete).toBe(true);
  });
});

describe('usage', () => {
  const usageChunk = (choices: object[]): string =>
    `data: ${JSON.stringify({ id: 'c1', object: 'chat.completion.chunk', created: 1, model: 'up-a', choices, usage: COUNTS })}\n\n`;
  const EARLY = { usage: { prompt_tokens: 3, completion_tokens: 1, total_tokens: 4 } };
  const shapes: [string, string[]][] = [
    ['a chunk without choices', [ROLE, TEXT, STOP, usageChunk([])]],
    ['a chunk with an empty choice', [ROLE, TEXT, STOP, usageChunk([{ index: 0, delta: {} }])]],
    ['the finish chunk', [ROLE, TEXT, chunk({}, 'stop', { usage: COUNTS })]],
    [
      'every chunk',
      [
        chunk({ role: 'assistant' }, null, EARLY),
        chunk({ content: 'hi' }, null, EARLY),
        chunk({}, 'stop', { usage: COUNTS }),
      ],
    ],
    [
      'every chunk and one of its own',
      [chunk({ content: 'hi' }, null, EARLY), chunk({}, 'stop', EARLY), usageChunk([])],
    ],
    ['chunks of its own in the middle', [ROLE, usageChunk([]), TEXT, usageChunk([]), STOP]],
    ['JSON without choices', [ROLE, TEXT, STOP, `data: ${JSON.stringify({ usage: COUNTS })}\n\n`]],
    [
      'null until the end',
      [chunk({ content: 'hi' }, null, { usage: null }), chunk({}, 'stop', { usage: null }), usageChunk([])],
    ],
    [
      'the first place',
      [
        `data: ${JSON.stringify({ usage: EARLY.usage, choices: [{ index: 0, delta: { content: 'hi' } }] })}\n\n`,
        STOP,
        usageChunk([]),
      ],
    ],
  ];

  test.each(shapes)('T-8: %s, asked for: one usage, at the end, the last one, with choices', (_name, input) => {
    const { tap, whole } = feed([...input, DONE], { includeUsage: true, report: REPORT });
    const all = chunks(whole!);
    expect(all.filter((one) => one.usage !== undefined && one.usage !== null)).toHaveLength(1);
    const last = all.at(-1)!;
    expect([last.usage, last.choices, last.model, last.understudy]).toEqual([COUNTS, [], 'served/m', undefined]);
    expect(all.at(-2)!.understudy).toEqual(JSON.parse(REPORT));
    expect(tap.usage).toMatchObject({ input: 3, output: 2, cacheRead: 1, total: 5, estimated: false });
  });

  test.each(shapes)('T-8: %s, not asked for: no usage at all, yet the counts are known', (_name, input) => {
    const { tap, whole } = feed([...input, DONE], { report: REPORT });
    expect(whole).not.toContain('usage');
    expect(chunks(whole!).every((one) => one.choices.length > 0)).toBe(true);
    expect(textIn(whole!)).toBe('hi');
    expect(tap.usage).toMatchObject({ input: 3, output: 2, total: 5 });
  });

  test("T-8: the upstream's own usage chunk stays byte for byte", () => {
    const { whole } = feed([TEXT, STOP, usageChunk([]), DONE], { includeUsage: true });
    expect(whole!.endsWith(usageChunk([]).replace('up-a', 'served/m') + DONE)).toBe(true);
  });

  test('T-8: `usage: null` stays where the client asked for usage', () => {
    const quiet = chunk({ content: 'a' }, null, { usage: null });
    expect(feed([quiet], { includeUsage: true }).relayed).toBe(quiet.replace('up-a', 'served/m'));
  });

  test('T-8: no usage upstream, none invented', () => {
    const { tap, whole } = feed([TEXT, STOP, DONE], { includeUsage: true });
    expect([tap.usage, whole!.includes('usage')]).toEqual([null, false]);
  });
});

describe('report', () => {
  test('R-2: goes into the last chunk that has choices, annotations after the finish included', () => {
    const note = 'data: {"model":"up-a","choices":[{"index":0,"content_filter_results":{}}]}\n\n';
    const { relayed, whole } = feed([TEXT, STOP, note, DONE], { report: REPORT });
    expect(relayed).toBe(TEXT.replace('up-a', 'served/m'));
    expect(chunks(whole!).map((one) => one.understudy)).toEqual([undefined, undefined, JSON.parse(REPORT)]);
    expect(whole!.endsWith(`,"understudy":${REPORT}}\n\n${DONE}`)).toBe(true);
  });

  test("R-2: classic streams carry it as metadata, in place of the upstream's", () => {
    const { whole } = feed([TEXT, chunk({}, 'stop', { metadata: { a: 1 } }), DONE], { report: REPORT, classic: true });
    expect(chunks(whole!).at(-1)!.metadata).toEqual(JSON.parse(REPORT));
  });

  test('R-2: [DONE] without finish reason: the report has a chunk of its own that claims nothing', () => {
    const { whole } = feed([ROLE, TEXT, DONE], { report: REPORT });
    const last = chunks(whole!).at(-1)!;
    expect(last).toMatchObject({ id: 'c1', model: 'served/m', understudy: JSON.parse(REPORT) });
    expect(last.choices).toEqual([{ index: 0, delta: {}, finish_reason: null }]);
    expect(textIn(whole!)).toBe('hi');
  });

  test('R-2: a first chunk too large to keep does not cost the report', () => {
    const { whole } = feed([chunk({ content: 'x'.repeat(20_000) }), DONE], { report: REPORT });
    expect(chunks(whole!).at(-1)).toEqual({
      object: 'chat.completion.chunk',
      model: 'served/m',
      choices: [{ index: 0, delta: {}, finish_reason: null }],
      understudy: JSON.parse(REPORT),
    });
  });

  test('R-2: no report, no trace of one', () => {
    expect(feed([TEXT, STOP, DONE]).whole).toBe((TEXT + STOP + DONE).replaceAll('up-a', 'served/m'));
  });

  test('T-5: the tail of a stream that is not complete is a bug', () => {
    expect(() => feed([TEXT]).tap.tail(null, false)).toThrow('not complete');
  });
});

describe('answers without content', () => {
  test('F-5: a proper ending without anything is empty, after a filter filtered; before it, nothing is ready', () => {
    expect(feed([ROLE, STOP, DONE]).ready).toBe('empty');
    expect(feed([ROLE, chunk({}, 'length')]).ready).toBe('empty');
    expect(feed([ROLE, chunk({}, 'content_filter'), DONE]).ready).toBe('filtered');
    expect(feed([chunk({ content: 'x' }), chunk({}, 'content_filter'), DONE]).ready).toBe('content');
    expect(feed([ROLE, STOP, 'data: {"error":{}}\n\n']).ready).toBeNull();
  });

  test('F-5: reasoning commits a stream, though it is no answer', () => {
    const thought = chunk({ reasoning_content: 'hm' });
    expect(feed([thought, STOP, DONE]).ready).toBe('content');
    expect(feed([thought, STOP, DONE], { holdAll: true }).ready).toBe('empty');
    expect(feed([thought, chunk({}, 'content_filter'), DONE], { holdAll: true }).ready).toBe('filtered');
  });

  test('F-5: judged as a whole, a filter with an answer is like a refusal', () => {
    expect(feed([TEXT, chunk({}, 'content_filter'), DONE], { holdAll: true }).ready).toBe('refusal');
    expect(feed([chunk({ refusal: 'no' }), STOP, DONE], { holdAll: true }).ready).toBe('refusal');
    expect(feed([TEXT, STOP, DONE], { holdAll: true }).ready).toBe('content');
  });

  test('T-1: an empty answer still plays whole', () => {
    expect(feed([ROLE, STOP, DONE]).whole).toBe((ROLE + STOP + DONE).replaceAll('up-a', 'served/m'));
  });
});

describe('limits', () => {
  const big = chunk({ role: 'assistant', content: '' }, null, { pad: 'x'.repeat(900) });

  test('T-7: a prelude over its limit is malformed, up to it is held and counted', () => {
    const held = feed([big, big], { maxPreludeBytes: 2500 }).tap;
    expect(held.heldBytes).toBeGreaterThan(1800);
    expect(feed([big, big, big], { maxPreludeBytes: 2500 }).tap.fault?.kind).toBe('malformed');
    expect(feed([big, TEXT, big, big, big, STOP, DONE], { maxPreludeBytes: 2500 }).tap.complete).toBe(true);
  });

  test('T-7: keep-alives take no room', () => {
    const { tap } = feed([': c\n\n'.repeat(1000), 'data: {"ping":1}\n\n'.repeat(1000)], { maxPreludeBytes: 500 });
    expect([tap.fault?.kind, tap.heldBytes]).toEqual(['cut', 0]);
  });

  test('T-7: one event over its limit is malformed', () => {
    expect(feed([ROLE, chunk({ content: 'x'.repeat(5000) })], { maxEventBytes: 4096 }).tap.fault?.kind).toBe(
      'malformed',
    );
  });

  test('T-7: what follows the last finish reason is bounded, one large last chunk is not', () => {
    const after = 'data: {"choices":[],"pad":"0123456789"}\n\n';
    expect(feed([TEXT, STOP, after.repeat(100)], { maxPreludeBytes: 1000 }).tap.fault?.kind).toBe('malformed');
    const large = chunk({ content: 'x'.repeat(5000) }, 'stop');
    expect(feed([TEXT, large, DONE], { maxPreludeBytes: 1000 }).tap.complete).toBe(true);
  });

  test('T-7: choices without end are malformed', () => {
    const many = `data: {"choices":[${Array.from({ length: 1025 }, (_, index) => `{"index":${index}}`).join()}]}\n\n`;
    expect(feed([TEXT, many]).tap.fault?.kind).toBe('malformed');
  });

  test('T-9: under holdAll nothing is ready until it finished properly', () => {
    const { readyAt, whole } = feed([ROLE, TEXT, STOP, DONE], { holdAll: true });
    expect(readyAt).toBe((ROLE + TEXT + STOP + DONE).length);
    expect(whole).toBe((ROLE + TEXT + STOP + DONE).replaceAll('up-a', 'served/m'));
    const cut = feed([ROLE, TEXT], { holdAll: true });
    expect([cut.ready, cut.tap.fault?.kind]).toEqual([null, 'cut']);
  });

  test('T-9: past maxHeldBytes it commits like first_token; without content it is malformed at the larger limit', () => {
    const long = chunk({ content: 'y'.repeat(600) });
    const over = feed([ROLE, long, long], { holdAll: true, maxHeldBytes: 1000 });
    expect([over.ready, over.readyAt, over.tap.fault?.kind]).toEqual(['content', (ROLE + long + long).length, 'cut']);
    expect(over.relayed).toBe((ROLE + long + long).replaceAll('up-a', 'served/m'));
    expect(feed([long, long, DONE], { holdAll: true, maxHeldBytes: 1000 }).tap.suspicious).toBe(true);
    const quiet = feed([big, big, big], { holdAll: true, maxHeldBytes: 1000, maxPreludeBytes: 2000 }).tap;
    expect(quiet.fault?.kind).toBe('malformed');
    expect(feed([big, big, big], { holdAll: true, maxHeldBytes: 9000, maxPreludeBytes: 2000 }).tap.fault?.kind).toBe(
      'cut',
    );
  });
});
