import type { ResponseCreateParamsBase } from 'openai/resources/responses/responses';
import { describe, expect, it } from 'vitest';
import { ByteWriter } from '../bytes/byte-writer.ts';
import type { AnswerIdentity, CanonicalRequest, Opaque, Part } from '../canonical.ts';
import type { ClientRequest, TargetFacts, UpstreamWrite } from '../contract.ts';
import { responsesCodec } from './codec.ts';
import { ownItemId } from './item-ids.ts';
import { BOUND, HINTS, MODELLED } from './request-fields.ts';
import { responsesClient, responsesUpstream } from './translated.ts';

const target: TargetFacts = { upstreamModel: 'up', vendor: 'openai', maxOutputTokens: null, lacks: new Set() };

function request(body: object): ClientRequest {
  const read = responsesCodec.readRequest(Buffer.from(JSON.stringify({ model: 'm', input: 'x', ...body })));
  if (!read.ok) throw new Error(read.error.message);
  return read.value;
}

function canonical(body: object): CanonicalRequest {
  const read = responsesClient.canonical.readRequest(request(body));
  if (!read.ok) throw new Error(read.error.message);
  return read.value;
}

function written(
  c: CanonicalRequest,
  more: Partial<UpstreamWrite> = {},
): { body: Record<string, unknown>; changes: readonly string[]; opaque: boolean; names: ReadonlyMap<string, string> } {
  const write = { target, degrade: null, injectUsage: true, ...more };
  const { bytes, changes, opaque, names, dropped } = responsesUpstream.canonical.writeRequest(c, write);
  expect(dropped).toBe(changes.length > 0);
  return { body: JSON.parse(Buffer.from(bytes).toString()), changes, opaque: opaque === true, names };
}

const PLAIN = canonical({});

describe('the fields of a request', () => {
  /** As the client's own types name them: the compiler says when one is missing. */
  const FIELDS: Readonly<Record<keyof ResponseCreateParamsBase, true>> = {
    background: true,
    context_management: true,
    conversation: true,
    include: true,
    input: true,
    instructions: true,
    max_output_tokens: true,
    metadata: true,
    model: true,
    moderation: true,
    parallel_tool_calls: true,
    previous_response_id: true,
    prompt: true,
    prompt_cache_key: true,
    prompt_cache_options: true,
    prompt_cache_retention: true,
    reasoning: true,
    safety_identifier: true,
    service_tier: true,
    store: true,
    stream: true,
    stream_options: true,
    temperature: true,
    text: true,
    tool_choice: true,
    tools: true,
    top_logprobs: true,
    top_p: true,
    truncation: true,
    user: true,
  };

  it.each(Object.keys(FIELDS))('R-4: %s stands in exactly one list', (field) => {
    const lists = [MODELLED, HINTS, [...BOUND.keys()]].filter((list) => list.includes(field));
    expect(lists).toHaveLength(1);
  });
});

describe('a client’s request', () => {
  it.each<[object, string[]]>([
    [{ background: true }, ['background']],
    [{ background: false, conversation: null }, []],
    [{ previous_response_id: 'resp_1' }, ['state']],
    [{ tools: [{ type: 'web_search' }, { type: 'local_shell' }] }, ['web_search', 'builtin_tool']],
    [{ tool_choice: { type: 'file_search' } }, ['builtin_tool']],
    [{ input: [{ type: 'item_reference', id: 'msg_1' }] }, ['state']],
    [{ input: [{ type: 'item_reference', id: ownItemId('rs', 'req_1', 0) }] }, []],
    [{ input: [{ type: 'web_search_call', id: 'ws_1', status: 'completed' }] }, ['web_search']],
    [{ input: [{ role: 'user', content: [{ type: 'input_file', file_id: 'file_1' }] }] }, ['state']],
  ])('R-4: %j is bound to %j', (body, bound) => {
    expect(canonical(body).bound).toEqual(bound);
  });

  it('R-4: what only nudges is a hint by Chat’s name; what nobody knows is one too', () => {
    const { hints } = canonical({
      store: true,
      user: 'u',
      text: { verbosity: 'low' },
      reasoning: { mode: 'pro' },
      x_new: 1e3,
      include: ['reasoning.encrypted_content'],
    });
    expect([...hints]).toEqual([
      ['store', 'true'],
      ['user', '"u"'],
      ['x_new', '1000'],
      ['verbosity', '"low"'],
      ['reasoning.mode', '"pro"'],
    ]);
  });

  it('dialects §11: what the assistant thought, said and called in a row is one turn', () => {
    const { system, turns } = canonical({
      instructions: 'Be kind.',
      input: [
        { role: 'developer', content: 'rules' },
        { role: 'user', content: 'hi' },
        { type: 'reasoning', id: 'rs_1', summary: [{ type: 'summary_text', text: 'plan' }], encrypted_content: 'gA' },
        { type: 'function_call', call_id: 'c1', name: 'f', arguments: '{}' },
        { type: 'function_call', call_id: 'c2', name: 'g', arguments: '{}' },
        { type: 'function_call_output', call_id: 'c2', output: 'two' },
        { type: 'function_call_output', call_id: 'c1', output: [{ type: 'input_text', text: 'one' }] },
        { role: 'assistant', content: [{ type: 'output_text', text: 'done' }] },
        { role: 'system', content: 'late rules' },
      ],
    });
    expect(system).toEqual([
      { type: 'text', text: 'Be kind.' },
      { type: 'text', text: 'rules' },
    ]);
    const shape = turns.map(({ role, parts }) => [role, ...parts.map(({ type }) => type)]);
    expect(shape).toEqual([
      ['user', 'text'],
      ['assistant', 'reasoning', 'call', 'call'],
      ['user', 'result', 'result'],
      ['assistant', 'text'],
      ['system', 'text'],
    ]);
    const opaque = { vendor: 'openai', kind: 'sealed', data: 'gA', id: 'rs_1' };
    expect(turns[1]?.parts[0]).toMatchObject({ text: 'plan', summary: true, opaque });
    expect(turns[2]?.parts[0]).toMatchObject({ callId: 'c2', name: 'g' });
  });

  it('R-4: functions in a namespace carry it in their names, and their calls get it back', () => {
    const tools = [
      {
        type: 'namespace',
        name: 'agents',
        tools: [{ type: 'function', name: 'spawn', parameters: {}, strict: false }],
      },
      { type: 'function', name: 'spawn', parameters: {}, strict: false },
    ];
    const call = { type: 'function_call', call_id: 'c1', name: 'spawn', namespace: 'agents', arguments: '{}' };
    const result = { type: 'function_call_output', call_id: 'c1', output: 'ok' };
    const c = canonical({ tools, input: [{ role: 'user', content: 'x' }, call, result] });
    expect([c.bound, c.tools.map(({ name }) => name)]).toEqual([[], ['agents__spawn', 'spawn']]);
    expect(c.turns[1]?.parts[0]).toMatchObject({ name: 'agents__spawn' });
    expect(c.turns[2]?.parts[0]).toMatchObject({ name: 'agents__spawn' });
    const parts = c.tools.map(
      ({ name }, at) => ({ type: 'call', id: `c${at}`, name, form: 'function', input: '{}' }) as const,
    );
    const choices = [{ parts, finish: 'tool_calls', finishRaw: 'x', stopSequence: null, logprobs: null }] as const;
    const identity: AnswerIdentity = { id: 'req_1', createdAt: 0, servedModel: 's', vendor: 'other' };
    const told = responsesClient.canonical.writeAnswer({ choices, usage: null }, identity, request({ tools }));
    const { output } = JSON.parse(Buffer.from(told.bytes).toString());
    expect(output[0]).toMatchObject({ name: 'spawn', namespace: 'agents' });
    expect(output[1]).toMatchObject({ name: 'spawn' });
    expect(output[1].namespace).toBeUndefined();
  });

  it.each<[object, string]>([
    [{ input: [1] }, 'input[0]'],
    [{ input: [{ role: 'user', content: [{ type: 'odd' }] }] }, 'input[0]'],
    [{ input: [{ type: 'function_call', name: 'f' }] }, 'input[0]'],
    [{ tools: {} }, 'tools'],
    [{ tools: [{ name: 'f' }] }, 'tools[0]'],
    [{ tool_choice: 'maybe' }, 'tool_choice'],
    [{ text: { format: { type: 'json_schema' } } }, 'text.format'],
    [{ temperature: 'warm' }, 'temperature'],
  ])('E-3: %j is the client’s own fault', (body, param) => {
    const read = responsesClient.canonical.readRequest(request(body));
    expect(read.ok ? null : [read.error.status, read.error.param]).toEqual([400, param]);
  });
});

describe('R-5: thoughts of another vendor', () => {
  const identity: AnswerIdentity = { id: 'req_1', createdAt: 0, servedModel: 's', vendor: 'other' };
  const signature: Opaque = { vendor: null, kind: 'signature', data: 'c2ln+/=', id: null };
  const parts: Part[] = [
    { type: 'reasoning', text: 'hm', summary: false, opaque: signature },
    { type: 'text', text: 'hi', opaque: { ...signature, data: 'on text' } },
    { type: 'call', id: 'c1', name: 'f', form: 'function', input: '{}', opaque: { ...signature, data: 'on call' } },
  ];
  const answer = {
    choices: [{ parts, finish: 'tool_calls' as const, finishRaw: 'x', stopSequence: null, logprobs: null }],
    usage: null,
  };

  it('come back to it as they were, on the same places', () => {
    const { bytes } = responsesClient.canonical.writeAnswer(answer, identity, request({}));
    const { output } = JSON.parse(Buffer.from(bytes).toString());
    const { turns } = canonical({ input: [{ role: 'user', content: 'x' }, ...output] });
    const own = (part: Part): Part =>
      'opaque' in part && part.opaque ? ({ ...part, opaque: { ...part.opaque, vendor: 'other' } } as Part) : part;
    expect(turns[1]?.parts).toEqual(parts.map(own));
  });

  it('go to no Responses upstream, natively or not', () => {
    const { bytes } = responsesClient.canonical.writeAnswer(answer, identity, request({}));
    const { output } = JSON.parse(Buffer.from(bytes).toString());
    const body = { input: [{ role: 'user', content: 'x' }, ...output] };
    const native = responsesCodec.writeUpstream(request(body), { target, degrade: null, injectUsage: true });
    const { body: crossed, changes } = written(canonical(body));
    for (const sent of [JSON.parse(Buffer.from(native.bytes).toString()), crossed]) {
      const types = (sent['input'] as { type?: string }[]).map(({ type }) => type ?? 'message');
      expect(types).toEqual(['message', 'message', 'function_call']);
      expect(JSON.stringify(sent)).not.toContain('uS7Dy4oP');
    }
    expect([native.changes, changes]).toEqual([['dropped opaque reasoning'], ['dropped opaque reasoning']]);
  });
});

describe('an upstream’s request', () => {
  it('dialects §14.4: nothing stored, strictness said, calls by call_id, thoughts sealed and asked for', () => {
    const opaque: Opaque = { vendor: 'openai', kind: 'sealed', data: 'gA', id: 'rs_1' };
    const c: CanonicalRequest = {
      ...PLAIN,
      tools: [{ form: 'function', name: 'f', description: null, schema: null, strict: null }],
      reasoning: { effort: 'high', budget: null, shown: true },
      turns: [
        {
          role: 'assistant',
          parts: [
            { type: 'reasoning', text: '', summary: true, opaque },
            { type: 'call', id: 'c1', name: 'f', form: 'function', input: '' },
          ],
        },
        {
          role: 'user',
          parts: [{ type: 'result', callId: 'c1', name: 'f', parts: [], json: '{"a":1}', failed: false }],
        },
      ],
    };
    const { body, changes, opaque: goes } = written(c);
    expect(body).toEqual({
      model: 'up',
      input: [
        { type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: 'gA' },
        { type: 'function_call', call_id: 'c1', name: 'f', arguments: '{}' },
        { type: 'function_call_output', call_id: 'c1', output: '{"a":1}' },
      ],
      tools: [{ type: 'function', name: 'f', parameters: { type: 'object', properties: {} }, strict: false }],
      reasoning: { effort: 'high', summary: 'auto' },
      include: ['reasoning.encrypted_content'],
      store: false,
    });
    expect([changes, goes]).toEqual([[], true]);
    const bare = written(c, { bare: true });
    expect([bare.body['include'], bare.opaque, bare.changes]).toEqual([undefined, false, ['dropped opaque reasoning']]);
    expect(JSON.stringify(bare.body)).not.toContain('gA');
  });

  it('R-4: what has no words here is dropped and recorded, a limit too low is raised', () => {
    const { body, changes } = written({
      ...PLAIN,
      sampling: { seed: 1, topK: 3, presencePenalty: 0, frequencyPenalty: 1, logitBias: '{"1":2}', temperature: 1 },
      maxOutputTokens: 5,
      reasoning: { effort: null, budget: 2000, shown: null },
      hints: new Map([
        ['store', 'true'],
        ['cache_control', '{"type":"ephemeral"}'],
        ['service_tier', '"flex"'],
      ]),
    });
    expect(changes).toEqual([
      'dropped store',
      'dropped cache_control',
      'max_output_tokens 5 → 16',
      'reasoning budget 2000 → effort xhigh',
      'dropped top_k',
      'dropped seed',
      'dropped frequency_penalty',
      'dropped logit_bias',
    ]);
    expect(body).toMatchObject({ service_tier: 'flex', temperature: 1, max_output_tokens: 16, store: false });
  });

  it('R-4: sampling goes only where the model takes it; names and ids are made to fit', () => {
    const lacks = new Set(['temperature']);
    const { body, changes, names } = written(
      {
        ...PLAIN,
        sampling: { temperature: 1, topP: 0.5 },
        tools: [{ form: 'function', name: 'a.b', description: null, schema: '{}', strict: true }],
        toolChoice: { mode: 'one', name: 'a.b' },
        turns: [
          {
            role: 'assistant',
            parts: [{ type: 'call', id: 'x'.repeat(90), name: 'a.b', form: 'function', input: '{}' }],
          },
          {
            role: 'user',
            parts: [{ type: 'result', callId: 'x'.repeat(90), name: 'a.b', parts: [], json: null, failed: true }],
          },
        ],
      },
      { target: { ...target, lacks } },
    );
    const [name] = names.keys();
    expect(names.get(name!)).toBe('a.b');
    expect(body['tool_choice']).toEqual({ type: 'function', name });
    const [call, result] = body['input'] as { call_id: string }[];
    expect(call?.call_id).toHaveLength(64);
    expect(result?.call_id).toBe(call?.call_id);
    expect(changes).toEqual([
      'tools renamed',
      'dropped error flag of a tool result',
      'dropped temperature',
      'dropped top_p',
    ]);
  });

  const media = (kind: 'audio' | 'video'): Part => ({
    type: 'media',
    media: kind,
    mime: null,
    source: { by: 'base64', data: 'AA==' },
    name: null,
    detail: null,
  });

  it.each<[Partial<CanonicalRequest>, string]>([
    [{ bound: ['web_search'] }, 'web_search'],
    [{ n: 2 }, 'n'],
    [{ stop: ['x'] }, 'stop'],
    [{ prefill: true }, 'prefill'],
    [{ logprobs: 21 }, 'logprobs'],
    [{ modalities: ['audio'] }, 'audio_output'],
    [{ turns: [{ role: 'user', parts: [media('audio')] }] }, 'audio'],
    [
      {
        turns: [
          {
            role: 'user',
            parts: [{ type: 'result', callId: 'c', name: null, parts: [media('video')], json: null, failed: false }],
          },
        ],
      },
      'video',
    ],
  ])('dialects §14.17: %j is refused as %s', (more, name) => {
    expect(responsesUpstream.canonical.misses({ ...PLAIN, ...more }, target)?.name).toBe(name);
  });

  it('dialects §14.7: what only this model cannot do is refused for it alone', () => {
    const forced: CanonicalRequest = { ...PLAIN, toolChoice: { mode: 'any' } };
    expect(responsesUpstream.canonical.misses(forced, target)).toBeNull();
    const lacks = new Set(['tools_forced', 'reasoning_off']);
    expect(responsesUpstream.canonical.misses(forced, { ...target, lacks })?.name).toBe('tools_forced');
    const quiet: CanonicalRequest = { ...PLAIN, reasoning: { effort: 'none', budget: null, shown: null } };
    expect(responsesUpstream.canonical.misses(quiet, { ...target, lacks })?.name).toBe('reasoning_off');
    expect(written(quiet).body['include']).toBeUndefined();
  });
});

describe('R-4: an entry’s degradations come first', () => {
  it('in the client’s own dialect', () => {
    const degrade = { drop_tools: true, max_output_tokens: 20 };
    const {
      request: changed,
      changes,
      dropped,
    } = responsesClient.degraded(request({ tools: [{ type: 'web_search' }] }), degrade);
    expect([changes, dropped]).toEqual([['dropped tools', 'max_output_tokens set to 20'], true]);
    const read = responsesClient.canonical.readRequest(changed);
    expect(read.ok && [read.value.bound, read.value.maxOutputTokens]).toEqual([[], 20]);
  });
});

describe('T-7: what is held before the first content', () => {
  it('is small, however long the request; at its end the response repeats it all', () => {
    const out = new ByteWriter();
    const identity: AnswerIdentity = { id: 'req_1', createdAt: 0, servedModel: 's', vendor: 'other' };
    const instructions = 'x'.repeat(1 << 20);
    const writer = responsesClient.canonical.streamWriter(out, identity, request({ instructions, user: 'u' }));
    writer.write({ type: 'block-start', block: 0, choice: 0, what: { type: 'text' } });
    expect(out.length).toBeLessThan(8192);
    writer.end(null, false);
    const told = Buffer.from(out.take()).toString();
    expect(told.split(instructions)).toHaveLength(2);
    expect(told.split('"user":"u"')).toHaveLength(4);
  });
});

describe('an answer that has no place here', () => {
  it('R-4: is told as dropped, never made up', () => {
    const out = new ByteWriter();
    const identity: AnswerIdentity = { id: 'req_1', createdAt: 0, servedModel: 's', vendor: 'other' };
    const writer = responsesClient.canonical.streamWriter(out, identity, request({}));
    const audio = { type: 'media', part: { ...mediaPart('audio') } } as const;
    writer.write({ type: 'block-start', block: 0, choice: 0, what: audio });
    writer.write({ type: 'block-end', block: 0 });
    writer.write({ type: 'finish', choice: 0, finish: 'pause', raw: 'pause_turn', stopSequence: null });
    writer.end(null, false);
    expect(writer.losses.dropped).toEqual(['audio', 'finish reason pause_turn']);
    const told = Buffer.from(out.take()).toString();
    expect(told).toContain('response.incomplete');
    expect(told).toContain('"output":[]');
  });
});

function mediaPart(media: 'audio'): Extract<Part, { type: 'media' }> {
  return { type: 'media', media, mime: 'audio/wav', source: { by: 'base64', data: 'AA==' }, name: null, detail: null };
}
