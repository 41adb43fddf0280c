import { describe, expect, it } from 'vitest';
import { events, feed } from '../../../test/support/messages-feed.ts';
import { ByteWriter } from '../bytes/byte-writer.ts';
import { jsonBytes, textOf } from '../bytes/text.ts';
import type {
  AnswerIdentity,
  CanonicalAnswer,
  CanonicalEvent,
  CanonicalRequest,
  Finish,
  Opaque,
  Part,
} from '../canonical.ts';
import type { ClientRequest } from '../contract.ts';
import { unwrapOpaque, wrapOpaque } from '../cross/opaque-marks.ts';
import { messagesClient } from './translated.ts';

const { readRequest, writeAnswer, streamWriter } = messagesClient.canonical;
const HELLO = [{ role: 'user', content: 'hi' }];

function request(fields: object): ClientRequest {
  const read = messagesClient.codec.readRequest(jsonBytes({ model: 'm', max_tokens: 9, messages: HELLO, ...fields }));
  if (!read.ok) throw new Error(read.error.message);
  return read.value;
}

function read(fields: object): CanonicalRequest {
  const found = readRequest(request(fields));
  if (!found.ok) throw new Error(found.error.message);
  return found.value;
}

function refused(fields: object): string | null {
  const found = readRequest(request(fields));
  return found.ok ? null : found.error.param;
}

const said = (...content: object[]): object => ({ messages: [{ role: 'user', content }] });
const partsOf = (...content: object[]): readonly Part[] => read(said(...content)).turns[0]!.parts;

describe('reading a request', () => {
  it('R-4: what is bound to the dialect is named, and nothing else lost without a record', () => {
    expect(read({ container: 'c', mcp_servers: [], inference_geo: 'eu' }).bound).toEqual([
      'state',
      'builtin_tool',
      'inference_geo',
    ]);
    const tools = [
      { type: 'web_search_20260318', name: 'w' },
      { type: 'bash_20250124', name: 'b' },
    ];
    expect(read({ tools }).bound).toEqual(['web_search', 'builtin_tool']);
    expect(read(said({ type: 'container_upload', file_id: 'f' })).bound).toEqual(['state']);
    expect(read(said({ type: 'image', source: { type: 'file', file_id: 'f' } })).bound).toEqual(['state']);
    expect(read(said({ type: 'web_search_tool_result', tool_use_id: 't', content: [] })).bound).toEqual([
      'builtin_tool',
    ]);
    const hints = read({
      metadata: { user_id: 'u', x: 1 },
      service_tier: 'standard_only',
      speed: 'standard',
      x_new: [1],
      output_config: { task_budget: 5 },
      thinking: { type: 'adaptive', x_more: 2 },
      tools: [
        {
          name: 'f',
          input_schema: {},
          defer_loading: true,
          strict: null,
          x_more: 1,
          eager_input_streaming: false,
          cache_control: { type: 'ephemeral' },
        },
        { type: 'tool_search_tool_regex_20251119', name: 's' },
      ],
    }).hints;
    expect([...hints]).toEqual([
      ['user', '"u"'],
      ['metadata', '{"x":1}'],
      ['service_tier', '"default"'],
      ['x_new', '[1]'],
      ['cache_control', '{"type":"ephemeral"}'],
      ['tools.defer_loading', 'true'],
      ['tools.x_more', '1'],
      ['tools.tool_search', 'true'],
      ['output_config.task_budget', '5'],
      ['thinking.x_more', '2'],
    ]);
  });

  it('R-4: documents in every form, what is said about them, and what was found elsewhere', () => {
    const blocks = [
      { type: 'document', source: { type: 'text', media_type: 'text/plain', data: 'a' }, title: 't', context: 'about' },
      {
        type: 'document',
        source: {
          type: 'content',
          content: [
            { type: 'text', text: 'b' },
            { type: 'text', text: 'c' },
          ],
        },
        citations: { enabled: true },
      },
      { type: 'search_result', source: 'https://a.example', title: 'T', content: [{ type: 'text', text: 'd' }] },
    ];
    const document = (text: string, name: string | null): object => ({
      type: 'media',
      media: 'document',
      mime: 'text/plain',
      source: { by: 'text', text },
      name,
      detail: null,
    });
    expect(partsOf(...blocks)).toEqual([
      { type: 'text', text: 'about' },
      document('a', 't'),
      document('b\n\nc', null),
      { type: 'text', text: 'T\nhttps://a.example\n\nd' },
    ]);
    expect(read(said(...blocks)).hints.get('citations')).toBe('{"enabled":true}');
  });

  it('R-4: words of the system that hold for one turn, tools that come and go on the way', () => {
    const definition = { name: 'late', input_schema: { type: 'object' } };
    const found = read({
      tools: [
        { name: 'a', input_schema: {} },
        { name: 'b', input_schema: {}, defer_loading: true },
      ],
      messages: [
        { role: 'system', content: 'now', clear_at: 'next_user_message' },
        { role: 'user', content: 'x' },
        { role: 'assistant', content: [{ type: 'tool_use', id: 't', name: 'search', input: {} }] },
        {
          role: 'user',
          content: [{ type: 'tool_result', tool_use_id: 't', content: [{ type: 'tool_reference', tool_name: 'b' }] }],
        },
        {
          role: 'system',
          content: [
            { type: 'tool_addition', tool: { type: 'tool_definition', definition } },
            { type: 'tool_removal', tool: { type: 'tool_reference', name: 'a' } },
            { type: 'text', text: 'later' },
          ],
          clear_at: 'next_user_message',
        },
        { role: 'system', output_config: { effort: 'low' } },
      ],
    });
    expect(found.turns.map(({ role }) => role)).toEqual(['user', 'assistant', 'user', 'system']);
    expect(found.turns.at(-1)?.parts).toEqual([{ type: 'text', text: 'later' }]);
    expect(found.turns[2]?.parts).toMatchObject([{ parts: [{ text: 'Found the tool b.' }] }]);
    expect(found.tools.map(({ name }) => name)).toEqual(['b', 'late']);
    expect(found.hints.get('messages.output_config')).toBe('{"effort":"low"}');
    expect(found.bound).toEqual([]);
    const sealed = { role: 'assistant', content: [{ type: 'compaction', content: null, encrypted_content: 'x' }] };
    expect(read({ messages: [...HELLO, sealed] }).bound).toEqual(['state']);
  });

  it('dialects §11: arguments stay as they were written, and results know whose they are', () => {
    const body = `{"model":"m","messages":[
      {"role":"user","content":"x"},
      {"role":"assistant","content":[{"type":"tool_use","id":"t1","name":"f","input":{"n":12345678901234567890, "b":1}}]},
      {"role":"user","content":[{"type":"tool_result","tool_use_id":"t1","content":"ok","is_error":true}]}]}`;
    const found = messagesClient.codec.readRequest(Buffer.from(body));
    if (!found.ok) throw new Error('unreadable');
    const canonical = readRequest(found.value);
    if (!canonical.ok) throw new Error('unreadable');
    expect(canonical.value.turns.slice(1)).toEqual([
      {
        role: 'assistant',
        parts: [{ type: 'call', id: 't1', name: 'f', form: 'function', input: '{"n":12345678901234567890, "b":1}' }],
      },
      {
        role: 'user',
        parts: [
          { type: 'result', callId: 't1', name: 'f', parts: [{ type: 'text', text: 'ok' }], json: null, failed: true },
        ],
      },
    ]);
  });

  it('R-5: thoughts are the vendor’s own unless a mark says whose they are; broken marks are nobody’s', () => {
    const state: Opaque = { vendor: 'openai', kind: 'sealed', data: 'x', id: 'rs_1' };
    const unsigned = wrapOpaque({ vendor: 'deepseek', kind: 'signature', data: '', id: null }, 'deepseek');
    const content = [
      { type: 'thinking', thinking: 'a', signature: 'c2ln' },
      { type: 'thinking', thinking: 'b', signature: wrapOpaque(state, 'openai') },
      { type: 'thinking', thinking: 'c', signature: unsigned },
      { type: 'redacted_thinking', data: `${wrapOpaque(state, 'openai')}!` },
      { type: 'thinking', thinking: '', signature: '' },
    ];
    const { turns } = read({ messages: [...HELLO, { role: 'assistant', content }] });
    const opaques = turns[1]!.parts.map((part) => (part.type === 'reasoning' ? part.opaque : part.type));
    expect(opaques).toEqual([
      { vendor: 'anthropic', kind: 'signature', data: 'c2ln', id: null },
      state,
      null,
      { vendor: null, kind: 'sealed', data: `${wrapOpaque(state, 'openai')}!`, id: null },
    ]);
  });

  it.each<[object, object]>([
    [{}, { effort: null, budget: null, shown: null }],
    [{ thinking: { type: 'disabled' } }, { effort: 'none', budget: null, shown: null }],
    [{ thinking: { type: 'enabled', budget_tokens: 2000 } }, { effort: null, budget: 2000, shown: true }],
    [{ thinking: { type: 'adaptive' } }, { effort: 'high', budget: null, shown: true }],
    [
      { thinking: { type: 'adaptive', display: 'omitted' }, output_config: { effort: 'low' } },
      { effort: 'low', budget: null, shown: false },
    ],
    [{ output_config: { effort: 'low' } }, { effort: 'low', budget: null, shown: null }],
  ])('R-4: %j is thinking %j', (fields, expected) => {
    expect(read(fields).reasoning).toEqual(expected);
  });

  it('R-4: a schema is held to strictly elsewhere only where it leaves nothing open', () => {
    const format = (schema: object): unknown =>
      read({ output_config: { format: { type: 'json_schema', schema } } }).format;
    const closed = { type: 'object', properties: { a: {} }, required: ['a'], additionalProperties: false };
    expect(format(closed)).toMatchObject({ strict: true });
    expect(format({ ...closed, required: [] })).toMatchObject({ strict: null });
    expect(read({ output_format: { type: 'json_schema', schema: closed } }).format).toMatchObject({ type: 'schema' });
  });

  it.each<[object, string]>([
    [{ messages: [1] }, 'messages[0]'],
    [{ messages: [{ role: 'robot', content: 'x' }] }, 'messages[0]'],
    [{ messages: [{ role: 'user', content: 5 }] }, 'messages[0].content'],
    [said({ type: 'text' }), 'messages[0].content[0]'],
    [said({ type: 'image' }), 'messages[0].content[0]'],
    [said({}), 'messages[0].content[0]'],
    [{ system: 5 }, 'system'],
    [{ tools: {} }, 'tools'],
    [{ tools: [{}] }, 'tools[0]'],
    [{ tool_choice: 'auto' }, 'tool_choice'],
    [{ tool_choice: { type: 'tool' } }, 'tool_choice'],
    [{ stop_sequences: 'x' }, 'stop_sequences'],
    [{ temperature: 'hot' }, 'temperature'],
    [{ output_config: { format: { type: 'xml' } } }, 'output_config.format'],
  ])('E-5: %j is the client’s own fault', (fields, param) => {
    expect(refused(fields)).toBe(param);
  });

  it('R-4: an entry’s degradation is done in the client’s own words first', () => {
    const { request: degraded, changes } = messagesClient.degraded(request({ tools: [{ name: 'f' }], top_k: 3 }), {
      drop_tools: true,
      drop_params: ['top_k'],
    });
    const canonical = readRequest(degraded);
    expect(changes).toEqual(['dropped tools', 'dropped top_k']);
    expect(canonical).toMatchObject({ ok: true, value: { tools: [], sampling: {} } });
  });
});

const IDENTITY: AnswerIdentity = { id: 'x1', createdAt: 0, servedModel: 'served/m', vendor: 'openai' };
const THINKING = request({ thinking: { type: 'adaptive' } });
const PLAIN = request({});
const text = (words: string): Part => ({ type: 'text', text: words });
const call: Part = { type: 'call', id: 'call:1', name: 'f', form: 'function', input: '{"a":1}' };
const sealed: Opaque = { vendor: null, kind: 'sealed', data: 'x', id: 'rs_1' };

function answer(parts: readonly Part[], finish: Finish = 'stop', raw: string = finish): CanonicalAnswer {
  return { choices: [{ parts, finish, finishRaw: raw, stopSequence: null, logprobs: null }], usage: null };
}

type Message = { content: Record<string, unknown>[]; stop_reason: string; usage: Record<string, number> };
function written(value: CanonicalAnswer, echo = PLAIN): Message & { dropped: readonly string[] } {
  const { bytes, dropped } = writeAnswer(value, IDENTITY, echo);
  expect(messagesClient.codec.readAnswer(bytes)).not.toBeNull();
  return { ...(JSON.parse(textOf(bytes)) as Message), dropped };
}

/** The message a client puts together from a stream. */
function streamed(all: readonly CanonicalEvent[], echo = PLAIN): Message & { dropped: readonly string[] } {
  const out = new ByteWriter();
  const writer = streamWriter(out, IDENTITY, echo);
  for (const event of all) writer.write(event);
  writer.end(null, false);
  const bytes = out.take();
  expect(feed([bytes]).tap).toMatchObject({ complete: true, suspicious: false });
  const content: Record<string, unknown>[] = [];
  const args: string[] = [];
  let [reason, usage]: [string, Record<string, number>] = ['', {}];
  for (const { data } of events(textOf(bytes))) {
    const at = data['index'] as number;
    const delta = data['delta'] as Record<string, string>;
    if (data['type'] === 'content_block_start') content[at] = { ...(data['content_block'] as object) };
    else if (data['type'] === 'message_delta')
      [reason, usage] = [delta['stop_reason']!, data['usage'] as Record<string, number>];
    else if (data['type'] === 'content_block_delta') {
      for (const key of ['text', 'thinking', 'signature']) {
        if (typeof delta[key] === 'string') content[at]![key] = `${content[at]![key]}${delta[key]}`;
      }
      if (delta['partial_json'] !== undefined) args[at] = (args[at] ?? '') + delta['partial_json'];
    }
  }
  args.forEach((json, at) => {
    content[at]!['input'] = JSON.parse(json);
  });
  return { content, stop_reason: reason, usage, dropped: writer.losses.dropped ?? [] };
}

describe('writing an answer', () => {
  it.each<[Finish, string, readonly Part[], string]>([
    ['stop', 'stop', [text('a')], 'end_turn'],
    ['stop', 'STOP', [call], 'tool_use'],
    ['tool_calls', 'tool_calls', [call], 'tool_use'],
    ['tool_calls', 'tool_calls', [text('a')], 'end_turn'],
    ['length', 'length', [text('a')], 'max_tokens'],
    ['length', 'model_context_window_exceeded', [text('a')], 'model_context_window_exceeded'],
    ['content_filter', 'SAFETY', [], 'refusal'],
    ['stop', 'stop', [{ type: 'refusal', text: 'no' }], 'refusal'],
    ['pause', 'pause_turn', [text('a')], 'pause_turn'],
  ])('dialects §11: %s (%s) with %j ends as %s', (finish, raw, parts, reason) => {
    expect(written(answer(parts, finish, raw)).stop_reason).toBe(reason);
    const told: CanonicalEvent[] = parts.flatMap((part, block): CanonicalEvent[] => {
      if (part.type !== 'text' && part.type !== 'refusal' && part.type !== 'call') return [];
      const what =
        part.type === 'call' ? { type: part.type, id: part.id, name: part.name, form: part.form } : { type: part.type };
      return [
        { type: 'block-start', block, choice: 0, what },
        { type: 'delta', block, text: part.type === 'call' ? part.input : part.text },
        { type: 'block-end', block },
      ];
    });
    const end: CanonicalEvent = { type: 'finish', choice: 0, finish, raw, stopSequence: null };
    expect(streamed([...told, end]).stop_reason).toBe(reason);
  });

  it('R-5: thoughts are shown only to who switched thinking on; the state a call needs goes along in any case', () => {
    const parts: Part[] = [
      { type: 'reasoning', text: 'hm', summary: true, opaque: sealed },
      text('a'),
      {
        ...(call as Extract<Part, { type: 'call' }>),
        opaque: { vendor: null, kind: 'signature', data: 's', id: null },
      },
    ];
    const kinds = (echo: ClientRequest): unknown[] =>
      written(answer(parts, 'tool_calls'), echo).content.map((block) => block['type']);
    expect(kinds(PLAIN)).toEqual(['text', 'redacted_thinking', 'tool_use']);
    expect(kinds(THINKING)).toEqual(['thinking', 'text', 'redacted_thinking', 'tool_use']);
    const omitted = request({ thinking: { type: 'adaptive', display: 'omitted' } });
    expect(written(answer(parts, 'tool_calls'), omitted).content[0]).toMatchObject({ type: 'redacted_thinking' });
  });

  it('R-5: state does not stand at the very end: agents look for the answer in the last block', () => {
    const parts: readonly Part[] = [
      { type: 'text', text: 'yes', opaque: sealed },
      { type: 'reasoning', text: '', summary: false, opaque: sealed },
    ];
    const { content, dropped } = written(answer(parts), THINKING);
    expect(content.map((block) => block['type'])).toEqual(['redacted_thinking', 'redacted_thinking', 'text']);
    expect(dropped).toEqual([]);
    const alone = written(answer(parts.slice(1)), THINKING);
    expect(alone.content.map((block) => block['type'])).toEqual(['redacted_thinking']);
    const told: CanonicalEvent[] = [
      { type: 'block-start', block: 0, choice: 0, what: { type: 'text' } },
      { type: 'delta', block: 0, text: 'yes' },
      { type: 'opaque', block: 0, opaque: sealed },
      { type: 'block-end', block: 0 },
    ];
    const end: CanonicalEvent = { type: 'finish', choice: 0, finish: 'stop', raw: 'stop', stopSequence: null };
    const inStream = streamed([...told, end], THINKING);
    expect([inStream.content.map((block) => block['type']), inStream.dropped]).toEqual([['text'], []]);
    const second: CanonicalEvent[] = [
      { type: 'block-start', block: 1, choice: 0, what: { type: 'text' } },
      { type: 'delta', block: 1, text: 'and' },
      { type: 'block-end', block: 1 },
    ];
    const kept = streamed([...told, ...second, end], THINKING);
    expect(kept.content.map((block) => block['type'])).toEqual(['text', 'redacted_thinking', 'text']);
  });

  it('R-5: words that shall be omitted stay where a signature holds for them, whole and in a stream', () => {
    const echo = request({ thinking: { type: 'adaptive', display: 'omitted' } });
    const signed: Opaque = { vendor: null, kind: 'signature', data: 's', id: null };
    const thoughts = (opaque: Opaque | null): Part[] => [
      { type: 'reasoning', text: 'hm', summary: false, opaque },
      text('a'),
    ];
    const told = (opaque: Opaque | null): CanonicalEvent[] => [
      { type: 'block-start', block: 0, choice: 0, what: { type: 'reasoning', summary: false } },
      { type: 'delta', block: 0, text: 'h' },
      { type: 'delta', block: 0, text: 'm' },
      ...(opaque === null ? [] : [{ type: 'opaque' as const, block: 0, opaque }]),
      { type: 'block-end', block: 0 },
      { type: 'block-start', block: 1, choice: 0, what: { type: 'text' } },
      { type: 'delta', block: 1, text: 'a' },
      { type: 'block-end', block: 1 },
      { type: 'finish', choice: 0, finish: 'stop', raw: 'stop', stopSequence: null },
    ];
    for (const write of [
      (opaque: Opaque | null) => written(answer(thoughts(opaque)), echo),
      (opaque: Opaque | null) => streamed(told(opaque), echo),
    ]) {
      expect(write(signed).content[0]).toMatchObject({ type: 'thinking', thinking: 'hm' });
      expect(write(sealed).content.map((block) => block['type'])).toEqual(['redacted_thinking', 'text']);
      expect(write(null).content.map((block) => block['type'])).toEqual(['text']);
    }
  });

  it('R-5: what another vendor sealed comes back from the client as it was', () => {
    const parts: Part[] = [
      { type: 'reasoning', text: 'hm', summary: false, opaque: sealed },
      {
        ...(call as Extract<Part, { type: 'call' }>),
        opaque: { vendor: null, kind: 'signature', data: 's', id: null },
      },
    ];
    const { content } = written(answer(parts, 'tool_calls'), THINKING);
    expect(unwrapOpaque(String(content[0]!['signature']))).toEqual({ ...sealed, vendor: 'openai' });
    const { turns } = read({ messages: [...HELLO, { role: 'assistant', content }] });
    expect(turns[1]!.parts).toEqual([
      { type: 'reasoning', text: 'hm', summary: false, opaque: { ...sealed, vendor: 'openai' } },
      { ...call, id: content[2]!['id'], opaque: { vendor: 'openai', kind: 'signature', data: 's', id: null } },
    ]);
  });

  it('R-4: what has no place is told: sounds, pictures, sources without an address', () => {
    const image: Part = {
      type: 'media',
      media: 'image',
      mime: 'image/png',
      source: { by: 'base64', data: 'x' },
      name: null,
      detail: null,
    };
    const cited: Part = {
      type: 'text',
      text: 'a',
      citations: [{ url: null, title: 't', quote: 'q', start: null, end: null }],
    };
    expect(written(answer([image, cited])).dropped).toEqual(['image', 'citations']);
    expect(
      streamed([
        { type: 'block-start', block: 0, choice: 0, what: { type: 'media', part: image } },
        { type: 'block-end', block: 0 },
        { type: 'block-start', block: 1, choice: 0, what: { type: 'text' } },
        { type: 'delta', block: 1, text: 'a' },
        { type: 'citation', block: 1, citation: cited.citations![0]! },
        { type: 'block-end', block: 1 },
        { type: 'finish', choice: 0, finish: 'stop', raw: 'stop', stopSequence: null },
      ]),
    ).toMatchObject({ content: [{ type: 'text', text: 'a' }], dropped: ['image', 'citations'] });
  });

  it('dialects §11: counts leave out what the cache holds, and are never negative', () => {
    const usage = {
      input: 10,
      output: 3,
      cacheRead: 4,
      cacheWrite: 20,
      reasoning: 2,
      audioInput: null,
      audioOutput: null,
      total: 13,
      estimated: false,
    };
    const expected = {
      input_tokens: 0,
      cache_creation_input_tokens: 20,
      cache_read_input_tokens: 4,
      output_tokens: 3,
      output_tokens_details: { thinking_tokens: 2 },
    };
    expect(written({ ...answer([text('a')]), usage }).usage).toEqual(expected);
    const end: CanonicalEvent = { type: 'finish', choice: 0, finish: 'stop', raw: 'stop', stopSequence: null };
    expect(streamed([{ type: 'usage', usage }, end]).usage).toEqual(expected);
  });

  it('dialects §11: a freeform call is a call with one text, in pieces too', () => {
    const what = { type: 'call', id: 'c', name: 'patch', form: 'custom' } as const;
    const { content } = streamed([
      { type: 'block-start', block: 0, choice: 0, what },
      { type: 'delta', block: 0, text: 'a "b' },
      { type: 'delta', block: 0, text: '"\\n\u2028' },
      { type: 'block-end', block: 0 },
      { type: 'finish', choice: 0, finish: 'tool_calls', raw: 'tool_calls', stopSequence: null },
    ]);
    expect(content).toEqual([{ type: 'tool_use', id: 'c', name: 'patch', input: { input: 'a "b"\\n\u2028' } }]);
    const whole = written(answer([{ ...what, input: 'a "b"' }], 'tool_calls'));
    expect(whole.content[0]).toMatchObject({ input: { input: 'a "b"' } });
  });

  it('dialects §14.9: blocks that never say anything are not opened, and a thought alone is marked', () => {
    const { content } = streamed(
      [
        { type: 'block-start', block: 0, choice: 0, what: { type: 'text' } },
        { type: 'block-end', block: 0 },
        { type: 'block-start', block: 1, choice: 0, what: { type: 'reasoning', summary: false } },
        { type: 'opaque', block: 1, opaque: sealed },
        { type: 'block-end', block: 1 },
        { type: 'block-start', block: 2, choice: 0, what: { type: 'reasoning', summary: false } },
        { type: 'delta', block: 2, text: 'hm' },
        { type: 'block-end', block: 2 },
        { type: 'finish', choice: 0, finish: 'stop', raw: 'stop', stopSequence: null },
      ],
      THINKING,
    );
    expect(content.map((block) => block['type'])).toEqual(['redacted_thinking', 'thinking']);
    expect(unwrapOpaque(String(content[1]!['signature']))).toMatchObject({ vendor: 'openai', data: '' });
  });
});
