import { describe, expect, it, test } from 'vitest';
import { chunksIn } from '../../../test/support/generate-tap-feed.ts';
import { ByteWriter } from '../bytes/byte-writer.ts';
import { textOf } from '../bytes/text.ts';
import type { AnswerIdentity, CanonicalAnswer, CanonicalRequest, Finish, Opaque, Part } from '../canonical.ts';
import type { ClientRequest } from '../contract.ts';
import { unwrapOpaque, wrapOpaque } from '../cross/opaque-marks.ts';
import { generateCodec } from './codec.ts';
import { toJsonSchema } from './openapi-schema.ts';
import { generateClient } from './translated.ts';

const { readRequest, writeAnswer, streamWriter } = generateClient.canonical;
const HELLO = [{ parts: [{ text: 'hi' }] }];

function request(fields: object | string): ClientRequest {
  const text = typeof fields === 'string' ? fields : JSON.stringify({ contents: HELLO, ...fields });
  const read = generateCodec.readRequest(Buffer.from(text), { model: 'm', stream: true, form: 'events' });
  if (!read.ok) throw new Error(read.error.message);
  return read.value;
}

function read(fields: object | string): CanonicalRequest {
  const found = readRequest(request(fields));
  if (!found.ok) throw new Error(found.error.message);
  return found.value;
}

const turns = (...contents: object[]) => read({ contents }).turns;

describe('reading a request', () => {
  it('R-4: what is bound to the dialect is named, and nothing else lost without a record', () => {
    const bound = (fields: object) => read(fields).bound;
    expect(bound({ cached_content: 'c', continuationToken: 't' })).toEqual(['state']);
    expect(bound({ tools: [{ googleSearch: {} }, { code_execution: {} }] })).toEqual(['web_search', 'builtin_tool']);
    expect(bound({ generationConfig: { responseMimeType: 'text/x.enum' } })).toEqual(['response_mime_type']);
    expect(bound({ contents: [{ parts: [{ fileData: { fileUri: 'gs://b/x' } }] }] })).toEqual(['state']);
    expect(bound({ contents: [...HELLO, { role: 'model', parts: [{ executableCode: {} }] }] })).toEqual([
      'builtin_tool',
    ]);
    const { hints } = read({
      serviceTier: 'flex',
      labels: { a: 'b' },
      safety_settings: [],
      x_new: [1],
      toolConfig: { retrievalConfig: { languageCode: 'de' } },
      tools: [{ functionDeclarations: [{ name: 'f', behavior: 'BLOCKING', response: {} }] }],
      generationConfig: { mediaResolution: 'MEDIA_RESOLUTION_LOW', x_other: 2, seed: null },
      contents: [{ parts: [{ text: 'x', videoMetadata: { fps: 2 } }] }],
    });
    expect([...hints]).toEqual([
      ['service_tier', '"flex"'],
      ['metadata', '{"a":"b"}'],
      ['safety_settings', '[]'],
      ['x_new', '[1]'],
      ['contents.parts.videoMetadata', '{"fps":2}'],
      ['tools.behavior', '"BLOCKING"'],
      ['tools.response', '{}'],
      ['mediaResolution', '"MEDIA_RESOLUTION_LOW"'],
      ['x_other', '2'],
      ['toolConfig.retrievalConfig', '{"languageCode":"de"}'],
    ]);
  });

  it.each<[string, object, string]>([
    ['a role nobody knows', { contents: [{ role: 'tool', parts: [] }] }, 'contents'],
    ['a content that is none', { contents: [1] }, 'contents'],
    ['parts that are none', { contents: [{ parts: 'x' }] }, 'contents'],
    ['a part that is none', { contents: [{ parts: ['x'] }] }, 'contents'],
    ['a text that is none', { contents: [{ parts: [{ text: 3 }] }] }, 'contents'],
    ['a call without a name', { contents: [{ role: 'model', parts: [{ functionCall: {} }] }] }, 'contents'],
    ['media without data', { contents: [{ parts: [{ inlineData: {} }] }] }, 'contents'],
    ['a function without a name', { tools: [{ functionDeclarations: [{}] }] }, 'tools'],
    ['a limit that is no number', { generationConfig: { maxOutputTokens: 'many' } }, 'generationConfig'],
    ['stops that are no texts', { generationConfig: { stopSequences: [1] } }, 'generationConfig'],
  ])('E-5: %s is the client’s own fault', (_name, fields, param) => {
    const found = readRequest(request(fields));
    expect(found.ok ? null : found.error.param).toBe(param);
  });

  it('dialects §5: names in snake_case, single values for lists, numbers as texts', () => {
    const found = read({
      contents: { parts: { text: 'hi' } },
      system_instruction: { parts: { text: 'be brief' } },
      tools: { function_declarations: { name: 'f' } },
      generation_config: {
        max_output_tokens: '12',
        stop_sequences: 'x',
        top_k: '3',
        thinking_config: { thinking_budget: 5 },
      },
    });
    expect(found).toMatchObject({
      system: [{ type: 'text', text: 'be brief' }],
      turns: [{ role: 'user', parts: [{ type: 'text', text: 'hi' }] }],
      tools: [{ name: 'f', schema: null }],
      maxOutputTokens: 12,
      stop: ['x'],
      sampling: { topK: 3 },
      reasoning: { budget: 5 },
    });
    expect(read({ systemInstruction: 'plain' }).system).toEqual([{ type: 'text', text: 'plain' }]);
  });

  it('dialects §11: arguments stay as they were written; results find their call by id, else by name in order', () => {
    const found = read(`{"contents":[{"parts":[{"text":"x"}]},
      {"role":"model","parts":[{"functionCall":{"name":"f","args":{"n":12345678901234567890, "b":1}}},
        {"functionCall":{"name":"g"}},{"functionCall":{"name":"f","id":"own","args":{}}}]},
      {"role":"function","parts":[{"functionResponse":{"name":"f","id":"own","response":{"a":[1]}}},
        {"functionResponse":{"name":"f","response":{"output":"sunny"}}},
        {"functionResponse":{"name":"g","response":{"error":"no"}}}]}]}`);
    expect(found.turns.slice(1)).toEqual([
      {
        role: 'assistant',
        parts: [
          { type: 'call', id: 'call_1_0', name: 'f', form: 'function', input: '{"n":12345678901234567890, "b":1}' },
          { type: 'call', id: 'call_1_1', name: 'g', form: 'function', input: '{}' },
          { type: 'call', id: 'own', name: 'f', form: 'function', input: '{}' },
        ],
      },
      {
        role: 'user',
        parts: [
          { type: 'result', callId: 'own', name: 'f', parts: [], json: '{"a":[1]}', failed: false },
          {
            type: 'result',
            callId: 'call_1_0',
            name: 'f',
            parts: [{ type: 'text', text: 'sunny' }],
            json: null,
            failed: false,
          },
          {
            type: 'result',
            callId: 'call_1_1',
            name: 'g',
            parts: [{ type: 'text', text: 'no' }],
            json: null,
            failed: true,
          },
        ],
      },
    ]);
  });

  it('T-8: chunks put one by one into a history are one answer', () => {
    const model = (...parts: object[]) => ({ role: 'model', parts });
    expect(
      turns(
        ...HELLO,
        model({ text: 'Pl', thought: true }),
        model({ text: 'an', thought: true }),
        model({ text: '', thoughtSignature: 'AA' }),
        model({ text: 'Hel' }, { text: 'lo' }),
        model({ text: '!', thoughtSignature: 'BB' }),
        model({ text: 'more' }),
        model({ text: '', thoughtSignature: 'CC' }),
        { parts: [{ text: 'a' }, { text: 'b' }] },
      )[1],
    ).toEqual({
      role: 'assistant',
      parts: [
        {
          type: 'reasoning',
          text: 'Plan',
          summary: true,
          opaque: { vendor: 'google', kind: 'signature', data: 'AA', id: null },
        },
        { type: 'text', text: 'Hello!', opaque: { vendor: 'google', kind: 'signature', data: 'BB', id: null } },
        { type: 'text', text: 'more' },
        {
          type: 'reasoning',
          text: '',
          summary: true,
          opaque: { vendor: 'google', kind: 'sealed', data: 'CC', id: null },
        },
      ],
    });
  });

  it('R-5: signatures are the vendor’s own unless a mark says whose they are; broken marks are nobody’s', () => {
    const state: Opaque = { vendor: 'anthropic', kind: 'sealed', data: 'x', id: 'i' };
    const part = (signature: string) =>
      turns(...HELLO, { role: 'model', parts: [{ text: '', thought: true, thoughtSignature: signature }] })[1]!
        .parts[0];
    expect(part(wrapOpaque(state, 'v'))).toMatchObject({ opaque: state });
    expect(part(`${wrapOpaque(state, 'v').slice(0, 8)}!`)).toMatchObject({ opaque: { vendor: null } });
  });

  it.each<[object, CanonicalRequest['toolChoice']]>([
    [{ mode: 'AUTO' }, { mode: 'auto' }],
    [{ mode: 'none' }, { mode: 'none' }],
    [{ mode: 'ANY' }, { mode: 'any' }],
    [
      { mode: 'ANY', allowed_function_names: ['f'] },
      { mode: 'one', name: 'f' },
    ],
    [
      { mode: 'ANY', allowedFunctionNames: ['f', 'g'] },
      { mode: 'some', names: ['f', 'g'], must: true },
    ],
    [{ mode: 'VALIDATED' }, { mode: 'auto' }],
    [
      { mode: 'VALIDATED', allowedFunctionNames: ['f'] },
      { mode: 'some', names: ['f'], must: false },
    ],
    [{ mode: 'MODE_UNSPECIFIED' }, null],
  ])('dialects §11: the choice of tools %j', (functionCallingConfig, expected) => {
    expect(read({ toolConfig: { functionCallingConfig } }).toolChoice).toEqual(expected);
  });

  it.each<[object, CanonicalRequest['reasoning']]>([
    [
      { thinkingLevel: 'HIGH', includeThoughts: true },
      { effort: 'high', budget: null, shown: true },
    ],
    [{ thinkingBudget: 0 }, { effort: 'none', budget: null, shown: null }],
    [{ thinkingBudget: -1 }, { effort: null, budget: null, shown: null }],
    [
      { thinkingBudget: '900', includeThoughts: false },
      { effort: null, budget: 900, shown: false },
    ],
    [{ thinkingLevel: 'THINKING_LEVEL_UNSPECIFIED' }, { effort: null, budget: null, shown: null }],
  ])('dialects §11: thinking %j', (thinkingConfig, expected) => {
    expect(read({ generationConfig: { thinkingConfig } }).reasoning).toEqual(expected);
  });

  it('dialects §11: schemas of the API’s own kind become JSON Schema, byte for byte but for what differs', () => {
    const own = `{"type":"OBJECT","propertyOrdering":["b"],"nullable":true,"properties":{"type":{"type":"STRING","enum":["a"],"nullable":true},
      "n":{"type":"INTEGER","minimum":-9007199254740993,"format":"int64"},"l":{"type":"ARRAY","items":{"type":"NUMBER"},"min_items":"2"},
      "u":{"anyOf":[{"type":"STRING"},{"type":"BOOLEAN"}],"nullable":true}},"required":["type"],"example":{"n":1}}`;
    expect(toJsonSchema(own)).toBe(
      '{"type":["object","null"],"properties":{"type":{"type":["string","null"],"enum":["a",null]},' +
        '"n":{"type":"integer","minimum":-9007199254740993,"format":"int64"},' +
        '"l":{"type":"array","items":{"type":"number"},"minItems":2},' +
        '"u":{"anyOf":[{"anyOf":[{"type":"string"},{"type":"boolean"}]},{"type":"null"}]}},"required":["type"],"examples":[{"n":1}]}',
    );
    const declared = { name: 'f', parameters: { type: 'OBJECT', properties: { a: { type: 'STRING' } } } };
    expect(read({ tools: [{ functionDeclarations: [declared] }] }).tools[0]?.schema).toBe(
      '{"type":"object","properties":{"a":{"type":"string"}}}',
    );
    const config = { responseMimeType: 'application/json', responseSchema: { type: 'STRING' } };
    expect(read({ generationConfig: config }).format).toMatchObject({ type: 'schema', schema: '{"type":"string"}' });
  });
});

const identity: AnswerIdentity = { id: 'req_1', createdAt: 0, servedModel: 'served/m', vendor: 'anthropic' };
const answer = (parts: readonly Part[], finish: Finish = 'stop', raw = 'end_turn'): CanonicalAnswer => ({
  choices: [{ parts, finish, finishRaw: raw, stopSequence: null, logprobs: null }],
  usage: null,
});
const SHOWN = { generationConfig: { thinkingConfig: { includeThoughts: true } } };

describe('writing an answer', () => {
  const written = (one: CanonicalAnswer, fields: object = {}) => {
    const { bytes, dropped } = writeAnswer(one, identity, request(fields));
    return { ...JSON.parse(textOf(bytes)).candidates[0], dropped };
  };

  it.each<[Finish, readonly Part[], string, string[]]>([
    ['stop', [], 'STOP', []],
    ['tool_calls', [], 'STOP', []],
    ['length', [], 'MAX_TOKENS', []],
    ['content_filter', [], 'SAFETY', []],
    ['refusal', [{ type: 'text', text: 'x' }], 'SAFETY', []],
    ['stop', [{ type: 'refusal', text: 'no' }], 'SAFETY', []],
    ['pause', [], 'MAX_TOKENS', ['finish reason end_turn']],
  ])('dialects §11: %s after %j is %s', (finish, parts, word, lost) => {
    expect(written(answer(parts, finish))).toMatchObject({ finishReason: word, dropped: lost });
  });

  it('R-5: foreign state is wrapped, with the thought it signs, whoever reads it', () => {
    const opaque: Opaque = { vendor: null, kind: 'signature', data: 's', id: null };
    const parts: Part[] = [
      { type: 'reasoning', text: 'hm', summary: false, opaque },
      { type: 'reasoning', text: 'plain', summary: false, opaque: null },
      { type: 'call', id: 'c', name: 'f', form: 'custom', input: 'free text' },
    ];
    const { content } = written(answer(parts));
    expect(content.parts).toEqual([
      { text: 'hm', thought: true, thoughtSignature: expect.any(String) },
      { functionCall: { id: 'c', name: 'f', args: { input: 'free text' } } },
    ]);
    expect(unwrapOpaque(content.parts[0].thoughtSignature)).toEqual({ ...opaque, vendor: 'anthropic' });
    expect(written(answer(parts), SHOWN).content.parts[1]).toEqual({ text: 'plain', thought: true });
  });

  it('dialects §11: sources stand beside the parts', () => {
    const citations = [{ url: 'https://a.test', title: 'A', quote: null, start: 1, end: 2 }];
    expect(written(answer([{ type: 'text', text: 'so', citations }])).citationMetadata).toEqual({
      citationSources: [{ startIndex: 1, endIndex: 2, uri: 'https://a.test', title: 'A' }],
    });
  });
});

describe('writing a stream', () => {
  test('T-8: a call goes out whole when it ends, a thought nobody asked for only with its signature', () => {
    const out = new ByteWriter();
    const writer = streamWriter(out, identity, request({}));
    const step = (event: Parameters<typeof writer.write>[0]): object[] => {
      writer.write(event);
      return out.length === 0 ? [] : chunksIn(textOf(out.take())).map((one) => one.candidates![0]!.content!.parts![0]!);
    };
    const opaque: Opaque = { vendor: null, kind: 'signature', data: 's', id: null };
    expect(step({ type: 'block-start', block: 0, choice: 0, what: { type: 'reasoning', summary: false } })).toEqual([]);
    expect(step({ type: 'delta', block: 0, text: 'hm' })).toEqual([]);
    expect(step({ type: 'opaque', block: 0, opaque })).toEqual([]);
    expect(step({ type: 'block-end', block: 0 })).toMatchObject([{ text: 'hm', thought: true }]);
    const what = { type: 'call', id: 'c', name: 'f', form: 'function' } as const;
    expect(step({ type: 'block-start', block: 1, choice: 0, what })).toEqual([]);
    expect(step({ type: 'delta', block: 1, text: '{"a":' })).toEqual([]);
    expect(step({ type: 'delta', block: 1, text: '1}' })).toEqual([]);
    expect(step({ type: 'block-end', block: 1 })).toEqual([{ functionCall: { id: 'c', name: 'f', args: { a: 1 } } }]);
    step({ type: 'finish', choice: 0, finish: 'tool_calls', raw: 'tool_use', stopSequence: null });
    writer.end(Buffer.from('{"attempts":2}'), false);
    expect(chunksIn(textOf(out.take()))).toMatchObject([
      { candidates: [{ finishReason: 'STOP' }], modelVersion: 'served/m', understudy: { attempts: 2 } },
    ]);
  });
});
