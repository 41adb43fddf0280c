import { describe, expect, it } from 'vitest';
import { refusalOf } from '../../../test/support/messages-strict.ts';
import { textOf } from '../bytes/text.ts';
import type { CanonicalRequest, Part, Tool, Turn } from '../canonical.ts';
import type { TargetFacts, UpstreamBody, UpstreamWrite } from '../contract.ts';
import { messagesUpstream } from './translated.ts';

const { misses, writeRequest, readAnswer, streamReader } = messagesUpstream.canonical;

const text = (words: string): Part => ({ type: 'text', text: words });
const user = (...parts: readonly Part[]): Turn => ({ role: 'user', parts });
const assistant = (...parts: readonly Part[]): Turn => ({ role: 'assistant', parts });
const call = (id: string, name = 'f', input = '{}'): Part => ({ type: 'call', id, name, form: 'function', input });
const result = (callId: string, ...parts: readonly Part[]): Part => ({
  type: 'result',
  callId,
  name: 'f',
  parts,
  json: null,
  failed: false,
});
const tool = (more: Partial<Tool> = {}): Tool => ({
  form: 'function',
  name: 'f',
  description: null,
  schema: '{"type":"object"}',
  strict: null,
  ...more,
});
const media = (kind: 'image' | 'audio' | 'document', mime: string | null, data = 'QUJD'): Part => ({
  type: 'media',
  media: kind,
  mime,
  source: { by: 'base64', data },
  name: null,
  detail: null,
});

const EMPTY: CanonicalRequest = {
  system: [],
  turns: [user(text('hi'))],
  tools: [],
  toolChoice: null,
  parallelCalls: null,
  format: null,
  reasoning: { effort: null, budget: null, shown: null },
  maxOutputTokens: 100,
  stop: [],
  sampling: {},
  n: 1,
  logprobs: null,
  modalities: [],
  bound: [],
  hints: new Map(),
  stream: false,
  prefill: false,
};
const TARGET: TargetFacts = { upstreamModel: 'up', vendor: 'anthropic', maxOutputTokens: 64_000, lacks: new Set() };

type Written = UpstreamBody & { readonly body: Record<string, unknown> };
function write(
  fields: Partial<CanonicalRequest>,
  target: Partial<TargetFacts> = {},
  more: Partial<UpstreamWrite> = {},
): Written {
  const facts = { ...TARGET, ...target };
  const written = writeRequest({ ...EMPTY, ...fields }, { target: facts, degrade: null, injectUsage: true, ...more });
  const json = textOf(written.bytes);
  expect(refusalOf(json)).toBeNull();
  return { ...written, body: JSON.parse(json) };
}
const miss = (fields: Partial<CanonicalRequest>, ...lacks: string[]): string | null =>
  misses({ ...EMPTY, ...fields }, { ...TARGET, lacks: new Set(lacks) })?.name ?? null;

describe('R-4: what is refused', () => {
  it.each<[string, Partial<CanonicalRequest>, string[], string | null]>([
    ['several answers', { n: 2 }, [], 'n'],
    ['log probabilities', { logprobs: 0 }, [], 'logprobs'],
    ['sound', { modalities: ['audio'] }, [], 'audio_output'],
    ['tools of another vendor', { bound: ['web_search'] }, [], 'web_search'],
    ['a grammar', { tools: [tool({ form: 'custom', schema: '{}' })] }, [], 'tools_custom_grammar'],
    [
      'a forced call, at some models',
      { tools: [tool()], toolChoice: { mode: 'any' } },
      ['tools_forced'],
      'tools_forced',
    ],
    ['not at others', { tools: [tool()], toolChoice: { mode: 'any' } }, [], null],
    ['an answer begun, at some models', { prefill: true }, ['prefill'], 'prefill'],
    [
      'no thought at all, at some models',
      { reasoning: { effort: 'none', budget: null, shown: null } },
      ['reasoning_off'],
      'reasoning_off',
    ],
    ['an end at white space', { stop: ['\n'] }, [], 'stop'],
    [
      'a schema whose members nobody can name',
      {
        format: {
          type: 'schema',
          name: null,
          description: null,
          schema: '{"type":"object","additionalProperties":{"type":"string"}}',
          strict: null,
        },
      },
      [],
      'json_schema',
    ],
    ['sounds', { turns: [user(media('audio', 'audio/wav'))] }, [], 'audio'],
    ['pictures of another kind', { turns: [user(media('image', 'image/tiff'))] }, [], 'image'],
    [
      'documents of another kind, inside of a result',
      { turns: [user(result('t', media('document', 'application/zip')))] },
      [],
      'document',
    ],
    ['but no PDF', { turns: [user(media('document', 'application/pdf'))] }, [], null],
  ])('%s', (_name, fields, lacks, expected) => {
    expect(miss(fields, ...lacks)).toBe(expected);
  });
});

describe('R-4: turns', () => {
  it('results come first, roles take turns, words of the system stand on top', () => {
    const { body, changes } = write({
      system: [text('a')],
      turns: [
        user(text('1')),
        user(text('2')),
        assistant(call('c1')),
        user(text('3'), result('c1', text('r'))),
        { role: 'system', parts: [text('b')] },
        user(text('4')),
      ],
    });
    expect(body['system']).toEqual([
      { type: 'text', text: 'a' },
      { type: 'text', text: 'b' },
    ]);
    expect(body['messages']).toEqual([
      {
        role: 'user',
        content: [
          { type: 'text', text: '1' },
          { type: 'text', text: '2' },
        ],
      },
      { role: 'assistant', content: [{ type: 'tool_use', id: 'c1', name: 'f', input: {} }] },
      {
        role: 'user',
        content: [
          { type: 'tool_result', tool_use_id: 'c1', content: [{ type: 'text', text: 'r' }] },
          { type: 'text', text: '3' },
          { type: 'text', text: '4' },
        ],
      },
    ]);
    expect(changes).toEqual(['system turns moved to the top']);
  });

  it('calls of earlier turns bring their tools along where the request offers none', () => {
    const { body } = write({ turns: [user(text('x')), assistant(call('c1', 'old')), user(result('c1'))] });
    expect([body['tools'], body['tool_choice']]).toEqual([
      [{ name: 'old', input_schema: { type: 'object', properties: {} } }],
      { type: 'none' },
    ]);
  });

  it('somebody begins: a user', () => {
    expect(write({ turns: [assistant(text('hello')), user(text('x'))] }).changes).toEqual(['user turn added']);
    expect(write({ system: [text('Say hi.')], turns: [] }).body['messages']).toHaveLength(1);
  });

  it('empty words are left out, and white space behind what shall be continued', () => {
    const turns = [user(text(' '), text('x')), assistant(text('So  \n'))];
    expect(write({ turns, prefill: true }).body['messages']).toEqual([
      { role: 'user', content: [{ type: 'text', text: 'x' }] },
      { role: 'assistant', content: [{ type: 'text', text: 'So' }] },
    ]);
  });

  it('ids of calls that the dialect refuses are spelt anew, alike in call and result', () => {
    const { body } = write({ turns: [user(text('x')), assistant(call('call:1/ü')), user(result('call:1/ü'))] });
    expect(JSON.stringify(body)).not.toContain('call:1');
  });

  it('dialects §11: arguments that are no object are kept, never {}', () => {
    const { body } = write({ turns: [user(text('x')), assistant(call('c', 'f', '{"a":')), user(result('c'))] });
    expect(body['messages']).toMatchObject([{}, { content: [{ input: { __invalid_arguments: '{"a":' } }] }, {}]);
  });

  it('pictures an assistant made are shown by the user', () => {
    const { body, changes } = write({
      turns: [user(text('draw')), assistant(text('ok'), media('image', 'image/jpg')), user(text('more'))],
    });
    expect(body['messages']).toMatchObject([
      {},
      { content: [{ type: 'text' }] },
      { content: [{ type: 'image', source: { media_type: 'image/jpeg' } }, { type: 'text' }] },
    ]);
    expect(changes).toEqual(['assistant media into a user turn']);
  });

  it('a text file is text, whatever its type is called', () => {
    const { body } = write({ turns: [user(media('document', 'text/csv; charset=utf-8', 'YSxi'))] });
    expect(body['messages']).toMatchObject([
      { content: [{ source: { type: 'text', media_type: 'text/plain', data: 'a,b' } }] },
    ]);
  });
});

describe('R-5: thoughts', () => {
  const thought = (vendor: string | null): Part => ({
    type: 'reasoning',
    text: 'hm',
    summary: false,
    opaque: { vendor, kind: 'signature', data: 'c2ln', id: null },
  });
  const turns = (vendor: string | null): Turn[] => [
    user(text('x')),
    assistant(thought(vendor), text('y')),
    user(text('z')),
  ];

  it('go to their maker, and to nobody else', () => {
    const own = writeRequest(
      { ...EMPTY, turns: turns('anthropic') },
      { target: TARGET, degrade: null, injectUsage: true },
    );
    expect([textOf(own.bytes).includes('c2ln'), own.opaque, own.changes]).toEqual([true, true, []]);
    for (const vendor of ['openai', null]) {
      const other = write({ turns: turns(vendor) });
      expect([textOf(other.bytes).includes('c2ln'), other.opaque, other.changes]).toEqual([
        false,
        false,
        ['dropped opaque reasoning'],
      ]);
    }
    expect(write({ turns: turns('anthropic') }, {}, { bare: true }).changes).toEqual(['dropped opaque reasoning']);
  });

  it('R-4: without a signature are the client’s own copy: left out with a record that degrades nothing', () => {
    const unsigned: Part = { type: 'reasoning', text: 'hm', summary: true, opaque: null };
    const written = write({ turns: [user(text('x')), assistant(unsigned, text('y')), user(text('z'))] });
    expect(JSON.stringify(written.body)).not.toContain('hm');
    expect([written.changes, written.dropped]).toEqual([['thoughts without state left out'], false]);
  });
});

describe('R-4: thinking and sampling', () => {
  const effort = (word: string): Partial<CanonicalRequest> => ({
    reasoning: { effort: word, budget: null, shown: true },
  });

  it.each<[string, Partial<CanonicalRequest>, string[], object, string[]]>([
    [
      'a level',
      effort('high'),
      [],
      { thinking: { type: 'adaptive', display: 'summarized' }, output_config: { effort: 'high' } },
      [],
    ],
    [
      'the nearest',
      effort('minimal'),
      [],
      { thinking: { type: 'adaptive', display: 'summarized' }, output_config: { effort: 'low' } },
      ['effort minimal → low'],
    ],
    ['none', effort('none'), [], { thinking: { type: 'disabled' } }, []],
    [
      'a budget',
      { reasoning: { effort: null, budget: 2000, shown: true }, maxOutputTokens: 5000 },
      [],
      { thinking: { type: 'enabled', budget_tokens: 2000 } },
      [],
    ],
    [
      'a budget as a level, where models know levels only',
      { reasoning: { effort: null, budget: 4000, shown: null }, maxOutputTokens: 5000 },
      ['thinking_budget'],
      { thinking: { type: 'adaptive' }, output_config: { effort: 'high' } },
      ['thinking budget 4000 → effort high'],
    ],
    [
      'a level as a budget, where models know budgets only',
      { ...effort('medium'), maxOutputTokens: 10_000 },
      ['adaptive_thinking'],
      { thinking: { type: 'enabled', budget_tokens: 5000 } },
      ['effort medium → thinking budget 5000'],
    ],
    ['no room for a budget', { reasoning: { effort: null, budget: 2000, shown: null } }, [], {}, ['dropped thinking']],
    [
      'beside a forced call',
      { ...effort('high'), tools: [tool()], toolChoice: { mode: 'any' } },
      [],
      {},
      ['dropped thinking'],
    ],
    [
      'with sampling that would disturb it',
      { ...effort('high'), sampling: { temperature: 0.2, topP: 0.9, topK: 5 } },
      [],
      { thinking: { type: 'adaptive', display: 'summarized' } },
      ['dropped temperature', 'dropped top_p', 'dropped top_k'],
    ],
    [
      'results whose call came without its thought, under a budget',
      {
        reasoning: { effort: null, budget: 2000, shown: null },
        maxOutputTokens: 5000,
        turns: [user(text('x')), assistant(call('c')), user(result('c'))],
        tools: [tool()],
      },
      [],
      {},
      ['dropped thinking'],
    ],
  ])('%s', (_name, fields, lacks, expected, changes) => {
    const written = write(fields, { lacks: new Set(lacks) });
    expect(written.body).toMatchObject(expected);
    if (!('thinking' in expected)) expect(written.body['thinking']).toBeUndefined();
    expect(written.changes).toEqual(changes);
    expect(written.dropped).toBe(changes.length > 0);
  });

  it('dialects §14.7: sampling is cooled down, or dropped where the model takes none', () => {
    const sampling = { temperature: 1.5, topP: 0.5, seed: 7, presencePenalty: 0, frequencyPenalty: 1 };
    const old = write({ sampling });
    expect([old.body['temperature'], old.body['top_p']]).toEqual([1, undefined]);
    expect(old.changes).toEqual(['temperature 1.5 → 1', 'dropped top_p', 'dropped seed', 'dropped frequency_penalty']);
    const modern = write({ sampling: { temperature: 0.3 } }, { lacks: new Set(['temperature']) });
    expect([modern.body['temperature'], modern.changes]).toEqual([undefined, ['dropped temperature']]);
  });

  it('the limit the dialect wants: the client’s, the model’s, or the usual one', () => {
    const limit = (asked: number | null, most: number | null) => {
      const written = write({ maxOutputTokens: asked }, { maxOutputTokens: most });
      return [written.body['max_tokens'], written.changes, written.dropped];
    };
    expect(limit(50, 100)).toEqual([50, [], false]);
    expect(limit(500, 100)).toEqual([100, ['max_tokens 500 → 100'], true]);
    expect(limit(null, 100)).toEqual([100, ['max_tokens set to 100'], false]);
    expect(limit(null, null)).toEqual([8192, ['max_tokens set to 8192'], true]);
    expect(write({}, {}, { outputTokens: 200 }).body['max_tokens']).toBe(200);
  });
});

describe('R-4: tools and formats', () => {
  it('schemas that bind are closed, and lose what cannot be held to; big numbers stay', () => {
    const schema =
      '{"type":"object","properties":{"a":{"type":"string","maxLength":3},"b":{"type":"array","items":{"type":"object"}},"n":{"const":12345678901234567890}}}';
    const closed =
      '{"type":"object","properties":{"a":{"type":"string"},"b":{"type":"array","items":{"type":"object","additionalProperties":false}},"n":{"const":12345678901234567890}},"additionalProperties":false}';
    const written = write({ format: { type: 'schema', name: 'x', description: null, schema, strict: null } });
    expect(textOf(written.bytes)).toContain(`"output_config":{"format":{"type":"json_schema","schema":${closed}}}`);
    expect(written.changes).toEqual(['name of the schema left out', 'schema narrowed']);
    const strict = write({ tools: [tool({ schema, strict: true })] });
    expect(textOf(strict.bytes)).toContain(`"input_schema":${closed},"strict":true`);
    const open = write({ tools: [tool({ schema: '{"type":"object","additionalProperties":true}', strict: true })] });
    expect([open.body['tools'], open.changes]).toEqual([
      [{ name: 'f', input_schema: { type: 'object', additionalProperties: true } }],
      ['dropped strict'],
    ]);
  });

  it('a tool’s schema is an object at its top', () => {
    const schemas = [null, '{}', '{"properties":{"a":{}}}', '{"type":"object","anyOf":[{}]}'];
    const tools = schemas.map((schema, at) => tool({ name: `f${at}`, schema }));
    const { body, changes } = write({ tools });
    expect((body['tools'] as { input_schema: object }[]).map((one) => one.input_schema)).toEqual([
      { type: 'object', properties: {} },
      { type: 'object', properties: {} },
      { type: 'object', properties: { a: {} } },
      { type: 'object' },
    ]);
    expect(changes).toEqual(['schema narrowed']);
  });

  it.each<[Partial<CanonicalRequest>, object | undefined]>([
    [{ toolChoice: { mode: 'none' } }, { type: 'none' }],
    [{ toolChoice: { mode: 'one', name: 'f' } }, { type: 'tool', name: 'f' }],
    [
      { toolChoice: { mode: 'any' }, parallelCalls: false },
      { type: 'any', disable_parallel_tool_use: true },
    ],
    [{ parallelCalls: false }, { type: 'auto', disable_parallel_tool_use: true }],
    [{ parallelCalls: true }, undefined],
    [{ toolChoice: { mode: 'some', names: ['f'], must: true } }, { type: 'any' }],
  ])('%j is %j', (fields, expected) => {
    expect(write({ tools: [tool()], ...fields }).body['tool_choice']).toEqual(expected);
  });

  it('some of the tools are offered alone; names the dialect refuses are spelt anew and come back', () => {
    const written = writeRequest(
      { ...EMPTY, tools: [tool({ name: 'a.b' }), tool()], toolChoice: { mode: 'some', names: ['a.b'], must: false } },
      { target: TARGET, degrade: null, injectUsage: true },
    );
    const [only] = (JSON.parse(textOf(written.bytes)) as { tools: { name: string }[] }).tools;
    expect(only?.name).toMatch(/^[a-zA-Z0-9_-]+$/);
    expect(written.names.get(only!.name)).toBe('a.b');
    expect(written.changes).toEqual(['tools renamed', 'tools filtered']);
  });

  it('a freeform tool is a function of one text, and its calls come back freeform, whole and in a stream', () => {
    const written = writeRequest(
      { ...EMPTY, tools: [tool({ form: 'custom', name: 'patch', schema: null })] },
      { target: TARGET, degrade: null, injectUsage: true },
    );
    expect(written.changes).toEqual(['custom tools as functions']);
    const message = {
      type: 'message',
      content: [{ type: 'tool_use', id: 't', name: 'patch', input: { input: 'a "b"\n' } }],
      stop_reason: 'tool_use',
    };
    const expected = { type: 'call', id: 't', name: 'patch', form: 'custom', input: 'a "b"\n' };
    expect(readAnswer(Buffer.from(JSON.stringify(message)), written.names)?.choices[0]?.parts).toEqual([expected]);
    const seen: unknown[] = [];
    const reader = streamReader({
      maxEventBytes: 9999,
      names: written.names,
      vendor: 'v',
      emit: (one) => seen.push(one),
    });
    const event = (type: string, fields: object): string =>
      `event: ${type}\ndata: ${JSON.stringify({ type, ...fields })}\n\n`;
    reader.push(
      Buffer.from(
        event('message_start', { message: {} }) +
          event('content_block_start', { index: 0, content_block: { ...message.content[0], input: {} } }) +
          event('content_block_delta', {
            index: 0,
            delta: { type: 'input_json_delta', partial_json: '{"input":"a \\"' },
          }) +
          event('content_block_delta', { index: 0, delta: { type: 'input_json_delta', partial_json: 'b\\"\\n"}' } }) +
          event('content_block_stop', { index: 0 }),
      ),
    );
    expect(seen).toEqual([
      { type: 'block-start', block: 0, choice: 0, what: { type: 'call', id: 't', name: 'patch', form: 'custom' } },
      { type: 'delta', block: 0, text: 'a "b"\n' },
      { type: 'block-end', block: 0 },
    ]);
  });

  it('any JSON is asked for in words', () => {
    const { body, changes } = write({ format: { type: 'json' } });
    expect([JSON.stringify(body['system']), changes]).toEqual([
      expect.stringContaining('JSON'),
      ['json_object as an instruction'],
    ]);
  });

  it('hints: the caller, the tier, what a cache may keep; all else is dropped with a record', () => {
    const hints = new Map([
      ['user', '"u1"'],
      ['service_tier', '"default"'],
      ['cache_control', '{"type":"ephemeral"}'],
      ['verbosity', '"low"'],
      ['store', 'false'],
    ]);
    const { body, changes } = write({ hints });
    expect(body).toMatchObject({
      metadata: { user_id: 'u1' },
      service_tier: 'standard_only',
      messages: [{ content: [{ cache_control: { type: 'ephemeral' } }] }],
    });
    expect(changes).toEqual(['dropped verbosity']);
    expect(write({ hints: new Map([['service_tier', '"priority"']]) }).changes).toEqual(['dropped service_tier']);
  });
});
