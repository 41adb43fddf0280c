import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Degrade } from '../../core/request/redundancy-types.ts';
import type { ClientRequest, TargetFacts, UpstreamBody } from '../contract.ts';
import { readRequest, writeUpstream } from './request.ts';

const MESSAGES = '"messages":[{"role":"user","content":"hi"}]';

function read(text: string, pathModel?: string): ClientRequest {
  const result = readRequest(Buffer.from(text), pathModel === undefined ? {} : { model: pathModel });
  if (!result.ok) throw new Error(result.error.message);
  return result.value;
}

function refusal(text: string | Uint8Array): [string | null, string | null, number, string] {
  const result = readRequest(typeof text === 'string' ? Buffer.from(text) : text);
  if (result.ok) throw new Error('accepted');
  const { code, param, status, message } = result.error;
  return [code, param, status, message];
}

function target(upstreamModel: string): TargetFacts {
  return { upstreamModel, vendor: 'v', maxOutputTokens: null, lacks: new Set() };
}

function write(text: string, degrade: Degrade | null = null, injectUsage = true): UpstreamBody & { text: string } {
  const body = writeUpstream(read(text), { target: target('up-a'), degrade, injectUsage });
  return { ...body, text: Buffer.from(body.bytes).toString() };
}

describe('readRequest', () => {
  test('C-1: model, chain fields and options come as sent', () => {
    const own = '"models":["a",{"model":"b"}],"fallback_models":null,"redundancy":{"retries":2}';
    const request = read(
      `{"model":"m",${own},"stream":true,"n":2,"stream_options":{"include_usage":true},${MESSAGES}}`,
    );
    expect(request).toMatchObject({
      model: 'm',
      models: ['a', { model: 'b' }],
      fallbackModels: null,
      redundancy: { retries: 2 },
      stream: true,
      includeUsage: true,
      n: 2,
    });
  });

  test('C-1: absent fields have their defaults', () => {
    const request = read(`{"model":"m",${MESSAGES}}`);
    expect(request).toMatchObject({ stream: false, includeUsage: false, n: 1 });
    expect([request.models, request.fallbackModels, request.redundancy]).toEqual([undefined, undefined, undefined]);
    expect(read(`{"model":"m","stream":null,"n":null,"stream_options":null,${MESSAGES}}`)).toMatchObject({
      stream: false,
      n: 1,
    });
  });

  test('C-1: without `model`, a chain or the path names it', () => {
    expect(read(`{"models":["a"],${MESSAGES}}`).model).toBeNull();
    expect(read(`{"model":null,"fallback_models":["a"],${MESSAGES}}`).model).toBeNull();
    expect(read(`{${MESSAGES}}`, 'from-path').model).toBe('from-path');
    expect(read(`{"model":"m",${MESSAGES}}`, 'from-path').model).toBe('m');
  });

  test('C-4: an escaped key is the key', () => {
    expect(read(`{"mod\\u0065l":"m",${MESSAGES}}`).model).toBe('m');
  });

  test.each<[string, string, string | null]>([
    ['{"model":"m"}', 'missing_required_parameter', 'messages'],
    ['{"model":"m","messages":[ ]}', 'invalid_parameter', 'messages'],
    ['{"model":"m","messages":"hi"}', 'invalid_parameter', 'messages'],
    ['{"model":"m","messages":null}', 'invalid_parameter', 'messages'],
    [`{"model":"m","stream":"true",${MESSAGES}}`, 'invalid_parameter', 'stream'],
    [`{"model":"m","stream":1,${MESSAGES}}`, 'invalid_parameter', 'stream'],
    [`{"model":"m","n":0,${MESSAGES}}`, 'invalid_parameter', 'n'],
    [`{"model":"m","n":1.5,${MESSAGES}}`, 'invalid_parameter', 'n'],
    [`{"model":"m","n":"2",${MESSAGES}}`, 'invalid_parameter', 'n'],
    [`{"model":"m","stream_options":[],${MESSAGES}}`, 'invalid_parameter', 'stream_options'],
    [`{"model":"m","stream_options":{"include_usage":"yes"},${MESSAGES}}`, 'invalid_parameter', 'stream_options'],
    [`{"model":"m","model":"m2",${MESSAGES}}`, 'invalid_json', null],
    ['[]', 'invalid_json', null],
    ['', 'invalid_json', null],
    ['hello', 'invalid_json', null],
  ])('E-5: %s is refused as %s', (text, code, param) => {
    expect(refusal(text).slice(0, 3)).toEqual([code, param, 400]);
  });

  test('C-2: a model that is no string is an invalid chain', () => {
    expect(refusal(`{"model":42,${MESSAGES}}`).slice(0, 3)).toEqual(['invalid_chain', 'model', 400]);
  });

  test('E-5: broken JSON is located', () => {
    expect(refusal('{\n  "model": "m",\n  oops\n}')[3]).toBe(
      'The body is not one valid JSON object: unexpected "o" at byte 20 (line 3, column 3).',
    );
    expect(refusal(`{"a":1,"a":2,"model":"m",${MESSAGES}}`)[3]).toContain('the key `a` appears twice at byte 7');
  });

  test('C-4: bytes that are not UTF-8 are refused: two readers would see two texts', () => {
    const bad = Buffer.concat([Buffer.from(`{"model":"m`), Buffer.from([0xff]), Buffer.from(`",${MESSAGES}}`)]);
    expect(refusal(bad)[0]).toBe('invalid_json');
  });
});

describe('writeUpstream', () => {
  test('C-1: model swapped, our fields out, everything else byte for byte', () => {
    const before = `{ "models" : ["x"], "seed": 12345678901234567890, "model":"m" ,"redundancy":{}, ${MESSAGES},"x_custom":{"a":1.0},"fallback_models":[] }`;
    const { text, changes, dropped } = write(before);
    expect(text).toBe(`{ "seed": 12345678901234567890, "model":"up-a", ${MESSAGES},"x_custom":{"a":1.0} }`);
    expect([changes, dropped]).toEqual([[], false]);
  });

  test('C-1: a body without model gets one, a byte order mark goes', () => {
    const request = read(`\ufeff{${MESSAGES}}`, 'm');
    const body = writeUpstream(request, { target: target('up"a'), degrade: null, injectUsage: true });
    expect(Buffer.from(body.bytes).toString()).toBe(`{${MESSAGES},"model":"up\\"a"}`);
  });

  test.each([
    ['', ',"stream_options":{"include_usage":true}'],
    [',"stream_options":null', ',"stream_options":{"include_usage":true}'],
    [',"stream_options":{}', ',"stream_options":{"include_usage":true}'],
    [
      ',"stream_options":{"include_obfuscation":false}',
      ',"stream_options":{"include_obfuscation":false,"include_usage":true}',
    ],
    [',"stream_options":{ "include_usage" : false }', ',"stream_options":{ "include_usage" : true }'],
    [',"stream_options":{"include_usage":null,"x":1}', ',"stream_options":{"include_usage":true,"x":1}'],
    [',"stream_options":{"include_usage":true}', ',"stream_options":{"include_usage":true}'],
  ])('G-4: a stream with %j asks the upstream for usage', (sent, expected) => {
    expect(write(`{"model":"m","stream":true,${MESSAGES}${sent}}`).text).toBe(
      `{"model":"up-a","stream":true,${MESSAGES}${expected}}`,
    );
  });

  test('G-4: usage is asked for in streams alone, and only if wanted', () => {
    expect(write(`{"model":"m",${MESSAGES}}`).text).not.toContain('stream_options');
    expect(write(`{"model":"m","stream":true,${MESSAGES}}`, null, false).text).not.toContain('stream_options');
  });

  test('R-4: max_output_tokens lowers what the client used, and says so', () => {
    const limited = (fields: string): [string, readonly string[], boolean] => {
      const { text, changes, dropped } = write(`{"model":"m",${fields}${MESSAGES}}`, { max_output_tokens: 1000 });
      return [text.replace(`"model":"up-a",`, '').replace(MESSAGES, ''), changes, dropped];
    };
    expect(limited('"max_tokens":8000,')).toEqual(['{"max_tokens":1000,}', ['max_tokens 8000 → 1000'], false]);
    expect(limited('"max_completion_tokens":8e3,')).toEqual([
      '{"max_completion_tokens":1000,}',
      ['max_completion_tokens 8000 → 1000'],
      false,
    ]);
    expect(limited('"max_tokens":500,')).toEqual(['{"max_tokens":500,}', [], false]);
    expect(limited('"max_tokens":null,')).toEqual([
      '{"max_tokens":null,,"max_completion_tokens":1000}',
      ['max_completion_tokens set to 1000'],
      false,
    ]);
    expect(limited('')).toEqual(['{,"max_completion_tokens":1000}', ['max_completion_tokens set to 1000'], false]);
    expect(limited('"max_tokens":"many",')).toEqual(['{"max_tokens":"many",}', [], false]);
  });

  test('R-4: dropping is listed field by field and makes the answer degraded', () => {
    const sent = `{"model":"m","tools":[{}],"tool_choice":"auto","parallel_tool_calls":null,"response_format":{},"seed":1,"user":"u",${MESSAGES}}`;
    const all = write(sent, { drop_tools: true, drop_response_format: true, drop_params: ['seed', 'absent', 'tools'] });
    expect(all.text).toBe(`{"model":"up-a","user":"u",${MESSAGES}}`);
    expect(all.changes).toEqual(['dropped tools', 'dropped tool_choice', 'dropped response_format', 'dropped seed']);
    expect(all.dropped).toBe(true);
    const nothing = write(`{"model":"m",${MESSAGES}}`, {
      drop_tools: true,
      drop_params: ['model', 'messages', 'stream'],
    });
    expect([nothing.text, nothing.changes, nothing.dropped]).toEqual([`{"model":"up-a",${MESSAGES}}`, [], false]);
  });

  test('R-4: reasoning_effort is set, unless it is that already', () => {
    expect(write(`{"model":"m","reasoning_effort":"high",${MESSAGES}}`, { reasoning_effort: 'low' })).toMatchObject({
      text: `{"model":"up-a","reasoning_effort":"low",${MESSAGES}}`,
      changes: ['reasoning_effort high → low'],
      dropped: false,
    });
    expect(write(`{"model":"m",${MESSAGES}}`, { reasoning_effort: 'low' }).changes).toEqual([
      'reasoning_effort set to low',
    ]);
    expect(write(`{"model":"m","reasoning_effort":"low",${MESSAGES}}`, { reasoning_effort: 'low' }).changes).toEqual(
      [],
    );
  });

  test('R-4: dropped stream_options are not put back', () => {
    const { text } = write(`{"model":"m","stream":true,"stream_options":{"x":1},${MESSAGES}}`, {
      drop_params: ['stream_options'],
    });
    expect(text).toBe(`{"model":"up-a","stream":true,${MESSAGES}}`);
  });

  test("C-1: each attempt is written from the client's bytes, not from the last attempt's", () => {
    const request = read(`{"model":"m","tools":[{}],${MESSAGES}}`);
    const before = Buffer.from(request.view.bytes).toString();
    writeUpstream(request, { target: target('one'), degrade: { drop_tools: true }, injectUsage: true });
    const second = writeUpstream(request, { target: target('two'), degrade: null, injectUsage: true });
    expect(Buffer.from(second.bytes).toString()).toBe(before.replace('"m"', '"two"'));
    expect(Buffer.from(request.view.bytes).toString()).toBe(before);
  });

  test('C-1: any other fields survive as values', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string({ maxLength: 8 }), fc.jsonValue({ maxDepth: 2 })), (fields) => {
        for (const key of [
          'model',
          'models',
          'fallback_models',
          'redundancy',
          'messages',
          'stream',
          'stream_options',
          'n',
        ])
          delete fields[key];
        const sent = { ...fields, model: 'm', models: ['m'], messages: [{ role: 'user' }] };
        const { text } = write(JSON.stringify(sent));
        expect(JSON.parse(text)).toEqual({
          ...JSON.parse(JSON.stringify(fields)),
          model: 'up-a',
          messages: [{ role: 'user' }],
        });
      }),
    );
  });
});
