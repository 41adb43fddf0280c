import { describe, expect, it } from 'vitest';
import { callBlock, converseStream, ending } from '../../../test/support/converse-frames.ts';
import type { CanonicalEvent, CanonicalRequest, Opaque, Part, Tool, Turn } from '../canonical.ts';
import type { TargetFacts, UpstreamWrite } from '../contract.ts';
import { converseUpstream } from './translated.ts';

const { misses, writeRequest } = converseUpstream.canonical;

const EMPTY: CanonicalRequest = {
  system: [],
  turns: [],
  tools: [],
  toolChoice: null,
  parallelCalls: null,
  format: null,
  reasoning: { effort: null, budget: null, shown: null },
  maxOutputTokens: null,
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

const TARGET: TargetFacts = { upstreamModel: 'm', vendor: 'bedrock', maxOutputTokens: null, lacks: new Set() };
const MAKER: TargetFacts = { ...TARGET, vendor: 'anthropic' };

const text = (words: string): Part => ({ type: 'text', text: words });
const user = (...parts: readonly Part[]): Turn => ({ role: 'user', parts });
const assistant = (...parts: readonly Part[]): Turn => ({ role: 'assistant', parts });
const SCHEMA = { type: 'schema', name: null, description: null, schema: '{}', strict: null } as const;
const ASKED = [user(text('hi'))];
const tool = (name: string, more: Partial<Tool> = {}): Tool => ({
  form: 'function',
  name,
  description: null,
  schema: '{"type":"object"}',
  strict: null,
  ...more,
});
const call = (id: string, name: string, input: string): Part => ({ type: 'call', id, name, form: 'function', input });
const result = (callId: string, ...parts: readonly Part[]): Part => ({
  type: 'result',
  callId,
  name: 'f',
  parts,
  json: null,
  failed: false,
});

interface Written {
  readonly text: string;
  readonly body: Readonly<Record<string, unknown>>;
  readonly changes: readonly string[];
  readonly opaque: boolean | undefined;
  readonly names: ReadonlyMap<string, string>;
}

function write(request: Partial<CanonicalRequest>, target = TARGET, more: Partial<UpstreamWrite> = {}): Written {
  const written = writeRequest(
    { ...EMPTY, turns: ASKED, ...request },
    { target, degrade: null, injectUsage: true, ...more },
  );
  const said = Buffer.from(written.bytes).toString();
  // What takes nothing away degrades nothing.
  expect(written.dropped).toBe(written.changes.some((change) => !change.endsWith(' left out')));
  return { ...written, text: said, body: JSON.parse(said) as Written['body'], opaque: written.opaque };
}

const contents = (written: Written): unknown[] =>
  (written.body['messages'] as { role: string; content: unknown[] }[]).map(({ role, content }) => [role, ...content]);

describe('Converse requests: what is said', () => {
  it('dialects §11: a plain question has nothing but itself', () => {
    const { text: said, changes } = write({});
    expect(said).toBe('{"messages":[{"role":"user","content":[{"text":"hi"}]}]}');
    expect(changes).toEqual([]);
  });

  it('dialects §11: system words on top, limits, sampling, stops', () => {
    const { body, changes } = write({
      system: [text('Be brief.'), text('Be kind.')],
      maxOutputTokens: 100,
      stop: ['END'],
      sampling: { temperature: 0.5, topP: 0.9 },
    });
    expect(body['system']).toEqual([{ text: 'Be brief.' }, { text: 'Be kind.' }]);
    expect(body['inferenceConfig']).toEqual({ maxTokens: 100, temperature: 0.5, topP: 0.9, stopSequences: ['END'] });
    expect(changes).toEqual([]);
  });

  it('D-5: a longer answer is asked for instead of the client’s limit', () => {
    expect(write({ maxOutputTokens: 100 }, TARGET, { outputTokens: 200 }).body['inferenceConfig']).toEqual({
      maxTokens: 200,
    });
  });

  it('dialects §11: equal roles are one message, empty texts none, results come first', () => {
    const written = write({
      tools: [tool('f')],
      turns: [
        user(text('a'), text('')),
        user(text('b')),
        assistant(text(' '), call('c1', 'f', '{"x":1}'), call('c2', 'f', '')),
        user(text('and')),
        user(result('c1', text('one')), result('c2')),
      ],
    });
    expect(contents(written)).toEqual([
      ['user', { text: 'a' }, { text: 'b' }],
      [
        'assistant',
        { toolUse: { toolUseId: 'c1', name: 'f', input: { x: 1 } } },
        { toolUse: { toolUseId: 'c2', name: 'f', input: {} } },
      ],
      [
        'user',
        { toolResult: { toolUseId: 'c1', content: [{ text: 'one' }] } },
        { toolResult: { toolUseId: 'c2', content: [] } },
        { text: 'and' },
      ],
    ]);
    expect(written.changes).toEqual([]);
  });

  it('dialects §11: arguments and schemas keep numbers, order and unknown members', () => {
    const { text: said } = write({
      tools: [tool('f', { schema: '{"x-y":12345678901234567890,"type":"object"}' })],
      turns: [...ASKED, assistant(call('c', 'f', '{"b":9007199254740993,"a":1.0}')), user(result('c', text('x')))],
    });
    expect(said).toContain('{"json":{"x-y":12345678901234567890,"type":"object"}}');
    expect(said).toContain('"input":{"b":9007199254740993,"a":1.0}');
  });

  it('dialects §11: arguments that are no object are kept whole, never replaced by {}', () => {
    const { text: said } = write({
      tools: [tool('f')],
      turns: [...ASKED, assistant(call('c', 'f', '{"a":')), user(result('c', text('x')))],
    });
    expect(said).toContain(String.raw`"input":{"__invalid_arguments":"{\"a\":"}`);
  });

  it('dialects §11: results with JSON, pictures and failures', () => {
    const picture: Part = {
      type: 'media',
      media: 'image',
      mime: 'image/png',
      source: { by: 'base64', data: 'AAAA' },
      name: null,
      detail: null,
    };
    const written = write({
      tools: [tool('f')],
      turns: [
        ...ASKED,
        assistant(call('c1', 'f', '{}'), call('c2', 'f', '{}')),
        user(
          { type: 'result', callId: 'c1', name: null, parts: [], json: '{"n":9007199254740993}', failed: false },
          { type: 'result', callId: 'c2', name: null, parts: [picture], json: null, failed: true },
        ),
      ],
    });
    expect(written.text).toContain('"content":[{"json":{"n":9007199254740993}}]');
    expect(contents(written).at(-1)).toMatchObject([
      'user',
      {},
      {
        toolResult: {
          toolUseId: 'c2',
          content: [{ image: { format: 'png', source: { bytes: 'AAAA' } } }],
          status: 'error',
        },
      },
    ]);
  });

  it('dialects §11: ids of calls that would be refused are spelt anew, the same in call and result', () => {
    const id = `call|${'x'.repeat(90)}`;
    const { body } = write({
      tools: [tool('f')],
      turns: [...ASKED, assistant(call(id, 'f', '{}')), user(result(id, text('x')))],
    });
    const found = JSON.stringify(body).match(/"toolUseId":"[A-Za-z0-9_-]{1,64}"/g);
    expect(found).toHaveLength(2);
    expect(found![0]).toBe(found![1]);
  });

  it('R-4: names of tools that would be refused are changed, and the way back is told', () => {
    const { body, names, changes } = write({ tools: [tool('a.b')], toolChoice: { mode: 'one', name: 'a.b' } });
    const [[outward, inward]] = [...names] as [[string, string]];
    expect(inward).toBe('a.b');
    expect(body['toolConfig']).toEqual({
      tools: [{ toolSpec: { name: outward, inputSchema: { json: { type: 'object' } } } }],
      toolChoice: { tool: { name: outward } },
    });
    expect(changes).toEqual(['tools renamed']);
  });

  it('dialects §11: schemas, effort, metadata and tier have places of their own', () => {
    const { body, changes } = write({
      format: { type: 'schema', name: 'n', description: 'd', schema: '{"type":"object"}', strict: true },
      reasoning: { effort: 'high', budget: null, shown: null },
      hints: new Map([
        ['metadata', '{"team":"a"}'],
        ['user', '"u1"'],
        ['service_tier', '"priority"'],
      ]),
    });
    expect(body['outputConfig']).toEqual({
      textFormat: {
        type: 'json_schema',
        structure: { jsonSchema: { schema: '{"type":"object"}', name: 'n', description: 'd' } },
      },
      effort: 'high',
    });
    expect([body['requestMetadata'], body['serviceTier']]).toEqual([
      { team: 'a', user_id: 'u1' },
      { type: 'priority' },
    ]);
    expect(changes).toEqual([]);
  });

  it('dialects §11: what only the model’s maker knows goes through its own fields', () => {
    const { body, changes } = write(
      {
        tools: [tool('f')],
        parallelCalls: false,
        reasoning: { effort: null, budget: 2000, shown: null },
        maxOutputTokens: 4000,
      },
      MAKER,
    );
    expect(body['additionalModelRequestFields']).toEqual({
      thinking: { type: 'enabled', budget_tokens: 2000 },
      tool_choice: { type: 'auto', disable_parallel_tool_use: true },
    });
    expect(changes).toEqual([]);
    expect(write({ sampling: { topK: 5 } }, MAKER).body['additionalModelRequestFields']).toEqual({ top_k: 5 });
  });

  it('dialects §11: thinking excludes sampling, and a limit beyond the model’s own is lowered', () => {
    const target = { ...MAKER, maxOutputTokens: 3000 };
    const reasoning = { effort: 'high', budget: null, shown: null };
    const written = write({ reasoning, maxOutputTokens: 5000, sampling: { temperature: 0.2, topP: 0.3 } }, target);
    expect(written.body['inferenceConfig']).toEqual({ maxTokens: 3000 });
    expect(written.body['outputConfig']).toEqual({ effort: 'high' });
    expect(written.changes).toEqual(['max_tokens 5000 → 3000', 'dropped temperature', 'dropped top_p']);
  });

  it('R-4: marks of a cache become points of one, at makers who know them', () => {
    const hints = new Map([['cache_control', '{"type":"ephemeral","ttl":"1h"}']]);
    const system = [text('Be brief.')];
    const point = { cachePoint: { type: 'default', ttl: '1h' } };
    const written = write({ system, hints }, MAKER);
    expect(written.body['system']).toEqual([{ text: 'Be brief.' }, point]);
    expect(contents(written)).toEqual([['user', { text: 'hi' }, point]]);
    expect(written.changes).toEqual([]);
    expect(write({ system, hints }).changes).toEqual(['dropped cache_control']);
  });

  it.each([
    [{ effort: 'none', budget: null, shown: null }, { type: 'disabled' }],
    [{ effort: 'medium', budget: null, shown: null }, { type: 'adaptive' }],
    [
      { effort: 'medium', budget: null, shown: true },
      { type: 'adaptive', display: 'summarized' },
    ],
    [
      { effort: null, budget: 500, shown: null },
      { type: 'enabled', budget_tokens: 1024 },
    ],
  ])('dialects §11: thinking at its maker: %j', (reasoning, thinking) => {
    expect(write({ reasoning }, MAKER).body['additionalModelRequestFields']).toEqual({ thinking });
  });
});

describe('Converse requests: media', () => {
  const media = (more: Partial<Extract<Part, { type: 'media' }>>): Part => ({
    type: 'media',
    media: 'document',
    mime: 'application/pdf',
    source: { by: 'base64', data: 'AAAA' },
    name: null,
    detail: null,
    ...more,
  });

  it('dialects §11: documents have names without anything odd in them, and no name twice', () => {
    const written = write({
      turns: [
        user(
          media({ name: 'Größe  v2.pdf' }),
          media({ mime: null, name: 'notes.MD' }),
          media({ source: { by: 'text', text: 'words' }, mime: null, name: 'notes' }),
        ),
      ],
    });
    expect(contents(written)).toEqual([
      [
        'user',
        { document: { format: 'pdf', name: 'Gr--e v2', source: { bytes: 'AAAA' } } },
        { document: { format: 'md', name: 'notes', source: { bytes: 'AAAA' } } },
        { document: { format: 'txt', name: 'notes 2', source: { text: 'words' } } },
        { text: 'See the document.' },
      ],
    ]);
    expect(written.changes).toEqual(['words added beside a document']);
    expect(write({ turns: [user(media({}), text('Well?'))] }).changes).toEqual([]);
  });

  it('G-9: pictures by address go as what was fetched', () => {
    const url = 'https://example.com/a';
    const part = media({ media: 'image', mime: null, source: { by: 'url', url } });
    const fetched = new Map([[url, { mime: 'image/jpeg', base64: 'BBBB' }]]);
    expect(contents(write({ turns: [user(part)] }, TARGET, { fetched }))).toEqual([
      ['user', { image: { format: 'jpeg', source: { bytes: 'BBBB' } } }],
    ]);
    expect(misses({ ...EMPTY, turns: [user(part)] }, TARGET)).toBeNull();
  });

  it('P-6: types without a format are missed by their kind, inside results too', () => {
    const odd = media({ media: 'image', mime: 'image/tiff' });
    expect(misses({ ...EMPTY, turns: [user(odd)] }, TARGET)).toEqual({ kind: 'input', name: 'image' });
    expect(misses({ ...EMPTY, turns: [user(result('c', odd))] }, TARGET)).toEqual({ kind: 'input', name: 'image' });
    const sound = media({ media: 'audio', mime: 'audio/wav' });
    expect(misses({ ...EMPTY, turns: [user(sound)] }, TARGET)).toBeNull();
  });
});

describe('Converse requests: reasoning of others (R-5)', () => {
  const thought = (opaque: Opaque | null): Part => ({ type: 'reasoning', text: 'hm', summary: false, opaque });
  const signed = (vendor: string | null): Opaque => ({ vendor, kind: 'signature', data: 's+/=', id: null });
  const history = (opaque: Opaque | null): Partial<CanonicalRequest> => ({
    turns: [...ASKED, assistant(thought(opaque), text('yes')), ...ASKED],
  });

  it('R-5: the maker’s own goes back byte for byte', () => {
    const plain = write(history(signed('bedrock')));
    expect(contents(plain)[1]).toEqual([
      'assistant',
      { reasoningContent: { reasoningText: { text: 'hm', signature: 's+/=' } } },
      { text: 'yes' },
    ]);
    expect([plain.opaque, plain.changes]).toEqual([true, []]);
    const sealed = write(history({ vendor: 'bedrock', kind: 'sealed', data: 'AAA=', id: null }));
    expect(contents(sealed)[1]).toMatchObject(['assistant', { reasoningContent: { redactedContent: 'AAA=' } }, {}]);
  });

  it.each<[string, Opaque | null, boolean, readonly string[]]>([
    ['another’s', signed('openai'), false, ['dropped opaque reasoning']],
    ['nobody’s', signed(null), false, ['dropped opaque reasoning']],
    ['an unsigned one', null, false, ['thoughts without state left out']],
    ['any, in the attempt after a refusal', signed('bedrock'), true, ['dropped opaque reasoning']],
  ])('R-5: %s does not', (_name, opaque, bare, changes) => {
    const written = write(history(opaque), TARGET, { bare });
    expect(contents(written)[1]).toEqual(['assistant', { text: 'yes' }]);
    expect([written.opaque, written.changes]).toEqual([false, changes]);
  });

  it('R-5: state of a text or a call has no place', () => {
    const opaque = signed('google');
    const { changes } = write({
      tools: [tool('f')],
      turns: [
        ...ASKED,
        assistant({ type: 'call', id: 'c', name: 'f', form: 'function', input: '{}', opaque }),
        user(result('c', text('x'))),
      ],
    });
    expect(changes).toEqual(['dropped opaque reasoning']);
  });
});

describe('Converse requests: what is emulated or dropped (R-4)', () => {
  it('R-4: system turns between others move to the top', () => {
    const written = write({ turns: [...ASKED, { role: 'system', parts: [text('Stop.')] }, ...ASKED] });
    expect(written.body['system']).toEqual([{ text: 'Stop.' }]);
    expect(contents(written)).toEqual([['user', { text: 'hi' }, { text: 'hi' }]]);
    expect(written.changes).toEqual(['system turns moved to the top']);
  });

  it.each([
    ['none are offered', { tools: [] }],
    ['none may be called', { tools: [tool('f')], toolChoice: { mode: 'none' } as const }],
  ])('R-4: earlier calls are told in words where %s', (_name, more) => {
    const written = write({
      ...more,
      turns: [...ASKED, assistant(text('wait'), call('c', 'f', '{"a":1}')), user(result('c', text('7'), text('8')))],
    });
    expect(written.body['toolConfig']).toBeUndefined();
    expect(contents(written).slice(1)).toEqual([
      ['assistant', { text: 'wait' }, { text: '[called f with {"a":1}]' }],
      ['user', { text: '[result of f: 7\n8]' }],
    ]);
    expect(written.changes).toEqual(['earlier calls in words']);
  });

  it('R-4: a choice among some is made by offering no others', () => {
    const some = { mode: 'some', names: ['b'], must: true } as const;
    const { body, changes } = write({ tools: [tool('a'), tool('b')], toolChoice: some });
    expect(body['toolConfig']).toMatchObject({ tools: [{ toolSpec: { name: 'b' } }], toolChoice: { any: {} } });
    expect(changes).toEqual(['tools filtered']);
  });

  it('R-4: custom tools become functions of one text', () => {
    const { body, changes } = write({
      tools: [tool('c', { form: 'custom', schema: null })],
      turns: [
        ...ASKED,
        assistant({ type: 'call', id: 'x', name: 'c', form: 'custom', input: 'raw {' }),
        user(result('x', text('y'))),
      ],
    });
    expect(JSON.stringify(body)).toContain('"input":{"input":"raw {"}');
    expect(JSON.stringify(body['toolConfig'])).toContain('"required":["input"]');
    expect(changes).toEqual(['custom tools as functions']);
  });

  it('R-4: calls of custom tools come back as such, whole and streamed', () => {
    const { names } = write({ tools: [tool('c.d', { form: 'custom', schema: null })] });
    const outward = [...names.keys()][0]!;
    const use = { toolUseId: 'x', name: outward, input: { input: 'raw {' } };
    const body = JSON.stringify({ output: { message: { content: [{ toolUse: use }] } }, stopReason: 'tool_use' });
    const call = { type: 'call', id: 'x', name: 'c.d', form: 'custom', input: 'raw {' };
    expect(converseUpstream.canonical.readAnswer(Buffer.from(body), names)?.choices[0]?.parts).toEqual([call]);
    const seen: CanonicalEvent[] = [];
    const emit = (event: CanonicalEvent): void => void seen.push(event);
    const reader = converseUpstream.canonical.streamReader({ maxEventBytes: 1 << 20, names, vendor: 'v', emit });
    const told = [...callBlock(0, 'x', outward, '{"inp', 'ut":"raw {"}'), ...ending('tool_use')];
    reader.push(converseStream(told));
    expect(reader.ending).toBe('proper');
    expect(seen.slice(0, 3)).toMatchObject([
      { type: 'block-start', what: { name: 'c.d', form: 'custom' } },
      { type: 'delta', text: 'raw {' },
      { type: 'block-end' },
    ]);
  });

  it('R-4: any JSON object is asked for in words', () => {
    const { body, changes } = write({ format: { type: 'json' } });
    expect(JSON.stringify(body['system'])).toContain('JSON object');
    expect(changes).toEqual(['json_object as an instruction']);
  });

  it('R-4: what there is no word for is dropped with its name', () => {
    const { body, changes } = write({
      tools: [tool('f', { strict: true, description: '' })],
      parallelCalls: false,
      sampling: {
        temperature: 1.7,
        topK: 4,
        seed: 1,
        presencePenalty: 1,
        frequencyPenalty: 1,
        logitBias: '{"1":2}',
      },
      reasoning: { effort: null, budget: 20_000, shown: null },
      hints: new Map([
        ['user', '"{u}"'],
        ['verbosity', '"low"'],
        ['store', 'false'],
        ['metadata', '{"a":{"b":1}}'],
        ['service_tier', '"scale"'],
      ]),
    });
    expect(changes.toSorted()).toEqual([
      'dropped frequency_penalty',
      'dropped logit_bias',
      'dropped metadata',
      'dropped parallel_tool_calls',
      'dropped presence_penalty',
      'dropped seed',
      'dropped service_tier',
      'dropped strict',
      'dropped top_k',
      'dropped user',
      'dropped verbosity',
      'temperature 1.7 → 1',
      'thinking budget 20000 → effort medium',
    ]);
    expect(body['inferenceConfig']).toEqual({ temperature: 1 });
    expect(Object.keys(body).toSorted()).toEqual(['inferenceConfig', 'messages', 'outputConfig', 'toolConfig']);
  });

  it('R-4: sampling that the model refuses is dropped', () => {
    const target = { ...MAKER, lacks: new Set(['temperature']) };
    const { body, changes } = write({ sampling: { temperature: 0.9, topP: 0.9, topK: 1 } }, target);
    expect(body['inferenceConfig']).toBeUndefined();
    expect(changes).toEqual(['dropped temperature', 'dropped top_p', 'dropped top_k']);
    expect(write({ sampling: { temperature: 1, topP: 1 } }, target).changes).toEqual([]);
    const one = write({ sampling: { temperature: 0.9, topP: 0.9 } }, MAKER);
    expect([one.body['inferenceConfig'], one.changes]).toEqual([{ temperature: 0.9 }, ['dropped top_p']]);
  });
});

describe('Converse requests: what is refused (P-6)', () => {
  it.each<[string, Partial<CanonicalRequest>, readonly string[]]>([
    ['web_search', { bound: ['web_search'] }, []],
    ['n', { n: 2 }, []],
    ['logprobs', { logprobs: 0 }, []],
    ['audio_output', { modalities: ['text', 'audio'] }, []],
    ['tools_custom_grammar', { tools: [tool('c', { form: 'custom', schema: '{"type":"grammar"}' })] }, []],
    ['tools_forced', { tools: [tool('f')], toolChoice: { mode: 'any' } }, ['tools_forced']],
    ['tools_forced', { tools: [tool('f')], toolChoice: { mode: 'one', name: 'f' } }, ['tools_forced']],
    ['prefill', { prefill: true }, ['prefill']],
    ['json_schema', { format: SCHEMA }, ['json_schema']],
    ['stop', { stop: [' '] }, []],
    ['reasoning_off', { reasoning: { effort: 'none', budget: null, shown: null } }, ['reasoning_off']],
  ])('P-6: %s', (name, request, lacks) => {
    const target = { ...TARGET, lacks: new Set(lacks) };
    expect(misses({ ...EMPTY, turns: ASKED, ...request }, target)).toEqual({ kind: 'feature', name });
    if (lacks.length > 0) expect(misses({ ...EMPTY, turns: ASKED, ...request }, TARGET)).toBeNull();
  });
});
