import { describe, expect, it } from 'vitest';
import type { Degrade } from '../../core/request/redundancy-types.ts';
import type { ClientRequest, UpstreamBody, UpstreamWrite } from '../contract.ts';
import { wrapOpaque } from '../cross/opaque-marks.ts';
import { responsesCodec } from './codec.ts';
import { ownItemId } from './item-ids.ts';

const INPUT = [{ role: 'user', content: 'hi' }];

function read(body: object | string): ClientRequest {
  const text = typeof body === 'string' ? body : JSON.stringify({ model: 'm', input: INPUT, ...body });
  const request = responsesCodec.readRequest(Buffer.from(text));
  if (!request.ok) throw new Error(request.error.message);
  return request.value;
}

const target = { upstreamModel: 'up', vendor: 'openai', maxOutputTokens: null, lacks: new Set<string>() };

function written(
  body: object | string,
  more: Partial<UpstreamWrite> = {},
): { text: string; json: Record<string, unknown> } & UpstreamBody {
  const result = responsesCodec.writeUpstream(read(body), { target, degrade: null, injectUsage: true, ...more });
  const text = Buffer.from(result.bytes).toString();
  return { ...result, text, json: JSON.parse(text) };
}

describe('reading a request', () => {
  it('C-1: what the gateway must know; the text of `input` may be all there is', () => {
    expect(read('{"model":"a/b","input":"hi","stream":true,"models":["x"],"redundancy":{"retries":1}}')).toMatchObject({
      model: 'a/b',
      models: ['x'],
      redundancy: { retries: 1 },
      stream: true,
      includeUsage: true,
      n: 1,
    });
  });

  it.each([
    ['{"model":"m"}', 'missing_required_parameter', 'input'],
    ['{"model":"m","input":[]}', 'invalid_parameter', 'input'],
    ['{"model":"m","input":{}}', 'invalid_parameter', 'input'],
    ['{"model":"m","input":null}', 'missing_required_parameter', 'input'],
    ['{"model":1,"input":"x"}', 'invalid_chain', 'model'],
    ['{"model":"m","input":"x","stream":"yes"}', 'invalid_parameter', 'stream'],
    ['{"input":"x","input":"y"}', 'invalid_json', null],
    ['[1]', 'invalid_json', null],
  ])('E-5: %s is refused', (body, code, param) => {
    const request = responsesCodec.readRequest(Buffer.from(body));
    expect(request.ok ? null : [request.error.code, request.error.param]).toEqual([code, param]);
  });

  it('P-8: a request may go on from state instead of saying something', () => {
    expect(read('{"model":"m","previous_response_id":"resp_1"}').stream).toBe(false);
    expect(read('{"model":"m","prompt":{"id":"pmpt_1"},"input":[]}').stream).toBe(false);
  });
});

describe('writing for an upstream', () => {
  it('dialects §14.20, T-8: model exchanged, our fields out, all else byte for byte', () => {
    const body = '{ "input": "hi",\n "x_new": 12345678901234567890, "model":"m","models":["a"], "store":true}';
    expect(written(body).text).toBe('{ "input": "hi",\n "x_new": 12345678901234567890, "model":"up", "store":true}');
  });

  it('R-4: an entry’s degradations, each in words', () => {
    const body = {
      tools: [{ type: 'web_search' }],
      tool_choice: 'auto',
      text: { format: { type: 'json_object' }, verbosity: 'low' },
      reasoning: { effort: 'high', summary: 'auto' },
      max_output_tokens: 800,
      truncation: null,
    };
    const degrade: Degrade = {
      drop_tools: true,
      drop_response_format: true,
      reasoning_effort: 'low',
      max_output_tokens: 100,
      drop_params: ['truncation', 'input'],
    };
    const { json, changes, dropped } = written(body, { degrade });
    expect(json).toEqual({
      model: 'up',
      input: INPUT,
      text: { verbosity: 'low' },
      reasoning: { effort: 'low', summary: 'auto' },
      max_output_tokens: 100,
    });
    expect(changes).toEqual([
      'dropped tools',
      'dropped tool_choice',
      'dropped text.format',
      'max_output_tokens 800 → 100',
      'reasoning.effort high → low',
    ]);
    expect(dropped).toBe(true);
  });

  it('D-5: a longer answer has twice the room, within what model and entry allow', () => {
    const request = read({ max_output_tokens: 100 });
    const answer = responsesCodec.readAnswer(
      Buffer.from(
        '{"output":[],"status":"incomplete","incomplete_details":{"reason":"max_output_tokens"},"usage":{"output_tokens":40}}',
      ),
    )!;
    expect(responsesCodec.isCut(answer)).toBe(true);
    expect(responsesCodec.longerOutput(request, null, answer, null)).toBe(200);
    expect(responsesCodec.longerOutput(request, null, answer, 150)).toBe(150);
    expect(responsesCodec.longerOutput(read({}), null, answer, null)).toBe(80);
    expect(responsesCodec.longerOutput(request, { drop_params: ['max_output_tokens'] }, answer, null)).toBeNull();
    const { json, changes } = written({ max_output_tokens: 100 }, { outputTokens: 200 });
    expect([json['max_output_tokens'], changes]).toEqual([200, ['max_output_tokens 100 → 200']]);
  });
});

describe('R-5: reasoning that only its maker can read', () => {
  const thought = (more: object): object => ({ type: 'reasoning', summary: [], ...more });
  const call = { type: 'function_call', id: 'fc_1', call_id: 'c', name: 'f', arguments: '{}' };
  const seal = { kind: 'sealed', data: 'gAAA', vendor: 'openai' } as const;

  it('passes byte for byte where nothing is marked', () => {
    const body = `{"model":"m","input":[{"type":"reasoning", "id":"rs_1","summary":[],"encrypted_content":"gAAA="}]}`;
    const { text, opaque, changes } = written(body);
    expect(text).toBe(body.replace('"m"', '"up"'));
    expect([opaque, changes]).toEqual([true, []]);
  });

  it('another vendor’s stays behind, this one’s is unwrapped with its id', () => {
    const input = [
      thought({
        id: ownItemId('rs', 'req_1', 0),
        encrypted_content: wrapOpaque({ ...seal, vendor: 'other', id: null }, 'other'),
      }),
      thought({ id: ownItemId('rs', 'req_1', 1), encrypted_content: wrapOpaque({ ...seal, id: 'rs_9' }, 'openai') }),
      { ...call, id: ownItemId('fc', 'req_1', 2) },
    ];
    const { id: _id, ...nameless } = call;
    const { json, changes, dropped, opaque } = written({ input });
    expect(json['input']).toEqual([thought({ id: 'rs_9', encrypted_content: 'gAAA' }), nameless]);
    expect([changes, dropped, opaque]).toEqual([['dropped opaque reasoning'], true, true]);
  });

  it('a thought in plain words that no upstream of the dialect knows stays behind', () => {
    const input = [
      thought({ id: ownItemId('rs', 'req_1', 0), summary: [{ type: 'summary_text', text: 'x' }] }),
      ...INPUT,
    ];
    expect(written({ input }).json['input']).toEqual(INPUT);
  });

  it('one that is only referred to stays behind as well: it is no state anywhere', () => {
    const reference = { type: 'item_reference', id: ownItemId('rs', 'req_1', 0) };
    const input = [...INPUT, reference, { ...call, id: 'fc_1' }];
    expect(responsesCodec.namedState(read({ input }))).toBeNull();
    const { json, changes } = written({ input });
    expect([json['input'], changes]).toEqual([[...INPUT, { ...call, id: 'fc_1' }], ['dropped opaque reasoning']]);
    const other = { type: 'item_reference', id: ownItemId('msg', 'req_1', 1) };
    expect(responsesCodec.namedState(read({ input: [other] }))?.id).toBe(other.id);
  });

  it('bare: none goes, and items no longer name what it led to', () => {
    const input = [...INPUT, thought({ id: 'rs_1', encrypted_content: 'gAAA' }), call];
    const { json, changes, opaque } = written({ input }, { bare: true });
    const { id: _id, ...nameless } = call;
    expect(json['input']).toEqual([...INPUT, nameless]);
    expect([changes, opaque]).toEqual([['dropped opaque reasoning'], undefined]);
  });

  it('a thought known by its id alone passes, and stays behind once it was not known', () => {
    const input = [...INPUT, thought({ id: 'rs_1' }), call];
    expect(written({ input })).toMatchObject({ opaque: true, changes: [] });
    expect(written({ input }, { bare: true }).json['input']).toHaveLength(2);
    expect(written({ input: INPUT, reasoning: { effort: 'low' } }).opaque).toBeUndefined();
  });
});

describe('what a request asks for', () => {
  it('P-6: inputs and features in the catalogue’s words', () => {
    const request = read({
      input: [
        { role: 'user', content: [{ type: 'input_image', image_url: 'https://x/y.png' }] },
        { type: 'function_call_output', call_id: 'c', output: [{ type: 'input_file', file_data: 'x' }] },
      ],
      tools: [{ type: 'function', name: 'f', parameters: {} }],
      text: { format: { type: 'json_schema', name: 'x', schema: {} } },
      reasoning: { effort: 'low' },
      include: ['message.output_text.logprobs'],
    });
    const needs = responsesCodec.needs(request, null);
    const inputs = ['image', 'audio', 'video', 'file'].filter((one) => needs.input((name) => name === one) === one);
    const features = ['tools', 'json_schema', 'json_object', 'reasoning', 'logprobs'].filter(
      (one) => needs.feature((name) => name === one) === one,
    );
    expect([inputs, features]).toEqual([
      ['image', 'file'],
      ['tools', 'json_schema', 'reasoning', 'logprobs'],
    ]);
    const degraded = responsesCodec.needs(request, { drop_tools: true, drop_response_format: true });
    expect(degraded.feature((name) => name === 'tools' || name === 'json_schema')).toBeUndefined();
    expect(responsesCodec.asks(request, { max_output_tokens: 9 })).toMatchObject({ maxOutputTokens: 9, mediaParts: 2 });
  });

  it('P-2: the caller’s marks', () => {
    const request = read({ prompt_cache_key: 'k', user: 'old', safety_identifier: 'new' });
    expect(responsesCodec.callerMark(request, 'prompt_cache_key')).toBe('k');
    expect(responsesCodec.callerMark(request, 'user')).toBe('new');
  });

  it.each([
    [{ previous_response_id: 'resp_1' }, 'previous_response_id', 'resp_1'],
    [{ conversation: 'conv_1' }, 'conversation', 'conv_1'],
    [{ conversation: { id: 'conv_2' } }, 'conversation', 'conv_2'],
    [{ prompt: { id: 'pmpt_1' } }, 'prompt', 'pmpt_1'],
    [{ input: [...INPUT, { type: 'item_reference', id: 'msg_1' }] }, 'input[1]', 'msg_1'],
    [{ input: [{ id: 'msg_2' }] }, 'input[0]', 'msg_2'],
    [{ input: [{ role: 'user', content: [{ type: 'input_file', file_id: 'file_1' }] }] }, 'input[0]', 'file_1'],
    [{ tools: [{ type: 'code_interpreter', container: 'cntr_1' }] }, 'tools[0].container', 'cntr_1'],
    [
      { tools: [{ type: 'code_interpreter', container: { type: 'auto', file_ids: ['file_2'] } }] },
      'tools[0]',
      'file_2',
    ],
    [{ tools: [{ type: 'file_search', vector_store_ids: ['vs_1'] }] }, 'tools[0]', 'vs_1'],
  ])('P-8: %j names state', (body, param, id) => {
    expect(responsesCodec.namedState(read(body))).toEqual({ param, id });
  });

  it.each([
    {},
    { previous_response_id: null, conversation: null },
    { tools: [{ type: 'code_interpreter', container: { type: 'auto' } }] },
    { tools: [{ type: 'function', name: 'f', parameters: { properties: { file_id: { type: 'string' } } } }] },
    { input: [{ type: 'file_search_call', id: 'fs_1', results: [{ file_id: 'file_1' }] }] },
    { input: [{ role: 'user', content: 'my file_id is "file_id"', id: 'msg_1' }] },
    {
      input: [
        {
          role: 'assistant',
          content: [{ type: 'output_text', text: '', annotations: [{ type: 'file_citation', file_id: 'f' }] }],
        },
      ],
    },
  ])('P-8: %j names none', (body) => {
    expect(responsesCodec.namedState(read(body))).toBeNull();
  });

  it.each([
    [{}, false],
    [{ background: true }, true],
    [{ background: false, conversation: null }, false],
    [{ conversation: 'conv_1' }, true],
    [{ tools: [{ type: 'function', name: 'f' }, { type: 'custom', name: 'c' }, { type: 'local_shell' }] }, false],
    [{ tools: [{ type: 'shell', environment: { type: 'local' } }] }, false],
    [{ tools: [{ type: 'shell', environment: { type: 'container_auto' } }] }, true],
    [{ tools: [{ type: 'web_search' }] }, true],
    [{ tools: [{ type: 'mcp', server_url: 'https://x' }] }, true],
  ])('D-11: %j acts upstream: %s', (body, acts) => {
    expect(responsesCodec.actsUpstream(read(body))).toBe(acts);
  });

  it('G-9: every address an upstream is asked to fetch or call, and no other', () => {
    const urls = responsesCodec.suppliedUrls(
      read({
        input: [
          {
            role: 'user',
            content: [
              { type: 'input_text', text: 'http://no.test' },
              { type: 'input_image', image_url: 'http://a.test/1' },
              { type: 'input_image', image_url: 'data:image/png;base64,AA' },
              { type: 'input_file', file_url: ' file:///etc', filename: 'http://no.test' },
            ],
          },
          { type: 'function_call_output', call_id: 'c', output: 'http://no.test' },
          { type: 'function_call_output', call_id: 'd', output: [{ type: 'input_image', image_url: 'http://b.test' }] },
          {
            type: 'computer_call_output',
            call_id: 'e',
            output: { type: 'computer_screenshot', image_url: 'http://c.test' },
          },
          { type: 'web_search_call', id: 'ws', action: { type: 'open_page', url: 'http://no.test' } },
        ],
        tools: [
          { type: 'mcp', server_url: 'http://d.test' },
          { type: 'function', name: 'f', parameters: { properties: { server_url: { default: 'http://no.test' } } } },
        ],
      }),
    );
    expect(urls).toEqual([
      { param: 'input[0].content[1]', url: 'http://a.test/1' },
      { param: 'input[0].content[3]', url: ' file:///etc' },
      { param: 'input[2].output[0]', url: 'http://b.test' },
      { param: 'input[3].output', url: 'http://c.test' },
      { param: 'tools[0]', url: 'http://d.test' },
    ]);
  });
});
