import { describe, expect, it, test } from 'vitest';
import type { Degrade } from '../../core/request/redundancy-types.ts';
import { textOf } from '../bytes/text.ts';
import type { ClientRequest, RequestPlace, UpstreamWrite } from '../contract.ts';
import { wrapOpaque } from '../cross/opaque-marks.ts';
import { generateCodec } from './codec.ts';
import { countAnswer, generateCountCodec } from './count-codec.ts';
import { degraded } from './request.ts';

const PLACE: RequestPlace = { model: 'google/gemini-x', stream: false, form: 'events' };
const HI = [{ role: 'user', parts: [{ text: 'hi' }] }];

function read(body: object | string, place: RequestPlace = PLACE): ClientRequest {
  const text = typeof body === 'string' ? body : JSON.stringify({ contents: HI, ...body });
  const request = generateCodec.readRequest(Buffer.from(text), place);
  if (!request.ok) throw new Error(request.error.message);
  return request.value;
}

function refused(body: unknown): { code: string | null; param: string | null } {
  const request = generateCodec.readRequest(Buffer.from(typeof body === 'string' ? body : JSON.stringify(body)), PLACE);
  if (request.ok) throw new Error('read');
  return { code: request.error.code, param: request.error.param };
}

const target = { upstreamModel: 'up-a', vendor: 'google', maxOutputTokens: null, lacks: new Set<string>() };
const WRITE: UpstreamWrite = { target, degrade: null, injectUsage: true };

function written(request: ClientRequest, write: Partial<UpstreamWrite> = {}) {
  const body = generateCodec.writeUpstream(request, { ...WRITE, ...write });
  return { ...body, text: textOf(body.bytes), json: JSON.parse(textOf(body.bytes)) };
}

describe('readRequest', () => {
  test('C-1: the path names the model, whether it streams and how; the body may name it too', () => {
    const request = read({ models: ['a', 'b'], redundancy: { retries: 1 } }, { ...PLACE, stream: true, form: 'array' });
    expect([request.model, request.stream, request.includeUsage, request.n]).toEqual([
      'google/gemini-x',
      true,
      true,
      1,
    ]);
    expect([request.models, request.redundancy, request.place.form]).toEqual([['a', 'b'], { retries: 1 }, 'array']);
    expect(read({ model: 'models/other' }).model).toBe('google/gemini-x');
    expect(read({ model: 'models/other' }, {}).model).toBe('other');
  });

  test('T-5: candidateCount says how many must finish, in either spelling, also as protobuf writes numbers', () => {
    expect(read({ generationConfig: { candidateCount: 3 } }).n).toBe(3);
    expect(read({ generation_config: { candidate_count: '2' } }).n).toBe(2);
  });

  test.each<[unknown, string, string | null]>([
    ['nope', 'invalid_json', null],
    [{}, 'missing_required_parameter', 'contents'],
    [{ contents: [] }, 'invalid_parameter', 'contents'],
    [{ contents: 'x' }, 'invalid_parameter', 'contents'],
    [{ contents: HI, generationConfig: [] }, 'invalid_parameter', 'generationConfig'],
    [{ contents: HI, generationConfig: { candidateCount: 0 } }, 'invalid_parameter', 'generationConfig.candidateCount'],
    ['{"contents":[{}],"contents":[{}]}', 'invalid_json', null],
  ])('E-5: %j is refused', (body, code, param) => {
    expect(refused(body)).toEqual({ code, param });
  });
});

describe('writeUpstream', () => {
  test('T-8, dialects §14.20: everything but our own fields passes byte for byte', () => {
    const body =
      '{ "contents" : [{"parts":[{"text":"\\u00e9"}]}],"models":["a"],"x_unknown":12345678901234567890, "model":"models/m","safety_settings":[], "redundancy":{},"fallback_models":[]}';
    expect(written(read(body)).text).toBe(
      '{ "contents" : [{"parts":[{"text":"\\u00e9"}]}],"x_unknown":12345678901234567890,"safety_settings":[]}',
    );
    expect(written(read(body))).toMatchObject({ changes: [], dropped: false });
  });

  const degrade = (entry: Degrade, body: object) => {
    const { json, changes, dropped } = written(read(body), { degrade: entry });
    const { contents: _, ...rest } = json;
    return [rest, changes, dropped];
  };

  test.each<[string, Degrade, object, object, string[], boolean]>([
    [
      'tools',
      { drop_tools: true },
      { tools: [{}], tool_config: {} },
      {},
      ['dropped tools', 'dropped toolConfig'],
      true,
    ],
    [
      'the format',
      { drop_response_format: true },
      { generationConfig: { responseMimeType: 'application/json', response_schema: {}, seed: 1 } },
      { generationConfig: { seed: 1 } },
      ['dropped responseMimeType', 'dropped responseSchema'],
      true,
    ],
    [
      'parameters, wherever they stand and however they are named',
      { drop_params: ['seed', 'safety_settings', 'contents', 'absent'] },
      { safetySettings: [], generation_config: { seed: 1, topK: 2 } },
      { generation_config: { topK: 2 } },
      ['dropped safetySettings', 'dropped seed'],
      true,
    ],
    [
      'a longer limit',
      { max_output_tokens: 10 },
      { generationConfig: { maxOutputTokens: 50 } },
      { generationConfig: { maxOutputTokens: 10 } },
      ['maxOutputTokens 50 → 10'],
      false,
    ],
    [
      'no limit',
      { max_output_tokens: 10 },
      {},
      { generationConfig: { maxOutputTokens: 10 } },
      ['maxOutputTokens set to 10'],
      false,
    ],
    [
      'a whole config, but for what the entry sets',
      { drop_params: ['generation_config'], max_output_tokens: 10, reasoning_effort: 'low' },
      { generationConfig: { seed: 1, thinkingConfig: { includeThoughts: true } } },
      { generationConfig: { maxOutputTokens: 10, thinkingConfig: { thinkingLevel: 'LOW' } } },
      ['dropped generationConfig', 'maxOutputTokens set to 10', 'reasoning effort set to low'],
      true,
    ],
    [
      'a lower limit stays',
      { max_output_tokens: 10 },
      { generationConfig: { max_output_tokens: 5 } },
      { generationConfig: { max_output_tokens: 5 } },
      [],
      false,
    ],
    [
      'effort as a level',
      { reasoning_effort: 'low' },
      { generationConfig: { thinkingConfig: { includeThoughts: true, thinkingLevel: 'HIGH' } } },
      { generationConfig: { thinkingConfig: { includeThoughts: true, thinkingLevel: 'LOW' } } },
      ['reasoning effort set to low'],
      false,
    ],
    [
      'effort as a budget where the request has one',
      { reasoning_effort: 'none' },
      { generationConfig: { thinkingConfig: { thinking_budget: 900 } } },
      { generationConfig: { thinkingConfig: { thinking_budget: 0 } } },
      ['reasoning effort set to none'],
      false,
    ],
  ])('R-4: %s', (_name, entry, body, expected, changes, dropped) => {
    expect(degrade(entry, body)).toEqual([expected, changes, dropped]);
    const whole = degraded(read(body), entry);
    expect([JSON.parse(textOf(whole.request.view.bytes)), whole.changes]).toEqual([
      { contents: HI, ...expected },
      changes,
    ]);
  });

  test('D-5: the limit is doubled within what model and entry allow, and raised in the body', () => {
    const request = read({ generationConfig: { maxOutputTokens: 100 } });
    const answer = generateCodec.readAnswer(
      Buffer.from('{"candidates":[{"content":{"parts":[{"text":"x"}]},"finishReason":"MAX_TOKENS"}]}'),
    )!;
    expect(generateCodec.isCut(answer)).toBe(true);
    expect(generateCodec.longerOutput(request, null, answer, null)).toBe(200);
    expect(generateCodec.longerOutput(request, null, answer, 150)).toBe(150);
    expect(generateCodec.longerOutput(request, null, answer, 100)).toBeNull();
    expect(generateCodec.longerOutput(request, { drop_params: ['maxOutputTokens'] }, answer, null)).toBeNull();
    const raised = written(request, { outputTokens: 200 });
    expect([raised.json.generationConfig, raised.changes]).toEqual([
      { maxOutputTokens: 200 },
      ['maxOutputTokens 100 → 200'],
    ]);
  });
});

describe('R-5: opaque state', () => {
  const opaque = (vendor: string) => wrapOpaque({ vendor, kind: 'signature', data: 'c2lnbg==', id: null }, vendor);
  const history = (signature: string, extra: object = {}) => ({
    contents: [
      ...HI,
      {
        role: 'model',
        parts: [{ functionCall: { name: 'f', args: { n: 1 } }, thoughtSignature: signature, ...extra }],
      },
      { role: 'user', parts: [{ functionResponse: { name: 'f', response: { ok: true } } }] },
    ],
  });

  test('what the vendor made itself passes byte for byte and is told', () => {
    const body = JSON.stringify(history('bare+/=='));
    expect(written(read(body))).toMatchObject({ text: body, opaque: true, changes: [], dropped: false });
    expect(written(read({})).opaque).toBeUndefined();
  });

  test('what was wrapped goes unwrapped to its maker, also in the other spelling and alphabet', () => {
    expect(written(read(history(opaque('google')))).json.contents[1].parts[0].thoughtSignature).toBe('c2lnbg==');
    const other = JSON.stringify(history(opaque('google'))).replace('thoughtSignature', 'thought_signature');
    expect(written(read(other)).json.contents[1].parts[0].thought_signature).toBe('c2lnbg==');
    expect(written(read(history(opaque('google')))).changes).toEqual([]);
  });

  test('what another vendor made is taken out and recorded; what held nothing else goes whole', () => {
    const { json, changes, dropped, opaque: told } = written(read(history(opaque('anthropic'))));
    expect(json.contents[1].parts).toEqual([{ functionCall: { name: 'f', args: { n: 1 } } }]);
    expect([changes, dropped, told]).toEqual([['dropped opaque reasoning'], true, undefined]);
    const alone = {
      contents: [...HI, { role: 'model', parts: [{ thought: true, text: '', thoughtSignature: opaque('x') }] }, ...HI],
    };
    expect(written(read(alone)).json.contents).toEqual([...HI, ...HI]);
  });

  test('a model that insists on signed calls gets the call and its result as text', () => {
    const strict = { ...target, lacks: new Set(['unsigned_calls']) };
    const { json, changes } = written(read(history(opaque('anthropic'))), { target: strict });
    expect(json.contents[1].parts).toEqual([{ text: '[called f with {"n":1}]' }]);
    expect(json.contents[2].parts).toEqual([{ text: '[f answered {"ok":true}]' }]);
    expect(changes).toEqual(['dropped opaque reasoning', 'unsigned calls as text']);
    expect(written(read(history('own')), { target: strict }).changes).toEqual([]);
    // What else was signed elsewhere takes no call along.
    const { contents } = history('own');
    const foreign = { role: 'model', parts: [{ text: 'x', thoughtSignature: opaque('anthropic') }] };
    const call = { ...contents[1]!, parts: [...foreign.parts, ...contents[1]!.parts] };
    const kept = written(read({ contents: [contents[0]!, call, contents[2]!] }), { target: strict });
    expect(kept.json.contents[1].parts).toEqual([{ text: 'x' }, ...contents[1]!.parts]);
    expect(kept.changes).toEqual(['dropped opaque reasoning']);
  });

  test('the attempt after a refusal brings none at all', () => {
    const { json, opaque: told } = written(read(history('own')), { bare: true });
    expect([json.contents[1].parts[0].thoughtSignature, told]).toEqual([undefined, undefined]);
  });
});

describe('what the runtime asks of a request', () => {
  const media = (part: object) => ({ contents: [{ parts: [{ text: 'x' }, part] }] });

  it.each<[string, object, string | undefined]>([
    ['an image', media({ inlineData: { mimeType: 'image/png', data: 'AA' } }), 'image'],
    ['a sound', media({ inline_data: { mime_type: 'audio/wav', data: 'AA' } }), 'audio'],
    ['a video', media({ fileData: { mimeType: 'video/mp4', fileUri: 'https://x.test/v' } }), 'video'],
    ['a document', media({ inlineData: { mimeType: 'application/pdf', data: 'AA' } }), 'file'],
    [
      'an image in a result',
      media({
        functionResponse: { name: 'f', response: {}, parts: [{ inlineData: { mimeType: 'image/png', data: 'A' } }] },
      }),
      'image',
    ],
    ['text alone', {}, undefined],
  ])('P-6: input: %s', (_name, body, input) => {
    expect(generateCodec.needs(read(body), null).input(() => true)).toBe(input);
  });

  it.each<[string, object, string | undefined]>([
    ['functions', { tools: [{ function_declarations: [{ name: 'f' }] }] }, 'tools'],
    ['a search is none', { tools: [{ googleSearch: {} }] }, undefined],
    ['a schema', { generationConfig: { responseMimeType: 'application/json', responseJsonSchema: {} } }, 'json_schema'],
    ['JSON', { generationConfig: { responseMimeType: 'application/json' } }, 'json_object'],
    ['thinking', { generationConfig: { thinkingConfig: { thinkingLevel: 'LOW' } } }, 'reasoning'],
    ['no thinking', { generationConfig: { thinkingConfig: { thinkingBudget: 0 } } }, undefined],
    ['logprobs', { generationConfig: { responseLogprobs: true } }, 'logprobs'],
  ])('P-6: feature: %s', (_name, body, feature) => {
    expect(generateCodec.needs(read(body), null).feature(() => true)).toBe(feature);
  });

  test('P-6: what an entry drops is not needed', () => {
    const request = read({
      tools: [{ functionDeclarations: [{}] }],
      generationConfig: { responseMimeType: 'application/json' },
    });
    expect(
      generateCodec.needs(request, { drop_tools: true, drop_response_format: true }).feature(() => true),
    ).toBeUndefined();
  });

  test('D-4: what it may cost', () => {
    const request = read({
      generationConfig: { candidateCount: 2, max_output_tokens: '30', responseModalities: ['AUDIO'] },
      ...media({ inlineData: { mimeType: 'audio/wav', data: 'AA' } }),
    });
    const all = { maxOutputTokens: 30, answers: 2, mediaParts: 1, audioIn: true, audioOut: true };
    expect(generateCodec.asks(request, null)).toEqual(all);
    expect(generateCodec.asks(request, { max_output_tokens: 10 }).maxOutputTokens).toBe(10);
    expect(generateCodec.asks(request, { drop_params: ['generationConfig'] })).toMatchObject({
      maxOutputTokens: null,
      answers: 1,
      audioOut: false,
    });
  });

  test('G-9: addresses of files and of tools; not what is stored, said or described', () => {
    const request = read({
      contents: [
        { parts: [{ fileData: { fileUri: 'https://x.test/a.png' } }, { text: 'https://y.test' }] },
        { parts: [{ file_data: { file_uri: ' HTTP://10.0.0.1/' } }, { fileData: { fileUri: 'gs://bucket/x' } }] },
        { parts: [{ functionResponse: { name: 'f', response: { fileUri: 'http://no.test' } } }] },
      ],
      tools: [
        { functionDeclarations: [{ name: 'f', parametersJsonSchema: { url: 'http://no.test' } }] },
        { mcpServers: [{ streamableHttpTransport: { url: 'https://mcp.test' } }] },
      ],
    });
    expect(generateCodec.suppliedUrls(request)).toEqual([
      { param: 'contents[0].parts[0]', url: 'https://x.test/a.png' },
      { param: 'contents[1].parts[0]', url: ' HTTP://10.0.0.1/' },
      { param: 'tools[1]', url: 'https://mcp.test' },
    ]);
  });

  it.each<[string, object, object | null]>([
    ['a cache', { cached_content: 'cachedContents/1' }, { param: 'cachedContent', id: 'cachedContents/1' }],
    ['a continuation', { continuationToken: 't' }, { param: 'continuationToken', id: 't' }],
    [
      'an uploaded file',
      media({ fileData: { fileUri: 'https://files.test/v1beta/files/abc' } }),
      { param: 'contents[0].parts[1]', id: 'https://files.test/v1beta/files/abc' },
    ],
    [
      'one in a bucket',
      media({ fileData: { fileUri: 'gs://b/x' } }),
      { param: 'contents[0].parts[1]', id: 'gs://b/x' },
    ],
    ['a page', media({ fileData: { fileUri: 'https://x.test/a.png' } }), null],
    ['nothing', { cachedContent: '' }, null],
  ])('P-8: %s', (_name, body, state) => {
    expect(generateCodec.namedState(read(body))).toEqual(state);
  });

  it.each<[string, object, boolean]>([
    ['functions of the client', { tools: [{ functionDeclarations: [] }] }, false],
    ['functions, spelt otherwise', { tools: [{ function_declarations: [] }] }, false],
    ['a search', { tools: [{ googleSearch: {} }] }, true],
    ['code', { tools: [{ codeExecution: {} }] }, true],
    ['a picture', { generationConfig: { responseModalities: ['TEXT', 'IMAGE'] } }, true],
    ['text', { generationConfig: { responseModalities: ['TEXT'] } }, false],
  ])('D-11: %s', (_name, body, acts) => {
    expect(generateCodec.actsUpstream(read(body))).toBe(acts);
  });

  test('P-2: a caller is known by its label alone', () => {
    expect(generateCodec.callerMark(read({ labels: { user: 'u1' } }), 'user')).toBe('u1');
    expect(generateCodec.callerMark(read({}), 'user')).toBeNull();
  });
});

describe('counting', () => {
  const count = (body: object) => {
    const request = generateCountCodec.readRequest(Buffer.from(JSON.stringify(body)), { model: 'm' });
    if (!request.ok) throw new Error(request.error.message);
    return request.value;
  };

  test('S0: contents pass; a whole request inside names the upstream model', () => {
    const plain = generateCountCodec.writeUpstream(count({ contents: HI, models: ['a'] }), WRITE);
    expect(JSON.parse(textOf(plain.bytes))).toEqual({ contents: HI });
    const whole = count({
      generateContentRequest: { model: 'models/m', contents: HI, tools: [{ codeExecution: {} }] },
    });
    expect(JSON.parse(textOf(generateCountCodec.writeUpstream(whole, WRITE).bytes))).toEqual({
      generateContentRequest: { model: 'models/up-a', contents: HI, tools: [{ codeExecution: {} }] },
    });
    expect([whole.stream, generateCountCodec.actsUpstream(whole)]).toEqual([false, false]);
    expect(
      generateCountCodec.namedState(count({ generateContentRequest: { contents: HI, cachedContent: 'c' } }))?.id,
    ).toBe('c');
    expect(generateCountCodec.readRequest(Buffer.from('{}')).ok).toBe(false);
  });

  test('S0: an answer is a count, and costs nothing', () => {
    const answer = generateCountCodec.readAnswer(Buffer.from('{"totalTokens": 12,"x":1}'))!;
    expect([answer.content, answer.usage?.total]).toEqual(['content', 0]);
    const write = { servedModel: 's', report: Buffer.from('{"a":1}'), classic: false };
    expect(textOf(generateCountCodec.writeAnswer(answer, write))).toBe(
      '{"totalTokens": 12,"x":1,"understudy":{"a":1}}',
    );
    expect(textOf(generateCountCodec.writeAnswer(countAnswer(5), { ...write, report: null }))).toBe(
      '{"totalTokens":5}',
    );
    for (const bad of ['[]', '{"error":{}}', '{"totalTokens":"x"}', '{"candidates":[]}', '<html>']) {
      expect(generateCountCodec.readAnswer(Buffer.from(bad))).toBeNull();
    }
  });
});
