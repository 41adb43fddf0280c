import { describe, expect, it } from 'vitest';
import type { Degrade } from '../../core/request/redundancy-types.ts';
import { jsonBytes, textOf, utf8 } from '../bytes/text.ts';
import type { ClientRequest, UpstreamBody, UpstreamWrite } from '../contract.ts';
import { wrapOpaque } from '../cross/opaque-marks.ts';
import { messagesCodec as codec } from './codec.ts';
import { messagesCountCodec } from './count-codec.ts';

const HELLO = [{ role: 'user', content: 'hello' }];

function read(body: unknown): ClientRequest {
  const request = codec.readRequest(typeof body === 'string' ? utf8(body) : jsonBytes(body));
  if (!request.ok) throw new Error(request.error.message);
  return request.value;
}

function refused(body: string): string | null {
  const request = codec.readRequest(utf8(body));
  return request.ok ? null : `${request.error.code} ${request.error.param}`;
}

function write(body: unknown, extra: Partial<UpstreamWrite> & { vendor?: string } = {}): UpstreamBody {
  const { vendor = 'anthropic', ...rest } = extra;
  const target = { upstreamModel: 'up-1', vendor, maxOutputTokens: null, lacks: new Set<string>() };
  return codec.writeUpstream(read(body), { target, degrade: null, injectUsage: true, ...rest });
}

const sent = (body: UpstreamBody): Record<string, unknown> => JSON.parse(textOf(body.bytes));

describe('reading', () => {
  it('C-1: model, chain and options are read from the body', () => {
    const request = read({ model: 'a', fallback_models: ['b'], redundancy: { retries: 1 }, messages: HELLO });
    expect([request.model, request.fallbackModels, request.redundancy]).toEqual(['a', ['b'], { retries: 1 }]);
    expect([request.stream, request.n, request.includeUsage]).toEqual([false, 1, true]);
    expect(read({ model: 'a', messages: HELLO, stream: true }).stream).toBe(true);
  });

  it('E-5: what is wrong is named', () => {
    expect(refused('{"messages":[{}]')).toBe('invalid_json null');
    expect(refused('{"model":"a","model":"b","messages":[{}]}')).toBe('invalid_json null');
    expect(refused('{"model":1,"messages":[{}]}')).toBe('invalid_chain model');
    expect(refused('{"model":"a"}')).toBe('missing_required_parameter messages');
    expect(refused('{"model":"a","messages":[]}')).toBe('invalid_parameter messages');
    expect(refused('{"model":"a","messages":[{}],"stream":"yes"}')).toBe('invalid_parameter stream');
  });
});

describe('writing for an upstream', () => {
  it('T-8, dialects §14.20: all but model and our own fields passes byte for byte, big numbers and unknown fields too', () => {
    const rest =
      '"max_tokens": 12345678901234567890 , "x_new":{"b":1.0,"a":[ ]},"messages":[{"role":"user","content":"hi"}]';
    const body = write(`{"model":"a","models":["a","b"],"redundancy":{},${rest}}`);
    expect(textOf(body.bytes)).toBe(`{"model":"up-1",${rest}}`);
    expect([body.changes, body.dropped]).toEqual([[], false]);
  });

  it('dialects §14.5: sampling of an old client stays with it: the version header goes the same way', () => {
    expect(sent(write({ model: 'a', temperature: 0.5, top_k: 3, messages: HELLO }))).toMatchObject({
      temperature: 0.5,
      top_k: 3,
    });
  });

  it.each<[string, Degrade, object, object, string[]]>([
    ['a limit is lowered', { max_output_tokens: 10 }, { max_tokens: 50 }, { max_tokens: 10 }, ['max_tokens 50 → 10']],
    ['a smaller limit stays', { max_output_tokens: 100 }, { max_tokens: 50 }, { max_tokens: 50 }, []],
    [
      'a budget for thinking stays below it',
      { max_output_tokens: 4000 },
      { max_tokens: 9000, thinking: { type: 'enabled', budget_tokens: 8000, display: 'omitted' } },
      { max_tokens: 4000, thinking: { type: 'enabled', budget_tokens: 2000, display: 'omitted' } },
      ['max_tokens 9000 → 4000', 'thinking.budget_tokens 8000 → 2000'],
    ],
    [
      'or thinking goes, where none is possible',
      { max_output_tokens: 1000 },
      { max_tokens: 9000, thinking: { type: 'enabled', budget_tokens: 8000 } },
      { max_tokens: 1000 },
      ['max_tokens 9000 → 1000', 'dropped thinking'],
    ],
    [
      'tools go with all that speaks of them',
      { drop_tools: true },
      { tools: [{ name: 'f', input_schema: {} }], tool_choice: { type: 'any' }, max_tokens: 5 },
      { max_tokens: 5 },
      ['dropped tools', 'dropped tool_choice'],
    ],
    [
      'a schema goes without the effort beside it',
      { drop_response_format: true },
      { output_config: { format: { type: 'json_schema', schema: {} }, effort: 'low' } },
      { output_config: { effort: 'low' } },
      ['dropped output_config.format'],
    ],
    [
      'an effort is set',
      { reasoning_effort: 'low' },
      { output_config: { effort: 'high' } },
      { output_config: { effort: 'low' } },
      ['output_config.effort high → low'],
    ],
    [
      'or made',
      { reasoning_effort: 'minimal' },
      {},
      { output_config: { effort: 'low' } },
      ['output_config.effort set to low'],
    ],
    [
      'none is thinking off',
      { reasoning_effort: 'none' },
      { thinking: { type: 'adaptive' } },
      { thinking: { type: 'disabled' } },
      ['thinking disabled'],
    ],
    [
      'fields by name, not those without which there is no request',
      { drop_params: ['metadata', 'messages', 'max_tokens', 'absent'] },
      { metadata: { user_id: 'u' }, max_tokens: 5 },
      { max_tokens: 5 },
      ['dropped metadata'],
    ],
  ])('R-4: %s', (_name, degrade, fields, expected, changes) => {
    const body = write({ model: 'a', messages: HELLO, ...fields }, { degrade });
    expect(sent(body)).toEqual({ model: 'up-1', messages: HELLO, ...expected });
    expect(body.changes).toEqual(changes);
    expect(body.dropped).toBe(changes.some((change) => change.startsWith('dropped')));
  });

  it('D-5: a longer answer is asked for', () => {
    const body = write({ model: 'a', max_tokens: 100, messages: HELLO }, { outputTokens: 200 });
    expect([sent(body)['max_tokens'], body.changes]).toEqual([200, ['max_tokens 100 → 200']]);
  });
});

describe('thoughts of earlier turns', () => {
  const thought = { type: 'thinking', thinking: 'hm', signature: 'c2ln' };
  const sealed = { type: 'redacted_thinking', data: 'eA==' };
  const call = { type: 'tool_use', id: 't1', name: 'f', input: {} };
  const result = { role: 'user', content: [{ type: 'tool_result', tool_use_id: 't1', content: 'ok' }] };
  const turn = (...content: object[]): object[] => [...HELLO, { role: 'assistant', content }, result];

  it('R-5, dialects §14.6: they go to their maker byte for byte', () => {
    const body = write({ model: 'a', messages: turn(thought, sealed, call) });
    expect(sent(body)['messages']).toEqual(turn(thought, sealed, call));
    expect([body.opaque, body.changes]).toEqual([true, []]);
    expect(write({ model: 'a', messages: HELLO }).opaque).toBe(false);
  });

  it('R-5: the attempt after their refusal goes without them', () => {
    const body = write({ model: 'a', messages: turn(thought, sealed, call) }, { bare: true });
    expect(sent(body)['messages']).toEqual(turn(call));
    expect([body.opaque, body.changes, body.dropped]).toEqual([false, ['dropped opaque reasoning'], true]);
  });

  it('R-5: a budget goes along with them where the API insists on the thought before a call', () => {
    const thinking = { type: 'enabled', budget_tokens: 2000 };
    const body = write({ model: 'a', thinking, messages: turn(thought, call) }, { bare: true });
    expect(sent(body)).toEqual({ model: 'up-1', messages: turn(call) });
    expect(body.changes).toEqual(['dropped opaque reasoning', 'dropped thinking']);
  });

  it('R-5: a turn of nothing but thoughts goes as a whole', () => {
    const messages = [...HELLO, { role: 'assistant', content: [thought] }, ...HELLO];
    expect(sent(write({ model: 'a', messages }, { bare: true }))['messages']).toEqual([...HELLO, ...HELLO]);
  });

  it("R-5: another vendor's, marked on its way to the client, are cut out; the target's own are unwrapped", () => {
    const state = { vendor: 'openai', kind: 'sealed', id: 'rs_1', data: 'xyz' } as const;
    const marked = { type: 'redacted_thinking', data: wrapOpaque(state, 'openai') };
    const own = {
      ...thought,
      signature: wrapOpaque({ vendor: 'anthropic', kind: 'signature', id: '1', data: 'abc' }, 'x'),
    };
    const body = write({ model: 'a', messages: turn(marked, own, call) });
    expect(sent(body)['messages']).toEqual(turn({ ...thought, signature: 'abc' }, call));
    expect([body.opaque, body.changes]).toEqual([true, ['dropped opaque reasoning']]);
  });

  it('R-5: sources that another dialect’s answer was told with go no further, the words do', () => {
    const citation = {
      type: 'web_search_result_location',
      url: 'https://a.example',
      encrypted_index: wrapOpaque({ vendor: 'google', kind: 'sealed', id: null, data: '' }, 'google'),
    };
    const own = { type: 'text', text: 'b', citations: [{ type: 'char_location', cited_text: 'x' }] };
    const body = write({ model: 'a', messages: turn({ type: 'text', text: 'a', citations: [citation] }, own, call) });
    expect(sent(body)['messages']).toEqual(turn({ type: 'text', text: 'a' }, own, call));
    expect([body.changes, body.dropped, body.opaque]).toEqual([[], false, false]);
  });

  it('R-5: a mark somebody broke is nobody’s', () => {
    const state = { vendor: 'openai', kind: 'sealed', id: null, data: 'xyz' } as const;
    const broken = { type: 'redacted_thinking', data: `${wrapOpaque(state, 'openai')}!` };
    expect(sent(write({ model: 'a', messages: turn(broken, call) }))['messages']).toEqual(turn(call));
  });
});

describe('what the gateway asks of a request', () => {
  const pdf = { type: 'document', source: { type: 'base64', media_type: 'application/pdf', data: 'QQ==' } };
  const image = { type: 'image', source: { type: 'url', url: 'https://a.example/x.png' } };
  const content = [image, { type: 'tool_result', tool_use_id: 't', content: [pdf, image] }];
  const request = read({
    model: 'a',
    max_tokens: 70,
    messages: [{ role: 'user', content }],
    tools: [{ name: 'f', input_schema: {} }],
    thinking: { type: 'adaptive' },
    output_config: { format: { type: 'json_schema', schema: {} } },
    metadata: { user_id: 'u1' },
  });

  it('P-6: inputs and features', () => {
    for (const input of ['image', 'file'])
      expect(codec.needs(request, null).input((name) => name === input)).toBe(input);
    expect(codec.needs(request, null).input((name) => name === 'audio')).toBeUndefined();
    expect(codec.needs(read({ model: 'a', messages: HELLO }), null).input(() => true)).toBeUndefined();
    const all = (degrade: Degrade | null): string[] => {
      const seen: string[] = [];
      codec.needs(request, degrade).feature((name) => seen.push(name) > 9);
      return seen;
    };
    expect(all(null)).toEqual(['tools', 'json_schema', 'reasoning']);
    expect(all({ drop_tools: true, drop_response_format: true, reasoning_effort: 'none' })).toEqual([]);
  });

  it('D-4: what it may cost', () => {
    expect(codec.asks(request, null)).toMatchObject({ maxOutputTokens: 70, answers: 1, mediaParts: 3 });
    expect(codec.asks(request, { max_output_tokens: 7 }).maxOutputTokens).toBe(7);
    expect(codec.asks(read({ model: 'a', messages: HELLO }), null).maxOutputTokens).toBeNull();
  });

  it('P-2: who calls', () => {
    expect(codec.callerMark(request, 'user')).toBe('u1');
    expect(codec.callerMark(read({ model: 'a', messages: HELLO }), 'user')).toBeNull();
  });

  it('G-9: what an upstream is asked to fetch, and nothing that is only said', () => {
    const body = {
      model: 'a',
      mcp_servers: [{ type: 'url', url: 'http://10.0.0.1/mcp', name: 'm' }],
      messages: [
        { role: 'user', content },
        {
          role: 'assistant',
          content: [{ type: 'tool_use', id: 't', name: 'f', input: { source: { url: 'http://x' } } }],
        },
        { role: 'user', content: 'look at http://10.0.0.2' },
      ],
    };
    expect(codec.suppliedUrls(read(body))).toEqual([
      { param: 'mcp_servers[0]', url: 'http://10.0.0.1/mcp' },
      { param: 'messages[0].content[0]', url: 'https://a.example/x.png' },
      { param: 'messages[0].content[1]', url: 'https://a.example/x.png' },
    ]);
    expect(codec.suppliedUrls(read({ model: 'a', messages: HELLO }))).toEqual([]);
  });

  it.each([
    [{ container: 'c_1' }, 'container', 'c_1'],
    [{ container: { id: 'c_2', skills: [] } }, 'container', 'c_2'],
    [{ container: { skills: [{ type: 'custom', skill_id: 's_1' }] } }, 'container', 's_1'],
    [{ thread: { id: 'th_1' } }, 'thread', 'th_1'],
    [
      { messages: [{ role: 'user', content: [{ type: 'image', source: { type: 'file', file_id: 'f_1' } }] }] },
      'messages[0].content[0]',
      'f_1',
    ],
    [
      { messages: [{ role: 'user', content: [{ type: 'container_upload', file_id: 'f_2' }] }] },
      'messages[0].content[0]',
      'f_2',
    ],
  ])('P-8: state at an account in %j', (fields, param, id) => {
    expect(codec.namedState(read({ model: 'a', messages: HELLO, ...fields }))).toEqual({ param, id });
  });

  it.each([
    { container: { skills: [{ type: 'anthropic', skill_id: 'pdf' }] } },
    { messages: [{ role: 'assistant', content: [{ type: 'tool_use', id: 't', name: 'f', input: { file_id: 'x' } }] }] },
  ])('P-8: none in %j', (fields) => {
    expect(codec.namedState(read({ model: 'a', messages: HELLO, ...fields }))).toBeNull();
  });

  it.each([
    [{ tools: [{ name: 'f', input_schema: {} }] }, false],
    [{ tools: [{ type: 'custom', name: 'f', input_schema: {} }] }, false],
    [{ tools: [{ type: 'bash_20250124', name: 'bash' }] }, false],
    [{ tools: [{ type: 'web_search_20260318', name: 'web_search' }] }, true],
    [{ tools: [{ type: 'code_execution_20260120', name: 'code' }] }, true],
    [{ mcp_servers: [{ type: 'url', url: 'https://a.example', name: 'm' }] }, true],
  ])('D-11: %j acts upstream: %s', (fields, acts) => {
    expect(codec.actsUpstream(read({ model: 'a', messages: HELLO, ...fields }))).toBe(acts);
  });
});

describe('counting tokens', () => {
  it('is never a stream, costs nothing, and acts nowhere', () => {
    const body = { model: 'a', stream: true, messages: HELLO, tools: [{ type: 'web_search_20260318', name: 'w' }] };
    const request = messagesCountCodec.readRequest(jsonBytes(body));
    if (!request.ok) throw new Error('refused');
    expect(request.value.stream).toBe(false);
    expect(messagesCountCodec.asks(request.value, null)).toMatchObject({ answers: 0, maxOutputTokens: 0 });
    expect(messagesCountCodec.actsUpstream(request.value)).toBe(false);
  });

  it('R-3: the count passes as it came, with the report where there is one', () => {
    const answer = messagesCountCodec.readAnswer(utf8('{"input_tokens": 14,"x":1}'));
    if (answer === null) throw new Error('unreadable');
    const report = utf8('{"attempts":2}');
    const written = messagesCountCodec.writeAnswer(answer, { servedModel: 'm', report, classic: false });
    expect(textOf(written)).toBe('{"input_tokens": 14,"x":1,"understudy":{"attempts":2}}');
    expect(answer.usage).toMatchObject({ input: 0, output: 0, estimated: false });
    expect(messagesCountCodec.readAnswer(utf8('{"type":"error","error":{}}'))).toBeNull();
  });
});
