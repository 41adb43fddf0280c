import { describe, expect, it } from 'vitest';
import { ByteWriter } from '../bytes/byte-writer.ts';
import { textOf, utf8 } from '../bytes/text.ts';
import type { AnswerIdentity, CanonicalAnswer, CanonicalEvent, CanonicalRequest } from '../canonical.ts';
import type { ClientRequest, UpstreamWrite } from '../contract.ts';
import { chatClient, chatUpstream } from './translated.ts';

const identity: AnswerIdentity = { id: 'a1', createdAt: 1_760_000_000_000, servedModel: 'x/m', vendor: 'maker' };
const write: UpstreamWrite = {
  target: { upstreamModel: 'up', vendor: 'openai', maxOutputTokens: null, lacks: new Set() },
  degrade: null,
  injectUsage: true,
};

function request(body: object | string): ClientRequest {
  const read = chatClient.codec.readRequest(utf8(typeof body === 'string' ? body : JSON.stringify(body)));
  if (!read.ok) throw new Error(read.error.message);
  return read.value;
}

function canonical(body: object | string): CanonicalRequest {
  const read = chatClient.canonical.readRequest(request(body));
  if (!read.ok) throw new Error(read.error.message);
  return read.value;
}

const say = (content: unknown) => [{ role: 'user', content }];

/** Everything this dialect can say, in its own words. */
const FULL = `{"model":"m","messages":[
  {"role":"system","content":"Be brief."},
  {"role":"user","content":[{"type":"text","text":"What is this?"},
    {"type":"image_url","image_url":{"url":"data:image/png;base64,AAAA","detail":"low"}},
    {"type":"image_url","image_url":{"url":"https://example.com/a.png"}},
    {"type":"input_audio","input_audio":{"data":"BBBB","format":"mp3"}},
    {"type":"file","file":{"filename":"a.pdf","file_data":"data:application/pdf;base64,CCCC"}}]},
  {"role":"assistant","content":"Looking.","tool_calls":[
    {"id":"call_1","type":"function","function":{"name":"look","arguments":"{\\"id\\":9007199254740993}"}},
    {"id":"call_2","type":"custom","custom":{"name":"shell","input":"ls"}}]},
  {"role":"tool","tool_call_id":"call_1","content":"a cat"},
  {"role":"tool","tool_call_id":"call_2","content":[{"type":"text","text":"x"},{"type":"text","text":"y"}]},
  {"role":"system","content":"Now in French."},
  {"role":"user","content":"Go on."}],
 "tools":[{"type":"function","function":{"name":"look","description":"Looks.","parameters":{"type":"object","maximum":9007199254740993},"strict":true}},
  {"type":"custom","custom":{"name":"shell","format":{"type":"text"}}}],
 "tool_choice":{"type":"allowed_tools","allowed_tools":{"mode":"required","tools":[{"type":"function","function":{"name":"look"}}]}},
 "parallel_tool_calls":false,
 "response_format":{"type":"json_schema","json_schema":{"name":"out","schema":{"const":12345678901234567890},"strict":true}},
 "reasoning_effort":"high","max_completion_tokens":100,"stop":["a","b"],"temperature":0.5,"top_p":0.9,"seed":7,
 "presence_penalty":0.1,"frequency_penalty":0.2,"logit_bias":{"50256":-100},"n":2,"logprobs":true,"top_logprobs":3,
 "user":"u","service_tier":"flex","metadata":{"a":"b"},"stream":true,"stream_options":{"include_usage":true}}`;

describe('Chat requests and the canonical model', () => {
  it('R-4: whatever it says survives reading and writing back', () => {
    const first = canonical(FULL);
    const { bytes, changes, dropped } = chatUpstream.canonical.writeRequest(first, write);
    expect([changes, dropped]).toEqual([[], false]);
    expect(canonical(textOf(bytes))).toEqual(first);
    expect(textOf(bytes)).toContain('"maximum":9007199254740993');
    expect(textOf(bytes)).toContain('{\\"id\\":9007199254740993}');
    expect(textOf(bytes)).toContain('{"const":12345678901234567890}');
    expect(textOf(bytes)).toContain('"model":"up"');
  });

  it('R-4: what opens the request is the system, what stands between stays where it is', () => {
    const { system, turns } = canonical(FULL);
    expect(system).toEqual([{ type: 'text', text: 'Be brief.' }]);
    expect(turns.map(({ role }) => role)).toEqual(['user', 'assistant', 'user', 'user', 'system', 'user']);
  });

  it('R-4: fields nobody knows are hints; what is bound to the dialect is named', () => {
    const { hints, bound } = canonical({
      model: 'm',
      messages: say('x'),
      odd: 1,
      prediction: { type: 'content' },
      web_search_options: {},
      previous_response_id: 'r',
      tools: [{ type: 'file_search' }],
      redundancy: { retries: 1 },
      models: ['a'],
    });
    expect([...hints.keys()]).toEqual(['odd', 'prediction']);
    expect([...bound]).toEqual(['web_search', 'state', 'builtin_tool']);
  });

  it('R-5: state without a mark is nobody’s here, for the dialect has none of its own', () => {
    const details = [{ type: 'reasoning.text', text: 'Hm.', signature: 'abc' }];
    const { turns } = canonical({
      model: 'm',
      messages: [{ role: 'assistant', content: 'x', reasoning_details: details }],
    });
    expect(turns[0]!.parts[0]).toMatchObject({ type: 'reasoning', text: 'Hm.', opaque: { vendor: null, data: 'abc' } });
  });

  it('R-4: fields that say null ask for nothing', () => {
    const read = canonical({ model: 'm', messages: say('x'), tools: null, stop: null, user: null, logit_bias: null });
    expect([read.tools, read.stop, read.hints.size, read.sampling]).toEqual([[], [], 0, {}]);
  });

  it('R-4: the older functions are tools', () => {
    const read = canonical({
      model: 'm',
      messages: [
        { role: 'assistant', content: null, function_call: { name: 'f', arguments: '{}' } },
        { role: 'function', name: 'f', content: 'done' },
      ],
      functions: [{ name: 'f', parameters: {} }],
      function_call: { name: 'f' },
    });
    expect(read.tools).toHaveLength(1);
    expect(read.toolChoice).toEqual({ mode: 'one', name: 'f' });
    expect(read.turns[1]!.parts[0]).toMatchObject({ type: 'result', callId: 'call_0_0', name: 'f' });
  });

  it.each([
    [{ messages: [1] }, 'messages[0]'],
    [{ messages: [{ role: 'robot', content: 'x' }] }, 'messages[0]'],
    [{ messages: say([{ type: 'odd' }]) }, 'messages[0]'],
    [{ messages: say(5) }, 'messages[0]'],
    [{ messages: [{ role: 'tool', content: 'x' }] }, 'messages[0]'],
    [{ messages: say('x'), tools: {} }, 'tools'],
    [{ messages: say('x'), tools: [{ type: 'function' }] }, 'tools[0]'],
    [{ messages: say('x'), tool_choice: 'sometimes' }, 'tool_choice'],
    [{ messages: say('x'), response_format: { type: 'xml' } }, 'response_format'],
    [{ messages: say('x'), stop: [1] }, 'stop'],
    [{ messages: say('x'), temperature: 'hot' }, 'temperature'],
  ])('R-4: what cannot be read is the client’s own fault (%#)', (body, param) => {
    const read = chatClient.canonical.readRequest(request({ model: 'm', ...body }));
    expect(read.ok ? null : [read.error.status, read.error.param]).toEqual([400, param]);
  });

  it('R-4: what this dialect has no words for is a miss', () => {
    const plain = canonical({ model: 'm', messages: say('x') });
    const misses = (more: Partial<CanonicalRequest>) =>
      chatUpstream.canonical.misses({ ...plain, ...more }, write.target)?.name ?? null;
    const media = (kind: 'audio' | 'video' | 'document' | 'image', by: 'url' | 'base64') =>
      misses({
        turns: [
          {
            role: 'user',
            parts: [
              {
                type: 'media',
                media: kind,
                mime: null,
                source: by === 'url' ? { by, url: 'https://x' } : { by, data: 'AA' },
                name: null,
                detail: null,
              },
            ],
          },
        ],
      });
    expect(misses({})).toBeNull();
    expect(misses({ bound: ['web_search'] })).toBe('web_search');
    expect(misses({ prefill: true })).toBe('prefill');
    expect(misses({ stop: ['1', '2', '3', '4', '5'] })).toBe('stop');
    expect(misses({ modalities: ['audio'] })).toBe('audio_output');
    expect(media('video', 'base64')).toBe('video');
    expect(media('audio', 'url')).toBe('audio');
    expect(media('document', 'url')).toBe('document');
    expect(media('image', 'url')).toBeNull();
    expect(media('document', 'base64')).toBeNull();
  });

  it('R-4, R-5: what is left out or said otherwise is recorded and degrades', () => {
    const plain = canonical({ model: 'm', messages: say('x') });
    const body = chatUpstream.canonical.writeRequest(
      {
        ...plain,
        sampling: { topK: 5, temperature: 1, topP: 1 },
        reasoning: { effort: null, budget: 2000, shown: true },
        maxOutputTokens: 10_000,
        hints: new Map([['cache_control', '{}']]),
        tools: [{ form: 'function', name: 'a.b', description: null, schema: null, strict: null }],
        turns: [
          {
            role: 'assistant',
            parts: [
              { type: 'reasoning', text: 't', summary: false, opaque: null },
              { type: 'call', id: 'x'.repeat(60), name: 'a.b', form: 'function', input: '{}' },
            ],
          },
          {
            role: 'user',
            parts: [
              {
                type: 'result',
                callId: 'x'.repeat(60),
                name: 'a.b',
                json: null,
                failed: true,
                parts: [
                  { type: 'text', text: 'see' },
                  {
                    type: 'media',
                    media: 'image',
                    mime: 'image/png',
                    source: { by: 'base64', data: 'AA' },
                    name: null,
                    detail: null,
                  },
                ],
              },
            ],
          },
        ],
      },
      { ...write, target: { ...write.target, lacks: new Set(['temperature']) } },
    );
    expect(body.changes).toEqual([
      'tools renamed',
      'thoughts without state left out',
      'tool result media moved to a user message',
      'dropped error flag of a tool result',
      'reasoning budget 2000 → low',
      'dropped temperature',
      'dropped top_p',
      'dropped top_k',
      'dropped cache_control',
    ]);
    expect(body.dropped).toBe(true);
    const sent = JSON.parse(textOf(body.bytes)) as {
      messages: { role: string; tool_call_id?: string; tool_calls?: { id: string }[] }[];
    };
    expect(sent.messages.map(({ role }) => role)).toEqual(['assistant', 'tool', 'user']);
    const id = sent.messages[0]!.tool_calls![0]!.id;
    expect(id.length).toBeLessThanOrEqual(40);
    expect(sent.messages[1]!.tool_call_id).toBe(id);
    expect([...body.names]).toEqual([[expect.stringMatching(/^a_b_\w+$/), 'a.b']]);
  });
});

const asked = request({
  model: 'm',
  messages: say('x'),
  reasoning_effort: 'low',
  stream: true,
  stream_options: { include_usage: true },
});
const unasked = request({ model: 'm', messages: say('x') });

const ANSWER: CanonicalAnswer = {
  choices: [
    {
      parts: [
        {
          type: 'reasoning',
          text: 'Hm.',
          summary: false,
          opaque: { vendor: 'maker', kind: 'signature', data: 'sig', id: null },
        },
        { type: 'text', text: 'Hel"lo', citations: [{ url: 'https://x', title: 'X', quote: null, start: 0, end: 3 }] },
        { type: 'call', id: 'c1', name: 'f', form: 'function', input: '{"a":9007199254740993}' },
        { type: 'call', id: 'c2', name: 'g', form: 'custom', input: 'ls' },
      ],
      finish: 'tool_calls',
      finishRaw: 'tool_calls',
      stopSequence: null,
      logprobs: '[{"token":"Hel","logprob":-0.1,"bytes":null,"top_logprobs":[]}]',
    },
  ],
  usage: {
    input: 10,
    output: 5,
    cacheRead: 3,
    cacheWrite: 2,
    reasoning: 1,
    audioInput: null,
    audioOutput: null,
    total: 15,
    estimated: false,
  },
};

describe('Chat answers and the canonical model', () => {
  it('R-4: an answer survives writing and reading back', () => {
    const { bytes, dropped } = chatClient.canonical.writeAnswer(ANSWER, identity, asked);
    expect(dropped).toEqual([]);
    expect(chatUpstream.canonical.readAnswer(bytes, new Map())).toEqual(ANSWER);
    expect(chatClient.codec.readAnswer(bytes)).toMatchObject({ content: 'content', finishReasons: ['tool_calls'] });
  });

  it('R-4: reasoning goes only to who asked for some', () => {
    const { bytes } = chatClient.canonical.writeAnswer(ANSWER, identity, unasked);
    expect(textOf(bytes)).not.toContain('Hm.');
  });

  it('F-6: a failed finish is no answer; one that nobody knows is no proper stop', () => {
    const read = (finish: string) =>
      chatUpstream.canonical.readAnswer(
        utf8(`{"choices":[{"index":0,"message":{"content":"x"},"finish_reason":"${finish}"}]}`),
        new Map(),
      );
    expect(read('error')).toBeNull();
    expect(read('insufficient_system_resource')).toBeNull();
    expect(read('odd')?.choices[0]?.finish).toBe('length');
    expect(read('sensitive')?.choices[0]?.finish).toBe('content_filter');
  });
});

const EVENTS: readonly CanonicalEvent[] = [
  { type: 'block-start', block: 0, choice: 0, what: { type: 'reasoning', summary: false } },
  { type: 'delta', block: 0, text: 'Hm.' },
  { type: 'opaque', block: 0, opaque: { vendor: 'maker', kind: 'signature', data: 'sig', id: null } },
  { type: 'block-end', block: 0 },
  { type: 'block-start', block: 1, choice: 0, what: { type: 'text' } },
  { type: 'delta', block: 1, text: 'Hel"' },
  { type: 'delta', block: 1, text: 'lo\u2028\u{1f600}' },
  { type: 'citation', block: 1, citation: { url: 'https://x', title: 'X', quote: null, start: 0, end: 3 } },
  { type: 'block-end', block: 1 },
  { type: 'block-start', block: 2, choice: 0, what: { type: 'call', id: 'c1', name: 'f', form: 'function' } },
  { type: 'delta', block: 2, text: '{"a":' },
  { type: 'delta', block: 2, text: '9007199254740993}' },
  { type: 'block-end', block: 2 },
  { type: 'block-start', block: 3, choice: 0, what: { type: 'call', id: 'c2', name: 'g', form: 'function' } },
  { type: 'delta', block: 3, text: '{}' },
  { type: 'block-end', block: 3 },
  { type: 'usage', usage: ANSWER.usage! },
  { type: 'finish', choice: 0, finish: 'tool_calls', raw: 'tool_calls', stopSequence: null },
];

function written(events: readonly CanonicalEvent[], echo: ClientRequest): string {
  const out = new ByteWriter();
  const writer = chatClient.canonical.streamWriter(out, identity, echo);
  for (const event of events) writer.write(event);
  writer.end(null, false);
  return textOf(out.take());
}

function read(stream: string): { events: CanonicalEvent[]; ending: string; fault: unknown } {
  const events: CanonicalEvent[] = [];
  const reader = chatUpstream.canonical.streamReader({
    maxEventBytes: 1 << 20,
    names: new Map(),
    vendor: 'maker',
    emit: (event) => events.push(event),
  });
  reader.push(utf8(stream));
  reader.end();
  return { events, ending: reader.ending, fault: reader.fault };
}

describe('Chat streams and the canonical model', () => {
  it('R-4: a stream survives writing and reading back', () => {
    const { events, ending, fault } = read(written(EVENTS, asked));
    expect([ending, fault]).toEqual(['proper', null]);
    // The dialect tells counts behind finish reasons and its reader tells finish reasons last.
    expect(events).toEqual(EVENTS);
  });

  it('R-4: reasoning goes only to who asked for some; usage as well', () => {
    const stream = written(EVENTS, unasked);
    expect(stream).not.toContain('Hm.');
    expect(stream).not.toContain('usage');
    expect(stream.endsWith('data: [DONE]\n\n')).toBe(true);
  });

  it('T-11: a thought that is not shown keeps the connection alive', () => {
    expect(written(EVENTS, unasked)).toContain('\n\n: keep-alive\n\n');
    expect(written(EVENTS, asked)).not.toContain('keep-alive');
  });

  it('T-7: a thought longer than a megabyte is told as it comes, but not once more beside its state', () => {
    const [start, , opaque, end] = EVENTS;
    const piece: CanonicalEvent = { type: 'delta', block: 0, text: 'x'.repeat(1 << 19) };
    const stream = written([start!, piece, piece, piece, opaque!, end!, ...EVENTS.slice(4)], asked);
    expect(stream.length).toBeLessThan(2 << 20);
    expect(stream).not.toContain('reasoning_details');
  });

  it('dialects §14.10: every call has its index, and the role comes first', () => {
    const chunks = written(EVENTS, asked)
      .split('\n\n')
      .slice(0, -3)
      .map(
        (line) =>
          JSON.parse(line.slice(6)) as {
            id: string;
            choices: { delta: { role?: string; tool_calls?: { index: number; id?: string }[] } }[];
          },
      );
    expect(new Set(chunks.map(({ id }) => id)).size).toBe(1);
    expect(chunks[0]!.choices[0]!.delta.role).toBe('assistant');
    const calls = chunks.flatMap((chunk) => chunk.choices[0]?.delta.tool_calls ?? []);
    expect(calls.map(({ index, id }) => [index, id])).toEqual([
      [0, 'c1'],
      [0, undefined],
      [0, undefined],
      [1, 'c2'],
      [1, undefined],
    ]);
  });

  const chunk = (delta: object, more: object = {}) =>
    `data: ${JSON.stringify({ choices: [{ index: 0, delta, ...more }] })}\n\n`;
  const call = (index: number, fields: object) => chunk({ tool_calls: [{ index, ...fields }] });

  it('dialects §11: calls told at once come one after the other, whole', () => {
    const stream =
      call(0, { id: 'a', function: { name: 'f', arguments: '' } }) +
      call(1, { id: 'b', function: { name: 'g', arguments: '{' } }) +
      call(0, { function: { arguments: '{"x":' } }) +
      call(1, { function: { arguments: '}' } }) +
      call(0, { function: { arguments: '1}' } }) +
      chunk({}, { finish_reason: 'tool_calls' });
    const { events, ending } = read(`${stream}data: [DONE]\n\n`);
    const texts = new Map<number, string>();
    for (const event of events) {
      if (event.type === 'delta') texts.set(event.block, (texts.get(event.block) ?? '') + event.text);
    }
    expect([ending, [...texts]]).toEqual([
      'proper',
      [
        [0, '{"x":1}'],
        [1, '{}'],
      ],
    ]);
  });

  it('dialects §11: calls that all have the index 0 are told apart by their ids', () => {
    const stream =
      call(0, { id: 'a', function: { name: 'f', arguments: '{}' } }) +
      call(0, { id: 'b', function: { name: 'f', arguments: '{}' } }) +
      chunk({}, { finish_reason: 'tool_calls' });
    const { events } = read(`${stream}data: [DONE]\n\n`);
    expect(events.filter(({ type }) => type === 'block-start')).toHaveLength(2);
  });

  it.each([
    ['[DONE] without finish reason', `${chunk({ content: 'x' })}data: [DONE]\n\n`, 'malformed'],
    ['no finish reason', chunk({ content: 'x' }), 'cut'],
    ['half an event', `${chunk({ content: 'x' })}data: {"choices":[{"ind`, 'cut'],
    ['an error', `${chunk({ content: 'x' })}data: {"error":{"message":"no"}}\n\n`, 'error_event'],
    ['a failed finish', chunk({ content: 'x' }, { finish_reason: 'error' }), 'bad_finish'],
    ['garbage', 'data: {x}\n\n', 'malformed'],
    ['arguments of nothing', call(0, { function: { arguments: '{}' } }), 'malformed'],
    ['choices that are none', 'data: {"choices":{}}\n\n', 'malformed'],
  ])('T-5, T-10: %s', (_, stream, kind) => {
    const { fault, ending } = read(stream);
    expect([(fault as { kind: string } | null)?.kind, ending]).toEqual([kind, 'open']);
  });

  it('T-5: finish reasons without [DONE] are an ending that is doubtful', () => {
    expect(read(chunk({ content: 'x' }, { finish_reason: 'stop' })).ending).toBe('doubtful');
  });

  it('dialects §14.12: a filter’s notes after the finish reason change nothing', () => {
    const stream = `${chunk({ content: 'x' }, { finish_reason: 'stop' })}data: {"choices":[{"index":0,"content_filter_offsets":{}}]}\n\ndata: [DONE]\n\n`;
    expect(read(stream).ending).toBe('proper');
  });
});
